/** A process that runs one command like the daemon does, to be killed by a test: `command-host.ts HOME WORKSPACE COMMAND`. */
import { newId, systemClock } from '../../daemon/clock.js';
import { createCommandRunner } from '../../daemon/tools/process/command-runner.js';

const [, , home, workspace, command] = process.argv as [string, string, string, string, string];
const runner = createCommandRunner({
  home,
  outputFolder: `${home}/outputs`,
  environment: process.env,
  clock: systemClock,
  newId,
  redactor: { redact: (text) => text, stream: () => ({ write: (text) => text, end: () => '' }) },
});
const result = await runner.run({
  command,
  cwd: workspace,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  onOutput: () => undefined,
});
process.stdout.write(`${JSON.stringify(result)}\n`);
