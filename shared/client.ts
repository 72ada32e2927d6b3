/** The typed client of the contract, over any transport that carries texts both ways. */
import {
  type MethodName,
  methods,
  type NotificationName,
  type NotificationParams,
  notifications,
  type ParamsInput,
  type ResultOf,
} from './contract.js';
import { type ErrorData, type ErrorKind, errorCodes, RpcError } from './errors.js';

export interface Transport {
  send(text: string): void;
  onMessage(listener: (text: string) => void): void;
  /** Called once, with why, when no message can come any more. */
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

/** The daemon went away before it answered: whether the call was carried out is not known. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export interface Client {
  /** Parsed by the contract on both ends. Throws `RpcError` for an error answer, `ConnectionLost` when none comes. */
  call<M extends MethodName>(method: M, params: ParamsInput<M>): Promise<ResultOf<M>>;
  on<N extends NotificationName>(name: N, listener: (params: NotificationParams<N>) => void): void;
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

interface Pending {
  readonly method: MethodName;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const kindByCode = new Map(Object.entries(errorCodes).map(([kind, code]) => [code as number, kind as ErrorKind]));

export function createClient(transport: Transport): Client {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, ((params: never) => void)[]>();
  const closeListeners: ((reason: string) => void)[] = [];
  let nextId = 1;
  let closed: string | null = null;

  transport.onMessage((text) => {
    const message = parse(text);
    if (message === null) return;
    if (typeof message.method === 'string') notify(message.method, message.params);
    else if (typeof message.id === 'number') settle(message.id, message);
  });
  transport.onClose((reason) => {
    closed = reason;
    for (const { reject } of pending.values()) reject(new ConnectionLost(reason));
    pending.clear();
    for (const listener of closeListeners) listener(reason);
  });

  function notify(name: string, params: unknown): void {
    if (!(name in notifications)) return;
    const parsed = notifications[name as NotificationName].params.safeParse(params);
    if (!parsed.success) return;
    for (const listener of listeners.get(name) ?? []) listener(parsed.data as never);
  }

  function settle(id: number, message: Message): void {
    const call = pending.get(id);
    if (call === undefined) return;
    pending.delete(id);
    if (message.error !== undefined) call.reject(toError(message.error));
    else {
      const parsed = methods[call.method].result.safeParse(message.result);
      if (parsed.success) call.resolve(parsed.data);
      else call.reject(new RpcError('internal_error', `The daemon's answer to ${call.method} is not as the contract says.`, { hint: 'Are client and daemon of one version?' }));
    }
  }

  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (closed !== null) {
          reject(new ConnectionLost(closed));
          return;
        }
        const id = nextId++;
        pending.set(id, { method, resolve: (value) => resolve(value as never), reject });
        transport.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      }),
    on(name, listener) {
      const all = listeners.get(name) ?? [];
      all.push(listener as (params: never) => void);
      listeners.set(name, all);
    },
    onClose: (listener) => void closeListeners.push(listener),
    close: () => transport.close(),
  };
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: Partial<ErrorData> };
}

function parse(text: string): Message | null {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return null;
  }
}

function toError({ code = 0, message = 'unknown error', data = {} }: NonNullable<Message['error']>): RpcError {
  const { kind = kindByCode.get(code) ?? 'internal_error', ...rest } = data;
  return new RpcError(kind, message, rest);
}
