/**
 * Pure reads of a plan's tree, used by the daemon and by clients: children, leaves, paths, counts, progress.
 * A tree is immutable; whoever changes a plan makes a new one that shares what stayed.
 */
import { type Counts, type Item, type ItemId, type ItemStatus, type ListedItem } from './plan.js';

/** A top-level item with its subtasks, both in display order. */
export interface Task {
  readonly item: Item;
  readonly children: readonly Item[];
}

export type Tree = readonly Task[];

/** Where an item stands: `child` is -1 for a task. */
export interface Place {
  readonly task: number;
  readonly child: number;
}

export const isTerminal = (status: ItemStatus): boolean => status === 'done' || status === 'skipped';
export const isOpen = (status: ItemStatus): boolean => !isTerminal(status);

const byPosition = (a: Item, b: Item): number => a.position - b.position || (a.id < b.id ? -1 : 1);

/** The tree of a flat list in any order. An item whose parent is not in the list is left out. */
export function buildTree(items: Iterable<Item>): Tree {
  const tops: Item[] = [];
  const children = new Map<ItemId, Item[]>();
  for (const item of items) {
    if (item.parentId === null) tops.push(item);
    else {
      const siblings = children.get(item.parentId);
      if (siblings) siblings.push(item);
      else children.set(item.parentId, [item]);
    }
  }
  return tops.sort(byPosition).map((item) => ({ item, children: (children.get(item.id) ?? []).sort(byPosition) }));
}

/** Places of all items by id. O(items): keep it as long as the shape stays. */
export function indexTree(tree: Tree): ReadonlyMap<ItemId, Place> {
  const index = new Map<ItemId, Place>();
  tree.forEach((task, t) => {
    index.set(task.item.id, { task: t, child: -1 });
    task.children.forEach((child, c) => index.set(child.id, { task: t, child: c }));
  });
  return index;
}

export function itemAt(tree: Tree, place: Place): Item | undefined {
  const task = tree[place.task];
  return place.child < 0 ? task?.item : task?.children[place.child];
}

const isSection = (task: Task): boolean => task.children.length > 0;

/** Leaves in the order in which they run: depth first, by position. */
export function* leavesOf(tree: Tree): Generator<Item> {
  for (const task of tree) {
    if (isSection(task)) yield* task.children;
    else yield task.item;
  }
}

/** The leaf that runs next: the active one, else the first open one. Null when nothing is open. */
export function nextLeaf(tree: Tree): Item | null {
  let first: Item | null = null;
  for (const task of tree) {
    if (isSection(task)) {
      // A closed section has no open child, so its children need no look.
      if (isTerminal(task.item.status)) continue;
      for (const child of task.children) {
        if (child.status === 'active') return child;
        if (first === null && child.status === 'pending') first = child;
      }
    } else if (task.item.status === 'active') return task.item;
    else if (first === null && task.item.status === 'pending') first = task.item;
  }
  return first;
}

/** The number of an item as shown: `2` or `2.1`. */
export const numberAt = (place: Place): string =>
  place.child < 0 ? String(place.task + 1) : `${place.task + 1}.${place.child + 1}`;

export const listItem = (item: Item, place: Place): ListedItem => ({
  ...item,
  depth: place.child < 0 ? 0 : 1,
  number: numberAt(place),
});

/** All items flat, in display order. */
export function listTree(tree: Tree): ListedItem[] {
  const listed: ListedItem[] = [];
  tree.forEach((task, t) => {
    listed.push(listItem(task.item, { task: t, child: -1 }));
    task.children.forEach((child, c) => listed.push(listItem(child, { task: t, child: c })));
  });
  return listed;
}

export function countLeaves(tree: Tree): Counts {
  const counts = { pending: 0, active: 0, done: 0, skipped: 0, leaves: 0 };
  for (const leaf of leavesOf(tree)) {
    counts[leaf.status] += 1;
    counts.leaves += 1;
  }
  return counts;
}
