import { RpcError } from '../../shared/errors.js';
import { type Cli, explainFailure, type Register, UsageError } from '../cli.js';
import { sanitise } from '../core/text/text.js';
import { findEntry } from '../references.js';

export const registerInbox: Register = (program, cli) => {
  const inbox = program.command('inbox').description('what waits for a person');
  inbox
    .option('--all', 'also what has been answered')
    .option('--json', 'answer as JSON')
    .action(({ all, json }: { all?: boolean; json?: boolean }) => list(cli, all ?? false, json ?? false));
  inbox
    .command('answer <id> [answer]')
    .description('answer an entry, by its id or the beginning of one: allow, always or deny to an approval, a text to a question')
    .action(async (id: string, answer: string | undefined) => {
      if (answer === undefined)
        throw new UsageError('Say the answer: allow, always or deny for an approval, a text for a question.');
      const client = await cli.client();
      const entry = await client.call('inbox.answer', { id: await findEntry(client, id), answer });
      cli.print(`${entry.state}: ${entry.answer ?? ''}`);
    });
  inbox
    .command('ack <id...>')
    .description('mark entries that need no answer as seen')
    .action((ids: string[]) => acknowledge(cli, ids));
};

/** Each for itself: one that cannot be marked stands in the way of no other. */
async function acknowledge(cli: Cli, references: readonly string[]): Promise<void> {
  const client = await cli.client();
  // All are known before the first is marked: a mistyped one changes nothing.
  const ids: string[] = [];
  for (const reference of references) ids.push(await findEntry(client, reference));
  for (const id of new Set(ids)) {
    try {
      const { state, title } = await client.call('inbox.ack', { id });
      cli.print(`${state}: ${sanitise(title)}`);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      process.exitCode = explainFailure(error, false);
    }
  }
}

async function list(cli: Cli, all: boolean, json: boolean): Promise<void> {
  const { entries, nextCursor } = await (
    await cli.client()
  ).call('inbox.list', { limit: 200, ...(all ? {} : { state: 'open' as const }) });
  if (json) {
    cli.printJson('inbox', { entries, nextCursor });
    return;
  }
  if (entries.length === 0) {
    cli.print('Nothing waits for you.');
    return;
  }
  const { paint } = cli.view;
  for (const entry of entries) {
    cli.print(
      `${entry.id}  ${paint(entry.state === 'open' ? 'busy' : 'dim', `${entry.kind}, ${entry.state}`)}  ${sanitise(entry.title)}`,
    );
    cli.print(...entry.detail.split('\n').map((line) => `    ${sanitise(line)}`));
    if (entry.state === 'open' && entry.deadline)
      cli.print(`    will be answered with ${entry.default ?? 'nothing'} at ${entry.deadline}`);
    if (entry.answer !== null) cli.print(`    answer: ${sanitise(entry.answer)}`);
  }
}
