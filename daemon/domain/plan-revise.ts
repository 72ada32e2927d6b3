/**
 * A full snapshot becomes the plan: an echoed id is kept, an entry without one is new, what is left out goes. Work that
 * is done keeps its text and its status whoever revises (invariant 10). O(n log n) for the whole plan.
 */
import { ok, type Result } from '../../shared/errors.js';
import type { Author, Item, ItemId, ItemPatch, ItemStatus } from '../../shared/plan.js';
import { isOpen, type Task } from '../../shared/plan-tree.js';
import { sameItem, sameText, withClosing } from './item-state.js';
import type { PlanDraft } from './plan-draft.js';
import { putBack, unplaced } from './plan-order.js';
import { nameItem, nameItems, refuseAt, refuseSubtasks, theParams, type At } from './plan-refusal.js';
import { findStaying } from './plan-staying.js';
import { findSection, readSnapshot, type IdUse, type Snapshot, type SnapshotNode, type TaskEntry } from './plan-snapshot.js';
import { applyPatch, checkRoom, cleanPatch, defaultExecutor, newItem } from './plan-text.js';

export interface ReviseInput {
  readonly entries: readonly TaskEntry[];
  /** Limits the snapshot to the subtasks of this task. */
  readonly within?: ItemId | undefined;
  readonly author: 'person' | 'planner' | 'import';
  /** Who answers for commands that are new or changed: the author unless given. */
  readonly origin?: Author;
  readonly ids?: IdUse;
  /** What the entries are called in errors: `entries` unless given. */
  readonly root?: string | undefined;
  /** Entries are complete: a field left out is cleared. Otherwise it stays, because planners echo ids with titles only. */
  readonly complete?: boolean;
  /** `pending` puts the active leaf back (a planner may while the run is blocked); otherwise it is taken for an old echo. */
  readonly mayRelease?: boolean;
}

/**
 * Puts the snapshot in place. Statuses: `active` is never taken over, and on an item of the plan means as it stands.
 * A person may close items; a planner may write `pending` and `skipped`, and its other echoes of what has changed since
 * are taken as it stands now. Only `setStatus` reopens done work.
 * Left out and done or active: stays for a planner, goes for a person, is refused for an import.
 * A first import into an empty plan (`ids` other than `known`) may say what is done.
 * Errors name the entry: its path (`entries.3`) or its line.
 */
export function revise(draft: PlanDraft, revision: ReviseInput): Result<void> {
  const { within, author } = revision;
  const count = revision.entries.reduce((sum, entry) => sum + 1 + (entry.children?.length ?? 0), 0);
  const fits = checkRoom(count);
  if (!fits.ok) return fits;
  if (within !== undefined) {
    const section = findSection(draft, within);
    if (!section.ok) return section;
  }
  const snapshot = readSnapshot(draft, revision);
  if (!snapshot.ok) return snapshot;
  const staying = findStaying(draft, snapshot.value, author, within);
  if (!staying.ok) return staying;
  const written = writeItems(draft, snapshot.value, revision);
  if (!written.ok) return written;
  const tasks = arrange(draft, snapshot.value, staying.value, written.value, within);
  const tree: Task[] = [];
  for (const task of tasks) {
    const settled = closeTask(task, revision);
    if (!settled.ok) return settled;
    tree.push(settled.value);
  }
  const room = checkRoom(tree.reduce((sum, task) => sum + 1 + task.children.length, 0));
  if (room.ok) draft.rebuild(tree);
  return room;
}

type Written = ReadonlyMap<SnapshotNode, Item>;

/** The items of all entries with their texts, subtasks with their status too; that of a task waits for its children. */
function writeItems(draft: PlanDraft, snapshot: Snapshot, revision: ReviseInput): Result<Written> {
  const tasks = new Set(snapshot.tasks);
  const nodes = [...snapshot.tasks.flatMap((task) => [task, ...task.children]), ...[...snapshot.under.values()].flat()];
  // Before any new id is given out, so that none is taken twice.
  for (const { id } of nodes) if (id !== null) draft.reserveId(id);
  const written = new Map<SnapshotNode, Item>();
  for (const node of nodes) {
    const item = node.old === null ? writeNew(draft, node, revision) : writeOld(node, node.old, revision);
    if (!item.ok) return item;
    const closed = tasks.has(node) ? item : setLeafStatus(item.value, node, revision);
    if (!closed.ok) return closed;
    written.set(node, closed.value);
  }
  return ok(written);
}

function writeNew(draft: PlanDraft, node: SnapshotNode, { author, origin = author }: ReviseInput): Result<Item> {
  const item = newItem(draft, node.entry, origin, { at: node.at, ...(node.id === null ? {} : { id: node.id }) });
  return item.ok ? ok({ ...item.value, position: unplaced }) : item;
}

function writeOld(node: SnapshotNode, old: Item, revision: ReviseInput): Result<Item> {
  const { author, origin = author, complete = false } = revision;
  const patch = cleanPatch(complete ? completePatch(node) : node.entry, node.at);
  if (!patch.ok) return patch;
  const next = applyPatch(old, patch.value, origin, node.at);
  if (!next.ok) return next;
  // The same object where nothing changed: thousands of untouched items then cost no comparison later.
  if (sameItem(old, next.value)) return ok(old);
  const changed = author === 'planner' ? true : !sameText(old, next.value);
  if (old.status !== 'done' || !changed) return next;
  return refuseDone(node.at, old, 'its text stays as it was', 'Add the correction as a new item.');
}

