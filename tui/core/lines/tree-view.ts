/** A plan as lines: goal, run state, progress, and the tree. */
import type { Counts, Item, ListedItem } from '../../../shared/plan.js';
import type { Liveness, PlanRun, PlanRunStatus } from '../../../shared/run.js';
import { type Glyphs, glyphOf, wordOf } from '../glyphs.js';
import { openLeaves, progressBar } from '../plan/progress.js';
import type { Paint, Tone } from '../style.js';
import { fit, padEnd, sanitise, widthOf } from '../text/text.js';

export interface TreeView {
  readonly title: string;
  readonly goal: string;
  readonly items: readonly ListedItem[];
  readonly counts: Counts;
  readonly planRun: PlanRun;
  readonly liveness: Liveness;
}

export interface ViewOptions {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly paint: Paint;
}

export function toneOf(status: PlanRunStatus): Tone {
  if (status === 'completed') return 'good';
  if (status === 'blocked' || status === 'failed') return 'bad';
  return status === 'running' || status === 'waiting' || status === 'pausing' ? 'busy' : 'plain';
}

function progress(counts: Counts, glyphs: Glyphs): string {
  const { done, skipped } = counts;
  const bar = progressBar(counts, glyphs);
  return `${bar.done}${bar.rest} ${done}/${openLeaves(counts)}${skipped > 0 ? ` (${skipped} skipped)` : ''}`;
}

export function renderTree(view: TreeView, { width, glyphs, paint }: ViewOptions): string[] {
  const { planRun, counts } = view;
  const run = [planRun.status, ...(planRun.stepNo > 0 ? [`step ${planRun.stepNo}`, `try ${planRun.attempt}`] : [])].join(
    ` ${glyphs.dot} `,
  );
  const state = paint(toneOf(planRun.status), run);
  const bar = progress(counts, glyphs);
  const goal = sanitise(view.goal.split('\n')[0] ?? '') || sanitise(view.title);
  const sections = new Set(view.items.map(({ parentId }) => parentId));
  const lines = [
    paint('strong', fit(`Goal: ${goal}`, width, glyphs.ellipsis)),
    ...(widthOf(run) + 3 + widthOf(bar) <= width ? [`${state}   ${bar}`] : [state, bar]),
    ...view.items.flatMap((item) => renderItem(item, sections.has(item.id), view, { width, glyphs, paint })),
  ];
  if (view.items.length === 0) lines.push(paint('dim', 'The plan is empty. Add an item: cairn add TITLE'));
  const { lastError } = planRun;
  if (lastError !== null && planRun.currentItemId === null) lines.push(...whyLines(lastError, '', { width, glyphs, paint }));
  return lines;
}

function renderItem(item: ListedItem, isSection: boolean, view: TreeView, options: ViewOptions): string[] {
  const { width, glyphs, paint } = options;
  const { planRun, liveness } = view;
  const indent = item.depth === 0 ? ' ' : '     ';
  const glyph = isSection && item.status === 'pending' ? glyphs.section : glyphOf(item, glyphs);
  const isCurrent = item.id === planRun.currentItemId;
  const word = isCurrent ? currentWord(planRun, liveness) : wordOf(item);
  const head = `${indent}${glyph} ${item.number} ${sanitise(item.title)}`;
  const tone = itemTone(item, planRun);
  const text = word === '' ? fit(head, width, glyphs.ellipsis) : beside(head, word, width, glyphs.ellipsis);
  const why = isCurrent && planRun.lastError !== null ? whyLines(planRun.lastError, `${indent}    `, options) : [];
  return [paint(tone, text), ...why];
}

const wordColumn = 44;

/** The word in a column of its own; where there is no room for both, the title keeps more than half of the line. */
function beside(head: string, word: string, width: number, ellipsis: string): string {
  const room = Math.max(width - widthOf(word) - 2, Math.ceil(width * 0.55));
  const title = padEnd(fit(head, room, ellipsis), Math.min(room, wordColumn));
  return `${title}  ${fit(word, width - widthOf(title) - 2, ellipsis)}`;
}

function currentWord({ status }: PlanRun, liveness: Liveness): string {
  if (status === 'blocked' || status === 'failed') return status;
  return `${liveness.state}: ${sanitise(liveness.cause.split('\n')[0] ?? '')}`;
}

function itemTone(item: Item, planRun: PlanRun): Tone {
  if (item.id === planRun.currentItemId) return toneOf(planRun.status);
  if (item.status === 'done') return 'good';
  return item.status === 'skipped' ? 'dim' : 'plain';
}

const whyLimit = 6;

/** Why something stopped, in place: the first lines of the reason. */
export function whyLines(reason: string, indent: string, { width, glyphs, paint }: ViewOptions): string[] {
  const lines = reason
    .split('\n')
    .map(sanitise)
    .filter((line) => line.trim() !== '');
  const shown = lines.length > whyLimit ? [...lines.slice(0, whyLimit - 1), glyphs.ellipsis] : lines;
  return shown.map((line) => indent + paint('bad', fit(line, width - indent.length, glyphs.ellipsis)));
}
