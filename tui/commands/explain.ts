import type { Register } from '../cli.js';
import { sanitise } from '../core/text/text.js';
import { findSession } from '../references.js';

export const registerExplain: Register = (program, cli) => {
  program
    .command('explain [session]')
    .description('what a start would reuse, run, and possibly do twice')
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { json }: { json?: boolean }) => {
      const client = await cli.client();
      const explained = await client.call('run.explain', { sessionId: await findSession(client, reference) });
      if (json) return cli.printJson('explain', explained);
      const { reason, next, reused, wouldRun, mightRepeat, remainingLeaves } = explained;
      cli.print(reason);
      if (next) cli.print(`Next: ${next.number} ${sanitise(next.title)} (${remainingLeaves} open)`);
      if (reused.runId)
        cli.print(`Goes on with run ${reused.runId}: ${reused.turns} turns and ${reused.effects.length} tool calls are kept.`);
      if (wouldRun.length > 0) cli.print('Would run:', ...wouldRun.map((line) => `  ${sanitise(line)}`));
      if (mightRepeat.length > 0)
        cli.print(
          'Might happen twice:',
          ...mightRepeat.map(({ name, summary, why }) => `  ${name} ${sanitise(summary)}: ${why}`),
        );
      else if (next) cli.print('Nothing is done twice.');
    });
};
