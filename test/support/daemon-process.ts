/** A daemon process on a home of its own: started, asked, killed, started again. Knows nothing of the test runner. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { MethodName, ParamsInput, ResultOf } from '../../shared/contract.js';
import { callOver, openWatcher, type Watcher } from './rpc.js';
import { waitFor } from './wait.js';

const daemonFile = join(import.meta.dirname, '../../dist/daemon.js');

export interface Daemon {
  readonly home: string;
  readonly socket: string;
  readonly pid: number;
  /** What it wrote to its terminal. */
  output(): string;
  call<M extends MethodName>(method: M, params: ParamsInput<M>): Promise<ResultOf<M>>;
  watch(): Promise<Watcher>;
  /** As a power cut would: nothing is told, nothing is flushed. */
  kill(): Promise<void>;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
  exited(): Promise<number | null>;
}

/** Environment of a daemon without the tester's own keys and settings. */
export function plainEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(CAIRN_|OPENAI_|XDG_)|NODE_OPTIONS|VITEST/.test(name));
  return { ...Object.fromEntries(kept), ...more };
}

export async function launchDaemon(
  home: string,
  { env = {}, args = [] }: { env?: Record<string, string>; args?: readonly string[] } = {},
): Promise<Daemon> {
  const child = spawn(process.execPath, [daemonFile, ...args], {
    env: plainEnvironment({ CAIRN_HOME: home, CAIRN_PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)));
  const exit = exitOf(child);
  const socket = join(home, 'daemon.sock');
  const daemon: Daemon = {
    home,
    socket,
    pid: child.pid ?? 0,
    output: () => said.join(''),
    call: (method, params) => callOver(socket, method, params),
    watch: () => openWatcher(socket),
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
    stop: () => {
      child.kill('SIGTERM');
      return exit;
    },
    exited: () => exit,
  };
  await waitFor(
    'the daemon to answer',
    async () => {
      if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}: ${said.join('')}`);
      // A socket file of a killed daemon may still be there: only our own pid counts.
      const status = await daemon.call('daemon.status', {}).catch(() => null);
      return status?.pid === child.pid;
    },
    { describe: () => said.join('') },
  ).catch(async (error: unknown) => {
    await daemon.kill();
    throw error;
  });
  return daemon;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}
