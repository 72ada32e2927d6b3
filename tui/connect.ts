/** Finds the daemon of the home, or starts it: a command needs no preparation. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
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
const handshakeDeadlineMs = 5_000;
const largestAnswerBytes = 256 * 1024 * 1024;
const startOutputBytes = 256 * 1024;

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
  const socket = new WebSocket('ws://localhost/rpc', {
    // Not as `ws+unix:` URL: a home may have spaces and colons in its path.
    createConnection: () => connectSocket(files.socket),
    maxPayload: largestAnswerBytes,
    handshakeTimeout: handshakeDeadlineMs,
    // One message at a time: whoever awaits an answer acts on it before the notification that follows it is told.
    allowSynchronousEvents: false,
  });
  const opened = await new Promise<boolean>((resolve) => {
    socket.once('open', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!opened) return null;
  const client = createClient(transportOver(socket));
  await refuseOtherProtocol(files, client);
  return client;
}

/** The file may still be that of an earlier daemon, so a mismatch counts only when the one that answers confirms it. */
async function refuseOtherProtocol(files: HomeFiles, client: Client): Promise<void> {
  const told = readDaemonFile(files);
  if (told === null || told.protocol === protocolVersion) return;
  const status = await client.call('daemon.status', {}).catch(() => null);
  if (status?.protocol === protocolVersion) return;
  client.close();
  throw new NoDaemon(
    `The running daemon (version ${told.version}, pid ${told.pid}) speaks protocol ${told.protocol}, this client ${protocolVersion}. Stop it (kill ${told.pid}) and repeat: its work is resumed.`,
  );
}

function transportOver(socket: WebSocket): Transport {
  return {
    send: (text) => socket.send(text),
    onMessage: (listener) => void socket.on('message', (data) => listener((data as Buffer).toString('utf8'))),
    onClose: (listener) => {
      socket.once('close', () => listener('the daemon closed the connection'));
      socket.on('error', () => undefined);
    },
    close: () => socket.close(),
  };
}

/** `onStart` is told the pid of a daemon that had to be started. */
export async function connect(
  files: HomeFiles,
  environment: NodeJS.ProcessEnv,
  onStart?: (pid: number) => void,
): Promise<Client> {
  return (await connectIfRunning(files)) ?? start(files, environment, onStart);
}

/** Starts a daemon that outlives this process, and waits until it answers. */
async function start(files: HomeFiles, environment: NodeJS.ProcessEnv, onStart?: (pid: number) => void): Promise<Client> {
  mkdirSync(files.logs, { recursive: true, mode: 0o700 });
  const outputPath = join(files.logs, 'daemon.out');
  // Appended to: two commands may start one at the same moment, and each must find what its own has said.
  const output = openSync(outputPath, 'a', 0o600);
  if (fstatSync(output).size > startOutputBytes) ftruncateSync(output);
  const before = fstatSync(output).size;
  const child = spawn(process.execPath, [daemonProgram()], {
    detached: true,
    stdio: ['ignore', output, output],
    env: environment,
  });
  child.unref();
  closeSync(output);
  if (child.pid !== undefined) onStart?.(child.pid);
  let exited = false;
  child.once('exit', () => (exited = true));
  child.once('error', () => (exited = true));
  const until = Date.now() + startDeadlineMs;
  while (Date.now() < until) {
    const client = await connectIfRunning(files);
    if (client !== null) return client;
    // Another command may have started one at the same moment: then ours ends, and the other one answers soon.
    const said = readFileSync(outputPath).subarray(before).toString().trim();
    if (exited && !said.includes('is running on this home already'))
      throw new NoDaemon(said.replace(/^cairn: /, '') || 'The daemon ended without a word.');
    await delay(20);
  }
  throw new NoDaemon(`The daemon did not answer within ${startDeadlineMs / 1000} s. See ${outputPath} and ${files.logs}.`);
}

/** Beside this program, where the build puts it. */
export const daemonProgram = (): string => join(import.meta.dirname, 'daemon.js');
