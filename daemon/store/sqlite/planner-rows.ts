/** Rows of `planners` and `planner_notes`: the queue of a resident planner, and what is kept of it between two of its runs. */
import type { NewEvent } from '../../../shared/event.js';
import type { InboxEntry, Outcome, PlannerMode, PlannerState, Report } from '../../../shared/mission.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { PlanRunStatus, RunId, RunStatus } from '../../../shared/run.js';
import { cutNote, isUrgent, type NoteKind, type PlannerNote, urgentReport } from '../../domain/planner-notes.js';
import type { PlannerQueue } from '../queries.js';
import type { PlannerKept } from '../store.js';
import type { Connection } from './connection.js';
import { withdrawAsked } from './inbox-rows.js';
import { readOpenPlanner } from './run-rows.js';

interface PlannerColumns {
  readonly last_run_id: RunId | null;
  readonly failures: number;
  readonly retry_at: number | null;
  readonly held: string | null;
  readonly moved_run: RunId | null;
  readonly unmoved: number;
  readonly blocker: string | null;
  readonly returns: number;
  readonly progress: number;
  readonly next_run: RunId | null;
}

interface NoteRow {
  readonly no: number;
  readonly kind: NoteKind;
  readonly text: string;
  readonly item_id: ItemId | null;
  readonly urgent: 0 | 1;
  readonly told: 0 | 1;
}

const columns: Readonly<Record<keyof PlannerKept, keyof PlannerColumns>> = {
  lastRunId: 'last_run_id',
  failures: 'failures',
  retryAt: 'retry_at',
  held: 'held',
  movedRun: 'moved_run',
  unmoved: 'unmoved',
  blocker: 'blocker',
  returns: 'returns',
  progress: 'progress',
  nextRun: 'next_run',
};

export function readPlanner(cx: Connection, sessionId: SessionId): PlannerQueue {
  const row = cx.sql<PlannerColumns>('SELECT * FROM planners WHERE session_id = ?').get(sessionId);
  const notes = cx
    .sql<NoteRow>('SELECT * FROM planner_notes WHERE session_id = ? AND run_id IS NULL ORDER BY no')
    .all(sessionId)
    .map(({ no, kind, text, item_id, urgent, told }) => ({
      no,
      kind,
      text,
      itemId: item_id,
      urgent: urgent === 1,
      told: told === 1,
    }));
  return {
    lastRunId: row?.last_run_id ?? null,
    failures: row?.failures ?? 0,
    retryAt: row?.retry_at ?? null,
    held: row?.held ?? null,
    movedRun: row?.moved_run ?? null,
    unmoved: row?.unmoved ?? 0,
    blocker: row?.blocker ?? null,
    returns: row?.returns ?? 0,
    progress: row?.progress ?? 0,
    nextRun: row?.next_run ?? null,
    notes,
    openRun: readOpenPlanner(cx, sessionId),
  };
}

/** Writes the fields given; the row is made when there is none. */
export function writePlanner(cx: Connection, sessionId: SessionId, keep: Partial<PlannerKept>): void {
  cx.sql('INSERT INTO planners (session_id) SELECT id FROM sessions WHERE id = ? ON CONFLICT DO NOTHING').run(sessionId);
  for (const [name, value] of Object.entries(keep) as [keyof PlannerKept, string | number | null][]) {
    const stored = typeof value === 'string' ? cx.redact(value) : value;
    cx.sql(`UPDATE planners SET ${columns[name]} = ? WHERE session_id = ?`).run(stored, sessionId);
  }
}

export function insertNote(cx: Connection, sessionId: SessionId, note: PlannerNote, at: string): void {
  cx.sql('INSERT INTO planner_notes (session_id, kind, text, item_id, urgent, at) VALUES (?, ?, ?, ?, ?, ?)').run(
    sessionId,
    note.kind,
    // Redacted before it is cut: half a secret would not be known.
    cutNote(cx.redact(note.text)),
    note.itemId,
    note.urgent ? 1 : 0,
    at,
  );
}

interface Owner {
  readonly id: SessionId;
  readonly planner: PlannerMode;
  readonly title: string;
}

/** The session's own planner; undefined when it has none any more. */
const ownerOf = (cx: Connection, id: SessionId): Owner | undefined =>
  cx.sql<Owner>(`SELECT id, planner, title FROM sessions WHERE id = ? AND planner <> 'never' AND outcome IS NULL`).get(id);

const ownerAbove = (cx: Connection, id: SessionId): Owner | undefined =>
  cx
    .sql<Owner>(
      `SELECT p.id, p.planner, p.title FROM sessions s JOIN sessions p ON p.id = s.parent_id
       WHERE s.id = ? AND p.planner <> 'never' AND p.outcome IS NULL`,
    )
    .get(id);

const nameOf = (cx: Connection, id: SessionId): string =>
  `${id} “${cx.sql<{ title: string }>('SELECT title FROM sessions WHERE id = ?').get(id)?.title ?? ''}”`;

