import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { duration } from '../core/text/text.js';
import { seconds, wholeNumber } from './option-values.js';
import { type Cli, exitCodes, type Register } from '../cli.js';
import { connect, connectIfRunning } from '../connect.js';
import { daemonProgram } from '../start-daemon.js';

export const registerDaemon: Register = (program, cli) => {
  const daemon = program.command('daemon').description('the background program that owns the plans');
  daemon
    .command('run')
    .description('run it in this terminal')
    .option('--port <n>', 'TCP port; 0 for any', wholeNumber)
    .option('--events-jsonl <file>', 'append every event to a file, a line each')
    .action((options: { port?: number; eventsJsonl?: string }) => runHere(cli, options));
  daemon
    .command('start')
    .description('start it in the background')
    .action(async () => {
      const client = await connect(cli.files, cli.environment);
      const { pid } = await client.call('daemon.status', {});
      cli.print(`running, pid ${pid}`);
      client.close();
    });
  daemon
    .command('stop')
    .description('stop it; what is cut off is resumed at the next start')
    .option('--drain <seconds>', 'how long turns under way may take to finish', seconds)
    .action(({ drain }: { drain?: number }) => stop(cli, drain));
  daemon
    .command('status')
    .description('whether it runs, and what it does')
    .option('--json', 'answer as JSON')
    .action(({ json }: { json?: boolean }) => status(cli, json ?? false));
};

function runHere(cli: Cli, { port, eventsJsonl }: { port?: number; eventsJsonl?: string }): Promise<void> {
  const args = [
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(eventsJsonl === undefined ? [] : ['--events-jsonl', eventsJsonl]),
  ];
  const child = spawn(process.execPath, [daemonProgram(), ...args], { stdio: 'inherit', env: cli.environment });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A terminal gives Ctrl-C to the daemon as well: a second one would mean not to wait for turns under way.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      process.exitCode = code ?? exitCodes.failed;
      resolve();
    });
  });
}

async function stop(cli: Cli, drain: number | undefined): Promise<void> {
  const client = await connectIfRunning(cli.files);
  if (client === null) {
    cli.print('It is not running.');
    return;
  }
  const { pid } = await client.call('daemon.status', {});
  const closed = new Promise<void>((resolve) => {
    client.onClose(() => resolve());
  });
  await client.call('daemon.stop', drain === undefined ? {} : { drainMs: Math.round(drain * 1000) });
  await closed;
  // The socket closes a moment before the process ends; whoever starts another one must find the home free.
  for (let tries = 0; tries < 100 && isRunning(pid); tries++) await delay(20);
  cli.print('stopped');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function status(cli: Cli, json: boolean): Promise<void> {
  const client = await connectIfRunning(cli.files);
  if (client === null) {
    if (json) cli.printJson('daemon', { running: false });
    else cli.print('It is not running. It starts by itself with the next command, or by: cairn daemon start');
    process.exitCode = exitCodes.noDaemon;
    return;
  }
  const told = await client.call('daemon.status', {});
  client.close();
  if (json) {
    cli.printJson('daemon', { running: true, ...told });
    return;
  }
  const { pid, version, home, provider, counts, warnings, uptimeMs } = told;
  cli.print(
    `running, pid ${pid}, version ${version}, up ${duration(uptimeMs)}`,
    `home      ${home}`,
    `model     ${provider === null ? 'none: set CAIRN_MODEL' : `${provider.model} at ${provider.baseUrl}`}`,
    `sessions  ${counts.sessions}, ${counts.running} running, ${counts.inbox} waiting for a person`,
    ...warnings.map((warning) => `warning   ${warning}`),
  );
}
