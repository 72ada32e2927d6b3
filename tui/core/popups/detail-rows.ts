/** The rows of what the details of an item tell. Each thing is laid out once for a width: its rows are the same ones after. */
import { unreachable } from '../../../shared/errors.js';
import type { ItemChange, ListedItem } from '../../../shared/plan.js';
import type { Effect, PlanRun, Receipt, Run } from '../../../shared/run.js';
import { type Glyphs, wordOf } from '../glyphs.js';
import { grouped } from '../text/numbers.js';
import type { Row } from '../press.js';
import { blankRow, textRow } from '../panes/rows.js';
import type { Tone } from '../style.js';
import { countOf, duration, reveal, sanitise, wrap } from '../text/text.js';
import type { ItemRevision } from './popup.js';

/** Rows that are being written. Each line of a text is wrapped by itself. */
export interface Page {
  readonly rows: Row[];
  readonly say: (text: string, tone?: Tone, indent?: number) => void;
}

export function pageOf(width: number): Page {
  const rows: Row[] = [];
  return {
    rows,
    say(text, tone = 'plain', indent = 0) {
      for (const line of text.split('\n')) {
        for (const piece of wrap(line, Math.max(8, width - indent))) rows.push(textRow(' '.repeat(indent) + piece, tone));
      }
    },
  };
}

interface Known {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly other: unknown;
  readonly rows: readonly Row[];
}
const known = new WeakMap<object, Known>();

/** Rows that are made once for a thing. `other`: what they are made from besides the thing, their width and the glyphs. */
export function keep(thing: object, width: number, glyphs: Glyphs, other: unknown, write: (page: Page) => void): readonly Row[] {
  const before = known.get(thing);
  if (before?.width === width && before.glyphs === glyphs && before.other === other) return before.rows;
  const page = pageOf(width);
  write(page);
  known.set(thing, { width, glyphs, other, rows: page.rows });
  return page.rows;
}

/** `planRun`: what the plan does, which may have stopped at this item. */
export const itemRows = (item: ListedItem, planRun: PlanRun | null, width: number, glyphs: Glyphs): readonly Row[] =>
  keep(item, width, glyphs, planRun, (page) => tellItem(item, planRun, glyphs.dot, page));

const longestResult = 4_000;

/** What a run said that it came to. */
export function resultRows({ summary }: Run, width: number): readonly Row[] {
  const { say, rows } = pageOf(width);
  if (summary === null || summary.trim() === '') return [];
  rows.push(blankRow);
  say('Result', 'dim');
  say(summary.slice(0, longestResult).trimEnd().split(/\r?\n/).map(sanitise).join('\n'), 'plain', 2);
  return rows;
}

export const receiptRows = (receipt: Receipt, width: number, glyphs: Glyphs): readonly Row[] =>
  keep(receipt, width, glyphs, null, (page) => tellReceipt(receipt, page));

export const effectRows = (effect: Effect, width: number, glyphs: Glyphs): readonly Row[] =>
  keep(effect, width, glyphs, null, (page) => tellEffect(effect, glyphs.ellipsis, page));

export const runRows = (run: Run, width: number, glyphs: Glyphs): readonly Row[] =>
  keep(run, width, glyphs, null, (page) => tellRun(run, page));

export const changeRows = (change: ItemRevision, width: number, glyphs: Glyphs): readonly Row[] =>
  keep(change, width, glyphs, null, (page) => tellChange(change, page));

function tellItem(item: ListedItem, planRun: PlanRun | null, dot: string, { say, rows }: Page): void {
  say(sanitise(item.title), 'strong');
  const facts = [
    wordOf(item) || item.status,
    item.id,
    item.priority === 'medium' ? '' : `${item.priority} priority`,
    item.repeatable ? 'repeatable' : '',
    item.model ?? '',
  ];
  say(
    facts
      .filter((fact) => fact !== '')
      .map(sanitise)
      .join(` ${dot} `),
    'dim',
  );
  if (planRun?.currentItemId === item.id && planRun.lastError !== null) {
    rows.push(blankRow);
    say('Why it stopped', 'bad');
    say(planRun.lastError.split('\n').map(sanitise).join('\n'), 'plain', 2);
  }
  const part = (label: string, texts: readonly (string | undefined)[], show: (text: string) => string = sanitise): void => {
    const told = texts.filter((text): text is string => text !== undefined && text !== '');
    if (told.length === 0) return;
    rows.push(blankRow);
    say(label, 'dim');
    for (const text of told) say(text.split('\n').map(show).join('\n'), 'plain', 2);
  };
  part('Detail', [item.detail]);
  part('Command', [item.command], reveal);
  part('Checks', item.verify ?? [], reveal);
  part('Accepted when', item.acceptance);
  part('Note', [item.note]);
  part(
    'Files',
    (item.relevantFiles ?? []).map(({ path, action }) => `${action} ${path}`),
  );
  part('In scope', item.scope?.included ?? []);
  part('Out of scope', item.scope?.excluded ?? []);
}

