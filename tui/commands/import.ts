import { Option } from 'commander';
import type { Register } from '../cli.js';
import { readInput } from '../input.js';
import { countOf } from '../core/text/text.js';
import { targetOf, withSession } from './edit-target.js';

export const registerImport: Register = (program, cli) => {
  withSession(
    program
      .command('import <file>')
      .description('replace the plan by a text, or the task files of a folder (- reads standard input)'),
  )
    .addOption(new Option('--format <format>', 'by the name of the file unless given').choices(['markdown', 'json']))
    .option('--yes', 'do not ask')
    .action(
      async (file: string, { format, yes, ...options }: { session?: string; format?: 'markdown' | 'json'; yes?: boolean }) => {
        const text = await readInput(file);
        const target = await targetOf(cli, options);
        const { version } = await target.client.call('plan.get', { sessionId: target.sessionId });
        if (target.items.length > 0 && !(await cli.confirm(`Replace the plan of ${countOf(target.items.length, 'item')}?`, yes)))
          return cli.print('Nothing was changed.');
        const answer = await target.client.call('plan.import', {
          sessionId: target.sessionId,
          format: format ?? (file.endsWith('.json') ? 'json' : 'markdown'),
          text,
          expectedVersion: version,
        });
        cli.print(`version ${answer.version}: ${answer.changed.length} changed, ${answer.removed.length} removed`);
      },
    );
};
