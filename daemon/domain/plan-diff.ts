/** Versions of a plan compared and rebuilt from the differences that its revisions store. */
import type { Item, ItemChange, ItemId } from '../../shared/plan.js';
import { buildTree, type Tree } from '../../shared/plan-tree.js';
import { sameItem } from './item-state.js';

/** One stored revision, as far as comparing needs it. */
export interface StoredChange {
  readonly goal: { readonly before: string; readonly after: string } | null;
  readonly items: readonly ItemChange[];
}

export interface PlanDifference {
  readonly added: Item[];
  readonly removed: Item[];
  readonly changed: ItemChange[];
}

/**
 * What differs over a row of revisions, oldest first: the net of them, so that an item added and removed again is in
 * none of the lists. `backwards` gives the way from the newest to the oldest.
 */
export function diffPlans(revisions: readonly Pick<StoredChange, 'items'>[], backwards = false): PlanDifference {
  const net = new Map<ItemId, { before: Item | null; after: Item | null }>();
  for (const { items } of revisions) {
    for (const { id, before, after } of items) {
      const known = net.get(id);
      if (known) known.after = after;
      else net.set(id, { before, after });
    }
  }
  const difference: PlanDifference = { added: [], removed: [], changed: [] };
  for (const [id, change] of net) {
    const before = backwards ? change.after : change.before;
    const after = backwards ? change.before : change.after;
    if (before === null && after !== null) difference.added.push(after);
    else if (before !== null && after === null) difference.removed.push(before);
    else if (before !== null && after !== null && !sameItem(before, after)) difference.changed.push({ id, before, after });
  }
  return difference;
}

export interface EarlierPlan {
  readonly goal: string;
  readonly tree: Tree;
}

/** The plan as it was before `revisions` (oldest first, up to the present one), by undoing them from the newest back. */
export function planAt(present: EarlierPlan, revisions: readonly StoredChange[]): EarlierPlan {
  const items = new Map<ItemId, Item>();
  for (const task of present.tree) for (const item of [task.item, ...task.children]) items.set(item.id, item);
  let { goal } = present;
  for (const revision of [...revisions].reverse()) {
    if (revision.goal !== null) goal = revision.goal.before;
    for (const { id, before } of revision.items) {
      if (before === null) items.delete(id);
      else items.set(id, before);
    }
  }
  return { goal, tree: buildTree(items.values()) };
}
