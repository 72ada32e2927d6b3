/**
 * From a JSON text to the JSON text of its answer: protocol by `json-rpc-2.0`, params by the contract's schemas, and
 * every failure as an error with a kind. Nothing that a handler throws by mistake reaches a client.
 */
import { createJSONRPCErrorResponse, JSONRPCServer, type JSONRPCErrorResponse, type JSONRPCID, type JSONRPCResponse } from 'json-rpc-2.0';
import { type MethodName, methodNames, methods } from '../../shared/contract.js';
import { errorCodes, type ErrorData, type ErrorKind, RpcError } from '../../shared/errors.js';
import type { CallContext, Handler, Handlers } from './handlers.js';
import { nearestNames } from './nearest-names.js';

export interface DispatchOptions {
  readonly handlers: Handlers;
  /** Takes secrets out of every text of the params, before anything is stored. */
  readonly redact: (text: string) => string;
  /** Requests under way over all clients. */
  readonly maxInFlight: number;
  readonly maxBatch: number;
  readonly onBug: (error: unknown, method: string) => void;
}

/** Null: nothing is answered (notifications only). */
export type Dispatch = (text: string, context: CallContext) => Promise<string | null>;

/** Deeper than any message of the contract; a parser or a schema never recurses further on foreign data. */
const maxDepth = 64;

export function createDispatch(options: DispatchOptions): Dispatch {
  const server = new JSONRPCServer<CallContext>({ errorListener: () => undefined });
  server.mapErrorToJSONRPCErrorResponse = (id, error) => answerTo(id, error, options.onBug);
  server.handleMethodNotFound = (request) => Promise.resolve(methodNotFound(request.id ?? null, request.method));
  for (const name of methodNames) addMethod(server, name, options);
  let inFlight = 0;

  return async (text, context) => {
    const parsed = parseText(text);
    if (!parsed.ok) return JSON.stringify(parsed.error);
    const request = parsed.value;
    const count = Array.isArray(request) ? request.length : 1;
    const refused = checkShape(request, count, options.maxBatch);
    if (refused) return JSON.stringify(refused);
    if (inFlight + count > options.maxInFlight) return JSON.stringify(overloaded(request));
    inFlight += count;
    try {
      const answer = await server.receive(request as never, context);
      if (!Array.isArray(answer)) return answer === null ? null : JSON.stringify(withKind(answer));
      const answers = answer.filter((one) => one !== null).map(withKind);
      return answers.length === 0 ? null : JSON.stringify(answers);
    } finally {
      inFlight -= count;
    }
  };
}

function addMethod<M extends MethodName>(server: JSONRPCServer<CallContext>, name: M, options: DispatchOptions): void {
  const handler = options.handlers[name] as Handler<M>;
  const { params: schema } = methods[name];
  server.addMethod(name, async (given: unknown, context) => {
    if (Array.isArray(given) && given.length > 0) {
      throw new RpcError('invalid_params', 'Params are given by name.', {
        issues: [{ path: '', message: 'an object, not an array' }],
        hint: `Send {${Object.keys('shape' in schema ? schema.shape : {}).join(', ')}}; rpc.discover tells more.`,
      });
    }
    const named = given === undefined || given === null || Array.isArray(given) ? {} : given;
    const parsed = schema.safeParse(redactTexts(named, options.redact));
    if (!parsed.success) {
      const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
      const [first] = issues;
      throw new RpcError('invalid_params', `${name}: ${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'invalid params'}`, {
        issues,
        hint: 'Compare with rpc.discover or the reference.',
      });
    }
    return handler(parsed.data as never, context as CallContext);
  });
}

/** Ids and paths hold no secrets that a pattern would take for one; every other text may. */
function redactTexts(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => redactTexts(each, redact));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactTexts(each, redact)]));
  }
  return value;
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: JSONRPCErrorResponse };

function parseText(text: string): Parsed {
  if (depthOf(text) > maxDepth) {
    return { ok: false, error: failure(null, 'limit_exceeded', `The message is nested deeper than ${maxDepth} levels.`) };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, error: failure(null, 'parse_error', `The message is not valid JSON: ${(error as Error).message}`) };
  }
}

/** Nesting of a JSON text, found without parsing it. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length && deepest <= maxDepth; i++) {
    const char = text.charCodeAt(i);
    if (quoted) {
      if (char === 0x5c) i++;
      else if (char === 0x22) quoted = false;
    } else if (char === 0x22) quoted = true;
    else if (char === 0x5b || char === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x5d || char === 0x7d) depth--;
  }
  return deepest;
}

function checkShape(request: unknown, count: number, maxBatch: number): JSONRPCErrorResponse | null {
  if (Array.isArray(request)) {
    if (count === 0) return failure(null, 'invalid_request', 'The batch is empty.');
    if (count > maxBatch) {
      return failure(null, 'limit_exceeded', `The batch has ${count} requests; at most ${maxBatch} are taken.`, { hint: 'Send smaller batches.' });
    }
    return null;
  }
  const id = idOf(request);
  if (request === null || typeof request !== 'object') return failure(null, 'invalid_request', 'A request is an object.');
  const { jsonrpc, method } = request as Record<string, unknown>;
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    return failure(id, 'invalid_request', 'A request has "jsonrpc": "2.0" and a "method".');
  }
  return null;
}

function overloaded(request: unknown): unknown {
  const one = (each: unknown): JSONRPCErrorResponse =>
    failure(idOf(each), 'overloaded', 'The daemon has too many requests under way.', { hint: 'Wait a moment and repeat.' });
  return Array.isArray(request) ? request.map(one) : one(request);
}

function idOf(request: unknown): JSONRPCID {
  const id = request !== null && typeof request === 'object' ? (request as { id?: unknown }).id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function answerTo(id: JSONRPCID, error: unknown, onBug: DispatchOptions['onBug']): JSONRPCErrorResponse {
  if (error instanceof RpcError) return createJSONRPCErrorResponse(id, error.code, error.message, error.data);
  onBug(error, 'rpc');
  return failure(id, 'internal_error', 'Something went wrong inside the daemon. The log has the details.');
}

function methodNotFound(id: JSONRPCID, method: string): JSONRPCErrorResponse {
  const near = nearestNames(method, methodNames);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'rpc.discover lists all methods.';
  return failure(id, 'method_not_found', `There is no method ${method.slice(0, 100)}.`, { hint });
}

function failure(id: JSONRPCID, kind: ErrorKind, message: string, data: Omit<ErrorData, 'kind'> = {}): JSONRPCErrorResponse {
  return createJSONRPCErrorResponse(id, errorCodes[kind], message, { ...data, kind });
}

const kindByCode = new Map(Object.entries(errorCodes).map(([kind, code]) => [code as number, kind]));

/** Errors that the protocol library makes itself carry a kind as well. */
function withKind(answer: JSONRPCResponse): JSONRPCResponse {
  if (answer.error === undefined || answer.error.data !== undefined) return answer;
  const kind = kindByCode.get(answer.error.code) ?? 'invalid_request';
  return { ...answer, error: { ...answer.error, data: { kind } } };
}
