/** Rows of `messages`: transcripts, which only grow. A chain of runs that resume each other shares one transcript. */
import type { SessionId } from '../../../shared/plan.js';
import type { Message, RunId, ToolCall } from '../../../shared/run.js';
import type { StoredMessage } from '../store.js';
import type { Connection } from './connection.js';

interface MessageRow {
  readonly seq: number;
  readonly run_id: RunId;
  readonly kind: Message['kind'];
  readonly role: Message['role'];
  readonly content: string;
  readonly tool_calls: string | null;
  readonly tool_call_id: string | null;
  readonly at: string;
}

interface NewMessage extends Message {
  readonly transcriptId: string;
  readonly runId: RunId;
  readonly sessionId: SessionId;
  /** Part of the session's conversation: said by a person, or answered in a chat. */
  readonly spoken: boolean;
}

/** Appends a message to its transcript inside a transaction; gives its `seq`. */
export function insertMessage(cx: Connection, message: NewMessage): number {
  const { transcriptId, toolCalls } = message;
  const last = cx
    .sql<{ seq: number }>('SELECT seq FROM messages WHERE transcript_id = ? ORDER BY seq DESC LIMIT 1')
    .get(transcriptId);
  const seq = (last?.seq ?? 0) + 1;
  cx.sql(
    `INSERT INTO messages (transcript_id, seq, run_id, session_id, kind, role, content, tool_calls, tool_call_id, spoken, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    transcriptId,
    seq,
    message.runId,
    message.sessionId,
    message.kind,
    message.role,
    cx.redact(message.content),
    toolCalls === undefined || toolCalls.length === 0 ? null : JSON.stringify(redactCalls(cx, toolCalls)),
    cx.redactSome(message.toolCallId ?? null),
    message.spoken ? 1 : 0,
    message.at,
  );
  return seq;
}

/**
 * Writes the one message of a kind that changes in place (steps, digest): a transcript never has two of a kind, and where it
 * stands it stays.
 */
export function placeMessage(cx: Connection, message: NewMessage): void {
  const { changes } = cx
    .sql('UPDATE messages SET content = ?, run_id = ?, at = ? WHERE transcript_id = ? AND kind = ?')
    .run(cx.redact(message.content), message.runId, message.at, message.transcriptId, message.kind);
  if (changes === 0) insertMessage(cx, message);
}

/** Each text by itself, so that what takes a secret out can never break the list around it. Ids and names come from outside, too. */
const redactCalls = (cx: Connection, calls: readonly ToolCall[]): ToolCall[] =>
  calls.map(({ id, name, arguments: args }) => ({ id: cx.redact(id), name: cx.redact(name), arguments: cx.redact(args) }));

const toMessage = (row: MessageRow): StoredMessage => ({
  seq: row.seq,
  runId: row.run_id,
  kind: row.kind,
  role: row.role,
  content: row.content,
  ...(row.tool_calls === null ? {} : { toolCalls: JSON.parse(row.tool_calls) as ToolCall[] }),
  ...(row.tool_call_id === null ? {} : { toolCallId: row.tool_call_id }),
  at: row.at,
});

const messageColumns = 'm.seq, m.run_id, m.kind, m.role, m.content, m.tool_calls, m.tool_call_id, m.at';

/** The messages of a run and of those that it resumes, in order; not those of runs that came after it. */
export function readTranscript(cx: Connection, runId: RunId): StoredMessage[] {
  return cx
    .sql<MessageRow>(
      `SELECT ${messageColumns}
       FROM runs asked JOIN messages m ON m.transcript_id = asked.transcript_id JOIN runs r ON r.id = m.run_id
       WHERE asked.id = ? AND r.no <= asked.no ORDER BY m.seq`,
    )
    .all(runId)
    .map(toMessage);
}

/** As `readTranscript`, from a place on, without the messages that change in place. */
export function readTranscriptAfter(cx: Connection, runId: RunId, after: number): StoredMessage[] {
  return cx
    .sql<MessageRow>(
      `SELECT ${messageColumns}
       FROM runs asked JOIN messages m ON m.transcript_id = asked.transcript_id JOIN runs r ON r.id = m.run_id
       WHERE asked.id = ? AND m.seq > ? AND m.kind NOT IN ('plan_state', 'digest') AND r.no <= asked.no ORDER BY m.seq`,
    )
    .all(runId, after)
    .map(toMessage);
}

export function readPlacedMessages(cx: Connection, runId: RunId): { plan: StoredMessage | null; digest: StoredMessage | null } {
  const placed = cx
    .sql<MessageRow>(
      `SELECT ${messageColumns} FROM runs r JOIN messages m ON m.transcript_id = r.transcript_id
       WHERE r.id = ? AND m.kind IN ('plan_state', 'digest')`,
    )
    .all(runId)
    .map(toMessage);
  const of = (kind: Message['kind']): StoredMessage | null => placed.find((message) => message.kind === kind) ?? null;
  return { plan: of('plan_state'), digest: of('digest') };
}

export function readConversation(cx: Connection, sessionId: SessionId): StoredMessage[] {
  return cx
    .sql<MessageRow>(
      `SELECT m.seq, m.run_id, m.kind, m.role, m.content, NULL AS tool_calls, NULL AS tool_call_id, m.at FROM messages m
       WHERE m.session_id = ? AND m.spoken = 1 ORDER BY m.no`,
    )
    .all(sessionId)
    .map(toMessage);
}

const earlierTranscriptsLimit = 50;

/** What earlier leaf runs said and did; bounded, since a long plan has thousands of them. */
export function readEarlierTranscripts(cx: Connection, sessionId: SessionId, exceptRun: RunId): StoredMessage[] {
  return cx
    .sql<MessageRow>(
      `SELECT ${messageColumns} FROM messages m
       WHERE m.spoken = 0 AND m.transcript_id IN (
         SELECT transcript_id FROM runs
         WHERE session_id = ? AND kind = 'leaf' AND finished_at IS NOT NULL
           AND transcript_id IS NOT (SELECT transcript_id FROM runs WHERE id = ?)
         GROUP BY transcript_id ORDER BY max(no) DESC LIMIT ?)
       ORDER BY m.no`,
    )
    .all(sessionId, exceptRun, earlierTranscriptsLimit)
    .map(toMessage);
}
