/**
 * A watched session as plain lines that read well on a terminal and in a log: state in, lines out. The session's state is
 * kept from snapshot and changes; a change that does not fit says that a new snapshot is wanted.
 */
import { buildTree, countLeaves, listTree } from '../../../shared/plan-tree.js';
import type { Item, ItemId, ListedItem } from '../../../shared/plan.js';
import type { InboxEntry } from '../../../shared/mission.js';
import type { PlanRun } from '../../../shared/run.js';
import type { RunOutput, Session, SessionChanged, Snapshot } from '../../../shared/session.js';
import { glyphOf, wordOf } from '../glyphs.js';
import { countOf, fit, sanitise } from '../text/text.js';
import { renderTree, toneOf, type ViewOptions, whyLines } from './tree-view.js';

export interface Watched {
  readonly session: Session;
  readonly planRun: PlanRun;
  readonly liveness: Snapshot['liveness'];
  readonly items: ReadonlyMap<ItemId, Item>;
  /** The stream that the last line of output belongs to, and its unfinished line. */
  readonly output: { readonly key: string; readonly rest: string };
}

export interface Step {
  readonly watched: Watched;
  readonly lines: readonly string[];
  /** Something was missed: watch again. */
  readonly resync?: boolean;
}

const noOutput = { key: '', rest: '' };
/** A line of output that is longer is shown before its end has come. */
const restLimit = 4_096;

export function fromSnapshot(snapshot: Snapshot): Watched {
  const { session, planRun, liveness, items } = snapshot;
  const plain = items.map(({ depth: _depth, number: _number, ...item }): Item => item);
  return { session, planRun, liveness, items: new Map(plain.map((item) => [item.id, item])), output: noOutput };
}

const listed = (watched: Watched): ListedItem[] => listTree(buildTree(watched.items.values()));

export function treeLines(watched: Watched, options: ViewOptions): string[] {
  const { session, planRun, liveness } = watched;
  const counts = countLeaves(buildTree(watched.items.values()));
  return renderTree({ title: session.title, goal: session.goal, items: listed(watched), counts, planRun, liveness }, options);
}

/** `clock`: the time of the line, as it is to be shown. */
export function takeChange(watched: Watched, change: SessionChanged, clock: string, options: ViewOptions): Step {
  if (change.snapshot)
    return { watched: fromSnapshot(change.snapshot), lines: treeLines(fromSnapshot(change.snapshot), options) };
  if (change.fromVersion !== undefined && change.fromVersion !== watched.session.planVersion)
    return { watched, lines: [], resync: true };
  const items = new Map(watched.items);
  for (const item of change.items ?? []) items.set(item.id, item);
  for (const id of change.removed ?? []) items.delete(id);
  const next: Watched = {
    session: change.session ?? watched.session,
    planRun: change.planRun ?? watched.planRun,
    liveness: change.liveness ?? watched.liveness,
    items,
    output: noOutput,
  };
  const lines = [
    ...itemLines(watched, next, change),
    ...runLines(watched, next, options),
    ...inboxLines(change.inbox ?? [], options),
  ];
  const open = flush(watched, options);
  const stamped = lines.map((line) => (line.startsWith(' ') ? line : `${options.paint('dim', clock)} ${line}`));
  // A change without a line of its own does not break a line of output in two.
  return lines.length === 0
    ? { watched: { ...next, output: watched.output }, lines: [] }
    : { watched: next, lines: [...open, ...stamped] };

  function itemLines(before: Watched, after: Watched, { items: changed = [], removed = [] }: SessionChanged): string[] {
    const numbers = new Map(listed(after).map((item) => [item.id, item.number]));
    const { glyphs, paint, width } = options;
    const told = changed.flatMap((item) => {
      const old = before.items.get(item.id);
      if (old && old.status === item.status && old.title === item.title) return [];
      const what = old === undefined ? 'added' : old.status === item.status ? 'renamed' : wordOf(item) || 'pending again';
      const tone = item.status === 'done' ? 'good' : item.status === 'active' ? 'busy' : 'plain';
      const line = `${glyphOf(item, glyphs)} ${numbers.get(item.id) ?? ''} ${sanitise(item.title)}  ${what}`;
      return [paint(tone, fit(line, width - 9, glyphs.ellipsis))];
    });
    // Thousands of new items are told by their number.
    const shown = told.length > 20 ? [`${told.length} items changed`] : told;
    return removed.length > 0 ? [...shown, `${countOf(removed.length, 'item')} removed`] : shown;
  }
}

function runLines(before: Watched, after: Watched, options: ViewOptions): string[] {
  const { paint, glyphs } = options;
  const [old, now] = [before.planRun, after.planRun];
  const lines: string[] = [];
  if (old.status !== now.status) lines.push(paint(toneOf(now.status), `${glyphs.dot} ${old.status} -> ${now.status}`));
  else if (now.attempt > old.attempt && now.currentItemId === old.currentItemId) lines.push(`${glyphs.dot} try ${now.attempt}`);
  if (now.lastError !== null && now.lastError !== old.lastError) lines.push(...whyLines(now.lastError, '    ', options));
  return lines;
}

/** Whether it waits for an answer; the others only tell of something. */
export const isAsked = ({ kind, options }: Pick<InboxEntry, 'kind' | 'options'>): boolean =>
  kind === 'question' || options.length > 0;

export function inboxLines(entries: readonly InboxEntry[], { paint, width, glyphs }: ViewOptions): string[] {
  return entries
    .filter((entry) => entry.state === 'open' && isAsked(entry))
    .flatMap((entry) => [
      paint('busy', `? ${sanitise(entry.title)}`),
      ...entry.detail.split('\n').map((line) => fit(`    ${sanitise(line)}`, width, glyphs.ellipsis)),
      `    answer: cairn inbox answer ${entry.id} ${entry.options.map(sanitise).join('|') || 'TEXT'}`,
    ]);
}

/** Streamed output, whole lines at a time; each stream under a line that says whose it is. */
export function takeOutput(watched: Watched, output: RunOutput, options: ViewOptions): Step {
  const { paint, glyphs, width } = options;
  const key = `${output.runId} ${output.stream} ${output.tool ?? ''}`;
  const lines: string[] = [];
  let { rest } = watched.output;
  if (key !== watched.output.key) {
    lines.push(...flush(watched, options));
    rest = '';
  }
  if (output.stream === 'tool') {
    const call = `${output.tool ?? ''} ${sanitise(output.text.replaceAll('\n', ' '))}`;
    lines.push(paint('busy', fit(`    $ ${call}`, width, glyphs.ellipsis)));
    return { watched: { ...watched, output: noOutput }, lines };
  }
  const parts = (rest + output.text).split(/\r\n|\n|\r/);
  const last = output.stream === 'notice' || (parts.at(-1)?.length ?? 0) > restLimit ? '' : (parts.pop() ?? '');
  const tone = output.stream === 'notice' || output.stream === 'text' ? 'plain' : 'dim';
  lines.push(...parts.map((part) => paint(tone, fit(`    ${glyphs.output} ${sanitise(part)}`, width, glyphs.ellipsis))));
  return { watched: { ...watched, output: { key, rest: last } }, lines };
}

/** The unfinished line of output, when something else is to be said. */
export function flush({ output }: Watched, { paint, glyphs, width }: ViewOptions): string[] {
  if (output.rest.trim() === '') return [];
  return [paint('plain', fit(`    ${glyphs.output} ${sanitise(output.rest)}`, width, glyphs.ellipsis))];
}
