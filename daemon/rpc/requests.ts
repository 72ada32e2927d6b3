/** From the text of a message to its requests, with everything refused that JSON-RPC 2.0 does not allow (section 4). */
import type { JSONRPCErrorResponse, JSONRPCID, JSONRPCRequest } from 'json-rpc-2.0';
import { failure } from './answers.js';

/** Deeper than any message of the contract: a schema never recurses further on foreign data. */
const maxDepth = 64;

export type Message =
  | { readonly ok: true; readonly isBatch: boolean; readonly requests: readonly unknown[] }
  | { readonly ok: false; readonly error: JSONRPCErrorResponse };

export function readMessage(text: string, maxBatch: number): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused(null, 'parse_error', `The message is not valid JSON: ${(error as Error).message}`);
  }
  if (depthOf(text) > maxDepth)
    return refused(idOf(value), 'limit_exceeded', `The message is nested deeper than ${maxDepth} levels.`);
  if (!Array.isArray(value)) return { ok: true, isBatch: false, requests: [value] };
  if (value.length === 0) return refused(null, 'invalid_request', 'The batch is empty.');
  if (value.length > maxBatch) {
    return refused(
      null,
      'limit_exceeded',
      `The batch has ${value.length} requests; at most ${maxBatch} are taken. Send smaller ones.`,
    );
  }
  return { ok: true, isBatch: true, requests: value };
}

const refused = (...about: Parameters<typeof failure>): Message => ({ ok: false, error: failure(...about) });

/** Nesting of a valid JSON text. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
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

/** The request, or why it is none. */
export function checkRequest(value: unknown): { readonly request: JSONRPCRequest } | { readonly error: JSONRPCErrorResponse } {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return { error: failure(null, 'invalid_request', 'A request is an object.') };
  }
  const { jsonrpc, method, id } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    return { error: failure(idOf(value), 'invalid_request', 'A request has "jsonrpc": "2.0" and a "method".') };
  }
  if (id !== undefined && !isId(id)) return { error: failure(null, 'invalid_request', 'An id is a string, a number or null.') };
  if ('result' in value || 'error' in value) {
    return { error: failure(idOf(value), 'invalid_request', 'A request has neither "result" nor "error".') };
  }
  return { request: value as JSONRPCRequest };
}

const isId = (value: unknown): value is JSONRPCID => value === null || typeof value === 'string' || typeof value === 'number';

function idOf(value: unknown): JSONRPCID {
  const id: unknown = value !== null && typeof value === 'object' ? (value as { id?: unknown }).id : null;
  return isId(id) ? id : null;
}
