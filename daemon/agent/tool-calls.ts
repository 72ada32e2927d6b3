/**
 * Carries out the calls of one turn: intent before, result after, asking where the policy says so. Calls that touch
 * the same path, and commands, keep their order; the rest run side by side.
 */
import pLimit from 'p-limit';
import type { Result } from '../../shared/errors.js';
import { filedAs } from '../../shared/mission.js';
import type { EffectId, ToolCall } from '../../shared/run.js';
import type { InboxDraft, RunRef } from '../domain/run-state.js';
import type { RunActivity } from '../executors/executor.js';
import { parseReport, reportToolName } from '../missions/report-tool.js';
import type { Approvals, Wish } from '../runner/approvals.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import type { StoredEffect } from '../store/queries.js';
import type { SessionRecord, Store, StoredMessage } from '../store/store.js';
import type { CommandRunner, Tool, ToolResult } from '../tools/tool.js';
import { argsDigest } from './args-digest.js';
import { argumentsRedacted, outcomeUnknown } from './prompts.js';

/** Code units of the arguments of a refused call that are shown. */
const longestShown = 200;

export interface CallParts {
  readonly store: Store;
  readonly approvals: Approvals;
  readonly commands: CommandRunner;
  readonly publisher: RunPublisher;
  readonly redact: (text: string) => string;
  readonly isRedacted: (text: string) => boolean;
  readonly parallel: number;
  /** Where a path really is, so that policy, approval and order do not depend on how it was written. */
  /** The arguments of a call, or what the model is told of them. */
  readonly parseArguments: (tool: Tool, text: string) => Result<unknown, string>;
  /** Searches leave out what the policy denies reading. */
  readonly mayRead: (session: SessionRecord, path: string) => boolean;
  readonly canonicalPath: (workspace: string, path: string) => Promise<string>;
  readonly outputFolder: (session: SessionRecord) => string;
}

/** The run for which calls are carried out. */
export interface CallRun {
  readonly session: SessionRecord;
  readonly ref: RunRef;
  readonly itemId: StoredItemId;
  readonly tools: readonly Tool[];
  readonly activity: RunActivity;
  readonly signal: AbortSignal;
}
type StoredItemId = Parameters<Approvals['permission']>[2]['itemId'];

export type CallsOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'suspended'; readonly entries: readonly InboxDraft[] }
  | { readonly type: 'stopped' };

interface PlannedCall {
  readonly id: EffectId;
  readonly call: ToolCall;
  /** As the model wrote them: the stored ones are redacted. Null after a restart. */
  readonly rawArgs: string | null;
}

interface ReadyCall extends PlannedCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly subject: { readonly path?: string; readonly command?: string };
  /** Its intent is in the journal already: it is harmless and done again. */
  readonly begun: boolean;
}

/** The id of the effect of a turn's n-th call: the same after a restart, so that none can begin twice. */
export const effectIdOf = (turn: Pick<StoredMessage, 'runId' | 'seq'>, index: number): EffectId =>
  `${turn.runId}.${turn.seq}.${index}` as EffectId;

