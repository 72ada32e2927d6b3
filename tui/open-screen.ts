/** What `cairn` alone does: on a terminal the screen; elsewhere lines of the newest session of this folder, or what to do first. */
import type { Cli } from './cli.js';
import { runDemo } from './commands/demo.js';
import { watchSession } from './commands/watch.js';
import { findLocalServers } from './local-servers.js';
import { newestSession } from './references.js';

/** Names that can stand in a command line as they are. */
const plainName = /^[\w.:/-]+$/;

export async function openScreen(cli: Cli): Promise<void> {
  if (cli.hasScreen) {
    const { showFullScreen } = await import('./full-screen.js');
    const { files, environment, glyphs } = cli;
    // It says itself what it waits for, and what to do when there is no daemon.
    const next = await showFullScreen({ files, environment, glyphs, client: null, sessionId: null });
    if (next === 'demo') process.exitCode = await runDemo(cli, { headless: false, keep: false });
    return;
  }
  await openLines(cli);
}

async function openLines(cli: Cli): Promise<void> {
  const client = await cli.client();
  const newest = await newestSession(client, process.cwd());
  if (newest !== null) {
    process.exitCode = await watchSession(cli, newest.id, { follow: cli.isTerminal });
    return;
  }
  const { provider } = await client.call('daemon.status', {});
  // Short lines: they are read on narrow terminals as well, where a longer one would break in a word.
  cli.print(
    'Cairn runs plans and picks up where',
    'it was. None for this folder yet.',
    '',
    'See it work first, without a model:',
    '  cairn demo',
    'A plan from a Markdown list:',
    '  cairn new "Goal" --from plan.md',
    'Or by hand:',
    '  cairn new "Goal"',
    '  cairn add "First task"',
    'Then run it and look on:',
    '  cairn run --watch',
    '',
  );
  if (provider !== null) {
    cli.print(`Model: ${provider.model} at ${provider.baseUrl}`);
    return;
  }
  const servers = await findLocalServers();
  const [first] = servers;
  if (first === undefined) {
    cli.print(
      'No model is configured. Set CAIRN_MODEL',
      'and OPENAI_API_KEY, then:',
      '  cairn daemon stop',
      'Items with a command need no model.',
    );
    return;
  }
  cli.print(
    `${first.name} answers on this machine. To use it:`,
    `  export OPENAI_BASE_URL=${first.baseUrl}`,
    `  export CAIRN_MODEL=${first.models.find((name) => plainName.test(name)) ?? 'MODEL'}`,
    '  cairn daemon stop',
  );
}