const shortTime = (iso: string): string => iso.slice(0, 19).replace('T', ' ');

function tellReceipt(receipt: Receipt, { say, rows }: Page): void {
  const { command, passed, exitCode, durationMs, at, attempt, outputTail, outputHash, treeHash } = receipt;
  say(`${passed ? 'passed' : 'failed'}: ${reveal(command)}`, passed ? 'good' : 'bad');
  const facts = [
    exitCode === null ? 'no exit code' : `exit code ${exitCode}`,
    duration(durationMs),
    `try ${attempt}`,
    `${shortTime(at)} UTC`,
  ];
  say(facts.join(', '), 'dim', 2);
  say(`output ${outputHash.slice(0, 12)}${treeHash === null ? '' : `, tree ${treeHash.slice(0, 12)}`}`, 'dim', 2);
  if (outputTail.trim() !== '') say(outputTail.trimEnd().split(/\r?\n/).map(sanitise).join('\n'), 'plain', 4);
  rows.push(blankRow);
}

function tellEffect(
  { name, args, state, class: effectClass, startedAt, repeatable }: Effect,
  ellipsis: string,
  { say }: Page,
): void {
  const tone: Tone = state === 'unknown' ? 'warn' : state === 'failed' ? 'bad' : 'plain';
  const word = state === 'intent' ? 'under way' : state === 'unknown' ? 'outcome unknown' : state;
  const { start, left } = beginningOf(args);
  say(`${name} ${reveal(start).replaceAll('\n', ' ')}`, tone);
  if (left > 0) say(`${ellipsis} ${grouped(left)} more ${left === 1 ? 'character' : 'characters'}`, 'dim', 2);
  say(
    [word, effectClass.replaceAll('_', ' '), repeatable ? 'repeatable' : '', `${shortTime(startedAt)} UTC`]
      .filter((fact) => fact !== '')
      .join(', '),
    'dim',
    2,
  );
}

/** What a call was given may be a whole file: so much of it shows, in code units. */
const longestArguments = 2_000;

/** The beginning, cut between characters, and how many code units follow. */
function beginningOf(text: string): { start: string; left: number } {
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(longestArguments - 1));
  const start = text.slice(0, isInPair ? longestArguments - 1 : longestArguments);
  return { start, left: text.length - start.length };
}

function tellRun(run: Run, { say, rows }: Page): void {
  const { status, attempt, startedAt, finishedAt, usage, model, error, summary, id } = run;
  const tone: Tone =
    status === 'completed'
      ? 'good'
      : status === 'blocked' || status === 'failed'
        ? 'bad'
        : status === 'running'
          ? 'busy'
          : 'warn';
  const lasted = finishedAt === null ? '' : `, ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}`;
  say(`${status}, try ${attempt}${lasted}`, tone);
  const tokens = usage.inputTokens + usage.outputTokens;
  say(
    [
      `${shortTime(startedAt)} UTC`,
      model ?? '',
      usage.turns > 0 ? countOf(usage.turns, 'turn') : '',
      tokens > 0 ? `${tokens} tokens` : '',
      id,
    ]
      .filter((fact) => fact !== '')
      .map(sanitise)
      .join(', '),
    'dim',
    2,
  );
  const said = error ?? summary;
  if (said !== null && said.trim() !== '')
    say(said.trimEnd().split(/\r?\n/).map(sanitise).join('\n'), error === null ? 'plain' : 'bad', 2);
  rows.push(blankRow);
}

function tellChange({ revision, change }: ItemRevision, { say, rows }: Page): void {
  say(`version ${revision.version}, by ${revision.author}, ${shortTime(revision.at)} UTC`, 'dim');
  if (revision.explanation !== undefined) say(sanitise(revision.explanation), 'plain', 2);
  switch (change.state) {
    case 'reading':
      say('Reading.', 'dim', 2);
      break;
    case 'refused':
      say(sanitise(change.reason), 'bad', 2);
      break;
    case 'read':
      if (change.change === null) say('Nothing of it differs.', 'dim', 2);
      else tellDifference(change.change, say);
      break;
    default:
      unreachable(change);
  }
  rows.push(blankRow);
}

/** What of an item was one thing and is another, field by field. */
export function tellDifference({ before, after }: ItemChange, say: Page['say']): void {
  if (before === null) return say('+ made', 'good', 2);
  if (after === null) return say('- removed', 'bad', 2);
  const [old, now] = [before, after] as unknown as [Record<string, unknown>, Record<string, unknown>];
  for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const [was, is] = [tellValue(old[field]), tellValue(now[field])];
    if (was === is) continue;
    say(field === 'parentId' || field === 'position' ? 'moved' : field, 'dim', 2);
    if (was !== '' && field !== 'position') say(`- ${reveal(was)}`, 'bad', 2);
    if (is !== '' && field !== 'position') say(`+ ${reveal(is)}`, 'good', 2);
  }
}

const tellValue = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
