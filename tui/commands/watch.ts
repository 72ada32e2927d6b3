import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../shared/client.js';
import { ConnectionLost } from '../../shared/client.js';
import type { SessionId } from '../../shared/plan.js';
import type { PlanRunStatus } from '../../shared/run.js';
import { type Cli, exitCodes, type Register } from '../cli.js';
import { connectIfRunning } from '../connect.js';
import { flush, fromSnapshot, takeChange, takeOutput, treeLines, type Watched } from '../core/watch-lines.js';
import { findSession } from '../references.js';

export const registerWatch: Register = (program, cli) => {
  program
    .command('watch [session]')
    .description('the tree, the output of the running leaf and every change, as plain lines; ends when the plan comes to rest')
    .option('--follow', 'go on when it comes to rest')
    .action(async (reference: string | undefined, { follow }: { follow?: boolean }) => {
      const sessionId = await findSession(await cli.client(), reference);
      process.exitCode = await watchSession(cli, sessionId, { follow: follow ?? false });
    });
};

/** Exit codes of a plan that has come to rest; null while it goes on. */
function exitCodeOf(status: PlanRunStatus): number | null {
  switch (status) {
    case 'completed':
    case 'idle':
      return exitCodes.done;
    case 'failed':
    case 'cancelled':
      return exitCodes.failed;
    case 'blocked':
    case 'waiting':
    case 'paused':
      return exitCodes.needsPerson;
    case 'running':
    case 'pausing':
      return null;
  }
}

const backOffMs = [200, 500, 1_000, 2_000, 5_000];

/**
 * Prints a session until it comes to rest. Ctrl-C only ends the watching: the daemon goes on. A daemon that goes away is
 * waited for, and the lines say so.
 */
export async function watchSession(cli: Cli, sessionId: SessionId, { follow }: { follow: boolean }): Promise<number> {
  const detach = (): never => {
    cli.note('\nDetached. The daemon goes on; come back with: cairn watch');
    process.exit(exitCodes.done);
  };
  process.on('SIGINT', detach);
  // A terminal that closes under us is no reason for the daemon to stop, and none for a crash here.
  process.on('SIGHUP', () => process.exit(129));
  for (let losses = 0; ; losses++) {
    try {
      return await followOnce(cli, await reconnect(cli, losses), sessionId, follow);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      cli.dropClient();
      cli.note(losses === 0 ? 'The daemon went away. Waiting for it; its work is resumed when it starts again.' : 'Still waiting.');
    }
  }
}

async function reconnect(cli: Cli, losses: number): Promise<Client> {
  if (losses === 0) return cli.client();
  for (let tries = 0; ; tries++) {
    await delay(backOffMs[Math.min(tries, backOffMs.length - 1)]);
    const client = await connectIfRunning(cli.files);
    if (client === null) continue;
    cli.note('The daemon is back.');
    return client;
  }
}

function followOnce(cli: Cli, client: Client, sessionId: SessionId, follow: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    let watched: Watched | null = null;
    const clock = (): string => new Date().toTimeString().slice(0, 8);

    const begin = async (): Promise<void> => {
      watched = fromSnapshot(await client.call('session.watch', { sessionId }));
      cli.print(...treeLines(watched, cli.view));
      checkRest();
    };
    const checkRest = (): void => {
      const code = watched && !follow ? exitCodeOf(watched.planRun.status) : null;
      if (code === null || watched === null) return;
      cli.print(...flush(watched, cli.view));
      client.close();
      resolve(code);
    };
    client.on('session.changed', (change) => {
      if (watched === null || change.sessionId !== sessionId) return;
      if (change.deleted) {
        cli.print('The session was deleted.');
        client.close();
        return resolve(exitCodes.failed);
      }
      const step = takeChange(watched, change, clock(), cli.view);
      if (step.resync) return void begin().catch(reject);
      watched = step.watched;
      cli.print(...step.lines);
      checkRest();
    });
    client.on('run.output', (output) => {
      if (watched === null || output.sessionId !== sessionId) return;
      const step = takeOutput(watched, output, cli.view);
      watched = step.watched;
      cli.print(...step.lines);
    });
    client.onClose((reason) => reject(new ConnectionLost(reason)));
    begin().catch(reject);
  });
}