/**
 * Tells of a report whoever plans: a leaf's the planner of its own session, a planner's (and that of a session without one)
 * the planner of the mission above. The end of a leaf is told by the decision that it leads to; here only what that leaves out.
 */
export function tellOfReport(
  cx: Connection,
  report: Omit<Report, 'id' | 'at'>,
  kindOfRun: 'leaf' | 'chat' | 'planner',
  at: string,
): void {
  const { sessionId, kind, itemId } = report;
  const own = kindOfRun === 'leaf' ? ownerOf(cx, sessionId) : undefined;
  const owner = own ?? ownerAbove(cx, sessionId);
  if (owner === undefined) return;
  const isTold = own !== undefined && (kind === 'result' || kind === 'blocker');
  if (isTold && !report.detail && !report.handover && !report.refs?.length) return;
  const from = own === undefined ? `Mission ${nameOf(cx, sessionId)}: ` : itemId === null ? '' : `${itemId}: `;
  const urgent = !isTold && urgentReport(kind, owner.planner);
  insertNote(cx, owner.id, { kind: 'report', text: `${from}${describeReport(report)}`, itemId: own ? itemId : null, urgent }, at);
}

function describeReport({ kind, summary, detail, refs, handover }: Omit<Report, 'id' | 'at'>): string {
  const list = (name: string, values: readonly string[] | undefined): string[] =>
    values && values.length > 0 ? [`${name}: ${values.join('; ')}`] : [];
  return [
    `${kind}: ${summary}`,
    ...(detail ? [detail] : []),
    ...list('refs', refs),
    ...(handover ? [`handover: ${handover.outcome}`] : []),
    ...list('artifacts', handover?.artifacts),
    ...(handover?.handoverForNext ? [`for what comes next: ${handover.handoverForNext}`] : []),
    ...list('caveats', handover?.caveats),
  ].join('\n');
}

/** The end of a mission wakes the planner above it, once: an outcome is set once. */
export function tellParent(cx: Connection, id: SessionId, outcome: Outcome, reason: string, at: string): void {
  const owner = ownerAbove(cx, id);
  if (owner === undefined) return;
  const text = `Mission ${nameOf(cx, id)} has ended: ${outcome}. ${reason}`;
  insertNote(cx, owner.id, { kind: 'child', text, itemId: null, urgent: isUrgent('child', owner.planner) }, at);
}

/** A person has cancelled a mission: whoever fired it is not left waiting for it. */
export function tellOfCancel(cx: Connection, id: SessionId, at: string): void {
  const owner = ownerAbove(cx, id);
  if (owner === undefined) return;
  const text = `Mission ${nameOf(cx, id)} was cancelled by a person. Nothing comes of it unless they start it again.`;
  insertNote(cx, owner.id, { kind: 'child', text, itemId: null, urgent: isUrgent('child', owner.planner) }, at);
}

/**
 * What an outcome takes with it: the planner's run (`completed` when its own call is what ended the mission), its queue, and
 * all that a person was asked.
 */
export function endOwnership(
  cx: Connection,
  id: SessionId,
  caller: RunId | null,
  at: string,
): { readonly events: readonly NewEvent[]; readonly inbox: readonly InboxEntry[] } {
  const events: NewEvent[] = [];
  const runs = cx
    .sql<{ id: RunId; attempt: number }>(
      `SELECT id, attempt FROM runs
       WHERE session_id = ? AND kind = 'planner' AND kind <> 'leaf' AND finished_at IS NULL`,
    )
    .all(id);
  for (const run of runs) {
    const status = run.id === caller ? ('completed' as const) : ('cancelled' as const);
    cx.sql('UPDATE runs SET status = ?, finished_at = ? WHERE id = ?').run(status, at, run.id);
    events.push({ type: `run.${status}`, runId: run.id, data: { itemId: null, kind: 'planner', attempt: run.attempt } });
  }
  cx.sql('DELETE FROM planner_notes WHERE session_id = ?').run(id);
  return { events, inbox: withdrawAsked(cx, id, at) };
}

export interface PlannerFacts {
  readonly planner: PlannerMode;
  readonly outcome: Outcome | null;
  readonly planner_run: RunStatus | null;
  readonly planner_held: string | null;
  readonly planner_due: 0 | 1;
  readonly control: 'run' | 'pause' | 'cancel';
}

/** What the planner of a session is about to do, for people. */
export function toPlannerState(row: PlannerFacts, status: PlanRunStatus): PlannerState {
  const mode = row.planner;
  const of = (state: PlannerState['state'], reason: string | null = null): PlannerState => ({ mode, state, reason });
  if (row.planner_run !== null) return of(row.planner_run === 'waiting' ? 'waiting' : 'running');
  if (mode === 'never' || row.outcome !== null) return of('none');
  if (row.planner_held !== null) return of('held', row.planner_held);
  if (status === 'cancelled') return of('held', 'the plan is cancelled');
  if (status === 'paused' || row.control === 'pause') return of('held', 'a person has paused it');
  return of(row.planner_due === 1 ? 'due' : 'idle');
}
