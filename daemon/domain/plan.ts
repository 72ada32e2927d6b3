/** The plan as the domain holds it, and the difference that one change of it makes. */
import type { Author, ItemChange, ItemId } from '../../shared/plan.js';
import { indexTree, type Place, type Tree } from '../../shared/plan-tree.js';

export interface Plan {
  /** Goes up by one with every effective change. */
  readonly version: number;
  readonly goal: string;
  readonly tree: Tree;
  /** Number of the next id; ids are never used again. */
  readonly nextItemNo: number;
}

export const emptyPlan: Plan = { version: 0, goal: '', tree: [], nextItemNo: 1 };

/** One effective change of a plan: what is stored as its revision. */
export interface PlanChange {
  readonly version: number;
  readonly author: Author;
  readonly explanation: string | null;
  readonly statusOnly: boolean;
  readonly goal: { readonly before: string; readonly after: string } | null;
  readonly nextItemNo: number;
  readonly items: readonly ItemChange[];
}

const indexes = new WeakMap<Tree, ReadonlyMap<ItemId, Place>>();

/** Places of all items, made once for each shape of a tree. */
export function placesOf(tree: Tree): ReadonlyMap<ItemId, Place> {
  let index = indexes.get(tree);
  if (index === undefined) {
    index = indexTree(tree);
    indexes.set(tree, index);
  }
  return index;
}

/** Says that `next` has the shape of `previous`, so that its index need not be made again. */
export function keepPlaces(previous: Tree, next: Tree): void {
  const index = indexes.get(previous);
  if (index !== undefined) indexes.set(next, index);
}

const closed = new WeakMap<Tree, number>();

/** An index before which every task of the tree is known to be terminal; 0 when nothing is known. */
export const closedBefore = (tree: Tree): number => closed.get(tree) ?? 0;

export function keepClosedBefore(tree: Tree, index: number): void {
  closed.set(tree, index);
}
