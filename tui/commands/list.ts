import type { Register } from '../cli.js';
import { fit, padEnd, sanitise } from '../core/text/text.js';
import { wholeNumber } from './option-values.js';
import { toneOf } from '../core/lines/tree-view.js';

export const registerList: Register = (program, cli) => {
  program
    .command('list')
    .description('sessions, newest first')
    .option('--limit <n>', 'at most so many', wholeNumber, 50)
    .option('--json', 'answer as JSON')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const client = await cli.client();
      const { sessions, nextCursor } = await client.call('session.list', { limit: Math.min(Math.max(limit, 1), 1_000) });
      if (json) return cli.printJson('list', { sessions, nextCursor });
      if (sessions.length === 0) return cli.print('No sessions yet. Make one: cairn new "what you want done"');
      const { width, glyphs, paint } = cli.view;
      for (const { id, status, outcome, counts, title, workspace } of sessions) {
        const done = `${counts.done}/${counts.leaves - counts.skipped}`;
        const rest = `${padEnd(done, 8)} ${sanitise(title)}  ${sanitise(workspace)}`;
        const tone = outcome === null ? toneOf(status) : outcome === 'landed' ? 'good' : 'bad';
        cli.print(`${id}  ${paint(tone, padEnd(outcome ?? status, 9))} ${fit(rest, Math.max(20, width - 32), glyphs.ellipsis)}`);
      }
      if (nextCursor !== null) cli.print(`and more: cairn list --limit ${limit * 2}`);
    });
};
