import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ProviderError } from '../../daemon/providers/provider.js';
import { call, cutAfter, endWithoutFinish, event, fail, hang, malformed, say, stallAfter } from '../support/scripted-provider.js';
import { benchFor, errorOf } from './provider-support.js';

const patient = { firstByteMs: 10_000, silenceMs: 10_000, totalMs: 10_000 };

describe('a refusal', () => {
  const kinds: [status: number, kind: ProviderError['kind']][] = [
    [400, 'bad_request'],
    [401, 'auth'],
    [402, 'auth'],
    [403, 'auth'],
    [404, 'bad_request'],
    [408, 'rate_limit'],
    [409, 'rate_limit'],
    [413, 'context_length'],
    [422, 'bad_request'],
    [425, 'rate_limit'],
    [429, 'rate_limit'],
    [500, 'server'],
    [502, 'server'],
    [503, 'server'],
    [529, 'server'],
  ];
  test.each(kinds)('of %i is %s, asked once, with the status and the words of the server', async (status, kind) => {
    const { ask, server } = await benchFor(() => fail(status, { error: { message: 'no, and this is why' } }));
    expect(errorOf(await ask())).toMatchObject({
      kind,
      status,
      message: `The provider answered ${status}: no, and this is why`,
      retryAfterMs: null,
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, unknown, string]>([
    ['text', 'upstream is down', 'upstream is down'],
    ['an error that is text', { error: 'model not found' }, 'model not found'],
    ['an error without a frame', { object: 'error', message: 'bad template', code: 400 }, 'bad template'],
    ['a detail', { detail: 'not allowed' }, 'not allowed'],
    ['nothing', '', 'no words given'],
    ['a shape of its own', { oops: [1] }, '{"oops":[1]}'],
  ])('is understood when its body is %s', async (_, body, words) => {
    const { ask } = await benchFor(() => fail(500, body));
    expect(errorOf(await ask()).message).toBe(`The provider answered 500: ${words}`);
  });

  test('for want of credit is no rate limit: waiting does not help', async () => {
    const { ask } = await benchFor(() =>
      fail(429, { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } }),
    );
    expect(errorOf(await ask()).kind).toBe('auth');
  });

  test.each<[Record<string, string>, number | null]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:40 GMT' }, 70_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 0],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-3' }, null],
  ])('says when to come back: %j', async (headers, ms) => {
    const now = 30_000;
    const clock = { now: () => now, after: () => () => undefined };
    const { ask } = await benchFor(() => fail(429, { error: { message: 'slow down' } }, headers), { clock });
    expect(errorOf(await ask()).retryAfterMs).toBe(ms);
  });

  test.each<[string, number, unknown]>([
    ['OpenAI', 400, { error: { message: 'too long', code: 'context_length_exceeded' } }],
    ['OpenAI, newer', 400, { error: { message: 'Your input exceeds the context window of this model.' } }],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        code: 400,
      },
    ],
    ['vLLM, older', 400, { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 4096.' }],
    [
      'Anthropic',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' } },
    ],
    [
      'Anthropic with output',
      400,
      { error: { message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' } },
    ],
    ['Ollama', 500, { error: 'prompt too long; exceeded max context length by 12 tokens' }],
    ['Ollama, embedded', 400, { error: 'the input length exceeds the context length' }],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      },
    ],
    ['llama.cpp, older', 500, { error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' } }],
    ['LM Studio', 400, { error: 'The number of tokens to keep from the initial prompt is greater than the context length.' }],
    [
      'LM Studio, older',
      400,
      {
        error:
          'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      },
    ],
    [
      'Gemini',
      400,
      { error: { message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).' } },
    ],
    ['Groq', 400, { error: { message: 'Please reduce the length of the messages or completion.' } }],
    ['Mistral', 400, { message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length' }],
  ])('by a prompt that is too long is recognised from %s', async (_, status, body) => {
    const { ask } = await benchFor(() => fail(status, body));
    expect(errorOf(await ask()).kind).toBe('context_length');
  });

  test('that is huge and quotes a key stays short and without it', async () => {
    const key = 'key-of-the-test';
    const { ask } = await benchFor(() => fail(400, `${'x'.repeat(1_990)}${key}${'y'.repeat(10_000_000)}`), {
      redact: (text) => text.replaceAll(key, '[redacted:secret]'),
    });
    const { message } = errorOf(await ask());
    expect(message).toHaveLength(2_000);
    expect(message).not.toContain('key-of');
  });
});

describe('a timer', () => {
  test('ends a turn whose answer does not begin', async () => {
    const { ask, server } = await benchFor(() => hang(), { timers: { ...patient, firstByteMs: 50 } });
    expect(errorOf(await ask())).toMatchObject({ kind: 'first_byte', message: expect.stringContaining('within 0.05 s') });
    expect(server.requests).toHaveLength(1);
  });

  test('ends a turn that falls silent, whatever keep-alives come', async () => {
    const { ask, sink } = await benchFor(() => stallAfter('One word'), { timers: { ...patient, silenceMs: 50 } });
    expect(errorOf(await ask()).kind).toBe('silence');
    expect(sink.notes).toEqual(['text:One', 'text: word']);
  });

  test('is not put off by chunks without content', async () => {
    const empty = Array.from({ length: 400 }, () =>
      event({ choices: [{ index: 0, delta: { content: '' }, finish_reason: null }] }),
    );
    const { ask } = await benchFor(() => [say('One'), ...empty], {
      timers: { ...patient, silenceMs: 50 },
      server: { pace: 2 },
    });
    expect(errorOf(await ask()).kind).toBe('silence');
  });

  test('ends a turn that goes on for too long', async () => {
    const { ask } = await benchFor(() => say('word '.repeat(2_000)), {
      timers: { ...patient, totalMs: 60 },
      server: { pace: 2 },
    });
    expect(errorOf(await ask()).kind).toBe('total');
  });
});

describe('a stream', () => {
  test('that is cut is a failed connection, and its half of a call is never given out', async () => {
    const { ask } = await benchFor(() => [call('write', '{"path":"a"'), cutAfter('and')]);
    expect(errorOf(await ask())).toMatchObject({ kind: 'connection', message: expect.stringContaining('terminated') });
  });

  test('that ends without a finish_reason has failed', async () => {
    const { ask } = await benchFor(() => [call('write', { path: 'a' }), endWithoutFinish('That was')]);
    expect(errorOf(await ask())).toMatchObject({
      kind: 'malformed',
      message: expect.stringContaining('the stream ended without a finish_reason'),
    });
  });

  test.each<[string, ReturnType<typeof event>]>([
    ['is no JSON', malformed()],
    ['is no object', event('7')],
    ['has another shape', event({ choices: 'none' })],
  ])('with an event that %s is malformed', async (_, part) => {
    const { ask } = await benchFor(() => [say('One'), part, say('two')]);
    expect(errorOf(await ask()).kind).toBe('malformed');
  });

  test('with a call that has no name is malformed', async () => {
    const { ask } = await benchFor(() => call('', { path: 'a' }));
    expect(errorOf(await ask())).toMatchObject({ kind: 'malformed', message: expect.stringContaining('without a name') });
  });

  test.each<[unknown, ProviderError['kind'], number | null]>([
    [{ message: 'Provider returned error', code: 502 }, 'server', 502],
    [{ message: 'busy', code: 429 }, 'rate_limit', 429],
    [{ message: 'slow down', type: 'rate_limit_error' }, 'rate_limit', null],
    [{ message: 'Overloaded', type: 'overloaded_error' }, 'server', null],
    [{ message: 'the request exceeds the available context size' }, 'context_length', null],
    ['boom', 'server', null],
  ])('with the error %j in the middle is %s', async (error, kind, status) => {
    const { ask } = await benchFor(() => [say('One'), event({ error })]);
    expect(errorOf(await ask())).toMatchObject({ kind, status });
  });
});

describe('a server that is none', () => {
  test('refuses the connection', async () => {
    const { ask, server } = await benchFor(() => say('Hello'));
    await server.close();
    expect(errorOf(await ask())).toMatchObject({ kind: 'connection', message: expect.stringContaining('ECONNREFUSED') });
  });

  test('sends a web page', async () => {
    const baseUrl = await serve((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'),
    );
    const { ask } = await benchFor(() => say(''), { baseUrl });
    expect(errorOf(await ask())).toMatchObject({ kind: 'bad_request', message: expect.stringContaining('check the base URL') });
  });

  test('sends an empty stream', async () => {
    const baseUrl = await serve((response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end());
    const { ask } = await benchFor(() => say(''), { baseUrl });
    expect(errorOf(await ask())).toMatchObject({ kind: 'malformed', message: expect.stringContaining('no chunk') });
  });

  test.each(['not a url', 'ftp://host/v1', 'http://me:secret@host/v1'])('has the address %s', async (baseUrl) => {
    const { ask } = await benchFor(() => say(''), { baseUrl });
    expect(errorOf(await ask())).toMatchObject({ kind: 'bad_request', message: expect.stringMatching(/^The base URL/) });
    expect(errorOf(await ask()).message).not.toContain('secret@');
  });
});

describe('an abort', () => {
  test.each<[string, () => ReturnType<typeof hang>]>([
    ['before the answer', hang],
    ['in the middle of it', () => stallAfter('One')],
  ])('%s ends the turn as aborted', async (_, script) => {
    const { ask, server } = await benchFor(script);
    const stop = new AbortController();
    const asking = ask({}, stop.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    expect(errorOf(await asking).kind).toBe('aborted');
  });

  test('that came before the turn lets no request out', async () => {
    const { ask, server } = await benchFor(() => say('Hello'));
    expect(errorOf(await ask({}, AbortSignal.abort())).kind).toBe('aborted');
    expect(server.requests).toHaveLength(0);
  });

  test('after the turn leaves nothing behind', async () => {
    const { ask } = await benchFor(() => say('Hello'));
    const stop = new AbortController();
    const listeners: string[] = [];
    const { signal } = stop;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners.push('add');
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners.push('remove');
      remove(...args);
    };
    await ask({}, signal);
    expect(listeners).toEqual(['add', 'remove']);
  });

  test('ends the connection, so that the server stops to write', async () => {
    let closed = false;
    const baseUrl = await serve((response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
    });
    const { ask } = await benchFor(() => say(''), { baseUrl, timers: { ...patient, silenceMs: 30 } });
    expect(errorOf(await ask()).kind).toBe('silence');
    await expect.poll(() => closed).toBe(true);
  });
});

/** A server of another kind on a free port; ends with the test. */
async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server: Server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
