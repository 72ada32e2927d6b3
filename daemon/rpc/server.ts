/** Listens: on the Unix socket of the home, which its owner alone can open, and on a loopback port with a token. */
import { existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultPort } from '../../shared/contract.js';
import { refuse, ok, type Result } from '../../shared/errors.js';
import type { AccessRules } from './access.js';
import type { Dispatch } from './dispatch.js';
import { createHttpServer } from './http.js';
import { createSockets } from './websocket.js';

/** Longest path of a socket where that is shortest (macOS). A longer one is not refused by Node 20, but cut. */
const maxPathBytes = 103;

export interface ServerOptions {
  readonly dispatch: Dispatch;
  readonly socketPath: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly token: string;
  readonly newId: (prefix: string) => string;
}

export interface RpcServer {
  readonly port: number;
  readonly clients: () => number;
  close(): Promise<void>;
}

/** Resolves when both transports answer. The caller holds the lock of the home: a socket file that is there is a dead one. */
export async function startServer(options: ServerOptions): Promise<Result<RpcServer>> {
  const { dispatch, socketPath } = options;
  if (Buffer.byteLength(socketPath) > maxPathBytes) {
    return refuse('invalid_state', `The path of the socket is too long for this system: ${socketPath}`, {
      hint: 'Set CAIRN_HOME to a folder with a shorter path.',
    });
  }
  const sockets = createSockets({ dispatch, newId: options.newId });
  const rules: AccessRules = { token: options.token, port: () => portOf(tcp) };
  const tcp = createHttpServer(dispatch, rules);
  let local: Server | null = null;
  let watch: NodeJS.Timeout | null = null;
  sockets.attach(tcp, rules);
  const close = async (): Promise<void> => {
    if (watch !== null) clearInterval(watch);
    sockets.close();
    await Promise.all([closeServer(tcp), ...(local === null ? [] : [closeServer(local)])]);
  };
  const openSocket = async (): Promise<void> => {
    local = createHttpServer(dispatch, null);
    sockets.attach(local, null);
    await rm(socketPath, { force: true });
    await listen(local, { path: socketPath });
    await chmod(socketPath, 0o600);
  };
  // Somebody may clear the folder away: without its socket a daemon could be found by nobody, and hold its home for ever.
  const restoreSocket = (): void => {
    if (existsSync(socketPath)) return;
    if (local !== null) void closeServer(local);
    openSocket().catch(() => undefined);
  };
  try {
    await listenOnPort(tcp, options);
    await openSocket();
    watch = setInterval(restoreSocket, socketWatchMs);
    watch.unref();
  } catch (error) {
    await close();
    return refuse('invalid_state', whyNot(error as NodeJS.ErrnoException, options));
  }
  return ok({ port: portOf(tcp), clients: () => sockets.size, close });
}

/** How often the socket is looked for. Milliseconds. */
const socketWatchMs = 2_000;

/** The default port may be another home's: then any other does, and `daemon.json` says which. */
async function listenOnPort(server: Server, { port, host }: ServerOptions): Promise<void> {
  try {
    await listen(server, { port, host });
  } catch (error) {
    if (port !== defaultPort || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    await listen(server, { port: 0, host });
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo | null)?.port ?? 0;

function listen(server: Server, where: { port: number; host: string } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.removeListener('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    server.close(() => resolve());
    server.closeIdleConnections();
    // Answers under way have this long to leave.
    setTimeout(() => server.closeAllConnections(), 300).unref();
  });
}

function whyNot(error: NodeJS.ErrnoException, { port, socketPath }: ServerOptions): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} is taken. Set another one (CAIRN_PORT, "port" in config.json), or 0 for any.`;
  if (error.code === 'EACCES') return `Not allowed to listen on port ${port} or at ${socketPath}.`;
  return `Cannot listen on port ${port} and at ${socketPath}: ${error.message}.`;
}
