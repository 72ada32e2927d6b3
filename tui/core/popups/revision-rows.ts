/** What a revision did to the plan, item by item, as rows. Laid out once for a width. */
import type { Item } from '../../../shared/plan.js';
import type { Glyphs } from '../glyphs.js';
import type { PlanDiff } from '../missions/diff-lines.js';
import type { Row } from '../press.js';
import { blankRow } from '../panes/rows.js';
import type { Tone } from '../style.js';
import { countOf, reveal, sanitise } from '../text/text.js';
import { keep, type Page, tellDifference } from './detail-rows.js';

/** Items of each kind that are told at most; of a plan of thousands that was imported, the beginning. */
const toldItems = 500;

export const diffRows = (diff: PlanDiff, width: number, glyphs: Glyphs): readonly Row[] =>
  keep(diff, width, glyphs, null, (page) => tellDiff(diff, glyphs, page));

function tellDiff({ added, removed, changed }: PlanDiff, { minus }: Glyphs, page: Page): void {
  const { say } = page;
  tell(added, page, (item) => tellWhole('+', 'good', item, page));
  tell(removed, page, (item) => say(`${minus} ${sanitise(item.title)}`, 'bad'));
  tell(changed, page, (change) => {
    say(`~ ${sanitise((change.after ?? change.before)?.title ?? '')}`, 'strong');
    tellDifference(change, say);
  });
  if (added.length + removed.length + changed.length === 0) say('No item differs: the goal may.', 'dim');
}

function tell<T>(all: readonly T[], { say, rows }: Page, one: (thing: T) => void): void {
  for (const thing of all.slice(0, toldItems)) one(thing);
  if (all.length > toldItems) say(`and ${countOf(all.length - toldItems, 'more item')}`, 'dim');
  if (all.length > 0) rows.push(blankRow);
}

/** With all of it that a run would go by: nothing of a command is hidden. */
function tellWhole(sign: string, tone: Tone, item: Item, { say }: Page): void {
  say(`${item.parentId === null ? '' : '  '}${sign} ${sanitise(item.title)}`, tone);
  const part = (label: string, texts: readonly (string | undefined)[], show: (text: string) => string): void => {
    for (const text of texts) if (text) say(`${label}${text.split('\n').map(show).join('\n')}`, 'dim', 4);
  };
  part('', [item.detail], sanitise);
  part('command: ', [item.command], reveal);
  part('check: ', item.verify ?? [], reveal);
  part('accepted when: ', item.acceptance, sanitise);
}