function completePatch({ entry }: SnapshotNode): ItemPatch {
  return {
    title: entry.title,
    detail: entry.detail ?? null,
    priority: entry.priority ?? 'medium',
    note: entry.note ?? null,
    acceptance: entry.acceptance ?? [],
    command: entry.command ?? null,
    verify: entry.verify ?? [],
    repeatable: entry.repeatable ?? null,
    executor: entry.executor ?? defaultExecutor(entry.command),
    model: entry.model ?? null,
    relevantFiles: entry.relevantFiles ?? null,
    scope: entry.scope ?? null,
  };
}

function refuseDone(at: At, item: Item, why: string, hint: string): Result<never> {
  return refuseAt('invalid_state', at, null, `${nameItem(item)} is done; ${why}.`, { itemId: item.id, hint });
}

const mayClose = ({ author, ids = 'known' }: ReviseInput): boolean =>
  author === 'person' || (author === 'import' && ids !== 'known');

function setLeafStatus(item: Item, node: SnapshotNode, revision: ReviseInput): Result<Item> {
  const asked = node.entry.status;
  const { status } = item;
  if (asked === undefined || asked === 'active' || asked === status) return ok(item);
  if (status === 'done') {
    if (revision.author === 'planner') return ok(item);
    return refuseDone(node.at, item, 'a snapshot does not reopen it', 'Reopen it by its status first (plan.setStatus).');
  }
  if (asked === 'pending' && status === 'active' && revision.mayRelease !== true) return ok(item);
  if (asked === 'done' && !mayClose(revision)) return refuseClosing(node.at, item, revision);
  return ok(withClosing({ ...item, status: asked }, asked === 'done', false));
}

function refuseClosing(at: At, item: Item, { author }: ReviseInput): Result<never> {
  const who = author === 'planner' ? 'A planner' : 'An import';
  return refuseAt('invalid_state', at, null, `${who} cannot mark ${nameItem(item)} done.`, {
    itemId: item.id,
    hint: 'Leave it pending: a run, its checks or a person close it.',
  });
}

interface Arranged {
  readonly item: Item;
  readonly old: Item | null;
  readonly node: SnapshotNode | null;
  readonly children: readonly Item[];
}

/** The new shape: entries in their order, and what stays where it stood. */
function arrange(
  draft: PlanDraft,
  snapshot: Snapshot,
  staying: ReadonlySet<ItemId>,
  written: Written,
  within: ItemId | undefined,
): Arranged[] {
  const nodes = new Map<ItemId, SnapshotNode>();
  const items = new Map<ItemId, Item>();
  for (const item of written.values()) items.set(item.id, item);
  const idsOf = (of: readonly SnapshotNode[]): ItemId[] => of.map((node) => (written.get(node) as Item).id);
  for (const node of snapshot.tasks) nodes.set((written.get(node) as Item).id, node);
  const oldTasks = new Map(draft.tree.map((task) => [task.item.id, task]));
  const itemOf = (id: ItemId): Item => items.get(id) ?? (draft.find(id) as Item);
  const oldIds = [...oldTasks.keys()];
  const taskIds = within === undefined ? putBack(idsOf(snapshot.tasks), oldIds, staying) : oldIds;
  return taskIds.map((id) => {
    const node = nodes.get(id) ?? null;
    const oldChildren = oldTasks.get(id)?.children.map((child) => child.id) ?? [];
    const next = idsOf(node?.children ?? snapshot.under.get(id) ?? []);
    const children = putBack(next, oldChildren, staying).map((childId) => under(itemOf(childId), id));
    return { item: under(itemOf(id), null), old: draft.find(id) ?? null, node, children };
  });
}

const under = (item: Item, parentId: ItemId | null): Item => (item.parentId === parentId ? item : { ...item, parentId });

/** A task with the status asked for: a section's goes down to its children, or must be what they make of it. */
function closeTask({ item, old, node, children }: Arranged, revision: ReviseInput): Result<Task> {
  if (children.length === 0) {
    const leaf = node === null ? ok(item) : setLeafStatus(item, node, revision);
    return leaf.ok ? ok({ item: leaf.value, children }) : leaf;
  }
  const at = node?.at ?? theParams;
  const asked = node?.entry.status;
  if (item.status === 'active') return refuseSubtasks(item, at);
  const cascades = asked === 'skipped' && old?.status !== 'skipped' && old?.status !== 'done';
  const closed = cascades ? children.map(skipOpen) : children;
  const result = statusOf(closed);
  const open = closed.filter((child) => isOpen(child.status));
  if (old?.status === 'done' && result !== 'done' && revision.author !== 'person') {
    const why = open.length > 0 ? `it cannot take open items: ${nameItems(open)}` : 'what was done in it stays in it';
    return refuseDone(at, item, why, 'Put new work into a new task.');
  }
  const asItStands = asked === undefined || asked === 'active' || asked === result || asked === old?.status;
  if (asItStands || cascades || !isMeant(asked, old, revision)) return ok({ item, children: closed });
  const why = open.length > 0 ? `has open subtasks: ${nameItems(open)}` : `is ${result}, as its subtasks are`;
  return refuseAt('invalid_state', at, null, `${nameItem(item)} cannot be ${asked}: it ${why}.`, {
    itemId: item.id,
    hint: 'Set the statuses of its subtasks; the section follows.',
  });
}

/** A planner's echo may be old, and a new section is pending until its children say otherwise. */
const isMeant = (asked: ItemStatus, old: Item | null, { author }: ReviseInput): boolean =>
  asked === 'done' || (author !== 'planner' && old !== null);

const skipOpen = (child: Item): Item =>
  isOpen(child.status) ? withClosing({ ...child, status: 'skipped' }, false, false) : child;

function statusOf(children: readonly Item[]): 'pending' | 'done' | 'skipped' {
  if (children.some((child) => isOpen(child.status))) return 'pending';
  return children.some((child) => child.status === 'done') ? 'done' : 'skipped';
}
