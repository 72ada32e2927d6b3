import { writeFileSync } from 'node:fs';
import { Option } from 'commander';
import type { Register } from '../cli.js';
import { findSession } from '../references.js';

export const registerExport: Register = (program, cli) => {
  program
    .command('export [session]')
    .description('the plan as a text')
    .addOption(new Option('--format <format>').choices(['markdown', 'json']).default('markdown'))
    .option('--out <file>', 'write it there instead of to standard output')
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { format, out, json }: Options) => {
      const client = await cli.client();
      const { text } = await client.call('plan.export', { sessionId: await findSession(client, reference), format });
      if (json) cli.printJson('export', { format, text });
      else if (out === undefined) process.stdout.write(text);
      else writeFileSync(out, text);
    });
};

interface Options {
  format: 'markdown' | 'json';
  out?: string;
  json?: boolean;
}
