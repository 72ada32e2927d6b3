/** JSON-RPC as a script would speak it: plain HTTP on the daemon's socket, and a WebSocket for what it tells by itself. */
import { request } from 'node:http';
import WebSocket from 'ws';
import type { MethodName, ParamsInput, ResultOf } from '../../shared/contract.js';

export interface RpcAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** One POST to /rpc over a Unix socket; the body of the answer, parsed. */
function post(socketPath: string, body: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const call = request(
      { socketPath, path: '/rpc', method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString('utf8');
          resolve(answer === '' ? undefined : JSON.parse(answer));
        });
      },
    );
    call.on('error', reject);
    call.end(text);
  });
}

let nextId = 1;

/** An error answer of the daemon, as a thrown value that tests can match. */
class AnsweredError extends Error {
  readonly code: number;
  readonly data: Record<string, unknown>;
  constructor(error: NonNullable<RpcAnswer['error']>) {
    super(error.message);
    this.code = error.code;
    this.data = error.data ?? {};
  }
}

export async function callOver<M extends MethodName>(
  socketPath: string,
  method: M,
  params: ParamsInput<M>,
): Promise<ResultOf<M>> {
  const answer = (await post(socketPath, { jsonrpc: '2.0', id: nextId++, method, params })) as RpcAnswer;
  if (answer.error) throw new AnsweredError(answer.error);
  return answer.result as ResultOf<M>;
}

export interface Watcher {
  /** Notifications in the order in which they came. */
  readonly notes: { method: string; params: Record<string, unknown> }[];
  call<M extends MethodName>(method: M, params: ParamsInput<M>): Promise<ResultOf<M>>;
  close(): void;
}

export async function openWatcher(socketPath: string): Promise<Watcher> {
  const socket = new WebSocket(`ws+unix:${socketPath}:/rpc`);
  const notes: Watcher['notes'] = [];
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const { reject } of pending.values()) reject(new Error('the connection closed'));
  });
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString('utf8')) as RpcAnswer & {
      id?: number;
      method?: string;
      params?: Record<string, unknown>;
    };
    if (message.method !== undefined) notes.push({ method: message.method, params: message.params ?? {} });
    else {
      const waiting = pending.get(message.id ?? -1);
      pending.delete(message.id ?? -1);
      if (message.error) waiting?.reject(new AnsweredError(message.error));
      else waiting?.resolve(message.result);
    }
  });
  return {
    notes,
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (socket.readyState !== socket.OPEN) {
          reject(new Error('the connection is closed'));
          return;
        }
        const id = nextId++;
        pending.set(id, { resolve: (value) => resolve(value as never), reject });
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    close: () => socket.terminate(),
  };
}
