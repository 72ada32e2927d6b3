import type { Register } from '../cli.js';
import { findSession } from '../references.js';
import { printPlanRun } from './plan-run.js';

export const registerCancel: Register = (program, cli) => {
  program
    .command('cancel [session]')
    .description('abort the run; its leaf goes back to pending')
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { json }: { json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, reference);
      printPlanRun(cli, await client.call('run.cancel', { sessionId }), json);
    });
};
