/** The commands of a run under way: its turns, its effects, and the words that reach it. */
import type { NewEvent } from '../../../shared/event.js';
import type { SessionId } from '../../../shared/plan.js';
import type { RunId } from '../../../shared/run.js';
import type { NewTurn, Store } from '../store.js';
import type { Connection } from './connection.js';
import { insertIntent } from './effect-rows.js';
import { writeCallEnd } from './call-ends.js';
import { appendEvents } from './event-rows.js';
import { insertMessage, placeMessage } from './message-rows.js';
import { useKey } from './once-rows.js';
import type { Sync } from './promised.js';
import { fileReport } from './report-rows.js';
import { type CurrentRun, currentRun } from './run-rows.js';
import { sessionExists } from './session-rows.js';
import { addUsage, noteTurn } from './spending-rows.js';
import { countShownSteps, writeSteps, writeTrimState } from './steps-rows.js';

type RunCommands = Pick<
  Store,
  | 'appendMessages'
  | 'appendTurn'
  | 'charge'
  | 'trimContext'
  | 'putPlanMessage'
  | 'beginEffect'
  | 'endEffect'
  | 'addSteering'
  | 'deliverSteering'
>;

export function runCommands(cx: Connection): Sync<RunCommands> {
  return {
    appendMessages(ref, messages) {
      const done = cx.atomically(() => {
        const sessionId = sessionOf(cx, ref.runId);
        const run = sessionId && currentRun(cx, sessionId, ref);
        if (!sessionId || !run) return null;
        const at = cx.now();
        for (const message of messages) {
          const spoken = message.kind === 'chat';
          insertMessage(cx, { ...message, at, spoken, transcriptId: run.transcript_id, runId: ref.runId, sessionId });
        }
        return true;
      });
      return done !== null;
    },

    appendTurn(turn) {
      return cx.atomically(() => {
        const run = currentRun(cx, turn.sessionId, turn.ref);
        return run === undefined ? null : writeTurn(cx, turn, run);
      });
    },

    charge(ref, sessionId, charge) {
      cx.atomically(() => {
        if (currentRun(cx, sessionId, ref) === undefined) return null;
        addUsage(cx, { ...charge, sessionId, runId: ref.runId });
        return true;
      });
    },

    trimContext(ref, sessionId, { state, digest, stage, groups, usage }) {
      return cx.atomically(() => {
        const run = currentRun(cx, sessionId, ref);
        if (run === undefined) return null;
        const { runId } = ref;
        const at = cx.now();
        writeTrimState(cx, run.transcript_id, state);
        if (digest !== null) {
          const message = { kind: 'digest', role: 'system', content: digest, at, spoken: false } as const;
          placeMessage(cx, { ...message, transcriptId: run.transcript_id, runId, sessionId });
        }
        if (usage !== null) addUsage(cx, { sessionId, runId, turns: 0, toolCalls: 0, activeMs: usage.durationMs, ...usage });
        return appendEvents(cx, sessionId, [{ type: 'context.trimmed', runId, data: { groups, stage } }], at);
      });
    },

    putPlanMessage(ref, sessionId, content) {
      const done = cx.atomically(() => {
        const run = currentRun(cx, sessionId, ref);
        if (run === undefined) return null;
        const message = { kind: 'plan_state', role: 'system', content, at: cx.now(), spoken: false } as const;
        placeMessage(cx, { ...message, transcriptId: run.transcript_id, runId: ref.runId, sessionId });
        return true;
      });
      return done !== null;
    },

    beginEffect(effect) {
      return cx.atomically(() => {
        const run = currentRun(cx, effect.sessionId, effect.ref);
        if (run === undefined) return null;
        const at = cx.now();
        const event = insertIntent(cx, effect, run.transcript_id, at);
        return event === null ? null : appendEvents(cx, effect.sessionId, [event], at);
      });
    },

    endEffect(end) {
      const events = cx.atomically(() => {
        const at = cx.now();
        const { runId, sessionId, report, steps } = end;
        const filed = report ? fileReport(cx, { ...report, sessionId, runId, byRuntime: false }, at) : undefined;
        // The mission ended between the call and its result: the model reads that nothing was filed.
        const finished = writeCallEnd(cx, filed === null ? { ...end, state: 'failed', content: notFiled } : end, at);
        if (finished === null) return null;
        const { event, transcriptId } = finished;
        const events: NewEvent[] = [event, ...(filed ? [filed] : [])];
        if (steps) {
          events.push(...writeSteps(cx, transcriptId, runId, steps));
          const message = { kind: 'plan_state', role: 'system', content: steps.message, at, spoken: false } as const;
          placeMessage(cx, { ...message, transcriptId, runId, sessionId });
        }
        // Writing down that an outcome is unknown is no progress: a leaf that kills the daemon must not look alive by it.
        if (end.state !== 'unknown') cx.sql('UPDATE runs SET deaths = 0 WHERE id = ? AND deaths > 0').run(runId);
        return appendEvents(cx, sessionId, events, at);
      });
      return events ?? [];
    },

    addSteering(sessionId, text, once, runId) {
      const added = cx.atomically(() => {
        const at = cx.now();
        if (!sessionExists(cx, sessionId) || !useKey(cx, once, runId, at)) return null;
        cx.sql('INSERT INTO steering (session_id, run_id, text, at) VALUES (?, ?, ?, ?)').run(
          sessionId,
          runId,
          cx.redact(text),
          at,
        );
        return true;
      });
      return added !== null;
    },

    deliverSteering(sessionId, ref) {
      const delivered = cx.atomically(() => {
        const run = currentRun(cx, sessionId, ref);
        if (run === undefined) return null;
        const words = cx
          .sql<{ text: string; at: string }>('SELECT text, at FROM steering WHERE session_id = ? ORDER BY no')
          .all(sessionId);
        for (const { text, at } of words) {
          const message = { kind: 'chat', role: 'user', content: text, at, spoken: true } as const;
          insertMessage(cx, { ...message, transcriptId: run.transcript_id, runId: ref.runId, sessionId });
        }
        if (words.length > 0) cx.sql('DELETE FROM steering WHERE session_id = ?').run(sessionId);
        return words.length;
      });
      return delivered ?? 0;
    },
  };
}

