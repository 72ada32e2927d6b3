import type { Register } from '../cli.js';
import { describeItem, targetOf, withSession } from './edit-target.js';
import { listOf, wholeNumber } from './option-values.js';

interface Options {
  session?: string;
  under?: string;
  index?: number;
  detail?: string;
  command?: string;
  verify?: string[];
  accept?: string[];
  repeatable?: boolean;
}

export const registerAdd: Register = (program, cli) => {
  withSession(program.command('add <title>').description('add a task, or a subtask'))
    .option('--under <item>', 'the task to add it to, by number or id')
    .option('--index <n>', 'its place among its siblings, from 0', wholeNumber)
    .option('--detail <text>', 'what is to be done')
    .option('--command <cmd>', 'run it by this command, without a model')
    .option('--verify <cmd>', 'a check that the daemon runs; may be given more than once', listOf)
    .option('--accept <text>', 'when it counts as done; may be given more than once', listOf)
    .option('--repeatable', 'running its command twice does no harm')
    .action(async (title: string, { under, index, detail, command, verify, accept, repeatable, ...options }: Options) => {
      const target = await targetOf(cli, options);
      const { item } = await target.client.call('plan.addItem', {
        sessionId: target.sessionId,
        title,
        ...(under === undefined ? {} : { parentId: target.item(under).id }),
        ...(index === undefined ? {} : { index }),
        ...(detail === undefined ? {} : { detail }),
        ...(command === undefined ? {} : { command }),
        ...(verify === undefined ? {} : { verify }),
        ...(accept === undefined ? {} : { acceptance: accept }),
        ...(repeatable === undefined ? {} : { repeatable }),
      });
      cli.print(describeItem(item, cli));
    });
};
