import { Option } from 'commander';
import { type Register, UsageError } from '../cli.js';
import { describeItem, targetOf, withSession } from './edit-target.js';
import { listOf } from './option-values.js';

interface Options {
  session?: string;
  title?: string;
  detail?: string;
  note?: string;
  command?: string;
  verify?: string[];
  accept?: string[];
  priority?: 'high' | 'medium' | 'low';
}

export const registerEdit: Register = (program, cli) => {
  withSession(program.command('edit <item>').description('change what an item says; an empty text clears it'))
    .option('--title <text>')
    .option('--detail <text>')
    .option('--note <text>')
    .option('--command <cmd>')
    .option('--verify <cmd>', 'may be given more than once', listOf)
    .option('--accept <text>', 'may be given more than once', listOf)
    .addOption(new Option('--priority <p>').choices(['high', 'medium', 'low']))
    .action(async (reference: string, { title, detail, note, command, verify, accept, priority, ...options }: Options) => {
      const target = await targetOf(cli, options);
      const patch = {
        ...(title === undefined ? {} : { title }),
        ...(detail === undefined ? {} : { detail: detail || null }),
        ...(note === undefined ? {} : { note: note || null }),
        ...(command === undefined ? {} : { command: command || null }),
        ...(verify === undefined ? {} : { verify: verify.filter((each) => each !== '') }),
        ...(accept === undefined ? {} : { acceptance: accept.filter((each) => each !== '') }),
        ...(priority === undefined ? {} : { priority }),
      };
      if (Object.keys(patch).length === 0)
        throw new UsageError('Say what to change: --title, --detail, --note, --command, --verify, --accept or --priority.');
      const { item } = await target.client.call('plan.updateItem', {
        sessionId: target.sessionId,
        itemId: target.item(reference).id,
        ...patch,
      });
      cli.print(describeItem(item, cli));
    });
};
