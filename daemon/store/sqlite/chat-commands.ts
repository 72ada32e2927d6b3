/** Chat and planner runs, which touch no checkpoint, and the answers of persons. */
import type { NewEvent } from '../../../shared/event.js';
import type { InboxEntry } from '../../../shared/mission.js';
import type { SessionId } from '../../../shared/plan.js';
import type { Run, RunId, RunStatus } from '../../../shared/run.js';
import type { Store } from '../store.js';
import type { Connection } from './connection.js';
import { appendEvents } from './event-rows.js';
import { closeEntry, inboxEvent, openEntry, withdrawEntries } from './inbox-rows.js';
import { insertMessage } from './message-rows.js';
import { useKey } from './once-rows.js';
import type { Sync } from './promised.js';
import { currentRun, insertRun } from './run-rows.js';

const endEvents = {
  completed: 'run.completed',
  failed: 'run.failed',
  cancelled: 'run.cancelled',
  interrupted: 'run.interrupted',
} as const;

type ChatCommands = Pick<Store, 'beginChat' | 'endChat' | 'suspendChat' | 'wakeChat' | 'answerInbox' | 'ackInbox'>;

export function chatCommands(cx: Connection): Sync<ChatCommands> {
  const close = (id: string, state: 'answered' | 'expired' | 'acked', answer: string | null) =>
    cx.atomically((): { entry: InboxEntry; events: ReturnType<typeof appendEvents> } | null => {
      const at = cx.now();
      const entry = closeEntry(cx, id, state, answer, at);
      return entry === null ? null : { entry, events: appendEvents(cx, entry.sessionId, [inboxEvent(entry)], at) };
    });

  return {
    beginChat({ id, sessionId, kind, text, resumes }, once) {
      return cx.atomically(() => {
        const at = cx.now();
        const session = cx
          .sql<{ plan_version: number; epoch: number }>(
            `SELECT g.plan_version, p.epoch FROM session_progress g JOIN plan_runs p USING (session_id)
             WHERE g.session_id = ?`,
          )
          .get(sessionId);
        if (session === undefined || !useKey(cx, once, id, at)) return null;
        // In one transaction: a crash between the end of the old one and the begin of the new one would lose the chat.
        const ended = resumes === null ? null : endOf(cx, resumes, sessionId, 'interrupted', 'the daemon died', at);
        const status: RunStatus = 'running';
        const run = { id, sessionId, itemId: null, kind, status, resumes, attempt: 1, claim: null, deaths: 0 };
        const transcriptId = insertRun(
          cx,
          { ...run, epoch: session.epoch, planVersion: session.plan_version, leafDigest: '' },
          at,
        );
        if (text !== '') {
          // A planner is woken by the engine: its first message is no part of what persons said.
          const message =
            kind === 'chat' ? ({ kind: 'chat', spoken: true } as const) : ({ kind: 'plan_prompt', spoken: false } as const);
          insertMessage(cx, { ...message, role: 'user', content: text, at, transcriptId, runId: id, sessionId });
        }
        return appendEvents(cx, sessionId, [...(ended === null ? [] : [ended]), startOf(id, kind, resumes)], at);
      });
    },

    endChat(runId, sessionId, status, error) {
      const events = cx.atomically(() => {
        const at = cx.now();
        const event = endOf(cx, runId, sessionId, status, error, at);
        if (event === null) return null;
        const withdrawn = withdrawEntries(cx, runId, at).map(inboxEvent);
        return appendEvents(cx, sessionId, [event, ...withdrawn], at);
      });
      return events ?? [];
    },

    suspendChat(ref, sessionId, drafts) {
      return cx.atomically(() => {
        if (currentRun(cx, sessionId, ref) === undefined) return null;
        const at = cx.now();
        cx.sql(`UPDATE runs SET status = 'waiting' WHERE id = ?`).run(ref.runId);
        const inbox = drafts.flatMap((draft) => openEntry(cx, sessionId, draft, at) ?? []);
        return { inbox, events: appendEvents(cx, sessionId, inbox.map(inboxEvent), at) };
      });
    },

    wakeChat(runId) {
      const { changes } = cx
        .sql(`UPDATE runs SET status = 'running' WHERE id = ? AND kind <> 'leaf' AND status = 'waiting'`)
        .run(runId);
      return changes === 1;
    },

    answerInbox(id, answer, state) {
      return close(id, state, answer);
    },

    ackInbox(id) {
      return close(id, 'acked', null);
    },
  };
}

/** Ends a chat or planner run that is still open; null when it is not. */
export function endOf(
  cx: Connection,
  runId: RunId,
  sessionId: SessionId,
  status: keyof typeof endEvents,
  error: string | null,
  at: string,
): NewEvent | null {
  const run = cx
    .sql<{ kind: Run['kind']; attempt: number }>(
      `UPDATE runs SET status = ?, error = ?, finished_at = ?
       WHERE id = ? AND session_id = ? AND kind <> 'leaf' AND finished_at IS NULL RETURNING kind, attempt`,
    )
    .get(status, cx.redactSome(error), at, runId, sessionId);
  return run === undefined ? null : { type: endEvents[status], runId, data: { itemId: null, ...run } };
}

export const startOf = (runId: RunId, kind: Run['kind'], resumes: RunId | null): NewEvent => ({
  type: 'run.started',
  runId,
  data: { itemId: null, kind, attempt: 1, resumes },
});
