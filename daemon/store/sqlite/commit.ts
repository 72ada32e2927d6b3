/** The command of the state machine: everything that one decision does, in one transaction. The hot path of a plan. */
import type { NewEvent } from '../../../shared/event.js';
import type { InboxEntry } from '../../../shared/mission.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { Checkpoint, Decision, ReportDraft } from '../../domain/run-state.js';
import type { CommitResult, Once, Store } from '../store.js';
import type { Connection } from './connection.js';
import { appendEvents } from './event-rows.js';
import { inboxEvent, openEntry, withdrawEntries } from './inbox-rows.js';
import { useKey } from './once-rows.js';
import { writePlanChange } from './plan-rows.js';
import type { Sync } from './promised.js';
import { insertReport } from './report-rows.js';
import { writeRunChange } from './run-rows.js';

export function commitCommands(cx: Connection): Sync<Pick<Store, 'commit'>> {
  return {
    commit(decision, once) {
      return commit(cx, decision, once);
    },
  };
}

function commit(cx: Connection, decision: Decision, once: Once | null): CommitResult {
  let reason: 'moved' | 'key_used' = 'moved';
  const done = cx.atomically(() => {
    const { sessionId } = decision;
    const at = cx.now();
    if (!writeCheckpoint(cx, decision, at) || !writePlan(cx, decision, at)) return null;
    if (!useKey(cx, once, firstAdded(decision) ?? sessionId, at)) {
      reason = 'key_used';
      return null;
    }
    for (const change of decision.runs) writeRunChange(cx, sessionId, change, at);
    const reports = decision.reports.map((report) => fileOwnReport(cx, sessionId, report, at));
    const inbox: InboxEntry[] = decision.withdraw.flatMap((runId) => withdrawEntries(cx, runId, at));
    for (const draft of decision.inbox) {
      const entry = openEntry(cx, sessionId, draft, at);
      if (entry !== null) inbox.push(entry);
    }
    const events = appendEvents(cx, sessionId, [...decision.events, ...reports, ...inbox.map(inboxEvent)], at);
    return { events, inbox };
  });
  return done === null ? { ok: false, reason } : { ok: true, ...done };
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

/** A report that the daemon files because the run did not. */
function fileOwnReport(cx: Connection, sessionId: SessionId, draft: ReportDraft, at: string): NewEvent {
  return insertReport(cx, { ...draft, sessionId, byRuntime: true }, at);
}
