/** Finds the daemon of the home, or starts it: a command needs no preparation. */
import { readFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import envPaths from 'env-paths';
import WebSocket from 'ws';
import { type Client, createClient, type Transport } from '../shared/client.js';
import { protocolVersion } from '../shared/contract.js';
import { type HomeFiles, homeFiles } from '../shared/paths.js';
import { type StartedDaemon, startDaemon } from './start-daemon.js';

/** No daemon, and none could be started: exit code 69. */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon';
}

/** One runs that this client does not understand. */
export class OtherProtocol extends NoDaemon {}

const startDeadlineMs = 15_000;
const handshakeDeadlineMs = 5_000;
/** A daemon that does not say goodbye in return holds up nobody. */
const goodbyeMs = 500;
const largestAnswerBytes = 256 * 1024 * 1024;

export const filesOf = (environment: NodeJS.ProcessEnv): HomeFiles =>
  homeFiles(environment.CAIRN_HOME, envPaths('cairn', { suffix: '' }));

/** The daemon's own account of itself; null when none has been started, or the file cannot be read. */
function readDaemonFile(files: HomeFiles): { pid: number; port: number; protocol: number; version: string } | null {
  try {
    return JSON.parse(readFileSync(files.daemon, 'utf8')) as { pid: number; port: number; protocol: number; version: string };
  } catch {
    return null;
  }
}

/** A client of a running daemon; null when none answers, or when `signal` gives it up. */
export async function connectIfRunning(files: HomeFiles, signal?: AbortSignal): Promise<Client | null> {
  if (signal?.aborted) return null;
  const socket = new WebSocket('ws://localhost/rpc', {
    // Not as `ws+unix:` URL: a home may have spaces and colons in its path.
    createConnection: () => connectSocket(files.socket),
    maxPayload: largestAnswerBytes,
    handshakeTimeout: handshakeDeadlineMs,
    // One message at a time: whoever awaits an answer acts on it before the notification that follows it is told.
    allowSynchronousEvents: false,
  });
  const giveUp = (): void => socket.terminate();
  signal?.addEventListener('abort', giveUp);
  const opened = await new Promise<boolean>((resolve) => {
    socket.once('open', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  try {
    if (!opened) return null;
    const client = createClient(transportOver(socket));
    await refuseOtherProtocol(files, client);
    return client;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/** The file may still be that of an earlier daemon, so a mismatch counts only when the one that answers confirms it. */
async function refuseOtherProtocol(files: HomeFiles, client: Client): Promise<void> {
  const told = readDaemonFile(files);
  if (told === null || told.protocol === protocolVersion) return;
  const status = await client.call('daemon.status', {}).catch(() => null);
  if (status?.protocol === protocolVersion) return;
  client.close();
  throw new OtherProtocol(
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
    close: () => {
      socket.close();
      setTimeout(() => socket.terminate(), goodbyeMs).unref();
    },
  };
}

export interface Connecting {
  /** Told the pid of a daemon that had to be started. */
  readonly onStart?: ((pid: number) => void) | undefined;
  /** Gives it up: a `NoDaemon` is thrown at once. A daemon that was started by then goes on. */
  readonly signal?: AbortSignal;
}

export async function connect(files: HomeFiles, environment: NodeJS.ProcessEnv, options: Connecting = {}): Promise<Client> {
  return (await connectIfRunning(files, options.signal)) ?? start(files, environment, options);
}

/**
 * Starts one and waits until it answers. One that has the home but does not answer is about to, or about to end: then it
 * is our turn again.
 */
async function start(files: HomeFiles, environment: NodeJS.ProcessEnv, { onStart, signal }: Connecting): Promise<Client> {
  const until = Date.now() + startDeadlineMs;
  for (let turn = 1; ; turn++) {
    if (signal?.aborted) throw new NoDaemon('No daemon was waited for.');
    const daemon = tryToStart(files, environment);
    if (daemon.pid !== undefined) onStart?.(daemon.pid);
    const client = await answerOf(files, until, () => signal?.aborted === true || daemon.lastWords() !== null, signal);
    const said = daemon.lastWords();
    if (client !== null || said !== null || signal?.aborted) daemon.answered();
    if (client !== null) return client;
    if (said !== null && !said.includes('is running on this home already')) {
      throw new NoDaemon(said.replace(/^cairn: /, '') || 'The daemon ended without a word.');
    }
    if (Date.now() >= until) {
      throw new NoDaemon(`The daemon did not answer within ${startDeadlineMs / 1000} s. See ${daemon.output} and ${files.logs}.`);
    }
    await delay(Math.min(100 * turn, 1_000));
  }
}

/** Throws a `NoDaemon` with what is in the way: no place for its first words, no right or no room for another process. */
function tryToStart(files: HomeFiles, environment: NodeJS.ProcessEnv): StartedDaemon {
  try {
    return startDaemon(files, environment);
  } catch (error) {
    throw new NoDaemon(`The daemon could not be started: ${(error as Error).message}`);
  }
}

/** A client as soon as a daemon answers; null when that is given up. */
async function answerOf(
  files: HomeFiles,
  until: number,
  isHopeless: () => boolean,
  signal?: AbortSignal,
): Promise<Client | null> {
  while (Date.now() < until) {
    // Asked first: one that ended a moment ago may have lost against one that answers by now.
    const hopeless = isHopeless();
    const client = await connectIfRunning(files, signal);
    if (client !== null || hopeless) return client;
    await delay(20);
  }
  return null;
}
