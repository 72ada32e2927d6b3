/**
 * Missions: what a session was fired to do and how it ended, the queue of its resident planner, and what the engine keeps of
 * that planner between two of its turns. A note that a planner run has been shown carries the run's id and goes with its end.
 */
export const missions = `
ALTER TABLE sessions ADD COLUMN is_mission INTEGER NOT NULL DEFAULT 0 CHECK (is_mission IN (0, 1));
ALTER TABLE sessions ADD COLUMN mission_order TEXT NOT NULL DEFAULT '{}';
ALTER TABLE sessions ADD COLUMN outcome_reason TEXT;
ALTER TABLE sessions ADD COLUMN outcome_at TEXT;
CREATE INDEX sessions_unfinished ON sessions (id) WHERE is_mission = 1 AND outcome IS NULL;

CREATE TABLE planners (
  session_id  TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  last_run_id TEXT,
  failures    INTEGER NOT NULL DEFAULT 0,
  retry_at    INTEGER,
  held        TEXT,
  moved_run   TEXT,
  unmoved     INTEGER NOT NULL DEFAULT 0,
  blocker     TEXT,
  returns     INTEGER NOT NULL DEFAULT 0,
  progress    INTEGER NOT NULL DEFAULT 0,
  next_run    TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE planner_notes (
  no         INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  kind       TEXT NOT NULL CHECK (kind IN
               ('fired', 'message', 'draft', 'report', 'done', 'blocked', 'failed', 'completed', 'edited', 'child', 'unmoved')),
  text       TEXT NOT NULL,
  item_id    TEXT,
  urgent     INTEGER NOT NULL CHECK (urgent IN (0, 1)),
  run_id     TEXT,
  told       INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
  at         TEXT NOT NULL
) STRICT;
CREATE INDEX planner_notes_by_session ON planner_notes (session_id);

CREATE INDEX reports_of_run ON reports (run_id) WHERE kind IN ('result', 'blocker');
CREATE INDEX revisions_of_shape ON revisions (session_id, version) WHERE status_only = 0;
`;
