/** Rows of `items`. What is queried or changes at every leaf has its column; the rest of the text is one JSON column. */
import type { Item, ItemId, ItemStatus, SessionId } from '../../../shared/plan.js';
import { buildTree, type Tree } from '../../../shared/plan-tree.js';
import type { Connection } from './connection.js';
import { isStatusChange, type ItemDifference } from './revision-diff.js';

interface ItemRow {
  readonly id: ItemId;
  readonly parent_id: ItemId | null;
  readonly position: number;
  readonly status: ItemStatus;
  readonly claimed: 0 | 1 | null;
  readonly accepted: 0 | 1 | null;
  readonly title: string;
  readonly note: string | null;
  readonly text: string;
}

type ItemTextColumn = Omit<Item, 'id' | 'parentId' | 'position' | 'status' | 'claimed' | 'accepted' | 'title' | 'note'>;

const flag = (value: boolean | undefined): 0 | 1 | null => (value === undefined ? null : value ? 1 : 0);

function toItem(row: ItemRow): Item {
  return {
    id: row.id,
    parentId: row.parent_id,
    position: row.position,
    status: row.status,
    title: row.title,
    ...(JSON.parse(row.text) as ItemTextColumn),
    ...(row.note === null ? {} : { note: row.note }),
    ...(row.claimed === null ? {} : { claimed: row.claimed === 1 }),
    ...(row.accepted === null ? {} : { accepted: row.accepted === 1 }),
  };
}

/** All items of a session, in no particular order. */
export function readItems(cx: Connection, sessionId: SessionId): Item[] {
  return cx
    .sql<ItemRow>(`SELECT id, parent_id, position, status, claimed, accepted, title, note, text FROM items WHERE session_id = ?`)
    .all(sessionId)
    .map(toItem);
}

export const readTree = (cx: Connection, sessionId: SessionId): Tree => buildTree(readItems(cx, sessionId));

/** Writes one change of an item: `after` is the whole item, `stored` what of it differs. */
export function writeItem(cx: Connection, sessionId: SessionId, after: Item | null, stored: ItemDifference): void {
  if (after === null) {
    cx.sql('DELETE FROM items WHERE session_id = ? AND id = ?').run(sessionId, stored.id);
    return;
  }
  const { id, parentId, position, status, claimed, accepted, title, note, ...text } = after;
  if (isStatusChange(stored)) {
    cx.sql('UPDATE items SET status = ?, claimed = ?, accepted = ?, note = ? WHERE session_id = ? AND id = ?').run(
      status,
      flag(claimed),
      flag(accepted),
      note ?? null,
      sessionId,
      id,
    );
    return;
  }
  cx.sql(
    `INSERT OR REPLACE INTO items (session_id, id, parent_id, position, status, claimed, accepted, title, note, text)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    sessionId,
    id,
    parentId,
    position,
    status,
    flag(claimed),
    flag(accepted),
    title,
    note ?? null,
    JSON.stringify(text satisfies ItemTextColumn),
  );
}
