/**
 * What a revision stores of each item: the whole of one that came or went, and of one that changed only the fields that
 * differ. A closed leaf so takes about a hundred bytes, whatever its text. Pure.
 */
import type { Item, ItemChange, ItemId } from '../../../shared/plan.js';

type Fields = Partial<Record<keyof Item, unknown>>;

/** As `ItemChange`; where both sides are there, each has only the fields that differ, an absent one meaning "not set". */
export interface ItemDifference {
  readonly id: ItemId;
  readonly before: Fields | null;
  readonly after: Fields | null;
}

const sameValue = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

export function differenceOf({ id, before, after }: ItemChange): ItemDifference {
  if (before === null || after === null) return { id, before, after };
  const was: Fields = {};
  const is: Fields = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Item>) {
    if (sameValue(before[key], after[key])) continue;
    if (before[key] !== undefined) was[key] = before[key];
    if (after[key] !== undefined) is[key] = after[key];
  }
  return { id, before: was, after: is };
}

/** The item before a stored change, from the item after it (`undefined`: not there). */
export function undoDifference(stored: ItemDifference, after: Item | undefined): Item | null {
  const { id, before, after: replaced } = stored;
  if (before === null) return null;
  if (replaced === null) return before as Item;
  if (after === undefined) throw new Error(`revision changes ${id}, which is not in the plan after it`);
  const untouched = Object.entries(after).filter(([key]) => !(key in replaced));
  return { ...Object.fromEntries(untouched), ...before } as Item;
}

const statusFields = new Set(['status', 'claimed', 'accepted', 'note']);

/** True when the change leaves place and text alone, so that only the status columns of the row are written. */
export function isStatusChange({ before, after }: ItemDifference): boolean {
  if (before === null || after === null) return false;
  return [...Object.keys(before), ...Object.keys(after)].every((key) => statusFields.has(key));
}
