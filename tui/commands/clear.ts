import type { Register } from '../cli.js';
import { targetOf, withSession } from './edit-target.js';

export const registerClear: Register = (program, cli) => {
  withSession(program.command('clear').description('remove every item of the plan'))
    .option('--yes', 'do not ask')
    .action(async ({ yes, ...options }: { session?: string; yes?: boolean }) => {
      const target = await targetOf(cli, options);
      if (!(await cli.confirm(`Remove all ${target.items.length} items of the plan?`, yes))) return cli.print('Nothing was changed.');
      const { version, removed } = await target.client.call('plan.clear', { sessionId: target.sessionId });
      cli.print(`${removed.length} items removed.`, `Take it back with: cairn rpc plan.revert '{"sessionId":"${target.sessionId}","version":${version - 1}}'`);
    });
};
