/** Which items stay in the plan although a snapshot leaves them out. */
import { ok, type Result } from '../../shared/errors.js';
import type { Item, ItemId } from '../../shared/plan.js';
import type { Task } from '../../shared/plan-tree.js';
import type { PlanDraft } from './plan-draft.js';
import { nameItem, refuseAt, theParams } from './plan-refusal.js';
import type { Snapshot, SnapshotNode } from './plan-snapshot.js';

/** What becomes of done and active items that a snapshot leaves out. */
const leftOut = { person: 'goes', planner: 'stays', import: 'refused' } as const;

/**
 * Ids of what stays: for a planner done and active items with their sections, and whatever `within` does not cover.
 * Refused: an import that leaves such an item out, a section moved under another while items stay in it, and a parent
 * that neither has an entry nor stays.
 */
export function findStaying(
  draft: PlanDraft,
  snapshot: Snapshot,
  author: keyof typeof leftOut,
  within: ItemId | undefined,
): Result<ReadonlySet<ItemId>> {
  const staying = new Set<ItemId>();
  const rule = leftOut[author];
  const isLeftOut = (item: Item): boolean => !snapshot.echoed.has(item.id);
  const keep = ({ item, children }: Task): void => {
    const outside = within !== undefined && within !== item.id;
    const heldTask = rule === 'stays' && isLeftOut(item) && isHeld(item);
    for (const child of children) {
      if (isLeftOut(child) && (outside || heldTask || (rule === 'stays' && isHeld(child)))) staying.add(child.id);
    }
    const holds = children.some((child) => staying.has(child.id));
    if (within !== undefined || (isLeftOut(item) && (heldTask || holds))) staying.add(item.id);
  };
  for (const task of draft.tree) {
    const covered = within === undefined ? [task.item, ...task.children] : within === task.item.id ? task.children : [];
    const held = rule === 'refused' ? covered.find((item) => isLeftOut(item) && isHeld(item)) : undefined;
    if (held !== undefined) {
      return refuseAt(
        'invalid_state',
        theParams,
        null,
        `${nameItem(held)} is ${held.status}, and an import cannot leave it out.`,
        {
          itemId: held.id,
          hint: 'Put it back into the text with its id.',
        },
      );
    }
    keep(task);
  }
  const placed = checkParents(draft, snapshot, staying);
  return placed.ok ? ok(staying) : placed;
}

const isHeld = (item: Item): boolean => item.status === 'done' || item.status === 'active';

function checkParents(draft: PlanDraft, snapshot: Snapshot, staying: ReadonlySet<ItemId>): Result<void> {
  const nested: SnapshotNode[] = snapshot.tasks.flatMap((task) => task.children);
  for (const [parentId, nodes] of snapshot.under) {
    nested.push(...nodes);
    if (staying.has(parentId) && draft.find(parentId)?.parentId === null) continue;
    const [first] = nodes as [SnapshotNode];
    return refuseAt('invalid_params', first.at, 'parentId', `names ${parentId}, which is no task of this snapshot.`, {
      hint: 'Give the parent an entry of its own, before or after this one.',
    });
  }
  for (const { at, old } of nested) {
    const stuck = old?.parentId === null ? draft.childrenOf(old.id).filter((child) => staying.has(child.id)) : [];
    if (old === null || stuck.length === 0) continue;
    return refuseAt('invalid_state', at, null, `${nameItem(old)} holds ${nameItem(stuck[0] as Item)}, which stays where it is.`, {
      itemId: old.id,
      hint: 'Leave the section at the top level.',
    });
  }
  return ok(undefined);
}
