/** What happens to a mission that is waited for, a line each: items done, why it stopped, how its plan was revised. */
import type { CairnEvent } from '../../../shared/event.js';
import type { ListedItem } from '../../../shared/plan.js';
import type { PlanRun } from '../../../shared/run.js';
import { glyphOf, plannerGlyph, statusGlyph, wordOf } from '../glyphs.js';
import { toneOf, type ViewOptions, whyLines } from '../lines/tree-view.js';
import { fit, sanitise } from '../text/text.js';
import { dataOf } from './event-data.js';
import { revisionWords } from './revision-words.js';

/** What events do not carry; as it is now. */
export interface Details {
  readonly items: readonly ListedItem[];
  readonly planRun: PlanRun | null;
}

/** Whether an event has details worth a call. */
export const wantsItems = (event: CairnEvent): boolean => isClosed(dataOf(event, 'item.changed')?.to);
export const wantsReason = (event: CairnEvent): boolean => {
  const status = dataOf(event, 'plan_run.changed')?.status;
  return status === 'blocked' || status === 'failed';
};

const isClosed = (status: string | null | undefined): boolean => status === 'done' || status === 'skipped';

/** The lines of one event of the mission; none for what tells nothing new. */
export function progressLines(event: CairnEvent, details: Details, view: ViewOptions): string[] {
  const [first, ...rest] = linesOf(event, details, view);
  if (first === undefined) return [];
  const time = new Date(event.at).toTimeString().slice(0, 8);
  return [`${view.paint('dim', time)} ${first}`, ...rest];
}

function linesOf(event: CairnEvent, { items, planRun }: Details, view: ViewOptions): string[] {
  const { width, glyphs, paint } = view;
  const line = (text: string): string => fit(text, width - 9, glyphs.ellipsis);
  const changed = dataOf(event, 'item.changed');
  if (changed !== null) {
    const item = items.find(({ id }) => id === changed.id);
    if (item === undefined || !isClosed(changed.to) || item.status !== changed.to) return [];
    const text = `${glyphOf(item, glyphs)} ${item.number} ${sanitise(item.title)}  ${wordOf(item)}`;
    return [paint(item.status === 'done' ? 'good' : 'plain', line(text))];
  }
  const revised = dataOf(event, 'plan.revised');
  if (revised !== null) {
    // The others only close and open items, which is told of each.
    if (revised.added + revised.removed === 0 && !revised.explanation) return [];
    return [line(`${glyphs.dot} plan v${revised.version} by ${revised.author}  ${revisionWords(revised, glyphs)}`)];
  }
  const run = dataOf(event, 'plan_run.changed');
  if (run !== null) {
    if (run.from === run.status) return [];
    const why = planRun?.status === run.status && wantsReason(event) ? (planRun.lastError ?? '') : '';
    const text = paint(toneOf(run.status), `${statusGlyph(run.status, glyphs)} ${run.status}`);
    return [text, ...(why === '' ? [] : whyLines(why, '    ', view))];
  }
  return dataOf(event, 'run.started')?.kind === 'planner' ? [`${plannerGlyph('running', glyphs)} the planner is woken`] : [];
}
