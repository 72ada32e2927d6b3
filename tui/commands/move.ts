import type { Register } from '../cli.js';
import { findItem } from '../references.js';
import { wholeNumber } from './option-values.js';
import { describeItem, targetOf, withSession } from './edit-target.js';

export const registerMove: Register = (program, cli) => {
  withSession(program.command('move <item>').description('move an item among its siblings, under another task, or to the top'))
    .option('--under <item>', 'the task to move it under')
    .option('--top', 'make it a task')
    .requiredOption('--index <n>', 'its place, from 0', wholeNumber)
    .action(
      async (
        reference: string,
        { under, top, index, ...options }: { session?: string; under?: string; top?: boolean; index: number },
      ) => {
        const target = await targetOf(cli, options);
        const item = target.item(reference);
        const parentId = top ? null : under === undefined ? item.parentId : target.item(under).id;
        await target.client.call('plan.moveItem', { sessionId: target.sessionId, itemId: item.id, parentId, index });
        const { items } = await target.client.call('plan.get', { sessionId: target.sessionId });
        cli.print(describeItem(findItem(items, item.id), cli));
      },
    );
};
