/** Sums of what was spent: sessions and runs keep theirs, models are summed from the turns. */
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { Queries, StepsUsage } from '../queries.js';
import type { Connection } from './connection.js';
import { toUsage, type UsageColumns } from './run-rows.js';

const sums = (from: string): string => `coalesce(sum(${from}.input_tokens), 0) AS input_tokens,
  coalesce(sum(${from}.output_tokens), 0) AS output_tokens, sum(${from}.cost_usd) AS cost_usd,
  coalesce(sum(${from}.duration_ms), 0.0) AS duration_ms`;

/** Of one session, or of all. What spent nothing is left out of the lists. */
export function readUsage(cx: Connection, sessionId: SessionId | null): Awaited<ReturnType<Queries['usage']>> {
  const values = sessionId === null ? [] : [sessionId];
  const only = (column: string): string => (sessionId === null ? '' : `AND ${column} = ?`);
  const total = cx
    .sql<UsageColumns>(
      `SELECT coalesce(sum(g.turns), 0) AS turns, ${sums('g')} FROM session_progress g WHERE true ${only('g.session_id')}`,
    )
    .get(...values) as UsageColumns;
  const bySession = cx
    .sql<UsageColumns & { session_id: SessionId }>(`SELECT * FROM session_progress g WHERE g.turns > 0 ${only('g.session_id')}`)
    .all(...values);
  const byItem = cx
    .sql<UsageColumns & { session_id: SessionId; item_id: ItemId | null }>(
      `SELECT r.session_id, r.item_id, sum(r.turns) AS turns, ${sums('r')} FROM runs r
       WHERE r.turns > 0 ${only('r.session_id')} GROUP BY r.session_id, r.item_id`,
    )
    .all(...values);
  const byModel = cx
    .sql<UsageColumns & { model: string }>(
      `SELECT t.model, count(*) AS turns, ${sums('t')} FROM turns t JOIN runs r ON r.id = t.run_id
       WHERE true ${only('r.session_id')} GROUP BY t.model`,
    )
    .all(...values);
  return {
    steps: readStepsUsage(cx, sessionId),
    total: toUsage(total),
    bySession: bySession.map((row) => ({ ...toUsage(row), sessionId: row.session_id })),
    byItem: byItem.map((row) => ({ ...toUsage(row), sessionId: row.session_id, itemId: row.item_id })),
    byModel: byModel.map((row) => ({ ...toUsage(row), model: row.model })),
  };
}

function readStepsUsage(cx: Connection, sessionId: SessionId | null): StepsUsage {
  const only = sessionId === null ? '' : 'AND session_id = ?';
  return cx
    .sql<StepsUsage>(
      `WITH r AS (SELECT transcript_id FROM runs WHERE turns > 0 ${only} GROUP BY transcript_id)
       SELECT count(*) AS runs, count(s.transcript_id) AS runsWithSteps, coalesce(sum(s.calls), 0) AS calls,
         coalesce(sum(s.shown_turns), 0) AS turnsShown, coalesce(sum(s.shown_tokens), 0) AS tokensShown
       FROM r LEFT JOIN steps s ON s.transcript_id = r.transcript_id`,
    )
    .get(...(sessionId === null ? [] : [sessionId])) as StepsUsage;
}
