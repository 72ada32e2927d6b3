/**
 * From a JSON text to the JSON text of its answer: protocol by `json-rpc-2.0`, params by the contract's schemas, and
 * every failure as an error with a kind. Nothing that a handler throws by mistake reaches a client.
 */
import { createJSONRPCErrorResponse, type JSONRPCRequest, type JSONRPCResponse, JSONRPCServer } from 'json-rpc-2.0';
import { type MethodName, methodNames, methods } from '../../shared/contract.js';
import { RpcError } from '../../shared/errors.js';
import { failure, internalError } from './answers.js';
import type { CallContext, Connection, Handler, Handlers } from './handlers.js';
import { nearestNames } from './nearest-names.js';
import { readParams } from './params.js';
import { checkRequest, readMessage } from './requests.js';

export interface DispatchOptions {
  readonly handlers: Handlers;
  /** Takes secrets out of the texts of params, before anything is stored. */
  readonly redact: (text: string) => string;
  /** Requests under way over all clients. */
  readonly maxInFlight: number;
  /** Requests of one connection that may be under way. */
  readonly maxInFlightOfClient: number;
  readonly maxBatch: number;
  readonly onBug: (error: unknown, method: string) => void;
}

/** Null: nothing is answered (notifications only). Never rejects. */
export type Dispatch = (text: string, context: CallContext) => Promise<string | null>;

export function createDispatch(options: DispatchOptions): Dispatch {
  const { onBug } = options;
  const server = new JSONRPCServer<CallContext>({ errorListener: () => undefined });
  server.mapErrorToJSONRPCErrorResponse = (id, error) =>
    error instanceof RpcError ? createJSONRPCErrorResponse(id, error.code, error.message, error.data) : internalError(id);
  for (const name of methodNames) addMethod(server, name, options);
  const underWay = countUnderWay(options);

  async function answer(value: unknown, context: CallContext): Promise<string | null> {
    const checked = checkRequest(value);
    if ('error' in checked) return JSON.stringify(checked.error);
    const { request } = checked;
    if (!server.hasMethod(request.method)) return isNotification(request) ? null : JSON.stringify(methodNotFound(request));
    try {
      const response = await server.receive(request, context);
      return response === null ? null : JSON.stringify(response satisfies JSONRPCResponse);
    } catch (error) {
      onBug(error, request.method);
      return isNotification(request) ? null : JSON.stringify(internalError(request.id ?? null));
    }
  }

  return async (text, context) => {
    const message = readMessage(text, options.maxBatch);
    if (!message.ok) return JSON.stringify(message.error);
    const { requests, isBatch } = message;
    const done = underWay.begin(context.connection, requests.length);
    const answers = done === null ? requests.map(overloaded) : await Promise.all(requests.map((each) => answer(each, context)));
    done?.();
    const told = answers.filter((each) => each !== null);
    if (told.length === 0) return null;
    return isBatch ? `[${told.join(',')}]` : (told[0] ?? null);
  };
}

/** Counts requests, over all clients and for each connection. `begin` gives what ends them, or null when there are too many. */
function countUnderWay({ maxInFlight, maxInFlightOfClient }: DispatchOptions) {
  const ofClients = new WeakMap<Connection, number>();
  let all = 0;
  return {
    begin(client: Connection | null, count: number): (() => void) | null {
      const add = (change: number): void => {
        all += change;
        if (client) ofClients.set(client, (ofClients.get(client) ?? 0) + change);
      };
      const ofClient = client ? (ofClients.get(client) ?? 0) : 0;
      if (all + count > maxInFlight || ofClient + count > maxInFlightOfClient) return null;
      add(count);
      return () => add(-count);
    },
  };
}

function addMethod(server: JSONRPCServer<CallContext>, name: MethodName, { handlers, redact, onBug }: DispatchOptions): void {
  const handler = handlers[name] as Handler<never>;
  server.addMethod(name, async (given: unknown, context) => {
    try {
      return await handler(readParams(name, methods[name].params, given, redact) as never, context);
    } catch (error) {
      if (!(error instanceof RpcError)) onBug(error, name);
      throw error;
    }
  });
}

const isNotification = (request: JSONRPCRequest): boolean => request.id === undefined;

function methodNotFound({ id = null, method }: JSONRPCRequest): JSONRPCResponse {
  const near = nearestNames(method, methodNames);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'rpc.discover lists all methods.';
  return failure(id, 'method_not_found', `There is no method ${method.slice(0, 100)}.`, { hint });
}

function overloaded(value: unknown): string | null {
  const checked = checkRequest(value);
  if ('error' in checked) return JSON.stringify(checked.error);
  const { request } = checked;
  if (isNotification(request)) return null;
  return JSON.stringify(
    failure(request.id ?? null, 'overloaded', 'Too many requests are under way.', { hint: 'Wait a moment and repeat.' }),
  );
}
