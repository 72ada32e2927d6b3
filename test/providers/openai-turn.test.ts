import { describe, expect, test } from 'vitest';
import { call, event, fail, finish, say, think, usage } from '../support/scripted-provider.js';
import { benchFor, errorOf, turnOf } from './provider-support.js';

const chunk = (delta: unknown, reason: string | null = null) => event({ choices: [{ index: 0, delta, finish_reason: reason }] });

describe('a turn', () => {
  test('streams text and reasoning, and tells when a call begins', async () => {
    const { ask, sink } = await benchFor(() => [think('Let me see.'), say('Hello you'), call('read', { path: 'a.txt' })]);
    const turn = turnOf(await ask());
    expect(turn).toEqual({
      content: 'Hello you',
      toolCalls: [{ id: 'call_1_1', name: 'read', arguments: '{"path":"a.txt"}' }],
      finishReason: 'tool_calls',
      model: 'scripted',
      usage: { inputTokens: 10, outputTokens: 5, costUsd: null },
    });
    expect(sink.notes).toEqual(['reasoning:Let', 'reasoning: me', 'reasoning: see.', 'text:Hello', 'text: you', 'toolCall:read']);
  });

  test('sends the transcript, the tools and the key', async () => {
    const { ask, server } = await benchFor(() => say('Done.'));
    await ask({
      model: 'another',
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'read', arguments: '{"path":"a"}' }] },
        { role: 'tool', content: 'text of a', toolCallId: 'c1' },
      ],
    });
    const [sent] = server.requests;
    expect(sent?.headers.authorization).toBe('Bearer key-of-the-test');
    expect(sent?.body).toMatchObject({
      model: 'another',
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function', function: { name: 'read', description: 'Reads a file.' } }],
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
        },
        { role: 'tool', content: 'text of a', tool_call_id: 'c1' },
      ],
    });
  });

  test('sends no key when there is none, and no list of tools when it is empty', async () => {
    const { ask, server } = await benchFor(() => say('Done.'), { apiKey: null });
    turnOf(await ask({ tools: [] }));
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
  });

  test('shows the model its own broken arguments inside an object, which every server can read', async () => {
    const { ask, server } = await benchFor(() => say('Sorry.'));
    await ask({
      messages: [{ role: 'assistant', content: 'x', toolCalls: [{ id: 'c1', name: 'read', arguments: '{"path":' }] }],
    });
    const args = server.requests[0]?.body.messages[0]?.tool_calls?.[0]?.function.arguments ?? '';
    expect(JSON.parse(args)).toEqual({ unreadable: '{"path":' });
  });

  test('is read from a server that answers as a whole', async () => {
    const { ask, sink } = await benchFor(() => [say('Hello\nyou'), call('read')], { server: { ignoresStream: true } });
    expect(turnOf(await ask())).toMatchObject({ content: 'Hello\nyou', toolCalls: [{ name: 'read', arguments: '{}' }] });
    expect(sink.notes).toEqual(['text:Hello\nyou', 'toolCall:read']);
  });

  test('is asked for without usage by a server that refuses stream_options, from then on', async () => {
    const { ask, server } = await benchFor((body) =>
      body.stream_options === undefined ? say('Done.') : fail(400, { error: { message: 'Unknown parameter: stream_options' } }),
    );
    expect(turnOf(await ask()).content).toBe('Done.');
    expect(turnOf(await ask()).content).toBe('Done.');
    expect(server.requests).toHaveLength(3);
  });

  test('may be finished although the connection breaks before the usage', async () => {
    const { ask } = await benchFor(() => [chunk({ content: 'All said.' }, 'stop'), { type: 'cutAfter', text: '' }]);
    const turn = turnOf(await ask());
    expect(turn.content).toBe('All said.');
    expect(turn.usage.inputTokens).toBeGreaterThan(0);
  });

  test('may be finished although the server leaves the connection open', async () => {
    const timers = { firstByteMs: 10_000, silenceMs: 50, totalMs: 10_000 };
    const { ask } = await benchFor(() => [chunk({ content: 'All said.' }, 'stop'), { type: 'stallAfter', text: '' }], { timers });
    expect(turnOf(await ask()).content).toBe('All said.');
  });
});

