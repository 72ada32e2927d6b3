import { type Register, UsageError } from '../cli.js';
import { reportLines } from '../core/missions/report-lines.js';
import { readSince } from '../core/missions/report-since.js';
import { findSession } from '../references.js';

interface Options {
  since?: string;
  session?: string;
  json?: boolean;
}

export const registerReport: Register = (program, cli) => {
  program
    .command('report')
    .description('what was done, blocked and spent while you were away, and what needs you')
    .option('--since <time>', '8h, 2d, 18:00, today, yesterday or a date (a day ago unless given)')
    .option('-s, --session <id>', 'only this session and the missions below it')
    .option('--json', 'answer as JSON')
    .action(async ({ since, session, json }: Options) => {
      const from = since === undefined ? undefined : readSince(since, new Date());
      if (from === null)
        throw new UsageError(
          `--since takes 8h, 2d, 18:00, today, yesterday, or a date or time like 2026-03-01T18:00; in the past.`,
        );
      const client = await cli.client();
      const summary = await client.call('report.summary', {
        ...(from === undefined ? {} : { since: from.toISOString() }),
        ...(session === undefined ? {} : { sessionId: await findSession(client, session) }),
      });
      if (json) cli.printJson('report', summary);
      else cli.print(...reportLines(summary, cli.view));
    });
};
