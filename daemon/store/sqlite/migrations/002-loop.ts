/**
 * What the model loop keeps beside a transcript: the model's own steps, how far the transcript was trimmed, the calls that
 * one approval is about, and sums for budgets. `below_…` is what the sessions below one have spent, charged in the
 * transaction of each of their turns; a session's own sums stay as they were.
 */
export const loop = `
CREATE TABLE steps (
  transcript_id  TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  version        INTEGER NOT NULL,
  steps          TEXT NOT NULL,
  blocked_streak INTEGER NOT NULL,
  calls          INTEGER NOT NULL,
  shown_turns    INTEGER NOT NULL DEFAULT 0,
  shown_tokens   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE contexts (
  transcript_id        TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  results_to           INTEGER NOT NULL,
  dropped_to           INTEGER NOT NULL,
  conversation_dropped INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX messages_placed ON messages (transcript_id, kind) WHERE kind IN ('plan_state', 'digest');

CREATE TABLE approval_calls (
  effect_id TEXT NOT NULL,
  entry_no  INTEGER NOT NULL REFERENCES inbox (no) ON DELETE CASCADE,
  tool      TEXT NOT NULL,
  subject   TEXT NOT NULL,
  PRIMARY KEY (effect_id, entry_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_calls_by_entry ON approval_calls (entry_no);

ALTER TABLE runs ADD COLUMN tool_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN active_ms REAL NOT NULL DEFAULT 0;

ALTER TABLE session_progress ADD COLUMN tool_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_progress ADD COLUMN active_ms REAL NOT NULL DEFAULT 0;
ALTER TABLE session_progress ADD COLUMN below_turns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_progress ADD COLUMN below_tool_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_progress ADD COLUMN below_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_progress ADD COLUMN below_cost_usd REAL;
ALTER TABLE session_progress ADD COLUMN below_active_ms REAL NOT NULL DEFAULT 0;

-- What was allowed everything before there was a sandbox goes on as it was.
UPDATE sessions SET policy = json_set(policy, '$.sandbox', json('false'), '$.network', json('true'))
  WHERE json_extract(policy, '$.default') = 'allow';

UPDATE runs SET active_ms = duration_ms,
  tool_calls = (SELECT count(*) FROM effects WHERE effects.transcript_id = runs.transcript_id AND effects.run_id = runs.id);
UPDATE session_progress SET active_ms = duration_ms,
  tool_calls = (SELECT coalesce(sum(runs.tool_calls), 0) FROM runs WHERE runs.session_id = session_progress.session_id);
WITH RECURSIVE below (top, id) AS (
  SELECT parent_id, id FROM sessions WHERE parent_id IS NOT NULL
  UNION SELECT below.top, s.id FROM below JOIN sessions s ON s.parent_id = below.id)
UPDATE session_progress SET below_turns = spent.turns, below_tool_calls = spent.calls, below_tokens = spent.tokens,
  below_cost_usd = spent.cost, below_active_ms = spent.ms
FROM (SELECT below.top, sum(g.turns) AS turns, sum(g.tool_calls) AS calls, sum(g.input_tokens + g.output_tokens) AS tokens,
    sum(g.cost_usd) AS cost, sum(g.active_ms) AS ms
  FROM below JOIN session_progress g ON g.session_id = below.id GROUP BY below.top) AS spent
WHERE spent.top = session_progress.session_id;
`;
