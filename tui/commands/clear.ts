import type { Register } from '../cli.js';
import { countOf } from '../core/text/text.js';
import { targetOf, withSession } from './edit-target.js';

export const registerClear: Register = (program, cli) => {
  withSession(program.command('clear').description('remove every item of the plan'))
    .option('--yes', 'do not ask')
    .action(async ({ yes, ...options }: { session?: string; yes?: boolean }) => {
      const target = await targetOf(cli, options);
      if (!(await cli.confirm(`Remove the whole plan (${countOf(target.items.length, 'item')})?`, yes)))
        return cli.print('Nothing was changed.');
      const { version, removed } = await target.client.call('plan.clear', { sessionId: target.sessionId });
      cli.print(
        `${countOf(removed.length, 'item')} removed.`,
        `Take it back with: cairn rpc plan.revert '{"sessionId":"${target.sessionId}","version":${version - 1}}'`,
      );
    });
};
