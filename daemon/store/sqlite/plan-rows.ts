/** A change of a plan and its revision: written with the command that makes it, read to compare and to take back. */
import type { Author, Item, ItemId, Revision, SessionId } from '../../../shared/plan.js';
import type { Tree } from '../../../shared/plan-tree.js';
import type { PlanChange } from '../../domain/plan.js';
import type { Page, Paged, RevisionRow } from '../queries.js';
import type { Connection } from './connection.js';
import { readItems, writeItem } from './item-rows.js';
import { leafCountChange } from './leaf-counts.js';
import { pageOf, startOf } from './paging.js';
import { type ItemDifference, differenceOf, undoDifference } from './revision-diff.js';

export interface StoredRevision {
  readonly version: number;
  readonly at: string;
  readonly author: Author;
  readonly explanation: string | null;
  readonly status_only: 0 | 1;
  readonly goal: string | null;
  readonly changes: string;
}

/**
 * Writes a change: version and counts, the items that changed, the revision. `tree` is the plan after it.
 * False when the plan is not at the version that the change was made from; then nothing is written.
 */
export function writePlanChange(cx: Connection, sessionId: SessionId, change: PlanChange, tree: Tree, at: string): boolean {
  const by = leafCountChange(tree, change.items);
  const { changes: found } = cx
    .sql(
      `UPDATE session_progress SET plan_version = ?, next_item_no = ?, pending = pending + ?, active = active + ?,
         done = done + ?, skipped = skipped + ?, updated_at = ?
       WHERE session_id = ? AND plan_version = ?`,
    )
    .run(change.version, change.nextItemNo, by.pending, by.active, by.done, by.skipped, at, sessionId, change.version - 1);
  if (found === 0) return false;
  const stored = change.items.map(differenceOf);
  change.items.forEach(({ after }, i) => writeItem(cx, sessionId, after, stored[i] as ItemDifference));
  if (change.goal !== null) cx.sql('UPDATE sessions SET goal = ? WHERE id = ?').run(change.goal.after, sessionId);
  cx.sql(
    `INSERT INTO revisions (session_id, version, at, author, explanation, status_only, goal, changes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    sessionId,
    change.version,
    at,
    change.author,
    cx.redactSome(change.explanation),
    change.statusOnly ? 1 : 0,
    change.goal === null ? null : JSON.stringify(change.goal),
    JSON.stringify(stored),
  );
  return true;
}

const revisionColumns = 'version, at, author, explanation, status_only, goal, changes';

export const changesOf = (row: StoredRevision): ItemDifference[] => JSON.parse(row.changes) as ItemDifference[];

export function toRevision(row: StoredRevision, changes: readonly ItemDifference[]): Revision {
  const ids = (keep: (change: ItemDifference) => boolean): ItemId[] => changes.filter(keep).map(({ id }) => id);
  return {
    version: row.version,
    at: row.at,
    author: row.author,
    ...(row.explanation === null ? {} : { explanation: row.explanation }),
    statusOnly: row.status_only === 1,
    added: ids(({ before }) => before === null),
    removed: ids(({ after }) => after === null),
    changed: ids(({ before, after }) => before !== null && after !== null),
  };
}

export function readRevisions(cx: Connection, sessionId: SessionId, page: Page, withStatusOnly: boolean): Paged<Revision> {
  const rows = cx
    .sql<StoredRevision>(
      `SELECT ${revisionColumns} FROM revisions
       WHERE session_id = ? AND version < ? AND status_only <= ? ORDER BY version DESC LIMIT ?`,
    )
    .all(sessionId, startOf(page), withStatusOnly ? 1 : 0, page.limit + 1);
  return pageOf(
    rows,
    page,
    (row) => row.version,
    (row) => toRevision(row, changesOf(row)),
  );
}

/**
 * Revisions `after < version <= upTo` with whole items, oldest first. Only differences are stored, so the plan is taken
 * back from today's, one revision at a time: O(items + revisions since `after`).
 */
export function readRevisionChanges(cx: Connection, sessionId: SessionId, after: number, upTo: number): RevisionRow[] {
  const items = new Map<ItemId, Item>(readItems(cx, sessionId).map((item) => [item.id, item]));
  const revisions: RevisionRow[] = [];
  const newestFirst = cx
    .sql<StoredRevision>(`SELECT ${revisionColumns} FROM revisions WHERE session_id = ? AND version > ? ORDER BY version DESC`)
    .iterate(sessionId, after);
  for (const row of newestFirst) {
    const stored = changesOf(row);
    const changes = stored.map((change) => {
      const now = items.get(change.id);
      return { id: change.id, before: undoDifference(change, now), after: change.after === null ? null : (now ?? null) };
    });
    for (const { id, before } of changes) {
      if (before === null) items.delete(id);
      else items.set(id, before);
    }
    if (row.version > upTo) continue;
    revisions.push({
      revision: toRevision(row, stored),
      author: row.author,
      goal: row.goal === null ? null : (JSON.parse(row.goal) as RevisionRow['goal']),
      items: changes,
    });
  }
  return revisions.reverse();
}

export function readShapeVersion(cx: Connection, sessionId: SessionId): number {
  const row = cx
    .sql<{ version: number | null }>('SELECT max(version) AS version FROM revisions WHERE session_id = ? AND status_only = 0')
    .get(sessionId);
  return row?.version ?? 0;
}
