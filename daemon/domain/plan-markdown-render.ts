/** A plan written as Markdown: what `parseMarkdown` reads back without loss. */
import type { Item, ItemStatus } from '../../shared/plan.js';
import { numberAt, type Tree } from '../../shared/plan-tree.js';
import { fenceFor, marks, labels, type Label } from './plan-markdown.js';
import { defaultExecutor } from './plan-text.js';

export interface RenderedPlan {
  /** Of the session. */
  readonly title: string;
  readonly goal: string;
  /** Of the plan run; for the reader only. */
  readonly status: string;
  readonly tree: Tree;
}

export function renderMarkdown({ title, goal, status, tree }: RenderedPlan): string {
  const lines = [`# Plan: ${title.replace(/\s+/g, ' ').trim()}`.trimEnd(), ''];
  if (goal === '' || isPlain(goal)) lines.push(`**Goal:** ${goal}`.trimEnd());
  else lines.push('**Goal:**', '', ...fenced(goal, ''));
  lines.push('', `**Status:** ${status}`, '', '## Steps', '');
  tree.forEach(({ item, children }, task) => {
    renderItem(lines, item, numberAt({ task, child: -1 }), '');
    children.forEach((child, c) => renderItem(lines, child, numberAt({ task, child: c }), '  '));
  });
  return `${lines.join('\n').trimEnd()}\n`;
}

function renderItem(lines: string[], item: Item, number: string, indent: string): void {
  lines.push(`${indent}- [${marks[item.status satisfies ItemStatus]}] ${number}. ${item.title} <!-- ${metadataOf(item)} -->`);
  const inner = `${indent}  `;
  const { detail } = item;
  if (detail !== undefined) {
    if (isPlain(detail)) lines.push(...detail.split('\n').map((line) => (line === '' ? '' : inner + line)));
    else renderField(lines, 'Detail', detail, inner);
  }
  for (const [label, value] of fieldsOf(item)) renderField(lines, label, value, inner);
}

function metadataOf(item: Item): string {
  return [
    `id:${item.id}`,
    item.priority === 'medium' ? '' : `priority:${item.priority}`,
    item.executor === defaultExecutor(item.command) ? '' : `executor:${item.executor}`,
    item.repeatable === true ? 'repeatable:yes' : '',
    item.claimed === true ? 'claimed:yes' : '',
    item.accepted === true ? 'accepted:yes' : '',
    item.origin === undefined ? '' : `origin:${item.origin}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function* fieldsOf(item: Item): Generator<[Label, string]> {
  if (item.note !== undefined) yield ['Note', item.note];
  for (const entry of item.acceptance) yield ['Acceptance', entry];
  if (item.command !== undefined) yield ['Command', item.command];
  for (const command of item.verify ?? []) yield ['Verify', command];
  if (item.model !== undefined) yield ['Model', item.model];
  for (const { action, path } of item.relevantFiles ?? []) yield [`File (${action})`, path];
  for (const path of item.scope?.included ?? []) yield ['In scope', path];
  for (const path of item.scope?.excluded ?? []) yield ['Out of scope', path];
}

function renderField(lines: string[], label: Label, value: string, indent: string): void {
  const oneLine = !value.includes('\n') && value.trim() === value && !value.includes('<!--');
  const { code } = labels[label];
  const head = `${indent}- **${label}:**`;
  if (label === 'Detail' || !oneLine || (code && value.includes('`'))) lines.push(head, ...fenced(value, `${indent}  `));
  else lines.push(`${head} ${code ? `\`${value}\`` : value}`);
}

function fenced(text: string, indent: string): string[] {
  const fence = fenceFor(text);
  const inner = text.split('\n').map((line) => (line === '' ? '' : indent + line));
  return [`${indent}${fence}text`, ...inner, `${indent}${fence}`];
}

/**
 * True when every line reads as prose, to the parser and to whoever views the file: nothing that starts a list, a
 * heading, a fence, a quote or HTML, no comment that could hide what follows, no white space at an edge.
 */
function isPlain(text: string): boolean {
  const lines = text.split('\n');
  const special = /^[\s\-*+#<>=~`|[\]\\_&!]|^\d+[.)]/;
  return (
    lines[0] !== '' &&
    lines.at(-1) !== '' &&
    lines.every((line) => line === '' || (!special.test(line) && line.trim() === line && !line.includes('<!--')))
  );
}
