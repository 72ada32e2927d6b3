import type { Register } from '../cli.js';
import { findSession } from '../references.js';
import { printPlanRun } from './plan-run.js';
import { watchSession } from './watch.js';

export const registerRun: Register = (program, cli) => {
  program
    .command('run [session]')
    .description('start or resume a plan; the daemon runs it, whatever becomes of this terminal')
    .option('--reset', 'put every leaf back to pending first')
    .option('--watch', 'follow it until it comes to rest')
    .option('--planning', 'let the model keep a list of steps')
    .option('--no-planning', 'no list of steps')
    .option('--json', 'answer as JSON')
    .action(
      async (
        reference: string | undefined,
        { reset, watch, planning, json }: { reset?: boolean; watch?: boolean; planning?: boolean; json?: boolean },
      ) => {
        const client = await cli.client();
        const sessionId = await findSession(client, reference);
        const run = await client.call('run.start', {
          sessionId,
          ...(reset ? { reset } : {}),
          ...(planning === undefined ? {} : { planning }),
        });
        if (watch) process.exitCode = await watchSession(cli, sessionId, { follow: false });
        else printPlanRun(cli, run, json);
      },
    );
};
