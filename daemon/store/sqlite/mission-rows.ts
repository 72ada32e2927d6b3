/** Missions and the tree that they stand in: a session, those above it, those below. */
import type { SessionId } from '../../../shared/plan.js';
import type { OpenChild, TreeRow } from '../queries.js';
import type { Connection } from './connection.js';
import { type Row, sessionColumns, toSessionRow } from './session-rows.js';

const idsOf = (rows: readonly { id: SessionId }[]): SessionId[] => rows.map(({ id }) => id);

/** Missions that have not ended, sessions whose planner has something to see, and the parents of what ended last. */
export function readToTend(cx: Connection): SessionId[] {
  return idsOf(
    cx
      .sql<{ id: SessionId }>(
        `SELECT id FROM sessions WHERE is_mission = 1 AND outcome IS NULL
         UNION SELECT session_id FROM planner_notes
         UNION SELECT s.parent_id FROM sessions s JOIN sessions p ON p.id = s.parent_id
           WHERE s.is_mission = 1 AND s.outcome IS NULL AND p.outcome IS NOT NULL`,
      )
      .all(),
  );
}

export function readOpenChildren(cx: Connection, id: SessionId): OpenChild[] {
  return cx
    .sql<{ id: SessionId; is_mission: 0 | 1; status: string }>(
      `SELECT s.id, s.is_mission, p.status FROM sessions s JOIN plan_runs p ON p.session_id = s.id
       WHERE s.parent_id = ? AND s.outcome IS NULL
         AND (s.is_mission = 1 OR p.status NOT IN ('idle', 'completed', 'cancelled')) ORDER BY s.no`,
    )
    .all(id)
    .map((row) => ({ id: row.id, isMission: row.is_mission === 1, isCancelled: row.status === 'cancelled' }));
}

export function readFamily(cx: Connection, id: SessionId): { children: number; depth: number } {
  const children = cx.sql<{ n: number }>('SELECT count(*) AS n FROM sessions WHERE parent_id = ?').get(id)?.n ?? 0;
  const above = cx
    .sql<{ n: number }>(
      `WITH RECURSIVE above (id) AS (SELECT parent_id FROM sessions WHERE id = ? AND parent_id IS NOT NULL
         UNION SELECT s.parent_id FROM above JOIN sessions s ON s.id = above.id WHERE s.parent_id IS NOT NULL)
       SELECT count(*) AS n FROM above`,
    )
    .get(id);
  return { children, depth: above?.n ?? 0 };
}

/** Of a tree, as many sessions are read. */
const largestTree = 1_000;

/** Depth first: the path of numbers under which a session was made orders it behind its parent. */
export function readMissionTree(cx: Connection, id: SessionId): TreeRow[] {
  return cx
    .sql<Row & { depth: number; open_inbox: number }>(
      `WITH RECURSIVE below (id, depth, path) AS (
         SELECT id, 0, printf('%012d', no) FROM sessions WHERE id = ?
         UNION ALL SELECT c.id, below.depth + 1, below.path || '.' || printf('%012d', c.no)
           FROM below JOIN sessions c ON c.parent_id = below.id WHERE below.depth < 32)
       SELECT ${sessionColumns}, below.depth,
         (SELECT count(*) FROM inbox i WHERE i.session_id = s.id AND i.state = 'open') AS open_inbox
       FROM below JOIN sessions s ON s.id = below.id JOIN session_progress g ON g.session_id = s.id
         JOIN plan_runs p ON p.session_id = s.id
       ORDER BY below.path LIMIT ?`,
    )
    .all(id, largestTree)
    .map((row) => ({ ...toSessionRow(row), depth: row.depth, openInbox: row.open_inbox }));
}

/** A session and all below it. */
export const readBelow = (cx: Connection, id: SessionId): SessionId[] =>
  idsOf(
    cx
      .sql<{ id: SessionId }>(
        `WITH RECURSIVE below (id) AS (SELECT ? UNION SELECT s.id FROM below JOIN sessions s ON s.parent_id = below.id)
         SELECT id FROM below`,
      )
      .all(id),
  );
