/** A real daemon process on a home of its own, as its user has it: started, asked, killed, started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MethodName, ParamsInput, ResultOf } from '../../shared/contract.js';
import type { SessionId } from '../../shared/plan.js';
import type { PlanRun, PlanRunStatus } from '../../shared/run.js';
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

/** A folder that is removed when the test ends. */
export async function tempFolder(name = 'cairn-test'): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `${name}-`)));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A home and a workspace for one test. */
export async function tempPlaces(): Promise<{ home: string; workspace: string }> {
  const root = await tempFolder();
  const places = { home: join(root, 'home'), workspace: join(root, 'work') };
  await mkdir(places.workspace);
  return places;
}

/** Environment of a daemon without the tester's own keys and settings. */
export function plainEnvironment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(CAIRN_|OPENAI_|XDG_)|NODE_OPTIONS|VITEST/.test(name));
  return { ...Object.fromEntries(kept), ...more };
}

export async function startDaemon(
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
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const socket = join(home, 'daemon.sock');
  const daemon: Daemon = {
    home,
    socket,
    pid: child.pid ?? 0,
    output: () => said.join(''),
    call: (method, params) => callOver(socket, method, params),
    watch: async () => {
      const watcher = await openWatcher(socket);
      onTestFinished(() => watcher.close());
      return watcher;
    },
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
  );
  return daemon;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

/** Waits until the plan run of a session has one of these statuses. */
export async function waitForRun(daemon: Daemon, sessionId: SessionId, ...statuses: PlanRunStatus[]): Promise<PlanRun> {
  const get = (): Promise<PlanRun> => daemon.call('run.get', { sessionId });
  return waitFor(`the plan run to be ${statuses.join(' or ')}`, async () => {
    const run = await get();
    return statuses.includes(run.status) ? run : undefined;
  }, { describe: get, deadlineMs: 15_000 });
}

/** Starts a plan and waits until it comes to rest in one of these statuses. */
export async function runToRest(daemon: Daemon, sessionId: SessionId, ...statuses: PlanRunStatus[]): Promise<PlanRun> {
  await daemon.call('run.start', { sessionId });
  return waitForRun(daemon, sessionId, ...statuses);
}

export const statusesOf = async (daemon: Daemon, sessionId: SessionId): Promise<Record<string, string>> => {
  const { items } = await daemon.call('plan.get', { sessionId });
  return Object.fromEntries(items.map((item) => [item.title, item.status]));
};
