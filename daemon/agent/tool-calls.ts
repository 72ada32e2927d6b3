/**
 * Carries out the calls of one turn: intent before, result after, asking where the policy says so. Calls that touch
 * the same path, and commands, keep their order; the rest run side by side.
 */
import pLimit from 'p-limit';
import type { Result } from '../../shared/errors.js';
import type { EffectClass, EffectId, ToolCall } from '../../shared/run.js';
import type { InboxDraft, RunRef } from '../domain/run-state.js';
import type { Clock } from '../clock.js';
import type { RunActivity } from '../executors/executor.js';
import type { EndedCall, FailureKind } from '../domain/guards.js';
import { planToolName } from '../domain/steps/step-schema.js';
import type { StepLimits } from '../domain/steps/steps.js';
import type { MissionDesk, MissionTool } from '../missions/mission-tool.js';
import { type Approvals, mergeApprovals, type Wish } from '../runner/approvals.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import type { StoredEffect } from '../store/queries.js';
import type { SessionRecord, StepsChange, Store, StoredMessage } from '../store/store.js';
import type { CallSubject, CommandRunner, Confinement, Tool, ToolResult } from '../tools/tool.js';
import { argsDigest } from './args-digest.js';
import { wavesOf } from './call-waves.js';
import { createEngineCalls, isEngineCall } from './engine-calls.js';
import { argumentsRedacted, outcomeUnknown } from './prompts.js';

/** Code units of the arguments of a refused call that are shown. */
const longestShown = 200;

export interface CallParts {
  readonly store: Store;
  readonly missions: MissionDesk;
  /** A report was filed: whoever plans is to hear of it. */
  readonly onReport: (session: SessionRecord) => void;
  readonly approvals: Approvals;
  readonly commands: CommandRunner;
  readonly publisher: RunPublisher;
  readonly redact: (text: string) => string;
  readonly isRedacted: (text: string) => boolean;
  readonly parallel: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The arguments of a call, or what the model is told of them. */
  readonly parseArguments: (tool: Tool, text: string) => Result<unknown, string>;
  /** Searches leave out what the policy denies reading. */
  readonly mayRead: (session: SessionRecord, path: string) => boolean;
  /** Where a path really is, so that policy, approval and order do not depend on how it was written. */
  readonly canonicalPath: (workspace: string, path: string) => Promise<string>;
  readonly outputFolder: (session: SessionRecord) => string;
  /** The steps changed: what is sent of them from now on is new. */
  readonly onSteps: (session: SessionRecord, ref: RunRef, steps: StepsChange) => void;
  /** How the session's policy confines commands; null: not at all. */
  readonly confinementOf: (session: SessionRecord) => Confinement | null;
}

/** The run for which calls are carried out. */
export interface CallRun {
  readonly session: SessionRecord;
  readonly ref: RunRef;
  readonly itemId: StoredItemId;
  readonly tools: readonly Tool[];
  /** Limits of the model's own steps; null when it keeps none. */
  readonly planning: StepLimits | null;
  /** Those of its profile. */
  readonly missionTools: readonly MissionTool[];
  readonly isSolo: boolean;
  readonly isAttended: boolean;
  readonly model: string | null;
  readonly activity: RunActivity;
  readonly signal: AbortSignal;
  /** A call has its result, whatever that is. */
  readonly ended: (call: EndedCall) => void;
  /** A word for the model, once all calls of the turn have their results. */
  readonly remark: (words: string) => void;
}
type StoredItemId = Parameters<Approvals['permission']>[2]['itemId'];

export type CallsOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'suspended'; readonly entries: readonly InboxDraft[] }
  /** The mission has ended by one of the calls, and the run with it. */
  | { readonly type: 'ended' }
  | { readonly type: 'stopped' };

export interface PlannedCall {
  readonly id: EffectId;
  readonly call: ToolCall;
  /** As the model wrote them: the stored ones are redacted. Null after a restart. */
  readonly rawArgs: string | null;
}

interface ReadyCall extends PlannedCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly subject: CallSubject;
  /** Its intent is in the journal already: it is harmless and done again. */
  readonly begun: boolean;
}

/** The id of the effect of a turn's n-th call: the same after a restart, so that none can begin twice. */
export const effectIdOf = (turn: Pick<StoredMessage, 'runId' | 'seq'>, index: number): EffectId =>
  `${turn.runId}.${turn.seq}.${index}` as EffectId;

