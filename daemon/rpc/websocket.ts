/** JSON-RPC over WebSocket /rpc: calls, and notifications to a client that stays. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { messageBytesLimit } from '../../shared/contract.js';
import { checkAccess, type AccessRules } from './access.js';
import type { Dispatch } from './dispatch.js';
import type { Connection } from './handlers.js';
import { errorText } from './http.js';

/** Bytes that may wait in a client's socket before it counts as slow. */
const busyBytes = 256 * 1024;
const drainPollMs = 20;
const pingMs = 30_000;

export interface Sockets {
  attach(server: Server, access: AccessRules | null): void;
  readonly size: number;
  close(): void;
}

export interface SocketOptions {
  readonly dispatch: Dispatch;
  readonly newId: (prefix: string) => string;
  /** Requests of one client that may be under way. */
  readonly maxInFlight: number;
}

export function createSockets({ dispatch, newId, maxInFlight }: SocketOptions): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: messageBytesLimit });
  const alive = new WeakSet<WebSocket>();
  const pings = setInterval(() => {
    for (const socket of server.clients) {
      // A client that vanished without a word is let go with everything that it watched.
      if (!alive.has(socket)) socket.terminate();
      alive.delete(socket);
      socket.ping();
    }
  }, pingMs);
  pings.unref();

  function welcome(socket: WebSocket): void {
    const connection = connectionOf(socket, newId('k'));
    let inFlight = 0;
    alive.add(socket);
    socket.on('pong', () => alive.add(socket));
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      alive.add(socket);
      if (isBinary) return socket.close(1003, 'send JSON as text');
      if (inFlight >= maxInFlight) {
        return socket.send(errorText('overloaded', 'This connection has too many requests under way. Wait for answers.'));
      }
      inFlight += 1;
      void dispatch(String(data as Buffer), { connection })
        .then((text) => text !== null && socket.readyState === socket.OPEN && socket.send(text))
        .finally(() => (inFlight -= 1));
    });
  }

  return {
    attach(http, access) {
      http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        stream.on('error', () => undefined);
        const refused = access && checkAccess(request, access);
        if (refused) return refuseUpgrade(stream, refused.status, refused.message);
        if ((request.url ?? '').split('?')[0] !== '/rpc') return refuseUpgrade(stream, 404, 'There is only /rpc here.');
        server.handleUpgrade(request, stream, head, welcome);
      });
    },
    get size() {
      return server.clients.size;
    },
    close() {
      clearInterval(pings);
      for (const socket of server.clients) socket.close(1001, 'the daemon stops');
      server.close();
      // Whoever does not answer the close is not waited for.
      setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, 200).unref();
    },
  };
}

const reasons: Record<number, string> = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found' };

function refuseUpgrade(stream: Duplex, status: number, message: string): void {
  const body = errorText('unauthorized', message);
  stream.end(
    `HTTP/1.1 ${status} ${reasons[status] ?? ''}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function connectionOf(socket: WebSocket, id: string): Connection {
  const drained = new Set<() => void>();
  let watching: NodeJS.Timeout | null = null;
  const isBusy = (): boolean => socket.bufferedAmount > busyBytes;
  const watchDrain = (): void => {
    if (watching !== null) return;
    watching = setInterval(() => {
      if (socket.readyState === socket.OPEN && isBusy()) return;
      if (watching !== null) clearInterval(watching);
      watching = null;
      if (socket.readyState === socket.OPEN) for (const callback of drained) callback();
    }, drainPollMs);
    watching.unref();
  };
  socket.on('close', () => watching !== null && clearInterval(watching));
  return {
    id,
    notify(name, params) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(JSON.stringify({ jsonrpc: '2.0', method: name, params }));
      if (isBusy()) watchDrain();
    },
    get busy() {
      return isBusy();
    },
    onDrain: (callback) => void drained.add(callback),
    onClose: (callback) => void socket.once('close', callback),
  };
}
