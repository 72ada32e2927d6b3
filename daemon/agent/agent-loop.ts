/**
 * The turns of one run. Each step looks at the stored transcript and does the next thing that it calls for: finish the
 * calls of its last turn, end, or make another turn. So going on after a crash, a pause, an answer or an edit needs no
 * path of its own.
 */
import { unreachable } from '../../shared/errors.js';
import type { Budget } from '../../shared/mission.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { EffectId, RunId } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import type { GuardLimits } from '../domain/guards.js';
import type { RunRef } from '../domain/run-state.js';
import { planToolSchema } from '../domain/steps/step-schema.js';
import { remainingSteps, type StepLimits, type StepsState } from '../domain/steps/steps.js';
import type { LeafOutcome, RunActivity } from '../executors/executor.js';
import type { MissionTool } from '../missions/mission-tool.js';
import type { Provider, ProviderError, ToolSchema, TurnRequest } from '../providers/provider.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import type { Charge, SessionRecord, Store, StoredMessage } from '../store/store.js';
import type { Confinement, Tool } from '../tools/tool.js';
import { askToRaise, usedUp } from './budget.js';
import { fitContext, type Fitted } from './fit-context.js';
import { remainingText } from './loop-texts.js';
import { refreshPlanMessage } from './plan-message.js';
import { cutOff, saySomething } from './prompts.js';
import { endOf, lastTurn, type RunEnd } from './run-end.js';
import { createRunGuards } from './run-guards.js';
import type { TokenBudget } from './tokens.js';
import { createToolCalls, type CallParts } from './tool-calls.js';
import { viewTranscript } from './transcript-view.js';
import { keepRaw, redactCall, withUniqueIds } from './turn-calls.js';
import { streamTurn } from './turn-stream.js';

export interface LoopParts extends CallParts {
  readonly store: Store;
  readonly provider: Provider;
  readonly publisher: RunPublisher;
  readonly clock: Clock;
  readonly guards: GuardLimits;
  readonly tokens: TokenBudget;
  /** Moves a person's undelivered words into the transcript; gives how many. */
  readonly deliverSteering: (sessionId: SessionId, ref: RunRef) => Promise<number>;
  readonly toolSchema: (tool: Tool) => ToolSchema;
}

/** What configuration and session allow a run; read when it is taken up, so that an edit counts. */
export interface RunSettings {
  /** Limits of the model's own steps; null when it keeps none. */
  readonly planning: StepLimits | null;
  /** Turns that the run may take. */
  readonly maxTurns: number;
  /** For all runs of the item. */
  readonly leafBudget: Budget | null;
  /** How commands are really confined; null: not at all. */
  readonly confinement: Confinement | null;
  /** Tokens of the context that may be used at most, whatever the model has; null: all of it. */
  readonly contextTokens: number | null;
}

export interface LoopRun extends RunSettings {
  readonly session: SessionRecord;
  readonly ref: RunRef;
  readonly itemId: ItemId | null;
  /** Names the run's turns in recordings. */
  readonly label: string;
  readonly model: string | null;
  readonly system: string;
  readonly tools: readonly Tool[];
  /** The run of a leaf: a report ends it, and a person's words to the plan reach it. */
  readonly isLeaf: boolean;
  /** Tools that the engine answers itself; those of its profile. */
  readonly missionTools: readonly MissionTool[];
  readonly isSolo: boolean;
  /** A person reads along. */
  readonly isAttended: boolean;
  readonly conversation: () => Promise<readonly StoredMessage[]>;
  readonly activity: RunActivity;
  readonly signal: AbortSignal;
  readonly drain: AbortSignal;
}

/** Waiting runs whose arguments stay in memory; a run beyond them is asked to repeat a call with a secret. */
const keptWhileAsked = 64;
/** Times that a request is made smaller because the provider says it is too long, before the run gives up. */
const mostShrinks = 4;

const stopped: LeafOutcome = { type: 'stopped' };

