/** Rows of `inbox`: what waits for a person. Every change of state is a compare-and-set on `open`. */
import type { NewEvent } from '../../../shared/event.js';
import type { InboxEntry, InboxKind, InboxState } from '../../../shared/mission.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { EffectId, RunId } from '../../../shared/run.js';
import type { InboxDraft } from '../../domain/run-state.js';
import type { Page, Paged } from '../queries.js';
import type { Connection } from './connection.js';
import { pageOf, startOf } from './paging.js';

interface InboxRow {
  readonly no: number;
  readonly id: string;
  readonly session_id: SessionId;
  readonly run_id: RunId | null;
  readonly item_id: ItemId | null;
  readonly kind: InboxKind;
  readonly state: InboxState;
  readonly title: string;
  readonly detail: string;
  readonly effect_id: EffectId | null;
  readonly tool: string | null;
  readonly options: string;
  readonly answer: string | null;
  readonly default_answer: string | null;
  readonly deadline: string | null;
  readonly opened_at: string;
  readonly closed_at: string | null;
}

const toEntry = (row: InboxRow): InboxEntry => ({
  id: row.id,
  sessionId: row.session_id,
  runId: row.run_id,
  itemId: row.item_id,
  kind: row.kind,
  state: row.state,
  title: row.title,
  detail: row.detail,
  effectId: row.effect_id,
  tool: row.tool,
  options: JSON.parse(row.options) as string[],
  answer: row.answer,
  default: row.default_answer,
  deadline: row.deadline,
  openedAt: row.opened_at,
  closedAt: row.closed_at,
});

export function inboxEvent(entry: InboxEntry): NewEvent {
  const type = entry.state === 'open' ? 'inbox.opened' : (`inbox.${entry.state}` as const);
  const { id, kind, runId } = entry;
  return { type, ...(runId === null ? {} : { runId }), data: { id, kind } };
}

/** What goes into columns of its own; the calls of an approval have rows of theirs. */
const columnsOf = ({ calls: _calls, ...columns }: InboxDraft): Omit<InboxDraft, 'calls'> => columns;

/** Opens an entry; null when the same one (kind, item, run and effect) is open already. */
export function openEntry(cx: Connection, sessionId: SessionId, draft: InboxDraft, at: string): InboxEntry | null {
  const row = cx
    .sql<InboxRow>(
      `INSERT INTO inbox (id, session_id, run_id, item_id, kind, state, title, detail, effect_id, tool, options,
         default_answer, deadline, opened_at)
       SELECT @id, @sessionId, @runId, @itemId, @kind, 'open', @title, @detail, @effectId, @tool, @options,
         @default, @deadline, @at
       WHERE NOT EXISTS (SELECT 1 FROM inbox WHERE session_id = @sessionId AND state = 'open'
         AND kind = @kind AND item_id IS @itemId AND run_id IS @runId AND effect_id IS @effectId)
       RETURNING *`,
    )
    .get({
      ...columnsOf(draft),
      id: cx.newId('i'),
      sessionId,
      title: cx.redact(draft.title),
      detail: cx.redact(draft.detail),
      options: JSON.stringify(draft.options.map(cx.redact)),
      default: cx.redactSome(draft.default),
      at,
    });
  if (row === undefined) return null;
  for (const { effectId, tool, subject } of draft.calls ?? []) {
    cx.sql('INSERT INTO approval_calls (effect_id, entry_no, tool, subject) VALUES (?, ?, ?, ?)').run(
      effectId,
      row.no,
      tool,
      cx.redact(subject),
    );
  }
  return toEntry(row);
}

/** Withdraws what a run left open. */
export function withdrawEntries(cx: Connection, runId: RunId, at: string): InboxEntry[] {
  return cx
    .sql<InboxRow>(`UPDATE inbox SET state = 'withdrawn', closed_at = ? WHERE run_id = ? AND state = 'open' RETURNING *`)
    .all(at, runId)
    .map(toEntry);
}

/** Withdraws all that an ended session still asks; what only tells of something stays. */
export function withdrawAsked(cx: Connection, sessionId: SessionId, at: string): InboxEntry[] {
  return cx
    .sql<InboxRow>(
      `UPDATE inbox SET state = 'withdrawn', closed_at = ?
       WHERE session_id = ? AND state = 'open' AND kind NOT IN ('plan_revised', 'outcome') RETURNING *`,
    )
    .all(at, sessionId)
    .map(toEntry);
}

/** Withdraws what tells that the planner of a session is held: the one blocker that belongs to no run. */
export function withdrawHeld(cx: Connection, sessionId: SessionId, at: string): InboxEntry[] {
  return cx
    .sql<InboxRow>(
      `UPDATE inbox SET state = 'withdrawn', closed_at = ?
       WHERE session_id = ? AND state = 'open' AND kind = 'blocker' AND run_id IS NULL RETURNING *`,
    )
    .all(at, sessionId)
    .map(toEntry);
}

