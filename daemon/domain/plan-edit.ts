/**
 * Single edits of a plan. Each works on a draft and gives the item as it then is, or says why not; no edit makes an
 * item active, and what becomes of a run under way is its caller's to settle.
 */
import { ok, type Result } from '../../shared/errors.js';
import type { Author, Item, ItemId, ItemPatch, ItemText } from '../../shared/plan.js';
import { isOpen, isTerminal, leavesOf } from '../../shared/plan-tree.js';
import { sameText, withClosing } from './item-state.js';
import type { PlanDraft } from './plan-draft.js';
import { nameItem, nameItems, refuseAt, refuseSubtasks, theParams } from './plan-refusal.js';
import { applyPatch, checkRoom, cleanPatch, cleanText, newItem } from './plan-text.js';

export interface AddItem extends ItemText {
  /** The task to add a subtask to; a task is added unless given. */
  readonly parentId?: ItemId | undefined;
  /** Place among the siblings, from 0; the end unless given. */
  readonly index?: number | undefined;
}

/** Adds a pending item. An open child reopens a closed section. Refused under a subtask, and under the active leaf. */
export function addItem(draft: PlanDraft, input: AddItem, author: Author): Result<Item> {
  const { parentId = null, index = Number.MAX_SAFE_INTEGER, ...text } = input;
  const room = checkRoom(draft.itemCount + 1);
  if (!room.ok) return room;
  const parent = checkParent(draft, parentId);
  if (!parent.ok) return parent;
  const item = newItem(draft, text, author, { parentId });
  return item.ok ? ok(draft.insert(item.value, index)) : item;
}

/** Changes the fields given; `null` clears one. The text of a done item stays; its note may change. */
export function updateItem(draft: PlanDraft, input: { readonly itemId: ItemId } & ItemPatch, author: Author): Result<Item> {
  const { itemId, ...patch } = input;
  const found = findItem(draft, itemId);
  if (!found.ok) return found;
  const clean = cleanPatch(patch);
  if (!clean.ok) return clean;
  const next = applyPatch(found.value, clean.value, author);
  if (!next.ok) return next;
  if (found.value.status === 'done' && !sameText(found.value, next.value)) {
    return refuseAt('invalid_state', theParams, null, `${nameItem(found.value)} is done; its text stays as it was.`, {
      itemId,
      hint: 'Add the correction as a new item, or reopen this one first.',
    });
  }
  draft.replace(next.value);
  return ok(next.value);
}

export interface MoveItem {
  readonly itemId: ItemId;
  /** The task to move it under; among the tasks unless given. */
  readonly parentId?: ItemId | null | undefined;
  /** Where it then stands among its siblings, from 0. */
  readonly index: number;
}

/** Moves an item, with its subtasks and its status. Moving it to where it is changes nothing. */
export function moveItem(draft: PlanDraft, input: MoveItem): Result<Item> {
  const { itemId, parentId = null, index } = input;
  const found = findItem(draft, itemId);
  if (!found.ok) return found;
  if (parentId !== found.value.parentId) {
    const allowed = checkNewParent(draft, found.value, parentId);
    if (!allowed.ok) return allowed;
  }
  const siblings = draft.childrenOf(parentId).filter((sibling) => sibling.id !== itemId);
  const target = Math.min(Math.max(0, index), siblings.length);
  const here = draft.place(itemId);
  const current = here && (here.child < 0 ? here.task : here.child);
  if (parentId !== found.value.parentId || target !== current) draft.move(itemId, parentId, target);
  return findItem(draft, itemId);
}

function checkNewParent(draft: PlanDraft, item: Item, parentId: ItemId | null): Result<void> {
  if (parentId === item.id) return refuseAt('invalid_state', theParams, null, `${nameItem(item)} cannot be moved under itself.`);
  if (parentId !== null && draft.childrenOf(item.id).length > 0) {
    return refuseAt('invalid_state', theParams, null, `${nameItem(item)} has subtasks, and a plan has two levels only.`, {
      hint: 'Move its subtasks instead.',
    });
  }
  return checkParent(draft, parentId);
}

export interface SetStatus {
  readonly itemId: ItemId;
  readonly status: 'pending' | 'done' | 'skipped';
  /** Left as it is unless given; empty clears it. */
  readonly note?: string | undefined;
}

/**
 * Closes, skips or reopens an item by hand. Done by hand is claimed, not accepted. `skipped` of a section goes down to
 * its open children; a section is otherwise closed and reopened through its children. The same status again only
 * takes the note.
 */
