/** What is spent, charged to run, session and all sessions above it in one transaction; and what budgets are held against. */
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { Policy } from '../../../shared/mission.js';
import type { RunId } from '../../../shared/run.js';
import type { Spending, Spent } from '../queries.js';
import type { Charge } from '../store.js';
import type { Connection } from './connection.js';

interface RunCharge extends Charge {
  readonly sessionId: SessionId;
  readonly runId: RunId;
}

// Made once: a text that is put together at each call would be hashed anew at each call.
const sum = `turns = turns + @turns, input_tokens = input_tokens + @inputTokens, output_tokens = output_tokens + @outputTokens,
  duration_ms = duration_ms + @durationMs, tool_calls = tool_calls + @toolCalls, active_ms = active_ms + @activeMs,
  cost_usd = CASE WHEN @costUsd IS NULL THEN cost_usd ELSE coalesce(cost_usd, 0) + @costUsd END`;
const addToRun = `UPDATE runs SET ${sum} WHERE id = @runId`;
const addToSession = `UPDATE session_progress SET ${sum} WHERE session_id = @sessionId`;
const addAbove = `WITH RECURSIVE above (id) AS (
    SELECT parent_id FROM sessions WHERE id = @sessionId AND parent_id IS NOT NULL
    UNION SELECT s.parent_id FROM above JOIN sessions s ON s.id = above.id WHERE s.parent_id IS NOT NULL)
  UPDATE session_progress SET below_turns = below_turns + @turns, below_tool_calls = below_tool_calls + @toolCalls,
    below_tokens = below_tokens + @inputTokens + @outputTokens, below_active_ms = below_active_ms + @activeMs,
    below_cost_usd = CASE WHEN @costUsd IS NULL THEN below_cost_usd ELSE coalesce(below_cost_usd, 0) + @costUsd END
  WHERE session_id IN (SELECT id FROM above)`;

export function addUsage(cx: Connection, charge: RunCharge): void {
  cx.sql(addToRun).run(charge);
  cx.sql(addToSession).run(charge);
  cx.sql(addAbove).run(charge);
}

/** A finished turn is a sign of life: the run's deaths are forgotten. */
export function noteTurn(cx: Connection, runId: RunId, model: string): void {
  cx.sql('UPDATE runs SET model = ?, deaths = 0 WHERE id = ?').run(model, runId);
}

interface SpentRow {
  readonly turns: number;
  readonly tool_calls: number;
  readonly tokens: number;
  readonly cost_usd: number | null;
  readonly active_ms: number;
}

const toSpent = (row: SpentRow): Spent => ({
  turns: row.turns,
  toolCalls: row.tool_calls,
  tokens: row.tokens,
  costUsd: row.cost_usd,
  activeMs: row.active_ms,
});

const chainOf = `WITH RECURSIVE chain (id, depth) AS (
    SELECT ?, 0
    UNION SELECT s.parent_id, depth + 1 FROM chain JOIN sessions s ON s.id = chain.id WHERE s.parent_id IS NOT NULL)
  SELECT s.id, s.title, s.policy, g.turns + g.below_turns AS turns, g.tool_calls + g.below_tool_calls AS tool_calls,
    g.input_tokens + g.output_tokens + g.below_tokens AS tokens, g.active_ms + g.below_active_ms AS active_ms,
    CASE WHEN g.cost_usd IS NULL THEN g.below_cost_usd ELSE g.cost_usd + coalesce(g.below_cost_usd, 0) END AS cost_usd
  FROM chain JOIN sessions s ON s.id = chain.id JOIN session_progress g ON g.session_id = s.id ORDER BY depth`;

const ofLeaf = `SELECT coalesce(sum(turns), 0) AS turns, coalesce(sum(tool_calls), 0) AS tool_calls,
    coalesce(sum(input_tokens + output_tokens), 0) AS tokens, sum(cost_usd) AS cost_usd, coalesce(sum(active_ms), 0.0) AS active_ms
  FROM runs WHERE session_id = ? AND item_id = ?`;

export function readSpending(cx: Connection, id: SessionId, itemId: ItemId | null): Spending {
  const chain = cx
    .sql<SpentRow & { id: SessionId; title: string; policy: string }>(chainOf)
    .all(id)
    .map((row) => ({
      sessionId: row.id,
      title: row.title,
      budget: (JSON.parse(row.policy) as Policy).budget ?? null,
      spent: toSpent(row),
    }));
  const leaf = itemId === null ? undefined : cx.sql<SpentRow>(ofLeaf).get(id, itemId);
  return { chain, leaf: leaf === undefined ? null : toSpent(leaf) };
}