describe('usage and cost', () => {
  test('are what the server counted, at the configured price', async () => {
    const prices = { scripted: { inputPerMTok: 2, outputPerMTok: 10 } };
    const { ask } = await benchFor(() => [say('Done.'), usage(1_000_000, 100_000)], { prices });
    expect(turnOf(await ask()).usage).toEqual({ inputTokens: 1_000_000, outputTokens: 100_000, costUsd: 3 });
  });

  test('are estimated when the server says nothing, and a cost is never invented', async () => {
    const { ask } = await benchFor(() => say('A sentence of some words.'), {
      server: { hidesUsage: true },
      prices: { other: { inputPerMTok: 1, outputPerMTok: 1 } },
    });
    const { usage: counted } = turnOf(await ask());
    expect(counted.inputTokens).toBeGreaterThan(10);
    expect(counted.outputTokens).toBeGreaterThan(2);
    expect(counted.costUsd).toBeNull();
  });
});

describe('tool calls', () => {
  test('keep their order and ids when several arrive', async () => {
    const { ask } = await benchFor(() => [call('read', { path: 'a' }, 'x'), call('read', { path: 'b' }, 'y'), call('list')]);
    expect(turnOf(await ask()).toolCalls).toEqual([
      { id: 'x', name: 'read', arguments: '{"path":"a"}' },
      { id: 'y', name: 'read', arguments: '{"path":"b"}' },
      { id: 'call_1_3', name: 'list', arguments: '{}' },
    ]);
  });

  test('are put together by index when their pieces alternate', async () => {
    const piece = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] });
    const { ask } = await benchFor(() => [
      piece(1, { id: 'b', function: { name: 'list' } }),
      piece(0, { id: 'a', function: { name: 'read', arguments: '{"pa' } }),
      piece(1, { function: { arguments: '{}' } }),
      piece(0, { function: { arguments: 'th":"x"}' } }),
    ]);
    expect(turnOf(await ask()).toolCalls).toEqual([
      { id: 'a', name: 'read', arguments: '{"path":"x"}' },
      { id: 'b', name: 'list', arguments: '{}' },
    ]);
  });

  test('are told apart by id where a server gives all the same index, or none', async () => {
    const whole = (id: string, more: object) =>
      chunk({ tool_calls: [{ id, function: { name: 'read', arguments: `{"path":"${id}"}` }, ...more }] });
    for (const more of [{ index: 0 }, {}]) {
      const { ask } = await benchFor(() => [whole('a', more), whole('b', more)]);
      expect(turnOf(await ask()).toolCalls.map((made) => made.arguments)).toEqual(['{"path":"a"}', '{"path":"b"}']);
    }
  });

  test('get ids of their own where the server gives none, or one twice', async () => {
    const { ask } = await benchFor(() => [call('read', {}, ''), call('read', {}, 'same'), call('read', {}, 'same')]);
    const ids = turnOf(await ask({ key: { item: 'x', attempt: 1, turn: 7 } })).toolCalls.map((made) => made.id);
    expect(ids).toEqual(['call_7_1', 'same', 'call_7_3']);
  });

  test('with arguments that are an object are written as JSON', async () => {
    const { ask } = await benchFor(() =>
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: { path: 'x' } } }] }),
    );
    expect(turnOf(await ask()).toolCalls[0]?.arguments).toBe('{"path":"x"}');
  });

  test('with arguments that are no JSON are handed on as they came', async () => {
    const { ask } = await benchFor(() => call('read', '{"path": oops}'));
    expect(turnOf(await ask()).toolCalls[0]?.arguments).toBe('{"path": oops}');
  });

  test('are never given out when the length limit cut one off', async () => {
    const { ask } = await benchFor(() => [call('write', '{"path":"a","content":"half of'), finish('length')]);
    expect(errorOf(await ask())).toMatchObject({ kind: 'malformed', message: expect.stringContaining('inside a tool call') });
  });

  test('that are whole survive the length limit', async () => {
    const { ask } = await benchFor(() => [call('read', { path: 'a' }), finish('length')]);
    expect(turnOf(await ask())).toMatchObject({ finishReason: 'length', toolCalls: [{ name: 'read' }] });
  });
});
