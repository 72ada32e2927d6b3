/** JSON-RPC over HTTP: POST /rpc, single and batch. */
import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { messageBytesLimit } from '../../shared/contract.js';
import { checkAccess, type AccessRules } from './access.js';
import { errorText } from './answers.js';
import type { Dispatch } from './dispatch.js';

/** A client that sends its request, or takes its answer, slower than this is let go. Milliseconds. */
const patience = { headers: 10_000, request: 30_000, silence: 120_000 } as const;
const maxConnections = 1_000;
/** So much of a message that is too large is read and thrown away: a client hears the refusal only when it has sent all. */
const readAtMost = 16 * messageBytesLimit;

/** `access` is null for the Unix socket, which the file system guards. */
export function createHttpServer(dispatch: Dispatch, access: AccessRules | null): Server {
  const server = createServer((request, response) => {
    void serve(request, response, dispatch, access);
  });
  server.headersTimeout = patience.headers;
  server.requestTimeout = patience.request;
  server.timeout = patience.silence;
  server.maxConnections = maxConnections;
  return server;
}

interface Reply {
  readonly status: number;
  /** Null: no body. */
  readonly text: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  dispatch: Dispatch,
  access: AccessRules | null,
): Promise<void> {
  response.on('error', () => undefined);
  const reply = await replyTo(request, dispatch, access);
  if (reply === 'gone' || response.destroyed) return;
  const { status, text, headers = {} } = reply;
  response.writeHead(status, {
    'X-Content-Type-Options': 'nosniff',
    ...(text === null ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  });
  response.end(text ?? undefined);
}

async function replyTo(request: IncomingMessage, dispatch: Dispatch, access: AccessRules | null): Promise<Reply | 'gone'> {
  const refused = access && checkAccess(request, access);
  if (refused) {
    const headers = refused.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
    return { status: refused.status, text: errorText('unauthorized', refused.message), headers };
  }
  const path = (request.url ?? '').split('?')[0];
  if (path !== '/rpc') return { status: 404, text: errorText('not_found', 'There is only /rpc here.') };
  if (request.method !== 'POST') {
    return {
      status: 405,
      text: errorText('invalid_request', 'Send JSON-RPC by POST, or open a WebSocket.'),
      headers: { Allow: 'POST' },
    };
  }
  const body = await readBody(request);
  if (body === 'gone') return body;
  if (body === 'too_large') {
    return {
      status: 413,
      text: errorText('limit_exceeded', `A message has at most ${messageBytesLimit} bytes.`),
      headers: { Connection: 'close' },
    };
  }
  if (!isUtf8(body)) return { status: 200, text: errorText('parse_error', 'The message is not valid UTF-8.') };
  const text = await dispatch(body.toString('utf8'), { connection: null, afterAnswer: (callback) => callback() });
  return { status: text === null ? 204 : 200, text };
}

async function readBody(request: IncomingMessage): Promise<Buffer | 'too_large' | 'gone'> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= messageBytesLimit) chunks.push(chunk);
      else chunks.length = 0;
      if (size > readAtMost) return 'gone';
    }
  } catch {
    return 'gone';
  }
  return size > messageBytesLimit ? 'too_large' : Buffer.concat(chunks);
}
