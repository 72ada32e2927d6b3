/** Rows of `events`: the durable stream. */
import type { CairnEvent, NewEvent } from '../../../shared/event.js';
import type { SessionId } from '../../../shared/plan.js';
import type { RunId } from '../../../shared/run.js';
import type { Connection } from './connection.js';

interface EventRow {
  readonly seq: number;
  readonly at: string;
  readonly session_id: SessionId;
  readonly run_id: RunId | null;
  readonly type: CairnEvent['type'];
  readonly data: string;
}

const rowsPerInsert = 100;

/**
 * Appends events inside the transaction of the command that caused them; gives them with their sequence.
 * Several rows go in one statement: their sequences follow each other, since nobody else writes meanwhile.
 */
export function appendEvents(cx: Connection, sessionId: SessionId, events: readonly NewEvent[], at: string): CairnEvent[] {
  const appended: CairnEvent[] = [];
  for (let start = 0; start < events.length; start += rowsPerInsert) {
    const chunk = events.slice(start, start + rowsPerInsert).map((event) => redactEvent(cx, event));
    const values: unknown[] = [];
    for (const { runId, type, data } of chunk) values.push(at, sessionId, runId ?? null, type, JSON.stringify(data));
    const { lastInsertRowid } = cx.sql(insertOf(chunk.length)).run(...values);
    const first = Number(lastInsertRowid) - chunk.length + 1;
    chunk.forEach(({ runId, type, data }, i) => {
      appended.push({ seq: first + i, at, sessionId, ...(runId === undefined ? {} : { runId: runId as RunId }), type, data });
    });
  }
  return appended;
}

const inserts: string[] = [];

function insertOf(rows: number): string {
  return (inserts[rows] ??= `INSERT INTO events (at, session_id, run_id, type, data) VALUES ${Array(rows)
    .fill('(?, ?, ?, ?, ?)')
    .join(', ')}`);
}

/** The explanation of a revision is the one free text in the stream. */
function redactEvent(cx: Connection, event: NewEvent): NewEvent {
  if (event.type !== 'plan.revised' || event.data.explanation === null) return event;
  return { ...event, data: { ...event.data, explanation: cx.redact(event.data.explanation) } };
}

export function readEvents(cx: Connection, after: number, sessionId: SessionId | null, limit: number): CairnEvent[] {
  const rows =
    sessionId === null
      ? cx.sql<EventRow>('SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?').all(after, limit)
      : cx
          .sql<EventRow>('SELECT * FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?')
          .all(sessionId, after, limit);
  return rows.map((row) => ({
    seq: row.seq,
    at: row.at,
    sessionId: row.session_id,
    ...(row.run_id === null ? {} : { runId: row.run_id }),
    type: row.type,
    data: JSON.parse(row.data) as Record<string, unknown>,
  }));
}

export function lastSeq(cx: Connection): number {
  return cx.sql<{ seq: number | null }>('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0;
}
