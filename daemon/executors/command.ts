/** Runs a leaf by its shell command, without a model: exit 0 is done, and the daemon itself has seen it. */
import type { EffectId } from '../../shared/run.js';
import { argsDigest } from '../agent/args-digest.js';
import { secretInCommand } from '../agent/prompts.js';
import type { Approvals } from '../runner/approvals.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import { chargeTime, runShown } from '../runner/shown-command.js';
import type { StoredEffect } from '../store/queries.js';
import type { SessionRecord, Store } from '../store/store.js';
import type { CommandClass, CommandResult, CommandRunner, Confinement } from '../tools/tool.js';
import type { Executor, LeafJob, LeafOutcome, RunActivity } from './executor.js';

export interface CommandExecutorParts {
  readonly store: Store;
  readonly approvals: Approvals;
  readonly commands: CommandRunner;
  readonly publisher: RunPublisher;
  readonly redact: (text: string) => string;
  readonly isRedacted: (text: string) => boolean;
  /** Milliseconds that a command may take. */
  readonly timeoutFor: (session: SessionRecord) => Promise<number>;
  /** What a command line would do, by its words. */
  readonly classify: (command: string) => CommandClass;
  /** How the session's policy confines commands; null: not at all. */
  readonly confinementOf: (session: SessionRecord) => Confinement | null;
}

const tailLength = 2_000;

export function createCommandExecutor(parts: CommandExecutorParts): Executor {
  const { store } = parts;

  /** What the journal already knows of this command in this run, or in the one that it resumes. */
  function fromJournal(effect: StoredEffect): LeafOutcome {
    if (effect.state === 'done') return done(effect.result ?? '');
    if (effect.state === 'failed') return { type: 'command_failed', error: effect.result ?? 'the command failed' };
    return { type: 'command_unknown' };
  }

  async function carryOut(
    job: LeafJob,
    command: string,
    args: string,
    activity: RunActivity,
    signal: AbortSignal,
  ): Promise<LeafOutcome> {
    const { session, ref, item } = job;
    const id = effectIdOf(job, args);
    const begun = await store.beginEffect({
      id,
      sessionId: session.id,
      ref,
      name: 'shell',
      args,
      argsDigest: argsDigest(args),
      class: parts.classify(command).class,
      repeatable: item.repeatable === true,
    });
    if (begun === null) return { type: 'stopped' };
    parts.publisher.committed({ sessionId: session.id, events: begun });
    activity.doing(`shell ${parts.redact(command)}`);
    parts.publisher.say(session.id, ref.runId, item.id, 'tool', command, 'shell');
    const output = parts.publisher.stream(session.id, ref.runId, item.id, 'tool_output', 'shell');
    const confinement = parts.confinementOf(session);
    const timeoutMs = await parts.timeoutFor(session);
    const request = { command, cwd: session.workspace, timeoutMs, confinement, signal };
    const result = await runShown(parts.commands, request, output, activity);
    const content = parts.redact(describe(result, timeoutMs));
    await chargeTime(store, ref, session.id, result.durationMs);
    const aborted = result.ended === 'aborted';
    const state = aborted ? 'unknown' : result.exitCode === 0 ? 'done' : 'failed';
    const events = await store.endEffect({ id, sessionId: session.id, runId: ref.runId, state, toolCallId: null, content });
    parts.publisher.committed({ sessionId: session.id, events });
    if (aborted) return { type: 'stopped' };
    return state === 'done' ? done(content) : { type: 'command_failed', error: content };
  }

  return {
    async execute(job, activity, signal) {
      const { command } = job.item;
      if (command === undefined) {
        return {
          type: 'blocked',
          reason: 'The item has no command. Give it one, or let the model run it (executor: model).',
          reported: false,
        };
      }
      if (parts.isRedacted(command)) return { type: 'blocked', reason: secretInCommand('command'), reported: false };
      const args = parts.redact(JSON.stringify({ command }));
      const known = (await store.transcriptEffects(job.ref.runId)).find(
        (effect) => effect.args === args && effect.name === 'shell',
      );
      if (known) return fromJournal(known);
      const wish = {
        effectId: effectIdOf(job, args),
        tool: 'shell',
        ...parts.classify(command),
        command: parts.redact(command),
      };
      const permission = await parts.approvals.permission(job.session, wish, { runId: job.ref.runId, itemId: job.item.id });
      if (permission.type === 'ask') return { type: 'suspended', entries: [permission.entry] };
      if (permission.type === 'refused') return { type: 'blocked', reason: permission.reason, reported: false };
      return carryOut(job, command, args, activity, signal);
    },
  };
}

const effectIdOf = (job: LeafJob, args: string): EffectId => `${job.ref.runId}.command.${argsDigest(args)}` as EffectId;

const done = (content: string): LeafOutcome => ({
  type: 'claimed',
  summary: content.slice(-tailLength),
  accepted: true,
  reported: false,
});

function describe(result: CommandResult, timeoutMs: number): string {
  const tail = result.output.slice(-tailLength);
  switch (result.ended) {
    case 'exited':
      return result.exitCode === 0 ? tail || 'exit code 0' : `exit code ${result.exitCode}\n${tail}`;
    case 'timed_out':
      return `stopped after ${timeoutMs / 1000} s\n${tail}`;
    case 'signalled':
      return `killed by a signal\n${tail}`;
    case 'aborted':
      return `stopped before its end\n${tail}`;
    case 'not_started':
      return `could not be started\n${tail}`;
  }
}
