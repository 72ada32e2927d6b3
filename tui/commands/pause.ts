import type { Register } from '../cli.js';
import { findSession } from '../references.js';
import { printPlanRun } from './plan-run.js';

export const registerPause: Register = (program, cli) => {
  program
    .command('pause [session]')
    .description('let the current leaf finish and start nothing new')
    .option('--now', 'interrupt its turn; run goes on where it was')
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { now, json }: { now?: boolean; json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, reference);
      printPlanRun(cli, await client.call('run.pause', { sessionId, now: now ?? false }), json);
    });
};
