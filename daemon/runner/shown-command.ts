/** Runs a command of an item or a check where people can see it: its output is streamed, and counts as progress. */
import type { SessionId } from '../../shared/plan.js';
import type { RunRef } from '../domain/run-state.js';
import type { RunActivity } from '../executors/executor.js';
import type { CommandRequest, CommandResult, CommandRunner } from '../tools/tool.js';
import type { Store } from '../store/store.js';
import type { OutputStream } from './run-publisher.js';

export async function runShown(
  commands: CommandRunner,
  request: Omit<CommandRequest, 'onOutput'>,
  output: OutputStream,
  activity: RunActivity,
): Promise<CommandResult> {
  try {
    return await commands.run({
      ...request,
      onOutput: (text) => {
        activity.progressed();
        output.write(text);
      },
    });
  } finally {
    output.end();
  }
}

/** What a command of an item or a check took counts as work, although no model was asked. */
export function chargeTime(store: Pick<Store, 'charge'>, ref: RunRef, sessionId: SessionId, durationMs: number): Promise<void> {
  const nothing = { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 };
  return store.charge(ref, sessionId, { ...nothing, activeMs: Math.round(durationMs) });
}