/** Closes an open entry; null when it is not open any more. */
export function closeEntry(
  cx: Connection,
  id: string,
  state: 'answered' | 'expired' | 'acked',
  answer: string | null,
  at: string,
): InboxEntry | null {
  const row = cx
    .sql<InboxRow>(`UPDATE inbox SET state = ?, answer = ?, closed_at = ? WHERE id = ? AND state = 'open' RETURNING *`)
    .get(state, cx.redactSome(answer), at, id);
  return row === undefined ? null : toEntry(row);
}

export function readEntry(cx: Connection, id: string): InboxEntry | null {
  const row = cx.sql<InboxRow>('SELECT * FROM inbox WHERE id = ?').get(id);
  return row === undefined ? null : toEntry(row);
}

/** The newest approval that was asked for an effect, by itself or together with others of its turn. */
export function readApproval(cx: Connection, effectId: EffectId): InboxEntry | null {
  const row = cx
    .sql<InboxRow>(
      `SELECT * FROM inbox WHERE kind = 'approval' AND no = (SELECT max(no) FROM (
         SELECT no FROM inbox WHERE effect_id = @effectId UNION SELECT entry_no FROM approval_calls WHERE effect_id = @effectId))`,
    )
    .get({ effectId });
  return row === undefined ? null : toEntry(row);
}

/** The newest question that was asked for an effect. */
export function readQuestion(cx: Connection, effectId: EffectId): InboxEntry | null {
  const row = cx
    .sql<InboxRow>(`SELECT * FROM inbox WHERE effect_id = ? AND kind = 'question' ORDER BY no DESC LIMIT 1`)
    .get(effectId);
  return row === undefined ? null : toEntry(row);
}

/** Tool and subject of each call that an entry is about. */
export function readApprovalCalls(cx: Connection, id: string): { tool: string; subject: string }[] {
  const several = cx
    .sql<{ tool: string; subject: string }>(
      'SELECT c.tool, c.subject FROM inbox i JOIN approval_calls c ON c.entry_no = i.no WHERE i.id = ? ORDER BY c.effect_id',
    )
    .all(id);
  if (several.length > 0) return several;
  return cx
    .sql<{ tool: string; subject: string }>('SELECT tool, detail AS subject FROM inbox WHERE id = ? AND tool IS NOT NULL')
    .all(id);
}

export function readEntriesOfRun(cx: Connection, runId: RunId): InboxEntry[] {
  return cx.sql<InboxRow>('SELECT * FROM inbox WHERE run_id = ? ORDER BY no').all(runId).map(toEntry);
}

export function readInbox(
  cx: Connection,
  filter: { readonly sessionId?: SessionId; readonly state?: InboxState },
  page: Page,
): Paged<InboxEntry> {
  const conditions = ['no < ?'];
  const values: unknown[] = [startOf(page)];
  if (filter.sessionId !== undefined) {
    // What the missions below a session ask is for whoever looks after it.
    conditions.push(`session_id IN (WITH RECURSIVE below (id) AS (SELECT ?
      UNION SELECT s.id FROM below JOIN sessions s ON s.parent_id = below.id) SELECT id FROM below)`);
    values.push(filter.sessionId);
  }
  if (filter.state === 'open') conditions.push(`state = 'open'`);
  else if (filter.state !== undefined) {
    conditions.push('state = ?');
    values.push(filter.state);
  }
  const rows = cx
    .sql<InboxRow>(`SELECT * FROM inbox WHERE ${conditions.join(' AND ')} ORDER BY no DESC LIMIT ?`)
    .all(...values, page.limit + 1);
  return pageOf(rows, page, (row) => row.no, toEntry);
}

/** The oldest open entries of a session and all below it, or of all sessions. */
export function readOpenInbox(cx: Connection, sessions: readonly SessionId[] | null, limit: number): InboxEntry[] {
  return cx
    .sql<InboxRow>(
      `SELECT * FROM inbox WHERE state = 'open' AND (? IS NULL OR session_id IN (SELECT value FROM json_each(?)))
       ORDER BY no LIMIT ?`,
    )
    .all(sessions === null ? null : 1, JSON.stringify(sessions ?? []), limit)
    .map(toEntry);
}

export function readDeadlines(cx: Connection): { id: string; deadline: string }[] {
  return cx
    .sql<{ id: string; deadline: string }>(
      `SELECT id, deadline FROM inbox WHERE state = 'open' AND deadline IS NOT NULL ORDER BY deadline, no`,
    )
    .all();
}