export function setStatus(draft: PlanDraft, input: SetStatus): Result<Item> {
  const found = findItem(draft, input.itemId);
  if (!found.ok) return found;
  const clean = cleanPatch(input.note === undefined ? {} : { note: input.note });
  if (!clean.ok) return clean;
  const noted = applyPatch(found.value, clean.value, found.value.origin ?? 'person');
  if (!noted.ok) return noted;
  const item = noted.value;
  const { status } = input;
  const children = draft.childrenOf(item.id);
  if (status === item.status) draft.replace(item);
  else if (status === 'skipped' && item.status === 'done') {
    return refuseAt('invalid_state', theParams, null, `${nameItem(item)} is done; it cannot be skipped.`, {
      itemId: item.id,
      hint: children.length > 0 ? 'Reopen its subtasks first.' : 'Reopen it first.',
    });
  } else if (children.length === 0) draft.replace(withClosing({ ...item, status }, status === 'done', false));
  else if (status === 'skipped') {
    for (const child of children) {
      if (isOpen(child.status)) draft.replace(withClosing({ ...child, status: 'skipped' }, false, false));
    }
    draft.replace(withClosing({ ...item, status }, false, false));
  } else return refuseSection(item, status, children);
  return findItem(draft, item.id);
}

function refuseSection(section: Item, status: 'pending' | 'done', children: readonly Item[]): Result<never> {
  const asked = children.filter((child) => (status === 'pending' ? isTerminal(child.status) : isOpen(child.status)));
  const data = { itemId: section.id, children: asked.slice(0, 20).map((child) => child.id) };
  const name = nameItem(section);
  if (status === 'pending') {
    const message = `${name} is closed because all its subtasks are: ${nameItems(asked)}.`;
    return refuseAt('invalid_state', theParams, null, message, { ...data, hint: 'Reopen one of its subtasks.' });
  }
  if (asked.length === 0) {
    return refuseAt('invalid_state', theParams, null, `${name} has no subtask that is done: all are skipped.`, {
      ...data,
      hint: 'Mark one of its subtasks done.',
    });
  }
  return refuseAt('invalid_state', theParams, null, `${name} has open subtasks: ${nameItems(asked)}.`, {
    ...data,
    hint: 'Close or skip them first; the section then closes by itself.',
  });
}

/** Removes an item with its subtasks and gives them. Done work is a person's to remove, nobody else's. */
export function removeItem(draft: PlanDraft, input: { readonly itemId: ItemId }, author: Author): Result<readonly Item[]> {
  const found = findItem(draft, input.itemId);
  if (!found.ok) return found;
  const done = [found.value, ...draft.childrenOf(input.itemId)].find((item) => item.status === 'done');
  if (done !== undefined && author !== 'person') {
    return refuseAt('invalid_state', theParams, null, `${nameItem(done)} is done and stays in the plan.`, { itemId: done.id });
  }
  return ok(draft.remove(input.itemId));
}

/** Removes every item and gives them; the goal stays. Whether a run forbids it is the caller's to check. */
export function clear(draft: PlanDraft): Result<readonly Item[]> {
  const removed = draft.tree.flatMap((task) => [task.item, ...task.children]);
  draft.rebuild([]);
  return ok(removed);
}

export function setGoal(draft: PlanDraft, input: { readonly goal: string }): Result<string> {
  const goal = cleanText('goal', input.goal);
  if (goal.ok) draft.setGoal(goal.value);
  return goal;
}

/** Puts every leaf back to pending and takes its marks away; notes stay, and sections follow. */
export function resetLeaves(draft: PlanDraft): Result<void> {
  for (const leaf of [...leavesOf(draft.tree)]) {
    const reset = withClosing({ ...leaf, status: 'pending' }, false, false);
    if (leaf.status !== 'pending' || leaf.claimed === true || leaf.accepted === true) draft.replace(reset);
  }
  return ok(undefined);
}

function findItem(draft: PlanDraft, id: ItemId): Result<Item> {
  const item = draft.find(id);
  return item === undefined ? refuseMissing(id) : ok(item);
}

function refuseMissing(id: ItemId): Result<never> {
  return refuseAt('not_found', theParams, null, `There is no item ${id} in this plan.`, {
    itemId: id,
    hint: 'It may have been removed: read the plan again and use an id from it.',
  });
}

/** Two levels, and no child under the active leaf. */
function checkParent(draft: PlanDraft, parentId: ItemId | null): Result<void> {
  if (parentId === null) return ok(undefined);
  const parent = draft.find(parentId);
  if (parent === undefined) return refuseMissing(parentId);
  if (parent.parentId !== null) {
    return refuseAt('invalid_state', theParams, null, `${nameItem(parent)} is a subtask, and a plan has two levels only.`, {
      itemId: parentId,
      hint: `Use its task ${parent.parentId} as the parent.`,
    });
  }
  return parent.status === 'active' ? refuseSubtasks(parent) : ok(undefined);
}
