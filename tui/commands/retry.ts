import type { Register } from '../cli.js';
import { findSession } from '../references.js';
import { printPlanRun } from './plan-run.js';

export const registerRetry: Register = (program, cli) => {
  program
    .command('retry [session]')
    .description('try the blocked or failed leaf once more')
    .option('--guidance <text>', 'a word for it')
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { guidance, json }: { guidance?: string; json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, reference);
      printPlanRun(cli, await client.call('run.retry', { sessionId, ...(guidance === undefined ? {} : { guidance }) }), json);
    });
};
