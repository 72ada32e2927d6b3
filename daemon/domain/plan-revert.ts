/** An earlier version of a plan taken back, as a new change of it. */
import { ok, type Result } from '../../shared/errors.js';
import type { Item, ItemId } from '../../shared/plan.js';
import { isTerminal, type Task, type Tree } from '../../shared/plan-tree.js';
import type { EarlierPlan } from './plan-diff.js';
import { withClosing } from './item-state.js';
import type { PlanDraft } from './plan-draft.js';
import { putBack } from './plan-order.js';
import { refuseSubtasks } from './plan-refusal.js';
import { checkRoom } from './plan-text.js';

/**
 * Gives the plan the goal, shape and text of an earlier version (`planAt` rebuilds one).
 * Items that are there now keep their status and note, and a done one its text. Items that come back have their old id
 * and text, and are done or skipped if they were, else pending. What the earlier version does not have goes, the active
 * leaf too; only done work is never lost: it stays where it stands, with its section. A leaf that gets its subtasks
 * back has, as every section, the status that they make.
 * Refused: subtasks for the active leaf (`invalid_state`), too many items (`limit_exceeded`).
 */
export function revertTo(draft: PlanDraft, earlier: EarlierPlan): Result<void> {
  const then = new Map<ItemId, Item>();
  for (const task of earlier.tree) for (const item of [task.item, ...task.children]) then.set(item.id, item);
  const staying = findDone(draft.tree, then);
  const subtasksThen = new Map(earlier.tree.map((task) => [task.item.id, idsOf(task.children)]));
  const order = putBack(idsOf(earlier.tree.map((task) => task.item)), idsOf(draft.childrenOf(null)), staying);
  // A section that was a subtask then cannot keep its done subtasks: they stand behind the task that it goes under.
  const homeless = (id: ItemId): ItemId[] =>
    (subtasksThen.get(id) ?? []).flatMap((child) => idsOf(draft.childrenOf(child)).filter((inner) => staying.has(inner)));

  // What is a section now has its status from its subtasks; as a leaf again, it has what it had as one.
  const asLeaf = (id: ItemId): Item | undefined => (then.has(id) && draft.childrenOf(id).length > 0 ? undefined : draft.find(id));

  const tree = order
    .flatMap((id) => [id, ...homeless(id)])
    .map((id): Task => {
      const children = putBack(subtasksThen.get(id) ?? [], idsOf(draft.childrenOf(id)), staying);
      const item = bringBack(children.length > 0 ? draft.find(id) : asLeaf(id), then.get(id), null);
      return { item, children: children.map((child) => bringBack(asLeaf(child), then.get(child), id)) };
    });
  const crowded = tree.find(({ item, children }) => item.status === 'active' && children.length > 0);
  if (crowded !== undefined) return refuseSubtasks(crowded.item);
  const room = checkRoom(tree.reduce((sum, { children }) => sum + 1 + children.length, 0));
  if (!room.ok) return room;
  draft.setGoal(earlier.goal);
  draft.rebuild(tree);
  return ok(undefined);
}

const idsOf = (items: readonly Item[]): ItemId[] => items.map((item) => item.id);

/** Done items that were not there then, and the tasks that hold them. */
function findDone(tree: Tree, then: ReadonlyMap<ItemId, Item>): ReadonlySet<ItemId> {
  const staying = new Set<ItemId>();
  const isLost = (item: Item): boolean => item.status === 'done' && !then.has(item.id);
  for (const { item, children } of tree) {
    const lost = children.filter(isLost);
    for (const child of lost) staying.add(child.id);
    if (isLost(item) || (lost.length > 0 && !then.has(item.id))) staying.add(item.id);
  }
  return staying;
}

/** One item of the reverted plan; at least one of the two is there. */
function bringBack(now: Item | undefined, then: Item | undefined, parentId: ItemId | null): Item {
  if (now === undefined) {
    const back = then as Item;
    return isTerminal(back.status) ? back : withClosing({ ...back, status: 'pending' }, false, false);
  }
  if (then === undefined) return { ...now, parentId };
  if (now.status === 'done') return { ...now, parentId, position: then.position };
  const { note: _note, ...text } = withClosing(then, now.claimed === true, now.accepted === true);
  return { ...text, status: now.status, ...(now.note === undefined ? {} : { note: now.note }) };
}
