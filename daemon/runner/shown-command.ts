/** Runs a command of an item or a check where people can see it: its output is streamed, and counts as progress. */
import type { RunActivity } from '../executors/executor.js';
import type { CommandRequest, CommandResult, CommandRunner } from '../tools/tool.js';
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
