/**
 * The turns of one run. Each step looks at the stored transcript and does the next thing that it calls for: finish the
 * calls of its last turn, end, or make another turn. So going on after a crash, a pause, an answer or an edit needs no
 * path of its own.
 */
import { unreachable } from '../../shared/errors.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { EffectId, RunId, ToolCall } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import type { RunRef } from '../domain/run-state.js';
import type { LeafOutcome, RunActivity } from '../executors/executor.js';
import { reportTool } from '../missions/report-tool.js';
import type { Provider, ProviderError, ToolSchema, Turn, TurnRequest, TurnSink } from '../providers/provider.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import type { SessionRecord, Store, StoredMessage } from '../store/store.js';
import type { Tool } from '../tools/tool.js';
import { buildContext } from './context.js';
import { cutOff, saySomething } from './prompts.js';
import { usedUp } from './budget.js';
import { endOf, lastTurn, type RunEnd } from './run-end.js';
import { createToolCalls, effectIdOf, type CallParts } from './tool-calls.js';

export interface LoopParts extends CallParts {
  readonly store: Store;
  readonly provider: Provider;
  readonly publisher: RunPublisher;
  readonly clock: Clock;
  /** Turns of one run. */
  readonly maxTurns: number;
  /** Moves a person's undelivered words into the transcript; gives how many. */
  readonly deliverSteering: (sessionId: SessionId, ref: RunRef) => Promise<number>;
  readonly toolSchema: (tool: Tool) => ToolSchema;
}

export interface LoopRun {
  readonly session: SessionRecord;
  readonly ref: RunRef;
  readonly itemId: ItemId | null;
  /** Names the run's turns in recordings. */
  readonly label: string;
  readonly model: string | null;
  readonly system: string;
  readonly tools: readonly Tool[];
  /** False for a chat, which has nothing to report. */
  readonly reports: boolean;
  readonly conversation: () => Promise<readonly StoredMessage[]>;
  readonly activity: RunActivity;
  readonly signal: AbortSignal;
  readonly drain: AbortSignal;
}

/** Waiting runs whose arguments stay in memory; a run beyond them is asked to repeat a call with a secret. */
const keptWhileAsked = 64;

const stopped: LeafOutcome = { type: 'stopped' };