export function createToolCalls(parts: CallParts) {
  const { store } = parts;
  const own = createEngineCalls(parts, { begin, tell });

  /** Carries out the calls of `turn` that have no result yet. `raw`: arguments as they came, by effect. */
  async function perform(
    run: CallRun,
    turn: StoredMessage,
    results: readonly StoredMessage[],
    raw: ReadonlyMap<EffectId, string>,
  ): Promise<CallsOutcome> {
    const answered = new Set(results.map((message) => message.toolCallId));
    const planned = (turn.toolCalls ?? [])
      .map((call, index): PlannedCall => ({
        id: effectIdOf(turn, index),
        call,
        rawArgs: raw.get(effectIdOf(turn, index)) ?? null,
      }))
      .filter(({ call }) => !answered.has(call.id));
    const known = planned.every(({ rawArgs }) => rawArgs !== null)
      ? new Map<EffectId, StoredEffect>()
      : new Map((await store.transcriptEffects(run.ref.runId)).map((effect) => [effect.id, effect]));

    const ready: ReadyCall[] = [];
    const entries: InboxDraft[] = [];
    for (const plan of planned) {
      if (run.signal.aborted) return { type: 'stopped' };
      // What comes after a call that waits for a person waits with it; approvals of one turn are asked for together.
      if (entries.length > 0 && isEngineCall(plan.call, run)) break;
      const next = await prepare(run, plan, known.get(plan.id));
      if (next === 'stopped' || next === 'ended') return { type: next };
      if (next === null) continue;
      if ('kind' in next) entries.push(next);
      // What comes after a call that waits for a person waits with it: the order of the model's calls is kept.
      else if (entries.length === 0) ready.push(next);
    }
    for (const wave of wavesOf(ready)) {
      if (run.signal.aborted) return { type: 'stopped' };
      const limit = pLimit(parts.parallel);
      const ended = await Promise.all(wave.map((call) => limit(() => carryOut(run, call))));
      if (ended.includes('stopped')) return { type: 'stopped' };
    }
    return entries.length > 0 ? { type: 'suspended', entries: mergeApprovals(entries) } : { type: 'done' };
  }

  /** Null: the call has its result. An entry: a person is asked first. */
  async function prepare(
    run: CallRun,
    plan: PlannedCall,
    known: StoredEffect | undefined,
  ): Promise<ReadyCall | InboxDraft | null | 'stopped' | 'ended'> {
    const { call, id } = plan;
    const answer = async (content: string, failure: FailureKind): Promise<null | 'stopped'> =>
      (await tell(run, call, content, failure)) ? null : 'stopped';
    if (known !== undefined && known.state === 'intent' && !known.repeatable) {
      await end(run, plan, { ok: false, content: outcomeUnknown(call.name, call.arguments), unknown: true });
      return null;
    }
    if (isEngineCall(call, run)) return own.answer(run, plan, known !== undefined);
    const tool = run.tools.find((candidate) => candidate.name === call.name);
    if (tool === undefined) {
      return answer(`There is no tool ${call.name} here. You have: ${namesOf(run).join(', ')}.`, 'no_tool');
    }
    if (plan.rawArgs === null && parts.isRedacted(call.arguments)) return answer(argumentsRedacted(call.name), 'arguments');
    const args = parts.parseArguments(tool, plan.rawArgs ?? call.arguments);
    if (!args.ok) return answer(args.error, 'arguments');
    const subject = await canonical(run.session, tool.subject(args.value));
    if (known === undefined) {
      const wish: Wish = { effectId: id, tool: tool.name, class: classOf(tool, args.value), ...redactAll(subject) };
      const permission = await parts.approvals.permission(run.session, wish, { runId: run.ref.runId, itemId: run.itemId });
      if (permission.type === 'refused') return answer(permission.reason, 'refused');
      if (permission.type === 'ask') return permission.entry;
    }
    return { ...plan, tool, args: args.value, subject, begun: known !== undefined };
  }

  async function canonical(session: SessionRecord, subject: ReadyCall['subject']): Promise<ReadyCall['subject']> {
    return subject.path === undefined
      ? subject
      : { ...subject, path: await parts.canonicalPath(session.workspace, subject.path) };
  }

  function redactAll(subject: ReadyCall['subject']): ReadyCall['subject'] {
    return {
      ...(subject.path === undefined ? {} : { path: parts.redact(subject.path) }),
      ...(subject.command === undefined ? {} : { command: parts.redact(subject.command) }),
      ...(subject.hosts === undefined ? {} : { hosts: subject.hosts }),
    };
  }

  async function carryOut(run: CallRun, ready: ReadyCall): Promise<'done' | 'stopped'> {
    const { tool, call, subject } = ready;
    const effect = { name: tool.name, class: classOf(tool, ready.args), repeatable: tool.repeatable };
    if (!ready.begun && !(await begin(run, ready, effect))) return 'stopped';
    const startedAt = parts.clock.monotonic();
    const shown = parts.redact(subject.command ?? subject.path ?? '');
    run.activity.doing(`${tool.name} ${shown}`.trim());
    parts.publisher.say(run.session.id, run.ref.runId, run.itemId, 'tool', shown, tool.name);
    const output = parts.publisher.stream(run.session.id, run.ref.runId, run.itemId, 'tool_output', tool.name);
    const result = await tool
      .run(ready.args, {
        workspace: run.session.workspace,
        outputFolder: parts.outputFolder(run.session),
        signal: run.signal,
        mayRead: (path) => parts.mayRead(run.session, path),
        commands: parts.commands,
        confinement: parts.confinementOf(run.session),
        onOutput: (text) => {
          run.activity.progressed();
          output.write(text);
        },
      })
      .catch((error: unknown): ToolResult => ({ ok: false, content: `${call.name} failed: ${messageOf(error)}` }));
    output.end();
    run.activity.progressed();
    // A harmless call that was killed is done again when the run goes on: its intent stays.
    if (result.unknown === true && tool.repeatable && run.signal.aborted) return 'stopped';
    await end(run, ready, result, parts.clock.monotonic() - startedAt);
    return 'done';
  }

  async function begin(run: CallRun, plan: PlannedCall, tool: Pick<Tool, 'name' | 'class' | 'repeatable'>): Promise<boolean> {
    const args = parts.redact(plan.rawArgs ?? plan.call.arguments);
    const events = await store.beginEffect({
      id: plan.id,
      sessionId: run.session.id,
      ref: run.ref,
      name: tool.name,
      args,
      argsDigest: argsDigest(args),
      class: tool.class,
      repeatable: tool.repeatable,
    });
    if (events === null) return false;
    parts.publisher.committed({ sessionId: run.session.id, events });
    return true;
  }

  async function end(run: CallRun, { id, call }: PlannedCall, result: ToolResult, durationMs = 0): Promise<void> {
    const state = result.unknown === true ? 'unknown' : result.ok ? 'done' : 'failed';
    const content =
      result.unknown === true && !result.content.includes('outcome unknown')
        ? `${outcomeUnknown(call.name, call.arguments)}\n${result.content}`
        : result.content;
    const told = parts.redact(content);
    const { session, ref } = run;
    const events = await store.endEffect({
      id,
      sessionId: session.id,
      runId: ref.runId,
      state,
      toolCallId: call.id,
      content: told,
    });
    parts.publisher.committed({ sessionId: session.id, events });
    run.ended({ tool: call.name, args: call.arguments, result: told, failure: failureOf(result), durationMs });
  }

  /** Answers a call that was not carried out, so that the model and watchers read why. False when the run is no longer current. */
  async function tell(run: CallRun, call: ToolCall, why: string, failure: FailureKind): Promise<boolean> {
    const content = parts.redact(why);
    const message = { kind: 'tool', role: 'tool', content, toolCallId: call.id } as const;
    if (!(await store.appendMessages(run.ref, [message]))) return false;
    const say = (stream: 'tool' | 'tool_output', text: string): void =>
      parts.publisher.say(run.session.id, run.ref.runId, run.itemId, stream, text, call.name);
    say('tool', parts.redact(call.arguments).slice(0, longestShown));
    say('tool_output', `${content}\n`);
    run.ended({ tool: call.name, args: call.arguments, result: content, failure, durationMs: 0 });
    return true;
  }

  return { perform };
}

const classOf = (tool: Tool, args: unknown): EffectClass => tool.classOf?.(args) ?? tool.class;

const namesOf = (run: CallRun): string[] => [
  ...run.tools.map((tool) => tool.name),
  ...(run.planning === null ? [] : [planToolName]),
  ...run.missionTools.map((tool) => tool.name),
];

/** A command says why it failed in its output, other tools in a sentence. */
const failureOf = ({ ok, content }: ToolResult): FailureKind | null =>
  ok ? null : /\[exit code \d+\]\s*$/.test(content) ? 'exit_code' : 'other';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