const notFiled = 'Not filed: the mission has ended. Nothing more is to be done.';

function sessionOf(cx: Connection, runId: RunId): SessionId | undefined {
  return cx.sql<{ id: SessionId }>('SELECT session_id AS id FROM runs WHERE id = ?').get(runId)?.id;
}

/** A planner run that was shown a person's words answers them. */
const hearsPerson = (cx: Connection, transcriptId: string, runId: RunId): boolean =>
  cx.sql('SELECT 1 FROM messages WHERE transcript_id = ? AND run_id = ? AND kind = ?').get(transcriptId, runId, 'chat') !==
  undefined;

/** The assistant's message, the row of the turn, and the sums of run, session and all sessions above it. */
function writeTurn(cx: Connection, turn: NewTurn, run: CurrentRun) {
  const { sessionId, content, toolCalls, model, inputTokens, outputTokens, costUsd, durationMs } = turn;
  const { runId } = turn.ref;
  const at = cx.now();
  const turnNo = run.turns + 1;
  // In the conversation only what a chat answered counts, not what it did on the way.
  const answers = run.kind === 'chat' || (run.kind === 'planner' && hearsPerson(cx, run.transcript_id, runId));
  const spoken = answers && content !== '';
  const where = { transcriptId: run.transcript_id, runId, sessionId, at };
  const seq = insertMessage(cx, { ...where, kind: 'assistant', role: 'assistant', content, toolCalls: [...toolCalls], spoken });
  if (turn.notice !== undefined) {
    insertMessage(cx, { ...where, kind: 'notice', role: 'system', content: turn.notice, spoken: false });
  }
  cx.sql(
    `INSERT INTO turns (run_id, turn, message_seq, model, finish_reason, input_tokens, output_tokens, cost_usd,
       duration_ms, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(runId, turnNo, seq, model, turn.finishReason, inputTokens, outputTokens, costUsd, durationMs, at);
  const usage = { inputTokens, outputTokens, costUsd, durationMs, activeMs: turn.activeMs };
  addUsage(cx, { ...usage, turns: 1, toolCalls: toolCalls.length, sessionId, runId });
  noteTurn(cx, runId, model);
  if (turn.stepsTokens !== null) countShownSteps(cx, run.transcript_id, turn.stepsTokens);
  const data = { turn: turnNo, inputTokens, outputTokens, costUsd, durationMs, toolCalls: toolCalls.length };
  return { seq, events: appendEvents(cx, sessionId, [{ type: 'turn.completed', runId, data }], at) };
}
