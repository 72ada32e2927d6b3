/** The state of one item: what its subtasks make of it, its two marks, and when two are equal. */
import type { Item } from '../../shared/plan.js';
import { isTerminal, type Task } from '../../shared/plan-tree.js';

/** The section as its children make it: `done` if any child is done, else `skipped`, open while one is open. */
export function settleSection(task: Task): Item {
  const { item, children } = task;
  if (children.length === 0) return item;
  const closed = children.every((child) => isTerminal(child.status));
  if (!closed) return isTerminal(item.status) ? withClosing({ ...item, status: 'pending' }, false, false) : item;
  const done = children.filter((child) => child.status === 'done');
  if (done.length === 0) return item.status === 'skipped' ? item : withClosing({ ...item, status: 'skipped' }, false, false);
  const accepted = done.every((child) => child.accepted === true);
  const same = item.status === 'done' && item.claimed === true && (item.accepted === true) === accepted;
  return same ? item : withClosing({ ...item, status: 'done' }, true, accepted);
}

/** The item with its two marks set or gone: absent means false, so that equal items have equal fields. */
export function withClosing(item: Item, claimed: boolean, accepted: boolean): Item {
  const { claimed: _claimed, accepted: _accepted, ...rest } = item;
  return { ...rest, ...(claimed ? { claimed } : {}), ...(accepted ? { accepted } : {}) };
}

const statusFields = new Set(['status', 'claimed', 'accepted', 'note']);

const sameValue = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function sameFields(a: Item, b: Item, skip: (key: string) => boolean): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)] as (keyof Item)[]);
  for (const key of keys) if (!skip(key) && !sameValue(a[key], b[key])) return false;
  return true;
}

export const sameItem = (a: Item, b: Item): boolean => sameFields(a, b, () => false);
/** Equal but for status, marks and note. */
export const sameText = (a: Item, b: Item): boolean => sameFields(a, b, (key) => statusFields.has(key));