/** What one call of the loop knows of its run. */
interface Progress {
  readonly raw: Map<EffectId, string>;
  /** Monotonic time up to which work has been charged. */
  chargedTo: number;
  /** What was trimmed is no longer before the model. */
  forget: () => void;
}

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
    const progress: Progress = { raw: new Map(), chargedTo: parts.clock.monotonic(), forget: () => undefined };
    const outcome = await takeTurns(run, progress);
    // What the tools of the last turn took. Of a run that was stopped meanwhile nothing can be written any more.
    const activeMs = Math.round(parts.clock.monotonic() - progress.chargedTo);
    await store.charge(run.ref, run.session.id, { ...freeOfCharge, activeMs });
    return outcome;
  };

  async function takeTurns(run: LoopRun, progress: Progress): Promise<LeafOutcome> {
    const { ref } = run;
    const { raw } = progress;
    for (const [id, args] of asked.get(ref.runId) ?? []) raw.set(id, args);
    asked.delete(ref.runId);
    const view = viewTranscript(store, ref.runId);
    await view.refresh();
    const guards = await createRunGuards(store, ref.runId, sinceBrief(view.messages), parts.guards);
    progress.forget = guards.forget;
    await refreshPlanMessage(store, run.session, ref, run.planning);
    const tools = schemasOf(run);
    for (;;) {
      if (run.signal.aborted) return stopped;
      const last = lastTurn(view.messages);
      const results = last?.after.filter((message) => message.kind === 'tool') ?? [];
      if (last && (last.turn.toolCalls?.length ?? 0) > results.length) {
        const outcome = await calls.perform({ ...run, ...guards }, last.turn, results, raw);
        if (outcome.type === 'suspended') keepWhileAsked(ref.runId, raw);
        // What ended the mission has ended the run in the same transaction.
        if (outcome.type === 'ended') return stopped;
        if (outcome.type !== 'done') return outcome;
        await view.refresh();
        if (endOf(view.messages, run.isLeaf) !== null) continue;
        const loops = await guards.settle(ref, run.activity, run.planning && (await stepsOf(run)));
        if (loops === false) return stopped;
        if (loops !== null) return giveUp(run, loops);
        await view.refresh();
        continue;
      }
      // Words to a running leaf are the leaf's: a chat that goes on beside it must not take them.
      if (run.isLeaf && (await parts.deliverSteering(run.session.id, ref)) > 0) await view.refresh();
      const end = endOf(view.messages, run.isLeaf);
      if (end !== null) {
        const outcome = outcomeOf(end, view.messages);
        if (outcome !== null) return outcome;
        if (!(await store.appendMessages(ref, [{ kind: 'notice', role: 'system', content: saySomething }]))) return stopped;
        await view.refresh();
        continue;
      }
      if (run.drain.aborted) return stopped;
      if (turnsOf(view.messages, run) >= run.maxTurns) return giveUp(run, `no end after ${run.maxTurns} turns`);
      const gone = await usedUp(store, run.session, run.itemId, run.leafBudget);
      if (gone !== null) {
        const entry = await askToRaise(store, parts.clock, run, gone);
        if (entry !== null) return { type: 'suspended', entries: [entry] };
        return { type: 'budget_exhausted', budget: gone.budget, remaining: await leftOver(run) };
      }
      const outcome = await takeTurn(run, view.messages, tools, progress);
      if (outcome !== null) return outcome;
      await view.refresh();
    }
  }

  function schemasOf(run: LoopRun): readonly ToolSchema[] {
    return [
      ...run.tools.map(parts.toolSchema),
      ...(run.planning ? [planToolSchema(run.planning.maxSteps)] : []),
      ...run.missionTools.map((tool) => tool.schema),
    ];
  }

  async function stepsOf(run: LoopRun): Promise<StepsState | null> {
    return (await store.steps(run.ref.runId))?.state ?? null;
  }

  async function leftOver(run: LoopRun): Promise<string | null> {
    const steps = run.planning && (await stepsOf(run));
    const left = steps === null ? [] : remainingSteps(steps);
    return left.length === 0 ? null : remainingText(left);
  }

  /** A leaf that does not get on is for a person to look at; a chat has just failed. */
  async function giveUp(run: LoopRun, why: string): Promise<LeafOutcome> {
    const left = await leftOver(run);
    const reason = left === null ? why : `${why}\n${left}`;
    return run.isLeaf ? { type: 'blocked', reason, reported: false } : { type: 'failed', error: reason, retryable: false };
  }

  /** One request. Null when the run goes on. */
  async function takeTurn(
    run: LoopRun,
    transcript: readonly StoredMessage[],
    tools: readonly ToolSchema[],
    progress: Progress,
  ): Promise<LeafOutcome | null> {
    const startedAt = parts.clock.monotonic();
    run.activity.doing('waiting for the model');
    const answered = await ask(run, transcript, tools);
    if (answered === null) return stopped;
    const { result, fitted } = answered;
    if (fitted.isTrimmed) progress.forget();
    if (run.signal.aborted && !result.ok) return stopped;
    if (!result.ok) return providerFailed(result.error);
    const turn = { ...result.turn, toolCalls: withUniqueIds(result.turn.toolCalls, parts.redact) };
    parts.tokens.counted(run.model, fitted.estimated, turn.usage.inputTokens);
    if (turn.finishReason === 'content_filter') {
      // It is no turn of the transcript, and was paid for all the same.
      const durationMs = Math.round(parts.clock.monotonic() - startedAt);
      await store.charge(run.ref, run.session.id, { ...freeOfCharge, turns: 1, ...turn.usage, durationMs });
      return { type: 'failed', error: 'the provider filtered its answer', retryable: true };
    }
    const cut = turn.finishReason === 'length' && turn.toolCalls.length === 0;
    const now = parts.clock.monotonic();
    const stored = await store.appendTurn({
      ref: run.ref,
      sessionId: run.session.id,
      content: parts.redact(turn.content),
      toolCalls: turn.toolCalls.map((call) => redactCall(call, parts.redact)),
      finishReason: parts.redact(turn.finishReason),
      model: parts.redact(turn.model),
      ...turn.usage,
      durationMs: Math.round(now - startedAt),
      activeMs: Math.round(now - progress.chargedTo),
      stepsTokens: fitted.stepsTokens,
      ...(cut ? { notice: cutOff } : {}),
    });
    if (stored === null) return stopped;
    progress.chargedTo = now;
    parts.publisher.committed({ sessionId: run.session.id, events: stored.events });
    keepRaw(run.ref.runId, turn.toolCalls, stored.seq, progress.raw);
    return null;
  }

  /**
   * Sends the request, made smaller for as long as the provider says that it is too long: that costs no turn. Null when
   * the run is no longer the current one.
   */
  async function ask(run: LoopRun, transcript: readonly StoredMessage[], tools: readonly ToolSchema[]) {
    const { session, ref, itemId, model, system, signal, contextTokens } = run;
    const key = keyOf(run, transcript);
    const conversation = await run.conversation();
    for (let shrinks = 0; ; shrinks += 1) {
      const mustShrink = shrinks > 0;
      const input = {
        session,
        ref,
        itemId,
        model,
        system,
        conversation,
        transcript,
        tools,
        key,
        contextTokens,
        planning: run.planning !== null,
        mustShrink,
        signal,
      };
      const fitted = await fitContext(parts, input);
      if (fitted === null) return null;
      if (fitted === 'too_long') return { result: tooLong, fitted: nothing };
      const { sink, end } = streamTurn(parts.publisher, run);
      const result = await parts.provider.complete({ model, messages: fitted.messages, tools, key }, sink, signal);
      end();
      if (result.ok || result.error.kind !== 'context_length' || shrinks >= mostShrinks) return { result, fitted };
      parts.tokens.refused(model, fitted.estimated, result.error.message);
    }
  }
}

const freeOfCharge: Charge = {
  turns: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: null,
  durationMs: 0,
  activeMs: 0,
};

const nothing: Fitted = { messages: [], estimated: 0, isTrimmed: false, stepsTokens: null };

const tooLong = {
  ok: false,
  error: {
    kind: 'context_length',
    message:
      'The item is too long for the model, even without anything else: shorten its detail, or give it a model with more room.',
    status: null,
    retryAfterMs: null,
  },
} as const;

function keyOf(run: LoopRun, transcript: readonly StoredMessage[]): TurnRequest['key'] {
  const turn = transcript.filter((message) => message.kind === 'assistant').length;
  return { item: run.label, attempt: run.ref.attempt, turn };
}

/** A resident planner goes on with its transcript at each waking, and goes in circles only within one. */
function sinceBrief(transcript: readonly StoredMessage[]): readonly StoredMessage[] {
  const at = transcript.findLastIndex(({ kind, role }) => kind === 'notice' && role === 'user');
  return at < 0 ? transcript : transcript.slice(at);
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
