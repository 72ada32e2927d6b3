/** A plan as the screen holds it: its items by id, and what is read of them at every frame, worked out once a change. */
import {
  buildTree,
  countLeaves,
  indexTree,
  itemAt,
  listItem,
  listTree,
  type Place,
  type Task,
  type Tree,
} from '../../../shared/plan-tree.js';
import type { Counts, Item, ItemId, ListedItem } from '../../../shared/plan.js';

export interface PlanModel {
  readonly version: number;
  readonly items: ReadonlyMap<ItemId, Item>;
  readonly tree: Tree;
  /** In display order. */
  readonly listed: readonly ListedItem[];
  /** Where an item stands in `listed`. */
  readonly order: ReadonlyMap<ItemId, number>;
  readonly places: ReadonlyMap<ItemId, Place>;
  readonly counts: Counts;
}

export function planModel(items: ReadonlyMap<ItemId, Item>, version: number): PlanModel {
  const tree = buildTree(items.values());
  const listed = listTree(tree);
  return {
    version,
    items,
    tree,
    listed,
    order: new Map(listed.map(({ id }, index) => [id, index])),
    places: indexTree(tree),
    counts: countLeaves(tree),
  };
}

export const planOf = (listed: readonly ListedItem[], version: number): PlanModel =>
  planModel(new Map(listed.map(({ depth: _depth, number: _number, ...item }): [ItemId, Item] => [item.id, item])), version);

/** The plan after a change that was told. Where none comes, goes or moves, all but the changed items is that of before. */
export function changePlan(plan: PlanModel, changed: readonly Item[], removed: readonly ItemId[], version: number): PlanModel {
  if (changed.length === 0 && removed.length === 0) return version === plan.version ? plan : { ...plan, version };
  const items = new Map(plan.items);
  for (const item of changed) items.set(item.id, item);
  for (const id of removed) items.delete(id);
  const isSameShape = removed.length === 0 && changed.every((item) => standsAsBefore(item, plan.items.get(item.id)));
  return isSameShape ? { ...replaceItems(plan, changed), items, version } : planModel(items, version);
}

const standsAsBefore = (item: Item, before: Item | undefined): boolean =>
  before?.parentId === item.parentId && before.position === item.position;

function replaceItems(plan: PlanModel, changed: readonly Item[]): Omit<PlanModel, 'items' | 'version'> {
  const { order, places } = plan;
  const tree: Task[] = [...plan.tree];
  const listed = [...plan.listed];
  const counts = { ...plan.counts };
  for (const item of changed) {
    const place = places.get(item.id);
    const index = order.get(item.id);
    const task = place && tree[place.task];
    // An item whose parent is unknown stands nowhere.
    if (place === undefined || index === undefined || task === undefined) continue;
    const isTask = place.child < 0;
    if (!isTask || task.children.length === 0) {
      const before = itemAt(tree, place);
      if (before !== undefined) counts[before.status]--;
      counts[item.status]++;
    }
    tree[place.task] = isTask ? { ...task, item } : { ...task, children: task.children.with(place.child, item) };
    listed[index] = listItem(item, place);
  }
  return { tree, listed, order, places, counts };
}

export function listedItem(plan: PlanModel, id: ItemId | null): ListedItem | null {
  const index = id === null ? undefined : plan.order.get(id);
  return index === undefined ? null : (plan.listed[index] ?? null);
}

export function childrenOf(plan: PlanModel, parentId: ItemId | null): readonly Item[] {
  if (parentId === null) return plan.tree.map(({ item }) => item);
  const place = plan.places.get(parentId);
  return (place && place.child < 0 && plan.tree[place.task]?.children) || [];
}

export const isSection = (plan: PlanModel, id: ItemId): boolean => childrenOf(plan, id).length > 0;

/** Where an item stands among its siblings, from 0; -1 when it is not in the plan. */
export function indexAmongSiblings(plan: PlanModel, id: ItemId): number {
  const place = plan.places.get(id);
  if (place === undefined) return -1;
  return place.child < 0 ? place.task : place.child;
}
