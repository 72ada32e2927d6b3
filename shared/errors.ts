/**
 * Error codes of the wire and the one error type that a handler may answer with.
 * Source: the contract's table of errors; JSON-RPC 2.0 section 5.1 for its own codes.
 */

export const errorCodes = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  overloaded: -32001,
  not_found: -32004,
  version_conflict: -32009,
  invalid_state: -32010,
  unauthorized: -32011,
  limit_exceeded: -32012,
  no_model: -32013,
} as const;

export type ErrorKind = keyof typeof errorCodes;

/** One thing that is wrong with the params: where (`items.0.title`) and what. */
export interface ParamIssue {
  readonly path: string;
  readonly message: string;
}

/** `hint` says what to do next. */
export interface ErrorDetails {
  readonly hint?: string;
  readonly currentVersion?: number;
  readonly issues?: readonly ParamIssue[];
  readonly [key: string]: unknown;
}

/** What travels in `error.data`. */
export interface ErrorData extends ErrorDetails {
  readonly kind: ErrorKind;
}

/** An expected refusal, as data: the domain and the store return it, the server turns it into an answer. */
export interface Refusal {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly data?: ErrorDetails;
}

export type Result<T, E = Refusal> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A refusal with its kind, a message for people that says what to do, and optional machine-readable data. */
export function refuse(
  kind: ErrorKind,
  message: string,
  data?: Refusal['data'],
): { readonly ok: false; readonly error: Refusal } {
  return { ok: false, error: data === undefined ? { kind, message } : { kind, message, data } };
}

/** Thrown by the typed client when the daemon answers with an error, and by handlers at the edge of the server. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: ErrorData;

  constructor(kind: ErrorKind, message: string, data: ErrorDetails = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = errorCodes[kind];
    this.data = { ...data, kind };
  }

  static from(refusal: Refusal): RpcError {
    return new RpcError(refusal.kind, refusal.message, refusal.data);
  }

  get kind(): ErrorKind {
    return this.data.kind;
  }
}

/** The value of a result, or the refusal as a thrown `RpcError`: for the outer edge only (handlers, the command line). */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw RpcError.from(result.error);
}

/** Marks a switch over a union as exhaustive: adding a member makes the build fail here. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
