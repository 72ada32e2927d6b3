/** Finds the daemon of the home, or starts it: a command needs no preparation. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import envPaths from 'env-paths';
import WebSocket from 'ws';
import { type Client, createClient, type Transport } from '../shared/client.js';
import { protocolVersion } from '../shared/contract.js';
import { type HomeFiles, homeFiles } from '../shared/paths.js';

/** No daemon, and none could be started: exit code 69. */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon';
}

const startDeadlineMs = 15_000;

export const filesOf = (environment: NodeJS.ProcessEnv): HomeFiles =>
  homeFiles(environment.CAIRN_HOME, envPaths('cairn', { suffix: '' }));

/** The daemon's own account of itself; null when none has been started, or the file cannot be read. */
export function readDaemonFile(files: HomeFiles): { pid: number; port: number; protocol: number; version: string } | null {
  try {
    return JSON.parse(readFileSync(files.daemon, 'utf8')) as { pid: number; port: number; protocol: number; version: string };
  } catch {
    return null;
  }
}

/** A client of a running daemon; null when none answers. */
export async function connectIfRunning(files: HomeFiles): Promise<Client | null> {
  const socket = new WebSocket(`ws+unix:${files.socket}:/rpc`, { maxPayload: 256 * 1024 * 1024 });
  const opened = await new Promise<boolean>((resolve) => {
    socket.once('open', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!opened) return null;
  const told = readDaemonFile(files);
  if (told && told.protocol !== protocolVersion) {
    socket.terminate();
    throw new NoDaemon(
      `The running daemon (version ${told.version}, pid ${told.pid}) speaks protocol ${told.protocol}, this client ${protocolVersion}. Stop it (kill ${told.pid}) and repeat: its work is resumed.`,
    );
  }
  return createClient(transportOver(socket));
}

function transportOver(socket: WebSocket): Transport {
  return {
    send: (text) => socket.send(text),
    onMessage: (listener) => void socket.on('message', (data) => listener(String(data as Buffer))),
    onClose: (listener) => {
      socket.once('close', () => listener('the daemon closed the connection'));
      socket.on('error', () => undefined);
    },
    close: () => socket.close(),
  };
}

export async function connect(files: HomeFiles, environment: NodeJS.ProcessEnv): Promise<Client> {
  return (await connectIfRunning(files)) ?? start(files, environment);
}

/** Starts a daemon that outlives this process, and waits until it answers. */
async function start(files: HomeFiles, environment: NodeJS.ProcessEnv): Promise<Client> {
  mkdirSync(files.logs, { recursive: true, mode: 0o700 });
  const outputPath = join(files.logs, 'daemon.out');
  const output = openSync(outputPath, 'w', 0o600);
  const child = spawn(process.execPath, [daemonProgram()], { detached: true, stdio: ['ignore', output, output], env: environment });
  child.unref();
  let exited = false;
  child.once('exit', () => (exited = true));
  child.once('error', () => (exited = true));
  const until = Date.now() + startDeadlineMs;
  while (Date.now() < until) {
    const client = await connectIfRunning(files);
    if (client !== null) return client;
    // Another command may have started one at the same moment: then ours ends, and the other one answers soon.
    const said = readFileSync(outputPath, 'utf8').trim();
    if (exited && !said.includes('is running on this home already')) throw new NoDaemon(said || 'The daemon ended without a word.');
    await delay(20);
  }
  throw new NoDaemon(`The daemon did not answer within ${startDeadlineMs / 1000} s. See ${outputPath} and ${files.logs}.`);
}

/** Beside this program, where the build puts it. */
export const daemonProgram = (): string => join(import.meta.dirname, 'daemon.js');
