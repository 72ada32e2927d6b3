/** What every command and query of the adapter works on: prepared statements, transactions, time, ids and redaction. */
import type { Database, Statement } from 'better-sqlite3';

/** What the store cannot know by itself. */
export interface StoreParts {
  /** Milliseconds since 1970, UTC. */
  readonly clock: () => number;
  readonly newId: (prefix: string) => string;
  /** Takes secrets out of a text; redacting twice gives the same as once. */
  readonly redact: (text: string) => string;
}

export interface Connection {
  readonly db: Database;
  readonly newId: (prefix: string) => string;
  readonly redact: (text: string) => string;
  /** As `redact`, for a text that may be absent. */
  readonly redactSome: (text: string | null) => string | null;
  /** Now, ISO 8601 UTC. */
  readonly now: () => string;
  readonly clock: () => number;
  /** The prepared statement of a text, prepared at its first use: opening the store prepares nothing. */
  readonly sql: <Row = unknown>(text: string) => Statement<unknown[], Row>;
  /** One immediate transaction. `null` takes everything back, as an exception does. */
  readonly atomically: <T>(work: () => T | null) => T | null;
}

export function connect(db: Database, parts: StoreParts): Connection {
  const statements = new Map<string, Statement>();
  const sql = <Row>(text: string): Statement<unknown[], Row> => {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = db.prepare(text);
      statements.set(text, statement);
    }
    return statement as Statement<unknown[], Row>;
  };
  return {
    db,
    sql,
    newId: parts.newId,
    redact: parts.redact,
    redactSome: (text) => (text === null ? null : parts.redact(text)),
    clock: parts.clock,
    now: () => new Date(parts.clock()).toISOString(),
    atomically(work) {
      sql('BEGIN IMMEDIATE').run();
      try {
        const result = work();
        if (result !== null) sql('COMMIT').run();
        return result;
      } finally {
        // SQLite rolls back by itself after some errors (disk full, I/O).
        if (db.inTransaction) sql('ROLLBACK').run();
      }
    },
  };
}
