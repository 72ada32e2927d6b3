/**
 * The first schema. A migration never changes once it is released: its statuses are written out here and not taken from
 * the code, so that a new status needs a new migration.
 *
 * Rows that every leaf touches are kept narrow: a session's counters are apart from its texts (`session_progress`), so
 * that a long goal is not written again with each leaf. What a commit costs is the number of pages that it touches.
 *
 * `events.seq` needs no AUTOINCREMENT (another page in each commit): the newest event is never deleted, so that no
 * sequence is given out twice.
 */
export const initial = `
CREATE TABLE sessions (
  no         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  title      TEXT NOT NULL,
  goal       TEXT NOT NULL,
  workspace  TEXT NOT NULL,
  profile    TEXT NOT NULL,
  context    TEXT NOT NULL CHECK (context IN ('leaf', 'session')),
  policy     TEXT NOT NULL,
  model      TEXT,
  planner    TEXT NOT NULL CHECK (planner IN ('never', 'on_blocked', 'always')),
  planning   INTEGER NOT NULL CHECK (planning IN (0, 1)),
  parent_id  TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  outcome    TEXT CHECK (outcome IN ('landed', 'derailed', 'stuck')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE session_progress (
  session_id    TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  plan_version  INTEGER NOT NULL,
  next_item_no  INTEGER NOT NULL,
  pending       INTEGER NOT NULL CHECK (pending >= 0),
  active        INTEGER NOT NULL CHECK (active >= 0),
  done          INTEGER NOT NULL CHECK (done >= 0),
  skipped       INTEGER NOT NULL CHECK (skipped >= 0),
  turns         INTEGER NOT NULL DEFAULT 0,
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd      REAL,
  duration_ms   REAL NOT NULL DEFAULT 0,
  updated_at    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_runs (
  session_id      TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  status          TEXT NOT NULL CHECK (status IN
                    ('idle', 'running', 'paused', 'waiting', 'blocked', 'failed', 'completed', 'cancelled')),
  current_item_id TEXT,
  last_run_id     TEXT,
  last_error      TEXT,
  step_no         INTEGER NOT NULL,
  attempt         INTEGER NOT NULL,
  epoch           INTEGER NOT NULL,
  control         TEXT NOT NULL CHECK (control IN ('run', 'pause', 'cancel')),
  tries_left      INTEGER NOT NULL,
  retry_at        INTEGER,
  resume          INTEGER NOT NULL CHECK (resume IN (0, 1)),
  notice          TEXT,
  updated_at      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE items (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  id         TEXT NOT NULL,
  parent_id  TEXT,
  position   REAL NOT NULL,
  status     TEXT NOT NULL CHECK (status IN ('pending', 'active', 'done', 'skipped')),
  claimed    INTEGER CHECK (claimed IN (0, 1)),
  accepted   INTEGER CHECK (accepted IN (0, 1)),
  title      TEXT NOT NULL,
  note       TEXT,
  text       TEXT NOT NULL,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE revisions (
  session_id  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  version     INTEGER NOT NULL,
  at          TEXT NOT NULL,
  author      TEXT NOT NULL CHECK (author IN ('person', 'planner', 'runner', 'import')),
  explanation TEXT,
  status_only INTEGER NOT NULL CHECK (status_only IN (0, 1)),
  goal        TEXT,
  changes     TEXT NOT NULL,
  PRIMARY KEY (session_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  no            INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  session_id    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  item_id       TEXT,
  kind          TEXT NOT NULL CHECK (kind IN ('leaf', 'chat', 'planner')),
  status        TEXT NOT NULL CHECK (status IN
                  ('running', 'waiting', 'completed', 'blocked', 'failed', 'cancelled', 'interrupted')),
  attempt       INTEGER NOT NULL,
  epoch         INTEGER NOT NULL,
  resumes       TEXT,
  transcript_id TEXT NOT NULL,
  plan_version  INTEGER NOT NULL,
  leaf_digest   TEXT NOT NULL,
  claim         TEXT,
  deaths        INTEGER NOT NULL DEFAULT 0,
  model         TEXT,
  error         TEXT,
  summary       TEXT,
  turns         INTEGER NOT NULL DEFAULT 0,
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd      REAL,
  duration_ms   REAL NOT NULL DEFAULT 0,
  started_at    TEXT NOT NULL,
  finished_at   TEXT
) STRICT;
CREATE INDEX runs_by_item ON runs (session_id, item_id);
CREATE INDEX runs_open_chats ON runs (kind) WHERE kind <> 'leaf' AND finished_at IS NULL;

CREATE TABLE messages (
  no            INTEGER PRIMARY KEY,
  transcript_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq           INTEGER NOT NULL,
  run_id        TEXT NOT NULL,
  session_id    TEXT NOT NULL,
  kind          TEXT NOT NULL CHECK (kind IN
                  ('system', 'plan_state', 'digest', 'plan_prompt', 'chat', 'assistant', 'tool', 'notice')),
  role          TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  content       TEXT NOT NULL,
  tool_calls    TEXT,
  tool_call_id  TEXT,
  spoken        INTEGER NOT NULL CHECK (spoken IN (0, 1)),
  at            TEXT NOT NULL,
  UNIQUE (transcript_id, seq)
) STRICT;
CREATE INDEX messages_spoken ON messages (session_id) WHERE spoken = 1;

CREATE TABLE turns (
  run_id        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  turn          INTEGER NOT NULL,
  message_seq   INTEGER NOT NULL,
  model         TEXT NOT NULL,
  finish_reason TEXT NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd      REAL,
  duration_ms   REAL NOT NULL,
  at            TEXT NOT NULL,
  PRIMARY KEY (run_id, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE effects (
  no            INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  transcript_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  run_id        TEXT NOT NULL,
  name          TEXT NOT NULL,
  args          TEXT NOT NULL,
  args_digest   TEXT NOT NULL,
  class         TEXT NOT NULL CHECK (class IN
                  ('safe', 'local_write', 'install', 'network_egress', 'code_execution', 'system_write', 'persistence',
                   'unknown', 'destructive', 'blocked')),
  repeatable    INTEGER NOT NULL CHECK (repeatable IN (0, 1)),
  state         TEXT NOT NULL CHECK (state IN ('intent', 'done', 'failed', 'unknown')),
  result        TEXT,
  started_at    TEXT NOT NULL,
  finished_at   TEXT
) STRICT;
CREATE INDEX effects_by_transcript ON effects (transcript_id);

CREATE TABLE receipts (
  no          INTEGER PRIMARY KEY,
  id          TEXT NOT NULL,
  session_id  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  item_id     TEXT NOT NULL,
  run_id      TEXT NOT NULL,
  attempt     INTEGER NOT NULL,
  command     TEXT NOT NULL,
  exit_code   INTEGER,
  passed      INTEGER NOT NULL CHECK (passed IN (0, 1)),
  output_hash TEXT NOT NULL,
  output_tail TEXT NOT NULL,
  tree_hash   TEXT,
  duration_ms REAL NOT NULL,
  at          TEXT NOT NULL
) STRICT;
CREATE INDEX receipts_by_item ON receipts (session_id, item_id);

CREATE TABLE reports (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  no         INTEGER NOT NULL,
  id         TEXT NOT NULL,
  run_id     TEXT,
  item_id    TEXT,
  kind       TEXT NOT NULL CHECK (kind IN ('progress', 'finding', 'blocker', 'result')),
  summary    TEXT NOT NULL,
  detail     TEXT,
  refs       TEXT,
  handover   TEXT,
  by_runtime INTEGER NOT NULL CHECK (by_runtime IN (0, 1)),
  at         TEXT NOT NULL,
  PRIMARY KEY (session_id, no)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  no             INTEGER PRIMARY KEY,
  id             TEXT NOT NULL UNIQUE,
  session_id     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  run_id         TEXT,
  item_id        TEXT,
  kind           TEXT NOT NULL CHECK (kind IN ('approval', 'question', 'blocker', 'plan_revised', 'outcome', 'budget')),
  state          TEXT NOT NULL CHECK (state IN ('open', 'answered', 'expired', 'acked', 'withdrawn')),
  title          TEXT NOT NULL,
  detail         TEXT NOT NULL,
  effect_id      TEXT,
  tool           TEXT,
  options        TEXT NOT NULL,
  answer         TEXT,
  default_answer TEXT,
  deadline       TEXT,
  opened_at      TEXT NOT NULL,
  closed_at      TEXT
) STRICT;
CREATE INDEX inbox_by_session ON inbox (session_id);
CREATE INDEX inbox_by_run ON inbox (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX inbox_by_effect ON inbox (effect_id) WHERE effect_id IS NOT NULL;
CREATE INDEX inbox_open ON inbox (session_id) WHERE state = 'open';

CREATE TABLE steering (
  no         INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  run_id     TEXT NOT NULL,
  text       TEXT NOT NULL,
  at         TEXT NOT NULL
) STRICT;
CREATE INDEX steering_by_session ON steering (session_id);

CREATE TABLE grants (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  tool       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  at         TEXT NOT NULL,
  PRIMARY KEY (session_id, tool, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
  key    TEXT PRIMARY KEY,
  method TEXT NOT NULL,
  digest TEXT NOT NULL,
  ref    TEXT NOT NULL,
  at     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq        INTEGER PRIMARY KEY,
  at         TEXT NOT NULL,
  session_id TEXT NOT NULL,
  run_id     TEXT,
  type       TEXT NOT NULL,
  data       TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_session ON events (session_id);
`;
