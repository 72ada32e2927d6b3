/** The daemon's process: arguments, signals, exit code. 0 stopped, 1 could not start, 64 wrong usage. */
import { parseArgs } from 'node:util';
import { filesOf } from './home.js';
import { startDaemon } from './daemon.js';

function readFlags(): { port?: number | undefined; eventsFile?: string | undefined } {
  try {
    const { values } = parseArgs({ options: { port: { type: 'string' }, 'events-jsonl': { type: 'string' } } });
    return { port: values.port === undefined ? undefined : Number(values.port), eventsFile: values['events-jsonl'] };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(64);
  }
}

let stopping = false;
let stop = async (_drainMs: number | undefined): Promise<void> => Promise.resolve();

function shutDown(drainMs: number | undefined): void {
  // A second signal does not wait: what is cut off is resumed at the next start.
  if (stopping) process.exit(0);
  stopping = true;
  void stop(drainMs).then(() => process.exit(0));
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => shutDown(undefined));
// A terminal that closes is no reason to stop working.
process.on('SIGHUP', () => undefined);

const started = await startDaemon({
  files: filesOf(process.env.CAIRN_HOME),
  flags: readFlags(),
  environment: process.env,
  onStopAsked: shutDown,
});
if (!started.ok) {
  const { message, data } = started.error;
  process.stderr.write(`cairn: ${message}${data?.hint ? `\n${data.hint}` : ''}\n`);
  process.exit(1);
}
stop = (drainMs) => started.value.stop(drainMs);
process.on('uncaughtException', (error) => {
  // A bug: the state is in the store, so the safest thing is to end and be started again.
  started.value.log.fatal({ err: error }, 'uncaught');
  process.stderr.write(`cairn: ${error.stack ?? error.message}\n`);
  process.exit(70);
});
process.stdout.write(`cairn daemon ready, pid ${process.pid}, port ${started.value.port}\n`);
