/** What the tests of providers share: a request, a sink that writes down what it gets, a provider over a script. */
import { onTestFinished } from 'vitest';
import { systemClock } from '../../daemon/clock.js';
import { createOpenAiProvider, type OpenAiOptions } from '../../daemon/providers/openai.js';
import type { ProviderError, Turn, TurnRequest, TurnResult, TurnSink } from '../../daemon/providers/provider.js';
import {
  startScriptedProvider,
  type Handler,
  type ScriptedOptions,
  type ScriptedProvider,
} from '../support/scripted-provider.js';

export const request: TurnRequest = {
  model: null,
  messages: [
    { role: 'system', content: 'You work.' },
    { role: 'user', content: 'Write the file.' },
  ],
  tools: [
    { name: 'read', description: 'Reads a file.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  ],
  key: { item: 'Write the file', attempt: 1, turn: 0 },
};

export interface NotedSink extends TurnSink {
  readonly notes: string[];
}

/** Writes down each call as `text:Hello`. */
export function noteSink(): NotedSink {
  const notes: string[] = [];
  return {
    notes,
    text: (delta) => notes.push(`text:${delta}`),
    reasoning: (delta) => notes.push(`reasoning:${delta}`),
    toolCall: (name) => notes.push(`toolCall:${name}`),
    notice: (words) => notes.push(`notice:${words}`),
  };
}

export const never: AbortSignal = new AbortController().signal;

export interface Bench {
  readonly server: ScriptedProvider;
  readonly sink: NotedSink;
  ask(change?: Partial<TurnRequest>, signal?: AbortSignal): Promise<TurnResult>;
}

/** The real provider in front of a scripted server; both end with the test. */
export async function benchFor(
  handler: Handler,
  options: Partial<OpenAiOptions> & { server?: ScriptedOptions } = {},
): Promise<Bench> {
  const server = await startScriptedProvider(handler, options.server);
  onTestFinished(() => server.close());
  const sink = noteSink();
  const provider = createOpenAiProvider({
    baseUrl: server.baseUrl,
    apiKey: 'key-of-the-test',
    model: 'scripted',
    timers: { firstByteMs: 10_000, silenceMs: 10_000, totalMs: 10_000 },
    clock: systemClock,
    redact: (text) => text,
    ...options,
  });
  return { server, sink, ask: (change = {}, signal = never) => provider.complete({ ...request, ...change }, sink, signal) };
}

export function turnOf(result: TurnResult): Turn {
  if (result.ok) return result.turn;
  throw new Error(`the turn failed: ${result.error.kind}: ${result.error.message}`);
}

export function errorOf(result: TurnResult): ProviderError {
  if (!result.ok) return result.error;
  throw new Error(`the turn did not fail: ${JSON.stringify(result.turn)}`);
}
