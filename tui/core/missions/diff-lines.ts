/** What differs between two versions of a plan, an item a line. */
import type { Item, ItemChange } from '../../../shared/plan.js';
import type { ViewOptions } from '../lines/tree-view.js';
import { fit, sanitise } from '../text/text.js';

export interface PlanDiff {
  readonly added: readonly Item[];
  readonly removed: readonly Item[];
  readonly changed: readonly ItemChange[];
}

export function diffLines({ added, removed, changed }: PlanDiff, { glyphs, paint, width }: ViewOptions): string[] {
  const line = (text: string): string => fit(text, width, glyphs.ellipsis);
  const nameOf = (item: Item): string => `${oneLine(item.title)}  (${item.id})`;
  const lines = [
    ...added.map((item) => paint('good', line(`+ ${nameOf(item)}`))),
    ...removed.map((item) => paint('bad', line(`${glyphs.minus} ${nameOf(item)}`))),
    ...changed.flatMap(({ before, after }) =>
      before === null || after === null ? [] : [line(`~ ${nameOf(after)}  ${changesOf(before, after, glyphs.arrow).join(', ')}`)],
    ),
  ];
  return lines.length === 0 ? ['Nothing differs but, perhaps, the goal.'] : lines;
}

/** Fields that are short enough to be shown as they were and are. */
const shown = ['title', 'priority', 'executor', 'command', 'model'] as const;
/** Those that are told in words of their own. */
const told: readonly (keyof Item)[] = [...shown, 'status', 'claimed', 'accepted', 'parentId', 'position'];
const longest = 60;

function changesOf(before: Item, after: Item, arrow: string): string[] {
  const same = (field: keyof Item): boolean => JSON.stringify(before[field]) === JSON.stringify(after[field]);
  const [was, is] = [stateOf(before), stateOf(after)];
  const others = (Object.keys({ ...before, ...after }) as (keyof Item)[]).filter(
    (field) => !same(field) && !told.includes(field),
  );
  return [
    ...shown
      .filter((field) => !same(field))
      .map((field) => `${field}: ${valueOf(before[field])} ${arrow} ${valueOf(after[field])}`),
    ...(was === is ? [] : [`${was} ${arrow} ${is}`]),
    ...(same('parentId') && same('position') ? [] : ['moved']),
    ...(others.length > 0 ? [`${others.join(', ')} changed`] : []),
  ];
}

const stateOf = ({ status, accepted, claimed }: Item): string =>
  accepted ? `${status} (accepted)` : claimed ? `${status} (claimed)` : status;
const oneLine = (text: string): string => sanitise(text.replaceAll('\n', ' '));
const valueOf = (value: string | undefined): string => (value === undefined ? 'none' : fit(oneLine(value), longest, '...'));
