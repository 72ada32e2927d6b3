import { writeFileSync } from 'node:fs';
import type { Register } from '../cli.js';
import { findSession } from '../references.js';

export const registerExport: Register = (program, cli) => {
  program
    .command('export [session]')
    .description('the plan as a text')
    .option('--format <format>', 'markdown or json', 'markdown')
    .option('--out <file>', 'write it there instead of to standard output')
    .action(async (reference: string | undefined, { format, out }: { format: 'markdown' | 'json'; out?: string }) => {
      const client = await cli.client();
      const { text } = await client.call('plan.export', { sessionId: await findSession(client, reference), format });
      if (out === undefined) process.stdout.write(text);
      else writeFileSync(out, text);
    });
};
