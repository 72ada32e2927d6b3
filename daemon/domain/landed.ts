/** What a plan has become, against what it first said. Pure. */
import type { Landed } from '../../shared/mission.js';
import type { Item, ItemId } from '../../shared/plan.js';
import { leavesOf, type Tree } from '../../shared/plan-tree.js';
import { type EarlierPlan, planAt, type StoredChange } from './plan-diff.js';

const mostTitles = 50;

/**
 * `revisions`: all of the plan, oldest first. The first plan is the one of the first revision that had an item. A leaf that was
 * split is dropped, and its parts are added.
 */
export function landedAgainstPlanned(now: EarlierPlan, revisions: readonly StoredChange[]): Landed {
  const first = revisions.findIndex(({ items }) => items.some(({ after }) => after !== null));
  const planned = leaves(first < 0 ? [] : planAt(now, revisions.slice(first + 1)).tree);
  const present = leaves(now.tree);
  const added = [...present.values()].filter(({ id }) => !planned.has(id));
  const dropped = [...planned.values()].filter(({ id }) => !present.has(id));
  const count = (status: Item['status']): number => [...present.values()].filter((leaf) => leaf.status === status).length;
  const titles = (items: readonly Item[]): string[] => items.slice(0, mostTitles).map(({ title }) => title);
  return {
    planned: planned.size,
    added: added.length,
    dropped: dropped.length,
    done: count('done'),
    skipped: count('skipped'),
    addedTitles: titles(added),
    droppedTitles: titles(dropped),
  };
}

const leaves = (tree: Tree): Map<ItemId, Item> => new Map([...leavesOf(tree)].map((leaf) => [leaf.id, leaf]));
