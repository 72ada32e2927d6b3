/** A whole daemon inside the test's process, with both of its doors, and plain ways to knock at them. */
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { filesOf } from '../../daemon/home.js';
import { startDaemon } from '../../daemon/daemon.js';
import type { MethodName, ParamsInput, ResultOf } from '../../shared/contract.js';
import type { Session } from '../../shared/session.js';
import { callOver, openWatcher, type Watcher } from '../support/rpc.js';
import { type Handler, startScriptedProvider } from '../support/scripted-provider.js';

export interface House {
  readonly socket: string;
  readonly port: number;
  readonly token: string;
  readonly workspace: string;
  call<M extends MethodName>(method: M, params: ParamsInput<M>): Promise<ResultOf<M>>;
  session(params?: ParamsInput<'session.create'>): Promise<Session>;
  /** A WebSocket client; closed when the test ends. */
  watch(): Promise<Watcher>;
  /** What was asked of the process by `daemon.stop`. */
  readonly stopsAsked: (number | undefined)[];
  close(): Promise<void>;
}

/** To be closed by the caller: a file of tests shares one. `model` answers the requests for completions. */
export async function openHouse(model: Handler | null = null, environment: Record<string, string> = {}): Promise<House> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'cairn-rpc-')));
  const workspace = join(root, 'work');
  await mkdir(workspace);
  const provider = model && (await startScriptedProvider(model));
  const stopsAsked: (number | undefined)[] = [];
  const files = filesOf(join(root, 'home'));
  const started = await startDaemon({
    files,
    flags: { port: 0 },
    environment: {
      PATH: process.env.PATH,
      CAIRN_BACKOFF_MS: '20,40,80',
      ...(provider
        ? { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-test-of-the-story-1234567890', CAIRN_MODEL: 'scripted' }
        : {}),
      ...environment,
    },
    onStopAsked: (drainMs) => void stopsAsked.push(drainMs),
  });
  if (!started.ok) throw new Error(started.error.message);
  const call: House['call'] = (method, params) => callOver(files.socket, method, params);
  return {
    socket: files.socket,
    port: started.value.port,
    token: (await readFile(files.token, 'utf8')).trim(),
    workspace,
    call,
    session: (params = {}) =>
      call('session.create', {
        goal: 'Ship it',
        workspace,
        policy: 'full',
        items: [{ title: 'First' }, { title: 'Second' }],
        ...params,
      }),
    async watch() {
      const watcher = await openWatcher(files.socket);
      onTestFinished(() => watcher.close());
      return watcher;
    },
    stopsAsked,
    async close() {
      await started.value.stop(0);
      await provider?.close();
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Knock {
  readonly at: { readonly socketPath: string } | { readonly port: number };
  readonly body?: string | Buffer | null;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

/** One HTTP request, as it stands. */
export function knock({ at, body = null, method = 'POST', path = '/rpc', headers = {} }: Knock): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ ...('port' in at ? { host: '127.0.0.1', ...at } : at), method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    call.on('error', reject);
    if (body === null) call.end();
    else call.end(body);
  });
}

export interface RawSocket {
  readonly socket: WebSocket;
  /** Messages as they came, parsed. */
  readonly messages: Record<string, unknown>[];
  /** Bytes of these messages. */
  bytes(): number;
  send(message: unknown): void;
  /** Code and reason of the close, once it came. */
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** A WebSocket that does nothing by itself. */
export async function openRaw(url: string, headers: Record<string, string> = {}): Promise<RawSocket> {
  const socket = new WebSocket(url, { headers, maxPayload: 256 * 1024 * 1024 });
  const messages: Record<string, unknown>[] = [];
  let bytes = 0;
  socket.on('message', (data) => {
    const text = (data as Buffer).toString('utf8');
    bytes += text.length;
    messages.push(JSON.parse(text) as Record<string, unknown>);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  return {
    socket,
    messages,
    bytes: () => bytes,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    closed,
  };
}

/** The status with which an upgrade is refused; 101 when it is not. */
export function upgradeStatus(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers });
    socket.on('error', () => undefined);
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_request, response) => {
      socket.terminate();
      resolve(response.statusCode ?? 0);
    });
  });
}

export const request1 = (method: string, params: unknown = {}, id: unknown = 1): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
