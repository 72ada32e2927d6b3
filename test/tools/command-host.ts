/** A process that runs one command like the daemon does, to be killed by a test: `command-host.ts HOME WORKSPACE COMMAND`. */
import { newId, systemClock } from '../../daemon/clock.js';
import { detectSandbox } from '../../daemon/tools/sandbox/detect-sandbox.js';
import { noSandbox } from '../../daemon/tools/sandbox/sandbox.js';
import { createCommandRunner } from '../../daemon/tools/process/command-runner.js';

const [, , home, workspace, command, confined] = process.argv as [string, string, string, string, string, string?];
const runner = createCommandRunner({
  home,
  outputFolder: `${home}/outputs`,
  environment: process.env,
  clock: systemClock,
  newId,
  sandbox:
    confined === 'confined'
      ? await detectSandbox({
          platform: process.platform,
          path: process.env.PATH,
          own: [home],
          enabled: true,
          isRoot: process.getuid?.() === 0,
        })
      : noSandbox('not asked for'),
  redactor: { redact: (text) => text, stream: () => ({ write: (text) => text, end: () => '' }) },
});
const result = await runner.run({
  command,
  confinement: confined === 'confined' ? { network: 'none' } : null,
  cwd: workspace,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  onOutput: () => undefined,
});
process.stdout.write(`${JSON.stringify(result)}\n`);
