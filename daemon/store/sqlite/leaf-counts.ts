/** Counts of leaves by status, kept up to date by what changed. Pure. */
import type { Item, ItemChange, ItemId, ItemStatus } from '../../../shared/plan.js';
import { itemAt, type Tree } from '../../../shared/plan-tree.js';
import { placesOf } from '../../domain/plan.js';

type StatusCounts = Record<ItemStatus, number>;

/**
 * By how much a change moves the counts. `tree` is the plan after it. O(changes), given the index of the tree that the
 * domain keeps: an item is a leaf when it has no children, so a parent is looked at too when a child came or went.
 */
export function leafCountChange(tree: Tree, changes: readonly ItemChange[]): StatusCounts {
  const moved = { pending: 0, active: 0, done: 0, skipped: 0 };
  const touched = new Map<ItemId, { before: Item | null | undefined; after: Item | null | undefined }>();
  const childrenGained = new Map<ItemId, number>();
  const gain = (parentId: ItemId | null | undefined, by: number): void => {
    if (parentId !== null && parentId !== undefined) {
      childrenGained.set(parentId, (childrenGained.get(parentId) ?? 0) + by);
    }
  };
  for (const { id, before, after } of changes) {
    touched.set(id, { before, after });
    if (before?.parentId !== after?.parentId) {
      gain(before?.parentId, -1);
      gain(after?.parentId, 1);
    }
  }
  const places = placesOf(tree);
  for (const id of childrenGained.keys()) {
    if (touched.has(id)) continue;
    const place = places.get(id);
    const parent = place && itemAt(tree, place);
    touched.set(id, { before: parent, after: parent });
  }
  for (const [id, { before, after }] of touched) {
    const place = places.get(id);
    const children = place === undefined || place.child >= 0 ? 0 : (tree[place.task]?.children.length ?? 0);
    if (before && children - (childrenGained.get(id) ?? 0) === 0) moved[before.status] -= 1;
    if (after && children === 0) moved[after.status] += 1;
  }
  return moved;
}
