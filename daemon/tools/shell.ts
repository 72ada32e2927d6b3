/** The tool `shell`: a command in the workspace, under a guard and with a time limit. */
import { z } from 'zod';
import { unreachable } from '../../shared/errors.js';
import { classifyCommand } from './shell-class/classify-command.js';
import { fail, succeed } from './tool-result.js';
import type { CommandResult, Tool, ToolResult } from './tool.js';

export const defaultShellTimeoutMs = 120_000;
const longestShellTimeoutMs = 3_600_000;

const schema = z.strictObject({
  command: z.string().min(1).describe('Command line for bash, run in the workspace'),
  timeoutMs: z.int().min(1).max(longestShellTimeoutMs).optional().describe('Time limit in milliseconds; 120000 unless given'),
});
type ShellArguments = z.infer<typeof schema>;

export const shellTool: Tool<ShellArguments> = {
  name: 'shell',
  description:
    'Runs a shell command in the workspace and gives its output and exit code. Nobody can answer prompts. Everything that it starts ends with it, so a server must be started, used and stopped in one command.',
  schema,
  class: 'code_execution',
  classOf: ({ command }) => classifyCommand(command).class,
  repeatable: false,
  writes: true,
  subject: ({ command }) => ({ command, hosts: classifyCommand(command).hosts }),

  async run({ command, timeoutMs = defaultShellTimeoutMs }, context) {
    const { workspace: cwd, signal, onOutput, confinement = null } = context;
    return describe(await context.commands.run({ command, cwd, timeoutMs, confinement, signal, onOutput }), timeoutMs);
  },
};

function describe(result: CommandResult, timeoutMs: number): ToolResult {
  const output = result.output === '' || result.output.endsWith('\n') ? result.output : `${result.output}\n`;
  const check = 'outcome unknown: what it had begun may be half done, so check before you repeat it';
  switch (result.ended) {
    case 'exited':
      return result.exitCode === 0 ? succeed(`${output}[exit code 0]`) : fail(`${output}[exit code ${result.exitCode}]`);
    case 'not_started':
      return fail(output);
    case 'timed_out':
      return { ok: false, unknown: true, content: `${output}[stopped at its time limit of ${timeoutMs / 1000} s; ${check}]` };
    case 'aborted':
      return { ok: false, unknown: true, content: `${output}[stopped from outside; ${check}]` };
    case 'signalled':
      return { ok: false, unknown: true, content: `${output}[killed by a signal; ${check}]` };
    default:
      return unreachable(result.ended);
  }
}
