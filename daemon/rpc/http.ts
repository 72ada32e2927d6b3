/** JSON-RPC over HTTP: POST /rpc, single and batch. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { messageBytesLimit } from '../../shared/contract.js';
import { errorCodes, type ErrorKind } from '../../shared/errors.js';
import { checkAccess, type AccessRules } from './access.js';
import type { Dispatch } from './dispatch.js';

/** A client that sends its request slower than this is let go. Milliseconds. */
const patience = { headers: 10_000, request: 30_000 } as const;

/** `access` is null for the Unix socket, which the file system guards. */
export function createHttpServer(dispatch: Dispatch, access: AccessRules | null): Server {
  const server = createServer((request, response) => {
    void serve(request, response, dispatch, access);
  });
  server.headersTimeout = patience.headers;
  server.requestTimeout = patience.request;
  return server;
}

async function serve(request: IncomingMessage, response: ServerResponse, dispatch: Dispatch, access: AccessRules | null): Promise<void> {
  response.on('error', () => undefined);
  const refused = access && checkAccess(request, access);
  if (refused) return answer(response, refused.status, errorText('unauthorized', refused.message));
  const path = (request.url ?? '').split('?')[0];
  if (path !== '/rpc') return answer(response, 404, errorText('not_found', 'There is only /rpc here.'));
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST');
    return answer(response, 405, errorText('invalid_request', 'Send JSON-RPC by POST, or open a WebSocket.'));
  }
  const body = await readBody(request);
  if (body === 'gone') return;
  if (body === 'too_large') {
    response.setHeader('Connection', 'close');
    return answer(response, 413, errorText('limit_exceeded', `A message has at most ${messageBytesLimit} bytes.`));
  }
  const text = await dispatch(body.text, { connection: null });
  if (text === null) answer(response, 204, null);
  else answer(response, 200, text);
}

async function readBody(request: IncomingMessage): Promise<{ text: string } | 'too_large' | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > messageBytesLimit) return 'too_large';
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > messageBytesLimit) return 'too_large';
      chunks.push(chunk);
    }
  } catch {
    return 'gone';
  }
  return { text: Buffer.concat(chunks).toString('utf8') };
}

export function errorText(kind: ErrorKind, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: errorCodes[kind], message, data: { kind } } });
}

function answer(response: ServerResponse, status: number, text: string | null): void {
  if (response.destroyed) return;
  response.statusCode = status;
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (text === null) response.end();
  else {
    response.setHeader('Content-Type', 'application/json');
    response.end(text);
  }
}