export function createAgentLoop(parts: LoopParts): (run: LoopRun) => Promise<LeafOutcome> {
  const { store } = parts;
  const calls = createToolCalls(parts);
  /** Those of runs that wait for a person, so that what is allowed can then be done, secrets and all. Never stored. */
  const asked = new Map<RunId, Map<EffectId, string>>();

  function keepWhileAsked(runId: RunId, raw: Map<EffectId, string>): void {
    asked.set(runId, raw);
    // A run that was cancelled while it waited never comes back for them.
    for (const id of asked.keys()) if (asked.size > keptWhileAsked) asked.delete(id);
  }

  return async function loop(run) {
    /** Arguments as they came, which the store keeps only redacted. */
    const raw = asked.get(run.ref.runId) ?? new Map<EffectId, string>();
    asked.delete(run.ref.runId);
    for (;;) {
      if (run.signal.aborted) return stopped;
      let transcript = await store.transcript(run.ref.runId);
      const last = lastTurn(transcript);
      const results = last?.after.filter((message) => message.kind === 'tool') ?? [];
      if (last && (last.turn.toolCalls?.length ?? 0) > results.length) {
        const outcome = await calls.perform(run, last.turn, results, raw);
        if (outcome.type === 'suspended') keepWhileAsked(run.ref.runId, raw);
        if (outcome.type !== 'done') return outcome;
        continue;
      }
      // Words to a running leaf are the leaf's: a chat that goes on beside it must not take them.
      if (run.reports && (await parts.deliverSteering(run.session.id, run.ref)) > 0)
        transcript = await store.transcript(run.ref.runId);
      const end = endOf(transcript);
      if (end !== null) {
        const outcome = outcomeOf(end, transcript);
        if (outcome !== null) return outcome;
        if (!(await store.appendMessages(run.ref, [{ kind: 'notice', role: 'system', content: saySomething }]))) return stopped;
        continue;
      }
      if (run.drain.aborted) return stopped;
      if (turnsOf(transcript, run) >= parts.maxTurns) {
        const reason = `no end after ${parts.maxTurns} turns`;
        return run.reports ? { type: 'blocked', reason, reported: false } : { type: 'failed', error: reason, retryable: false };
      }
      const budget = await usedUp(store, run.session);
      if (budget !== null) return { type: 'budget_exhausted', budget };
      const outcome = await takeTurn(run, transcript, raw);
      if (outcome !== null) return outcome;
    }
  };

  /** One request. Null when the run goes on. */
  async function takeTurn(
    run: LoopRun,
    transcript: readonly StoredMessage[],
    raw: Map<EffectId, string>,
  ): Promise<LeafOutcome | null> {
    const startedAt = parts.clock.monotonic();
    run.activity.doing('waiting for the model');
    const { sink, end } = streamTo(run);
    const result = await parts.provider.complete(await requestOf(run, transcript), sink, run.signal);
    end();
    if (run.signal.aborted && !result.ok) return stopped;
    if (!result.ok) return providerFailed(result.error);
    const turn = { ...result.turn, toolCalls: withUniqueIds(result.turn.toolCalls) };
    if (turn.finishReason === 'content_filter') {
      return { type: 'failed', error: 'the provider filtered its answer', retryable: true };
    }
    const cut = turn.finishReason === 'length' && turn.toolCalls.length === 0;
    const stored = await store.appendTurn({
      ref: run.ref,
      sessionId: run.session.id,
      content: parts.redact(turn.content),
      toolCalls: turn.toolCalls.map((call) => ({ ...call, arguments: parts.redact(call.arguments) })),
      finishReason: turn.finishReason,
      model: turn.model,
      ...turn.usage,
      durationMs: Math.round(parts.clock.monotonic() - startedAt),
      ...(cut ? { notice: cutOff } : {}),
    });
    if (stored === null) return stopped;
    parts.publisher.committed({ sessionId: run.session.id, events: stored.events });
    keepRaw(run, turn, stored.seq, raw);
    return null;
  }

  async function requestOf(run: LoopRun, transcript: readonly StoredMessage[]): Promise<TurnRequest> {
    return {
      model: run.model,
      messages: buildContext({ system: run.system, conversation: await run.conversation(), transcript }),
      tools: [...run.tools.map(parts.toolSchema), ...(run.reports ? [reportTool] : [])],
      key: {
        item: run.label,
        attempt: run.ref.attempt,
        turn: transcript.filter((message) => message.kind === 'assistant').length,
      },
    };
  }

  function streamTo(run: LoopRun): { sink: TurnSink; end: () => void } {
    const open = (stream: 'text' | 'reasoning') => parts.publisher.stream(run.session.id, run.ref.runId, run.itemId, stream);
    const text = open('text');
    const reasoning = open('reasoning');
    // What was held back of a thought stands before the text that follows it. Nothing that could be a secret gets out by this
    // which a space in its middle would not let out as well.
    const write = (to: typeof text, other: typeof text, delta: string): void => {
      run.activity.progressed();
      other.end();
      to.write(delta);
    };
    return {
      sink: {
        text: (delta) => write(text, reasoning, delta),
        reasoning: (delta) => write(reasoning, text, delta),
        toolCall: () => run.activity.progressed(),
        notice: (words) => parts.publisher.say(run.session.id, run.ref.runId, run.itemId, 'notice', words),
      },
      end: () => {
        reasoning.end();
        text.end();
      },
    };
  }
}

/** Results find their calls by id, so no two calls of a turn may share one, whatever the provider sent. */
function withUniqueIds(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    const id = call.id === '' || seen.has(call.id) ? `${call.id || 'call'}_${index}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}

function keepRaw(run: LoopRun, turn: Turn, seq: number, raw: Map<EffectId, string>): void {
  raw.clear();
  turn.toolCalls.forEach((call, index) => raw.set(effectIdOf({ runId: run.ref.runId, seq }, index), call.arguments));
}

const turnsOf = (transcript: readonly StoredMessage[], run: LoopRun): number =>
  transcript.filter((message) => message.kind === 'assistant' && message.runId === run.ref.runId).length;

/** Null: the model is asked once to say what it did. */
function outcomeOf(end: RunEnd, transcript: readonly StoredMessage[]): LeafOutcome | null {
  switch (end.type) {
    case 'reported':
      return end.report.kind === 'blocker'
        ? {
            type: 'blocked',
            reason: end.report.detail ? `${end.report.summary}\n${end.report.detail}` : end.report.summary,
            reported: true,
          }
        : { type: 'claimed', summary: end.report.summary, accepted: false, reported: true };
    case 'blocked_text':
      return { type: 'blocked', reason: end.reason, reported: false };
    case 'text':
      return { type: 'claimed', summary: end.text, accepted: false, reported: false };
    case 'silent': {
      const worked = transcript.some((message) => (message.toolCalls?.length ?? 0) > 0);
      if (!worked) return { type: 'failed', error: 'no work: the model answered with no text and no tool call', retryable: true };
      const asked = transcript.some((message) => message.kind === 'notice' && message.content === saySomething);
      return asked ? { type: 'failed', error: 'the model ended without saying what it did', retryable: true } : null;
    }
    default:
      return unreachable(end);
  }
}

function providerFailed(error: ProviderError): LeafOutcome {
  if (error.kind === 'no_model') return { type: 'blocked', reason: error.message, reported: false };
  const final = error.kind === 'auth' || error.kind === 'bad_request' || error.kind === 'context_length';
  return { type: 'failed', error: error.message, retryable: !final };
}
