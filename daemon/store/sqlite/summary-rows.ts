/** What happened since a time, for the morning report. Bounded: of each kind the newest thousand. */
import type { Outcome } from '../../../shared/mission.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { SessionRow, SummaryRows } from '../queries.js';
import type { Connection } from './connection.js';
import { readOpenInbox } from './inbox-rows.js';
import { readBelow } from './mission-rows.js';
import { changesOf, type StoredRevision, toRevision } from './plan-rows.js';
import { toUsage, type UsageColumns } from './run-rows.js';
import { type Row, sessionColumns, toSessionRow } from './session-rows.js';

const most = 1_000;

/** Sessions as JSON, or null for all of them: the condition is the same text for both, so that it is prepared once. */
const inSessions = (column: string): string => `(@sessions IS NULL OR ${column} IN (SELECT value FROM json_each(@sessions)))`;

export function readSummary(cx: Connection, since: string, sessionId: SessionId | null): SummaryRows {
  const below = sessionId === null ? null : readBelow(cx, sessionId);
  const where = { since, sessions: below === null ? null : JSON.stringify(below), most, after: seqBefore(cx, since) };
  const rows = (statuses: string): SessionRow[] =>
    cx
      .sql<Row>(
        `SELECT ${sessionColumns} FROM sessions s JOIN session_progress g ON g.session_id = s.id
           JOIN plan_runs p ON p.session_id = s.id
         WHERE ${statuses} AND s.outcome IS NULL AND ${inSessions('s.id')} ORDER BY s.no DESC LIMIT @most`,
      )
      .all(where)
      .map(toSessionRow);
  return {
    done: readDone(cx, where),
    stopped: rows(`p.status IN ('blocked', 'failed', 'waiting', 'paused', 'cancelled')`),
    underWay: rows(`(p.status = 'running' OR s.is_mission = 1 AND p.status IN ('idle', 'completed'))`),
    ended: cx
      .sql<{ sessionId: SessionId; session: string; outcome: Outcome; reason: string; at: string }>(
        `SELECT id AS sessionId, title AS session, outcome, coalesce(outcome_reason, '') AS reason, outcome_at AS at FROM sessions s
         WHERE outcome IS NOT NULL AND outcome_at >= @since AND ${inSessions('s.id')} ORDER BY outcome_at LIMIT @most`,
      )
      .all(where),
    revised: readRevised(cx, where),
    spent: readSpent(cx, where),
    open: readOpenInbox(cx, below, most),
  };
}

type Where = { readonly since: string; readonly sessions: string | null; readonly most: number; readonly after: number };

/** Items that became done in that time and are still: the last such event of each. */
function readDone(cx: Connection, where: Where): SummaryRows['done'] {
  return cx
    .sql<{ sessionId: SessionId; session: string; itemId: ItemId; accepted: 0 | 1; at: string; summary: string | null }>(
      `SELECT e.session_id AS sessionId, s.title AS session, i.id AS itemId, coalesce(i.accepted, 0) AS accepted, max(e.at) AS at,
         (SELECT r.summary FROM reports r WHERE r.session_id = i.session_id AND r.item_id = i.id AND r.kind = 'result'
            ORDER BY r.no DESC LIMIT 1) AS summary
       FROM events e JOIN sessions s ON s.id = e.session_id
         JOIN items i ON i.session_id = e.session_id AND i.id = json_extract(e.data, '$.id') AND i.status = 'done'
       WHERE e.seq > @after AND e.type = 'item.changed' AND json_extract(e.data, '$.to') = 'done' AND ${inSessions('e.session_id')}
         AND NOT EXISTS (SELECT 1 FROM items c WHERE c.session_id = i.session_id AND c.parent_id = i.id)
       GROUP BY e.session_id, i.id ORDER BY max(e.seq) LIMIT @most`,
    )
    .all(where)
    .map((row) => ({ ...row, accepted: row.accepted === 1 }));
}

function readRevised(cx: Connection, where: Where): SummaryRows['revised'] {
  return cx
    .sql<StoredRevision & { sessionId: SessionId; session: string }>(
      `SELECT r.*, r.session_id AS sessionId, s.title AS session FROM revisions r JOIN sessions s ON s.id = r.session_id
       WHERE r.status_only = 0 AND r.author = 'planner' AND r.at >= @since AND ${inSessions('r.session_id')}
       ORDER BY r.at, r.version LIMIT @most`,
    )
    .all(where)
    .map((row) => ({ sessionId: row.sessionId, session: row.session, revision: toRevision(row, changesOf(row)) }));
}

function readSpent(cx: Connection, where: Where): SummaryRows['spent'] {
  const row = cx
    .sql<UsageColumns>(
      `SELECT count(*) AS turns, coalesce(sum(t.input_tokens), 0) AS input_tokens, coalesce(sum(t.output_tokens), 0) AS output_tokens,
         sum(t.cost_usd) AS cost_usd, coalesce(sum(t.duration_ms), 0.0) AS duration_ms
       FROM runs r JOIN turns t ON t.run_id = r.id
       WHERE (r.finished_at IS NULL OR r.finished_at >= @since) AND t.at >= @since AND ${inSessions('r.session_id')}`,
    )
    .get(where);
  return toUsage(row as UsageColumns);
}

/** The last sequence before a time. Sequences follow the clock, so it is found by halving, without an index of its own. */
function seqBefore(cx: Connection, since: string): number {
  const last = cx.sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0;
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = cx.sql<{ seq: number; at: string }>('SELECT seq, at FROM events WHERE seq > ? ORDER BY seq LIMIT 1').get(middle);
    if (next === undefined || next.at >= since) high = middle;
    else low = next.seq;
  }
  return low;
}
