/** The commands of a run under way: its turns, its effects, and the words that reach it. */
import type { NewEvent } from '../../../shared/event.js';
import type { SessionId } from '../../../shared/plan.js';
import type { RunId } from '../../../shared/run.js';
import type { NewTurn, Store } from '../store.js';
import type { Connection } from './connection.js';
import { finishEffect, insertIntent } from './effect-rows.js';
import { appendEvents } from './event-rows.js';
import { insertMessage } from './message-rows.js';
import { useKey } from './once-rows.js';
import type { Sync } from './promised.js';
import { insertReport } from './report-rows.js';
import { type CurrentRun, currentRun } from './run-rows.js';
import { sessionExists } from './session-rows.js';

type RunCommands = Pick<Store, 'appendMessages' | 'appendTurn' | 'beginEffect' | 'endEffect' | 'addSteering' | 'deliverSteering'>;

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
        const { runId, sessionId, toolCallId, content, report } = end;
        const finished = finishEffect(cx, end, at);
        if (finished === null) return null;
        const { event, transcriptId } = finished;
        if (toolCallId !== null) {
          const message = { kind: 'tool', role: 'tool', content, toolCallId, at, spoken: false } as const;
          insertMessage(cx, { ...message, transcriptId, runId, sessionId });
        }
        const events: NewEvent[] = [event];
        if (report) events.push(insertReport(cx, { ...report, sessionId, runId, byRuntime: false }, at));
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

function sessionOf(cx: Connection, runId: RunId): SessionId | undefined {
  return cx.sql<{ id: SessionId }>('SELECT session_id AS id FROM runs WHERE id = ?').get(runId)?.id;
}

const addUsage = `turns = turns + 1, input_tokens = input_tokens + @inputTokens,
  output_tokens = output_tokens + @outputTokens, duration_ms = duration_ms + @durationMs,
  cost_usd = CASE WHEN @costUsd IS NULL THEN cost_usd ELSE coalesce(cost_usd, 0) + @costUsd END`;
// Made once: a text that is put together at each call would be hashed anew at each call.
const addToRun = `UPDATE runs SET ${addUsage}, model = @model, deaths = 0 WHERE id = @runId`;
const addToSession = `UPDATE session_progress SET ${addUsage} WHERE session_id = @sessionId`;

/** The assistant's message, the row of the turn, and the sums of run and session. */
function writeTurn(cx: Connection, turn: NewTurn, run: CurrentRun) {
  const { sessionId, content, toolCalls, model, inputTokens, outputTokens, costUsd, durationMs } = turn;
  const { runId } = turn.ref;
  const at = cx.now();
  const turnNo = run.turns + 1;
  // In the conversation only what a chat answered counts, not what it did on the way.
  const spoken = run.kind === 'chat' && content !== '';
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
  const usage = { inputTokens, outputTokens, costUsd, durationMs };
  cx.sql(addToRun).run({ ...usage, model, runId });
  cx.sql(addToSession).run({ ...usage, sessionId });
  const data = { turn: turnNo, inputTokens, outputTokens, costUsd, durationMs, toolCalls: toolCalls.length };
  return { seq, events: appendEvents(cx, sessionId, [{ type: 'turn.completed', runId, data }], at) };
}
