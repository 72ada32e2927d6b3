import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../daemon/clock.js';
import { createOpenAiProvider } from '../../daemon/providers/openai.js';
import { providerErrorKinds, type Provider, type ProviderError, type TurnResult } from '../../daemon/providers/provider.js';
import { withRepeats } from '../../daemon/providers/repeat.js';
import { call, cutAfter, fail, say, startScriptedProvider } from '../support/scripted-provider.js';
import { errorOf, never, noteSink, request, turnOf } from './provider-support.js';

const failure = (kind: ProviderError['kind'], retryAfterMs: number | null = null): ProviderError => ({
  kind,
  message: `it was ${kind}.`,
  status: null,
  retryAfterMs,
});
const success: TurnResult = {
  ok: true,
  turn: {
    content: 'Done.',
    toolCalls: [],
    finishReason: 'stop',
    model: 'm',
    usage: { inputTokens: 1, outputTokens: 1, costUsd: null },
  },
};

/** A provider that fails with these errors, one a try, and then succeeds; and the waits between its tries. */
function bench(
  errors: readonly ProviderError[],
  options: { repeats?: number; random?: () => number; stop?: AbortController } = {},
) {
  let tries = 0;
  const waits: number[] = [];
  const provider: Provider = {
    describe: () => null,
    complete: async () => {
      const error = errors[tries++];
      return error === undefined ? success : { ok: false, error };
    },
  };
  const repeated = withRepeats(provider, {
    repeats: options.repeats ?? 5,
    baseMs: 1_000,
    maxMs: 8_000,
    random: options.random ?? (() => 0.5),
    wait: async (ms) => {
      waits.push(ms);
      options.stop?.abort();
    },
  });
  const sink = noteSink();
  return { waits, sink, tries: () => tries, ask: () => repeated.complete(request, sink, options.stop?.signal ?? never) };
}

describe('a turn that failed', () => {
  test('is repeated after longer and longer waits, and the person is told', async () => {
    const { ask, waits, sink } = bench(Array.from({ length: 5 }, () => failure('server')));
    expect(turnOf(await ask()).content).toBe('Done.');
    expect(waits).toEqual([750, 1_500, 3_000, 6_000, 6_000]);
    expect(sink.notes[1]).toBe('notice:it was server. Repeating the turn (2 of 5) in 1.5 s.');
  });

  test('fails when the repeats are used up', async () => {
    const { ask, tries } = bench(
      Array.from({ length: 9 }, () => failure('connection')),
      { repeats: 2 },
    );
    expect(errorOf(await ask())).toMatchObject({ kind: 'connection', message: 'it was connection. (tried 3 times)' });
    expect(tries()).toBe(3);
  });

  test.each(providerErrorKinds)('is repeated or not as its kind asks: %s', async (kind) => {
    const { ask, tries } = bench([failure(kind)]);
    const result = await ask();
    const mends = ['rate_limit', 'server', 'connection', 'first_byte', 'silence', 'total', 'malformed'].includes(kind);
    expect([result.ok, tries()]).toEqual(mends ? [true, 2] : [false, 1]);
  });

  test('is never repeated before the server wants it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(300_000), fc.double({ min: 0, max: 0.999, noNaN: true }), async (asked, chance) => {
        const { ask, waits } = bench([failure('rate_limit', asked)], { random: () => chance });
        await ask();
        expect(waits[0]).toBeGreaterThanOrEqual(asked);
        expect(waits[0]).toBeLessThanOrEqual(asked + 1_000);
      }),
      { numRuns: 50 },
    );
  });

  test('fails at once when the server wants a longer wait than a turn allows', async () => {
    const { ask, waits } = bench([failure('rate_limit', 3_600_000)]);
    expect(errorOf(await ask()).message).toBe(
      'it was rate_limit. (it asks to wait 3600 s, longer than the 300 s that a turn waits)',
    );
    expect(waits).toEqual([]);
  });

  test('is not repeated when it was aborted during the wait', async () => {
    const { ask, tries } = bench([failure('server')], { stop: new AbortController() });
    expect(errorOf(await ask()).kind).toBe('aborted');
    expect(tries()).toBe(1);
  });
});

test('a turn gets through a busy server, one that breaks down and a cut connection, and no half of a call is kept', async () => {
  const server = await startScriptedProvider((_, number) => {
    if (number === 1) return fail(429, { error: { message: 'slow down' } }, { 'retry-after-ms': '1' });
    if (number === 2) return fail(529, { error: { message: 'overloaded' } });
    if (number === 3) return [call('write', '{"path":"half"'), cutAfter('')];
    return [say('Now.'), call('write', { path: 'whole' })];
  });
  const openai = createOpenAiProvider({
    baseUrl: server.baseUrl,
    apiKey: null,
    model: 'scripted',
    timers: { firstByteMs: 10_000, silenceMs: 10_000, totalMs: 10_000 },
    clock: systemClock,
    redact: (text) => text,
  });
  const { wait } = systemClock;
  const provider = withRepeats(openai, { repeats: 5, baseMs: 1, maxMs: 2, random: () => 0, wait });
  const turn = turnOf(await provider.complete(request, noteSink(), never));
  expect(turn.toolCalls.map((made) => made.arguments)).toEqual(['{"path":"whole"}']);
  expect(server.requests).toHaveLength(4);
  await server.close();
});
