import { type Client, ConnectionLost } from '../../shared/client.js';
import type { SessionId } from '../../shared/plan.js';
import type { PlanRunStatus } from '../../shared/run.js';
import { type Cli, exitCodes, type Register } from '../cli.js';
import { flush, fromSnapshot, inboxLines, takeChange, takeOutput, treeLines, type Watched } from '../core/lines/watch-lines.js';
import { findSession } from '../references.js';
import { throughLosses } from '../through-losses.js';

export const registerWatch: Register = (program, cli) => {
  program
    .command('watch [session]')
    .description('the tree, the output of the running leaf and every change, as plain lines; ends when the plan comes to rest')
    .option('--follow', 'go on when it comes to rest')
    .option('--json', 'a line of JSON for each snapshot, change and piece of output')
    .action(async (reference: string | undefined, { follow, json }: { follow?: boolean; json?: boolean }) => {
      const sessionId = await findSession(await cli.client(), reference);
      process.exitCode = await watchSession(cli, sessionId, { follow: follow ?? false, json: json ?? false });
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

export interface WatchOptions {
  /** Go on when the plan comes to rest. */
  readonly follow: boolean;
  /** Lines of JSON instead of lines for people. */
  readonly json?: boolean;
}

/** Follows a session for the person at the terminal. Ctrl-C, or a terminal that closes, only ends that: the daemon goes on. */
export function watchSession(cli: Cli, sessionId: SessionId, options: WatchOptions): Promise<number> {
  endOnSignals(cli, 'Detached. The daemon goes on; come back with: cairn watch');
  return followSession(cli, sessionId, options);
}

/** Ends the process, with code 128 + the signal's number. Gives what takes this back. */
export function endOnSignals(cli: Cli, farewell: string): () => void {
  const end = (name: NodeJS.Signals, signal: number): never => {
    if (name === 'SIGINT') cli.note(`\n${farewell}`);
    process.exit(128 + signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/**
 * Prints a session until it comes to rest; gives the exit code. A daemon that goes away is waited for, and the lines say so.
 */
export const followSession = (cli: Cli, sessionId: SessionId, options: WatchOptions): Promise<number> =>
  throughLosses(cli, (client) => followOnce(cli, client, sessionId, options));

function followOnce(cli: Cli, client: Client, sessionId: SessionId, { follow, json }: WatchOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    let watched: Watched | null = null;
    const clock = (): string => new Date().toTimeString().slice(0, 8);
    const tell = (data: object, lines: readonly string[]): void => {
      if (json) cli.printJson('watch', data);
      else cli.print(...lines);
    };

    const begin = async (): Promise<void> => {
      const snapshot = await client.call('session.watch', { sessionId });
      watched = fromSnapshot(snapshot);
      tell({ snapshot }, [...treeLines(watched, cli.view), ...inboxLines(snapshot.inbox, cli.view)]);
      checkRest();
    };
    const checkRest = (): void => {
      const code = watched && !follow ? exitCodeOf(watched.planRun.status) : null;
      if (code === null || watched === null) return;
      if (!json) cli.print(...flush(watched, cli.view));
      client.close();
      resolve(code);
    };
    client.on('session.changed', (change) => {
      if (watched === null || change.sessionId !== sessionId) return;
      if (change.deleted) {
        tell({ changed: change }, ['The session was deleted.']);
        client.close();
        return resolve(exitCodes.failed);
      }
      const step = takeChange(watched, change, clock(), cli.view);
      if (step.resync) {
        // The snapshot that comes contains all that is told until then.
        watched = null;
        begin().catch(reject);
        return;
      }
      watched = step.watched;
      tell({ changed: change }, step.lines);
      checkRest();
    });
    client.on('run.output', (output) => {
      if (watched === null || output.sessionId !== sessionId) return;
      const step = takeOutput(watched, output, cli.view);
      watched = step.watched;
      tell({ output }, step.lines);
    });
    client.onClose((reason) => reject(new ConnectionLost(reason)));
    begin().catch(reject);
  });
}
