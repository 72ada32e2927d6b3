/** The port to a language model: one request is one turn. Failures are data; nothing throws. */
import type { ToolCall } from '../../shared/run.js';

export interface ProviderMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
}

export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: Record<string, unknown>;
}

export interface TurnRequest {
  readonly model: string | null;
  readonly messages: readonly ProviderMessage[];
  readonly tools: readonly ToolSchema[];
  /**
   * Names the turn independently of ids and paths, so that a recording finds it again, also after a restart:
   * the title of the leaf (or `chat`), the try, and how many assistant messages the transcript has already.
   */
  readonly key: { readonly item: string; readonly attempt: number; readonly turn: number };
}

/** Receives a turn as it streams. Deltas are raw: whoever publishes them redacts. */
export interface TurnSink {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** A tool call has begun to arrive. */
  toolCall(name: string): void;
  /** A word for people: the turn is repeated, and why. */
  notice(text: string): void;
}

export interface Turn {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  readonly model: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number | null };
}

export const providerErrorKinds = [
  'no_model',
  'auth',
  'bad_request',
  'context_length',
  'rate_limit',
  'server',
  'connection',
  'first_byte',
  'silence',
  'total',
  'malformed',
  'aborted',
] as const;

export interface ProviderError {
  readonly kind: (typeof providerErrorKinds)[number];
  /** For people: what failed, with the status and the server's own words. */
  readonly message: string;
  readonly status: number | null;
  /** What the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | null;
}

export type TurnResult = { readonly ok: true; readonly turn: Turn } | { readonly ok: false; readonly error: ProviderError };

export interface Provider {
  /** Null when no model is configured. */
  describe(): { readonly model: string; readonly baseUrl: string; readonly replay: boolean } | null;
  complete(request: TurnRequest, sink: TurnSink, signal: AbortSignal): Promise<TurnResult>;
}

/** True for failures that a repeat of the same turn may mend. */
export function isRepeatable(error: ProviderError): boolean {
  return !['no_model', 'auth', 'bad_request', 'context_length', 'aborted'].includes(error.kind);
}
