/** A full snapshot of a plan, or of one section of it, as it was sent: its ids and its two levels checked. */
import { ok, type Result } from '../../shared/errors.js';
import { planLimits, type Item, type ItemId, type ItemStatus, type ItemText } from '../../shared/plan.js';
import type { PlanDraft } from './plan-draft.js';
import { refuseAt, theParams, type At } from './plan-refusal.js';

/** One entry of a snapshot; `line` when it came from a text. */
export interface SnapshotEntry extends ItemText {
  readonly id?: ItemId | undefined;
  readonly status?: ItemStatus | undefined;
  readonly line?: number | undefined;
}

export interface TaskEntry extends SnapshotEntry {
  readonly parentId?: ItemId | undefined;
  readonly children?: readonly SnapshotEntry[] | undefined;
}

/**
 * What the ids of entries mean. `known`: each names an item of the plan. `adopt`: the plan never had items, so they
 * become its ids. `fresh`: they are passed over and new ones are given.
 */
export type IdUse = 'known' | 'adopt' | 'fresh';

export interface SnapshotNode {
  readonly entry: SnapshotEntry;
  readonly at: At;
  /** The item that the entry's id names, as it is now. */
  readonly old: Item | null;
  /** The entry's id, when the item is to have it. */
  readonly id: ItemId | null;
  readonly children: SnapshotNode[];
}

export interface Snapshot {
  readonly tasks: readonly SnapshotNode[];
  /** Entries whose parent is no entry itself, but may be a task that stays. */
  readonly under: ReadonlyMap<ItemId, readonly SnapshotNode[]>;
  /** Items of the plan that have an entry. */
  readonly echoed: ReadonlySet<ItemId>;
}

interface SnapshotInput {
  readonly entries: readonly TaskEntry[];
  readonly ids?: IdUse;
  readonly root?: string | undefined;
  readonly within?: ItemId | undefined;
}

const idToken = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const numberTooLarge = /^t\d{16,}$/;

/** True when a text may give an item this id: letters, digits, `.`, `_` and `-`, at most 32. */
const isIdToken = (id: string): boolean => id.length <= planLimits.itemId && idToken.test(id) && !numberTooLarge.test(id);

/**
 * Reads the entries against the draft. With `within`, they are the subtasks of that task.
 * Refused, naming the entry: an unknown id, one given twice, a third level, an item from outside of `within`.
 */
export function readSnapshot(draft: PlanDraft, input: SnapshotInput): Result<Snapshot> {
  const { entries, ids = 'known', root = 'entries', within } = input;
  const seen = new Map<ItemId, At>();
  const read = (entry: SnapshotEntry, at: At): Result<SnapshotNode> => {
    const { id } = entry;
    const node: SnapshotNode = { entry, at, old: null, id: null, children: [] };
    if (id === undefined) return ok(node);
    const first = seen.get(id);
    if (first !== undefined) {
      const where = first.line === undefined ? first.path : `line ${first.line}`;
      return refuseAt('invalid_params', at, 'id', `${id} is given twice (first in ${where}).`, { itemId: id });
    }
    seen.set(id, at);
    if (ids === 'fresh') return ok(node);
    if (ids === 'adopt') return isIdToken(id) ? ok({ ...node, id }) : refuseToken(at);
    const old = draft.find(id);
    if (old === undefined) return refuseUnknown(at, id);
    if (within !== undefined && old.parentId !== within) {
      return refuseAt('invalid_params', at, 'id', `${id} is not in section ${within}.`, { itemId: id });
    }
    return ok({ ...node, old, id });
  };

  const tasks: SnapshotNode[] = [];
  const byId = new Map<ItemId, SnapshotNode>();
  const adopted: { parentId: ItemId; node: SnapshotNode }[] = [];
  for (const [i, entry] of entries.entries()) {
    const at: At = { path: `${root}.${i}`, line: entry.line };
    const node = read(entry, at);
    if (!node.ok) return node;
    const parentId = parentOf(entry, at, within);
    if (!parentId.ok) return parentId;
    for (const [c, child] of (entry.children ?? []).entries()) {
      const childNode = read(child, { path: `${at.path}.children.${c}`, line: child.line });
      if (!childNode.ok) return childNode;
      node.value.children.push(childNode.value);
    }
    if (parentId.value !== null) adopted.push({ parentId: parentId.value, node: node.value });
    else {
      tasks.push(node.value);
      if (entry.id !== undefined) byId.set(entry.id, node.value);
    }
  }

  const under = new Map<ItemId, SnapshotNode[]>();
  for (const { parentId, node } of adopted) {
    const parent = byId.get(parentId);
    const others = under.get(parentId);
    if (parent !== undefined) parent.children.push(node);
    else if (others !== undefined) others.push(node);
    else if (seen.has(parentId)) return refuseLevel(node.at, `${parentId} is a subtask`);
    else under.set(parentId, [node]);
  }
  return ok({ tasks, under, echoed: new Set(seen.keys()) });
}

function parentOf(entry: TaskEntry, at: At, within: ItemId | undefined): Result<ItemId | null> {
  const hasChildren = (entry.children ?? []).length > 0;
  const parentId = entry.parentId ?? within ?? null;
  if (parentId !== null && hasChildren) return refuseLevel(at, 'it has both a parent and children');
  if (within !== undefined && parentId !== within) {
    return refuseAt('invalid_params', at, 'parentId', `is not ${within}, to which this revision is limited.`);
  }
  return ok(parentId);
}

function refuseLevel(at: At, why: string): Result<never> {
  return refuseAt('invalid_params', at, null, `A plan has two levels only, and ${why}.`, {
    hint: 'Give each task its subtasks either as children or by parentId.',
  });
}

function refuseUnknown(at: At, id: ItemId): Result<never> {
  return refuseAt('invalid_params', at, 'id', `${id} is not in the plan.`, {
    itemId: id,
    hint: 'Remove the id to add this as a new item, or read the plan again: it may have been removed.',
  });
}

function refuseToken(at: At): Result<never> {
  return refuseAt('invalid_params', at, 'id', `must be letters, digits, ".", "_" or "-", at most ${planLimits.itemId}.`);
}

/** The task that a revision is limited to. */
export function findSection(draft: PlanDraft, id: ItemId): Result<Item> {
  const item = draft.find(id);
  if (item === undefined) {
    return refuseAt('not_found', theParams, null, `There is no item ${id} in this plan.`, { hint: 'Read the plan again.' });
  }
  if (item.parentId !== null) {
    return refuseAt('invalid_state', theParams, null, `${id} is a subtask; a revision is limited to a task.`, {
      hint: `Use its task ${item.parentId}.`,
    });
  }
  return ok(item);
}