export function createToolCalls(parts: CallParts) {
  const { store } = parts;

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
      const next = await prepare(run, plan, known.get(plan.id));
      if (next === 'stopped') return { type: 'stopped' };
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
    return entries.length > 0 ? { type: 'suspended', entries } : { type: 'done' };
  }

  /** Null: the call has its result. An entry: a person is asked first. */
  async function prepare(
    run: CallRun,
    plan: PlannedCall,
    known: StoredEffect | undefined,
  ): Promise<ReadyCall | InboxDraft | null | 'stopped'> {
    const { call, id } = plan;
    const answer = async (content: string): Promise<null | 'stopped'> => ((await tell(run, call, content)) ? null : 'stopped');
    if (known !== undefined && known.state === 'intent' && !known.repeatable) {
      await end(run, plan, { ok: false, content: outcomeUnknown(call.name, call.arguments), unknown: true });
      return null;
    }
    if (call.name === reportToolName) return (await report(run, plan, known !== undefined)) ? null : 'stopped';
    const tool = run.tools.find((candidate) => candidate.name === call.name);
    if (tool === undefined) {
      return answer(
        `There is no tool ${call.name} here. You have: ${[...run.tools.map((t) => t.name), reportToolName].join(', ')}.`,
      );
    }
    if (plan.rawArgs === null && parts.isRedacted(call.arguments)) return answer(argumentsRedacted(call.name));
    const args = parts.parseArguments(tool, plan.rawArgs ?? call.arguments);
    if (!args.ok) return answer(args.error);
    const subject = await canonical(run.session, tool.subject(args.value));
    if (known === undefined) {
      const wish: Wish = { effectId: id, tool: tool.name, class: tool.class, ...redactAll(subject) };
      const permission = await parts.approvals.permission(run.session, wish, { runId: run.ref.runId, itemId: run.itemId });
      if (permission.type === 'refused') return answer(permission.reason);
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
    };
  }

  async function carryOut(run: CallRun, ready: ReadyCall): Promise<'done' | 'stopped'> {
    const { tool, call, subject } = ready;
    if (!ready.begun && !(await begin(run, ready, tool))) return 'stopped';
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
    await end(run, ready, result);
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

  async function end(run: CallRun, { id, call }: PlannedCall, result: ToolResult): Promise<void> {
    const state = result.unknown === true ? 'unknown' : result.ok ? 'done' : 'failed';
    const content =
      result.unknown === true && !result.content.includes('outcome unknown')
        ? `${outcomeUnknown(call.name, call.arguments)}\n${result.content}`
        : result.content;
    const events = await store.endEffect({
      id,
      sessionId: run.session.id,
      runId: run.ref.runId,
      state,
      toolCallId: call.id,
      content: parts.redact(content),
    });
    parts.publisher.committed({ sessionId: run.session.id, events });
  }

  /** A report is stored with its result in one transaction; an intent without one is simply filed again. */
  async function report(run: CallRun, plan: PlannedCall, begun: boolean): Promise<boolean> {
    const parsed = parseReport(parts.redact(plan.rawArgs ?? plan.call.arguments));
    if (!parsed.ok) return tell(run, plan.call, parsed.error);
    if (!begun && !(await begin(run, plan, { name: reportToolName, class: 'safe', repeatable: true }))) return false;
    const { summary, kind } = parsed.report;
    const events = await store.endEffect({
      id: plan.id,
      sessionId: run.session.id,
      runId: run.ref.runId,
      state: 'done',
      toolCallId: plan.call.id,
      content: filedAs(kind),
      report: { ...parsed.report, itemId: run.itemId },
    });
    parts.publisher.committed({ sessionId: run.session.id, events });
    parts.publisher.say(run.session.id, run.ref.runId, run.itemId, 'notice', `${kind}: ${summary}`);
    return true;
  }

  /** Answers a call that was not carried out, so that the model and watchers read why. False when the run is no longer current. */
  async function tell(run: CallRun, call: ToolCall, why: string): Promise<boolean> {
    const content = parts.redact(why);
    const message = { kind: 'tool', role: 'tool', content, toolCallId: call.id } as const;
    if (!(await store.appendMessages(run.ref, [message]))) return false;
    const say = (stream: 'tool' | 'tool_output', text: string): void =>
      parts.publisher.say(run.session.id, run.ref.runId, run.itemId, stream, text, call.name);
    say('tool', parts.redact(call.arguments).slice(0, longestShown));
    say('tool_output', `${content}\n`);
    return true;
  }

  return { perform };
}

/** Calls in waves: within one nothing touches the same path, and a command has its wave for itself among writers. */
function wavesOf(calls: readonly ReadyCall[]): ReadyCall[][] {
  const waves: ReadyCall[][] = [];
  let paths = new Map<string, boolean>();
  for (const call of calls) {
    const { tool, subject } = call;
    const path = subject.command === undefined ? (subject.path ?? '') : '*';
    const clash = [...paths].some(
      ([other, writes]) => (tool.writes || writes) && (path === '*' || other === '*' || other === path),
    );
    if (clash || waves.length === 0) {
      waves.push([call]);
      paths = new Map([[path, tool.writes]]);
    } else {
      waves.at(-1)?.push(call);
      paths.set(path, tool.writes || paths.get(path) === true);
    }
  }
  return waves;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
