/** The command of the state machine: everything that one decision does, in one transaction. The hot path of a plan. */
import type { NewEvent } from '../../../shared/event.js';
import type { InboxEntry } from '../../../shared/mission.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { Checkpoint, Decision, ReportDraft } from '../../domain/run-state.js';
import type { CallEnd, CommitResult, Once, Store } from '../store.js';
import { isUnderWay, isUnseen, writeCallEnd } from './call-ends.js';
import type { Connection } from './connection.js';
import { appendEvents } from './event-rows.js';
import { inboxEvent, openEntry, withdrawEntries } from './inbox-rows.js';
import { useKey } from './once-rows.js';
import { writePlanChange } from './plan-rows.js';
import type { Sync } from './promised.js';
import { endOwnership, insertNote, tellOfCancel, tellParent, writePlanner } from './planner-rows.js';
import { fileReport, hasEnded } from './report-rows.js';
import { writeRunChange } from './run-rows.js';

export function commitCommands(cx: Connection): Sync<Pick<Store, 'commit'>> {
  return {
    commit(decision, once, call) {
      return commit(cx, decision, once, call);
    },
  };
}

function commit(cx: Connection, decision: Decision, once: Once | null, call?: CallEnd): CommitResult {
  let reason: Extract<CommitResult, { ok: false }>['reason'] = 'moved';
  const done = cx.atomically(() => {
    const { sessionId, finished } = decision;
    const at = cx.now();
    if (call !== undefined && (!isUnderWay(cx, call) || isUnseen(cx, call))) {
      reason = isUnderWay(cx, call) ? 'unseen' : 'not_current';
      return null;
    }
    if (finished !== null && !writeOutcome(cx, sessionId, finished, at)) return null;
    if (!writeCheckpoint(cx, decision, at) || !writePlan(cx, decision, at)) return null;
    if (!useKey(cx, once, firstAdded(decision) ?? sessionId, at)) {
      reason = 'key_used';
      return null;
    }
    for (const change of decision.runs) writeRunChange(cx, sessionId, change, at);
    const reports = finished === null ? decision.reports.flatMap((report) => fileOwnReport(cx, sessionId, report, at)) : [];
    for (const note of decision.notes) insertNote(cx, sessionId, note, at);
    const ended = finished === null ? null : endOwnership(cx, sessionId, call?.runId ?? null, at);
    const inbox: InboxEntry[] = decision.withdraw.flatMap((runId) => withdrawEntries(cx, runId, at));
    if (ended !== null) inbox.push(...ended.inbox);
    for (const draft of decision.inbox) {
      const entry = openEntry(cx, sessionId, draft, at);
      if (entry !== null) inbox.push(entry);
    }
    if (finished === null && isCancelledNow(decision)) tellOfCancel(cx, sessionId, at);
    const called = call === undefined ? [] : [writeCallEnd(cx, call, at)?.event ?? []].flat();
    if (call !== undefined && decision.plan !== null) writePlanner(cx, sessionId, { movedRun: call.runId });
    const news = [...called, ...decision.events, ...reports, ...(ended?.events ?? []), ...inbox.map(inboxEvent)];
    const events = appendEvents(cx, sessionId, news, at);
    return { events, inbox };
  });
  return done === null ? { ok: false, reason } : { ok: true, ...done };
}

const isCancelledNow = ({ events }: Decision): boolean =>
  events.some(
    (event) => event.type === 'plan_run.changed' && event.data.status === 'cancelled' && event.data.from !== 'cancelled',
  );

/** Once: an outcome is final. */
function writeOutcome(
  cx: Connection,
  id: SessionId,
  { outcome, reason }: NonNullable<Decision['finished']>,
  at: string,
): boolean {
  const { changes } = cx
    .sql('UPDATE sessions SET outcome = ?, outcome_reason = ?, outcome_at = ?, updated_at = ? WHERE id = ? AND outcome IS NULL')
    .run(outcome, cx.redact(reason), at, at, id);
  if (changes === 1) tellParent(cx, id, outcome, reason, at);
  return changes === 1;
}

/** Compare-and-set on the owner's epoch, which only `claim` raises. */
function writeCheckpoint(cx: Connection, { sessionId, expected, checkpoint }: Decision, at: string): boolean {
  if (checkpoint === null) {
    return cx.sql('SELECT 1 FROM plan_runs WHERE session_id = ? AND epoch = ?').get(sessionId, expected.epoch) !== undefined;
  }
  const { changes } = cx
    .sql(
      `UPDATE plan_runs SET status = ?, control = ?, current_item_id = ?, last_run_id = ?, last_error = ?, step_no = ?,
         attempt = ?, tries_left = ?, retry_at = ?, resume = ?, notice = ?, updated_at = ?
       WHERE session_id = ? AND epoch = ?`,
    )
    .run(...checkpointValues(cx, checkpoint), at, sessionId, expected.epoch);
  return changes === 1;
}

function checkpointValues(cx: Connection, c: Checkpoint): unknown[] {
  return [
    c.status,
    c.control,
    c.currentItemId,
    c.lastRunId,
    cx.redactSome(c.lastError),
    c.stepNo,
    c.attempt,
    c.triesLeft,
    c.retryAt,
    c.resume ? 1 : 0,
    cx.redactSome(c.notice),
  ];
}

/** Compare-and-set on the plan's version. */
function writePlan(cx: Connection, { sessionId, expected, plan, state }: Decision, at: string): boolean {
  if (plan !== null) {
    return expected.version === plan.version - 1 && writePlanChange(cx, sessionId, plan, state.plan.tree, at);
  }
  return (
    cx.sql('SELECT 1 FROM session_progress WHERE session_id = ? AND plan_version = ?').get(sessionId, expected.version) !==
    undefined
  );
}

const firstAdded = ({ plan }: Decision): ItemId | undefined => plan?.items.find(({ before }) => before === null)?.id;

/** A report that the daemon files because the run did not; nothing when it has. */
function fileOwnReport(cx: Connection, sessionId: SessionId, draft: ReportDraft, at: string): NewEvent[] {
  if (draft.runId !== null && hasEnded(cx, draft.runId)) return [];
  return [fileReport(cx, { ...draft, sessionId, byRuntime: true }, at) ?? []].flat();
}
