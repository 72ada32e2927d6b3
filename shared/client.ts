/** The typed client of the contract, over any transport that carries texts both ways. */
import { z } from 'zod';
import {
  type MethodName,
  methods,
  type NotificationName,
  type NotificationParams,
  notifications,
  type ParamsInput,
  type ResultOf,
} from './contract.js';
import { errorCodes, type ErrorKind, RpcError } from './errors.js';

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
  /** Called once; at once when the connection has ended already. */
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

interface Pending {
  readonly method: MethodName;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** What comes from the other end is foreign: it is parsed like everything else, and what does not fit is left alone. */
const messageSchema = z.object({
  id: z.unknown().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.record(z.string(), z.unknown()).catch({}) }).optional(),
});
type Message = z.infer<typeof messageSchema>;

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
    if (message.method !== undefined) notify(message.method, message.params);
    else if (typeof message.id === 'number') settle(message.id, message);
  });
  transport.onClose((reason) => {
    if (closed !== null) return;
    closed = reason;
    for (const { reject } of pending.values()) reject(new ConnectionLost(reason));
    pending.clear();
    for (const listener of closeListeners) listener(reason);
  });

  function notify(name: string, params: unknown): void {
    if (!Object.hasOwn(notifications, name)) return;
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
      else {
        call.reject(
          new RpcError('internal_error', `The daemon's answer to ${call.method} is not as the contract says.`, {
            hint: 'Are client and daemon of one version?',
          }),
        );
      }
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
        const text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
        pending.set(id, { method, resolve: (value) => resolve(value as never), reject });
        try {
          transport.send(text);
        } catch (error) {
          pending.delete(id);
          reject(new ConnectionLost(`The call could not be sent: ${(error as Error).message}`));
        }
      }),
    on(name, listener) {
      const all = listeners.get(name) ?? [];
      all.push(listener);
      listeners.set(name, all);
    },
    onClose(listener) {
      if (closed === null) closeListeners.push(listener);
      else listener(closed);
    },
    close: () => transport.close(),
  };
}

/** Null for what is no message of JSON-RPC. */
function parse(text: string): Message | null {
  try {
    return messageSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function toError({ code, message, data }: NonNullable<Message['error']>): RpcError {
  const { kind, ...rest } = data;
  const known = typeof kind === 'string' && Object.hasOwn(errorCodes, kind) ? (kind as ErrorKind) : kindByCode.get(code);
  return new RpcError(known ?? 'internal_error', message, rest);
}
