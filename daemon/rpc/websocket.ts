/** JSON-RPC over WebSocket /rpc: calls, and notifications to a client that stays. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { messageBytesLimit } from '../../shared/contract.js';
import type { ErrorKind } from '../../shared/errors.js';
import { checkAccess, type AccessRules } from './access.js';
import { errorText } from './answers.js';
import { createConnection } from './connection.js';
import type { Dispatch } from './dispatch.js';

const pingMs = 30_000;

export interface Sockets {
  attach(server: Server, access: AccessRules | null): void;
  readonly size: number;
  close(): void;
}

export interface SocketOptions {
  readonly dispatch: Dispatch;
  readonly newId: (prefix: string) => string;
}

/** The library closes for what it refuses itself without a word: a client is told why. */
class SpeakingSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === 1009 ? `a message has at most ${messageBytesLimit} bytes` : undefined));
  }
}

export function createSockets({ dispatch, newId }: SocketOptions): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: messageBytesLimit, WebSocket: SpeakingSocket });
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
    const connection = createConnection(socket, newId('k'), () => alive.add(socket));
    alive.add(socket);
    socket.on('pong', () => alive.add(socket));
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => {
      // What comes after the goodbye is not carried out: nobody would hear the answer.
      if (socket.readyState !== socket.OPEN) return;
      alive.add(socket);
      if (isBinary) return socket.close(1003, 'send JSON as text');
      const afterwards: (() => void)[] = [];
      const context = { connection, afterAnswer: (callback: () => void) => void afterwards.push(callback) };
      void dispatch(String(data as Buffer), context).then((text) => {
        if (text !== null) connection.send(text);
        for (const callback of afterwards) callback();
      });
    });
  }

  return {
    attach(http, access) {
      http.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
        stream.on('error', () => undefined);
        const refused = access && checkAccess(request, access);
        if (refused) return refuseUpgrade(stream, refused.status, 'unauthorized', refused.message);
        if ((request.url ?? '').split('?')[0] !== '/rpc')
          return refuseUpgrade(stream, 404, 'not_found', 'There is only /rpc here.');
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

const statusLines: Record<401 | 403 | 404, string> = {
  401: '401 Unauthorized\r\nWWW-Authenticate: Bearer',
  403: '403 Forbidden',
  404: '404 Not Found',
};

function refuseUpgrade(stream: Duplex, status: 401 | 403 | 404, kind: ErrorKind, message: string): void {
  const body = errorText(kind, message);
  stream.once('finish', () => stream.destroy());
  stream.end(
    `HTTP/1.1 ${statusLines[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
