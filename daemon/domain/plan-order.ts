/** Order among siblings: positions that ascend, written for as few items as can be, and items that stay where they stood. */
import type { Item, ItemId } from '../../shared/plan.js';

export const positionStep = 1024;

/** The position of an item that has none yet: `spreadPositions` gives it one. */
export const unplaced = Number.NaN;

/**
 * The siblings in the order given, with strictly ascending positions. Most keep theirs (the longest part that ascends
 * already), so that moving one of thousands changes one. O(n log n).
 */
export function spreadPositions(siblings: readonly Item[]): Item[] {
  const positions = siblings.map((item) => item.position);
  if (ascends(positions)) return [...siblings];
  const keeps = longestAscending(positions);
  for (let start = 0; start < positions.length;) {
    if (keeps[start]) {
      start += 1;
      continue;
    }
    let end = start;
    while (end < positions.length && !keeps[end]) end += 1;
    fillGap(positions, start, end);
    start = end;
  }
  if (!ascends(positions)) positions.forEach((_, i) => (positions[i] = (i + 1) * positionStep));
  return siblings.map((item, i) => {
    const position = positions[i] as number;
    return item.position === position ? item : { ...item, position };
  });
}

/** Gives `positions[start..end)` values between the neighbours of that gap. */
function fillGap(positions: number[], start: number, end: number): void {
  const before = positions[start - 1];
  const after = positions[end];
  const size = end - start;
  for (let i = 0; i < size; i += 1) {
    if (after === undefined) positions[start + i] = (before ?? 0) + (i + 1) * positionStep;
    else if (before === undefined) positions[start + i] = after - (size - i) * positionStep;
    else positions[start + i] = before + ((after - before) * (i + 1)) / (size + 1);
  }
}

function ascends(positions: readonly number[]): boolean {
  return positions.every((position, i) => Number.isFinite(position) && (i === 0 || position > (positions[i - 1] as number)));
}

/** Marks a longest strictly ascending subsequence (patience sorting); what is not finite is never in it. */
function longestAscending(values: readonly number[]): boolean[] {
  const tails: number[] = [];
  const previous: number[] = [];
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[i] = low > 0 ? (tails[low - 1] as number) : -1;
    tails[low] = i;
  });
  const keeps = values.map(() => false);
  for (let i = tails.at(-1) ?? -1; i >= 0; i = previous[i] as number) keeps[i] = true;
  return keeps;
}

/**
 * `next` with the `staying` ones of `old` put back where they stood: each behind the sibling that stood before it and
 * is still there, or at the front.
 */
export function putBack(next: readonly ItemId[], old: readonly ItemId[], staying: ReadonlySet<ItemId>): ItemId[] {
  const present = new Set(next);
  const followers = new Map<ItemId | null, ItemId[]>();
  let anchor: ItemId | null = null;
  for (const id of old) {
    if (present.has(id)) anchor = id;
    else if (staying.has(id)) {
      const behind = followers.get(anchor);
      if (behind) behind.push(id);
      else followers.set(anchor, [id]);
    }
  }
  return [...(followers.get(null) ?? []), ...next.flatMap((id) => [id, ...(followers.get(id) ?? [])])];
}
