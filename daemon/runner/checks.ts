/**
 * Runs the checks of a claimed leaf: the daemon itself, one after the other, a receipt for each. A receipt belongs to
 * item, attempt and workspace tree; none is ever taken over from another try.
 */
import { createHash } from 'node:crypto';
import type { Item } from '../../shared/plan.js';
import type { EffectId } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import type { RunEvent, RunRef } from '../domain/run-state.js';
import type { RunActivity } from '../executors/executor.js';
import type { SessionRecord, Store } from '../store/store.js';
import type { CommandClass, CommandRunner, Confinement } from '../tools/tool.js';
import type { Approvals } from './approvals.js';
import { secretInCommand } from '../agent/prompts.js';
import type { RunPublisher } from './run-publisher.js';
import { chargeTime, runShown } from './shown-command.js';

export interface CheckJob {
  readonly session: SessionRecord;
  readonly item: Item;
  readonly ref: RunRef;
}

export interface CheckRunner {
  /** Null when the signal stopped it. */
  run(job: CheckJob, activity: RunActivity, signal: AbortSignal): Promise<RunEvent | null>;
}

export interface CheckParts {
  readonly store: Store;
  readonly approvals: Approvals;
  readonly commands: CommandRunner;
  readonly publisher: RunPublisher;
  readonly treeHash: (workspace: string, signal: AbortSignal) => Promise<string | null>;
  readonly redact: (text: string) => string;
  readonly isRedacted: (text: string) => boolean;
  /** Milliseconds that a command may take. */
  readonly timeoutFor: (session: SessionRecord) => Promise<number>;
  /** What a command line would do, by its words. */
  readonly classify: (command: string) => CommandClass;
  /** How the session's policy confines commands; null: not at all. */
  readonly confinementOf: (session: SessionRecord) => Confinement | null;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
}

/** Of an output, what a receipt keeps and the model is told. */
const tailLength = 2_000;

const digestOf = (command: string): string => createHash('sha256').update(command).digest('hex').slice(0, 16);

export function createCheckRunner(parts: CheckParts): CheckRunner {
  const { store, approvals, clock } = parts;

  return {
    async run({ session, item, ref }, activity, signal) {
      const commands = item.verify ?? [];
      for (const [index, command] of commands.entries()) {
        // Bound to the command: a yes to one is none to what somebody put in its place meanwhile.
        const effectId = `${ref.runId}.check.${index}.${digestOf(command)}` as EffectId;
        if (parts.isRedacted(command))
          return { type: 'reported_blocked', ref, reason: secretInCommand('check'), reported: false };
        const wish = { effectId, tool: 'shell', ...parts.classify(command), command: parts.redact(command) };
        const permission = await approvals.permission(session, wish, { runId: ref.runId, itemId: item.id });
        if (permission.type === 'ask') return { type: 'asked', ref, entries: [permission.entry] };
        if (permission.type === 'refused') {
          return { type: 'reported_blocked', ref, reason: `The check was not run. ${permission.reason}`, reported: false };
        }
        activity.doing(`check ${parts.redact(command)}`);
        const output = parts.publisher.stream(session.id, ref.runId, item.id, 'check');
        output.write(`$ ${command}\n`);
        const treeHash = await parts.treeHash(session.workspace, signal);
        const confinement = parts.confinementOf(session);
        const timeoutMs = await parts.timeoutFor(session);
        const request = { command, cwd: session.workspace, timeoutMs, confinement, signal };
        const result = await runShown(parts.commands, request, output, activity);
        await chargeTime(store, ref, session.id, result.durationMs);
        if (signal.aborted) return null;
        const tail = parts.redact(result.output).slice(-tailLength);
        const passed = result.exitCode === 0;
        const receipt = {
          id: parts.newId('c'),
          itemId: item.id,
          runId: ref.runId,
          attempt: ref.attempt,
          command: parts.redact(command),
          exitCode: result.exitCode,
          passed,
          outputHash: result.outputHash,
          outputTail: tail,
          treeHash,
          durationMs: Math.round(result.durationMs),
          at: clock.iso(),
        };
        parts.publisher.committed({ sessionId: session.id, events: await store.recordReceipt(session.id, receipt) });
        if (!passed) {
          const ended = result.ended === 'timed_out' ? `(stopped after ${timeoutMs / 1000} s)\n${tail}` : tail;
          return { type: 'check_failed', ref, command, exitCode: result.exitCode, tail: ended };
        }
      }
      return { type: 'checks_passed', ref, commands };
    },
  };
}
