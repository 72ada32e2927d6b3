import type { Register } from '../cli.js';
import { countOf } from '../core/text/text.js';
import { describeItem, targetOf, withSession } from './edit-target.js';

export const registerRm: Register = (program, cli) => {
  withSession(program.command('rm <item>').description('remove an item and its subtasks'))
    .option('--yes', 'do not ask')
    .action(async (reference: string, { yes, ...options }: { session?: string; yes?: boolean }) => {
      const target = await targetOf(cli, options);
      const item = target.item(reference);
      const children = target.items.filter((other) => other.parentId === item.id).length;
      if (children > 0 && !(await cli.confirm(`Remove ${item.number} with its ${countOf(children, 'subtask')}?`, yes)))
        return cli.print('Nothing was changed.');
      const { version } = await target.client.call('plan.removeItem', { sessionId: target.sessionId, itemId: item.id });
      cli.print(
        `removed ${describeItem(item, cli)}`,
        `Take it back with: cairn rpc plan.revert '{"sessionId":"${target.sessionId}","version":${version - 1}}'`,
      );
    });
};
