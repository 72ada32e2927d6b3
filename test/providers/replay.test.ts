import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../daemon/clock.js';
import type { Provider, TurnRequest, TurnResult } from '../../daemon/providers/provider.js';
import { recordProvider } from '../../daemon/providers/record.js';
import { createReplayProvider } from '../../daemon/providers/replay.js';
import { createRedactor } from '../../daemon/secrets/redact.js';
import { unwrap } from '../../shared/errors.js';
import { errorOf, never, noteSink, request, turnOf } from './provider-support.js';

const secret = 'correct-horse-battery';
const redactor = createRedactor({ environment: {}, extra: [secret] });
const sample = new URL('../data/recording-v1.jsonl', import.meta.url).pathname;

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-recording-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'turns.jsonl');
}

/** Says `deltas` word for word, and ends with `result`. */
function speaker(deltas: readonly string[], result: TurnResult): Provider {
  return {
    describe: () => ({ model: 'spoken', baseUrl: 'http://127.0.0.1/v1', replay: false }),
    complete: async (_, sink) => {
      sink.reasoning('Hm.');
      for (const delta of deltas) sink.text(delta);
      for (const call of result.ok ? result.turn.toolCalls : []) sink.toolCall(call.name);
      return result;
    },
  };
}

const spoken = (content: string, args = '{}'): TurnResult => ({
  ok: true,
  turn: {
    content,
    toolCalls: [{ id: 'c1', name: 'read', arguments: args }],
    finishReason: 'tool_calls',
    model: 'spoken',
    usage: { inputTokens: 12, outputTokens: 3, costUsd: 0.5 },
  },
});

const key = (attempt: number, turn = 0, item = 'Write the file'): TurnRequest['key'] => ({ item, attempt, turn });

async function record(file: string, provider: Provider, at: TurnRequest['key']): Promise<TurnResult> {
  const onError = (error: Error): never => {
    throw error;
  };
  return recordProvider(provider, { file, redactor, clock: systemClock, onError }).complete(
    { ...request, key: at },
    noteSink(),
    never,
  );
}

async function replay(file: string, at: TurnRequest['key']) {
  const provider = unwrap(await createReplayProvider(file, { speed: Infinity, clock: systemClock }));
  const sink = noteSink();
  return { result: await provider.complete({ ...request, key: at }, sink, never), notes: sink.notes, provider };
}

describe('a recorded turn', () => {
  test('is played again as it was', async () => {
    const file = await temporaryFile();
    const result = await record(file, speaker(['Hello ', 'you ', 'there'], spoken('Hello you there', '{"path":"a"}')), key(1));
    const played = await replay(file, key(1));
    expect(played.result).toEqual(result);
    expect(
      played.notes
        .filter((note) => note.startsWith('text:'))
        .map((note) => note.slice(5))
        .join(''),
    ).toBe('Hello you there');
    expect(played.notes[0]).toBe('reasoning:Hm.');
    expect(played.notes).toContain('toolCall:read');
    expect(played.provider.describe()).toEqual({ model: 'spoken', baseUrl: `replay:${file}`, replay: true });
  });

  test('holds no secret, even one that came in pieces, and only the owner can read it', async () => {
    const file = await temporaryFile();
    const pieces = ['It is correct-', 'horse-bat', 'tery, keep it'];
    await record(file, speaker(pieces, spoken(pieces.join(''), JSON.stringify({ text: secret }))), key(1));
    expect(await readFile(file, 'utf8')).not.toMatch(/horse/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(turnOf((await replay(file, key(1))).result).toolCalls[0]?.arguments).toBe('{"text":"[redacted:secret]"}');
  });

  test('in a file that others could read is closed to them', async () => {
    const file = await temporaryFile();
    await writeFile(file, '', { mode: 0o644 });
    await record(file, speaker([], spoken('x')), key(1));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('may be a failure, but no abort', async () => {
    const file = await temporaryFile();
    const failed = (kind: 'bad_request' | 'aborted'): TurnResult => ({
      ok: false,
      error: { kind, message: 'no', status: 400, retryAfterMs: null },
    });
    await record(file, speaker([], failed('bad_request')), key(1));
    await record(file, speaker([], failed('aborted')), key(1));
    expect(errorOf((await replay(file, key(1))).result).kind).toBe('bad_request');
  });

  test('is found by its key; another attempt gets the latest one; the last line counts', async () => {
    const file = await temporaryFile();
    for (const [attempt, text] of [
      [1, 'first'],
      [2, 'second, once'],
      [2, 'second'],
    ] as const) {
      await record(file, speaker([], spoken(text)), key(attempt));
    }
    const content = async (attempt: number): Promise<string> => turnOf((await replay(file, key(attempt))).result).content;
    expect([await content(1), await content(2), await content(3)]).toEqual(['first', 'second', 'second']);
  });

  test('that is not there is a clear failure', async () => {
    const file = await temporaryFile();
    await record(file, speaker([], spoken('x')), key(1));
    const { result } = await replay(file, key(2, 5, 'Another'));
    expect(errorOf(result)).toMatchObject({
      kind: 'bad_request',
      message: `The recording ${file} has no turn 5 of attempt 2 at "Another".`,
    });
  });

  test('stops where it is aborted', async () => {
    const provider = unwrap(await createReplayProvider(sample, { speed: 0.001, clock: systemClock }));
    const stop = new AbortController();
    const sink = noteSink();
    const playing = provider.complete({ ...request, key: key(1) }, sink, stop.signal);
    stop.abort();
    expect(errorOf(await playing).kind).toBe('aborted');
    expect(sink.notes).toEqual([]);
  });

  test('keeps the pace of the recording, at the speed that is asked for', async () => {
    const waits: number[] = [];
    const clock = { wait: async (ms: number) => void waits.push(ms) };
    const provider = unwrap(await createReplayProvider(sample, { speed: 2, clock }));
    await provider.complete({ ...request, key: key(1) }, noteSink(), never);
    expect(waits).toEqual([100, 20, 10]);
  });
});

describe('a recording', () => {
  test('of the first version still loads', async () => {
    const { result, notes } = await replay(sample, key(1));
    expect(turnOf(result)).toEqual({
      content: 'I look at it.',
      toolCalls: [{ id: 'call_1_1', name: 'read', arguments: '{"path":"a.txt"}' }],
      finishReason: 'tool_calls',
      model: 'sample-model',
      usage: { inputTokens: 812, outputTokens: 24, costUsd: null },
    });
    expect(notes).toEqual(['reasoning:First a look.', 'text:I look', 'text: at it.', 'toolCall:read']);
    expect(errorOf((await replay(sample, key(1, 1))).result)).toMatchObject({ kind: 'server', status: 503 });
  });

  test.each<[string, string, RegExp]>([
    ['text', 'hello\n', /line 2: not JSON$/],
    [
      'another schema',
      '{"schema":"cairn.recording/v9"}\n',
      /line 2: the schema is "cairn.recording\/v9"; this version reads cairn.recording\/v1$/,
    ],
    ['no schema', '{}\n', /line 2: the schema is missing/],
    ['a turn without a key', '{"schema":"cairn.recording/v1","chunks":[]}\n', /line 2: key: /],
  ])('with %s in it is refused with the line', async (_, line, words) => {
    const file = await temporaryFile();
    await record(file, speaker([], spoken('x')), key(1));
    await appendFile(file, line);
    const opened = await createReplayProvider(file, { speed: 1, clock: systemClock });
    expect(opened).toMatchObject({ ok: false, error: { message: expect.stringMatching(words) } });
  });

  test('that is not there is refused', async () => {
    const opened = await createReplayProvider('/does/not/exist', { speed: 1, clock: systemClock });
    expect(opened).toMatchObject({ ok: false, error: { message: expect.stringContaining('/does/not/exist') } });
  });

  test('whose last line a crash has cut off is still good, and goes on', async () => {
    const file = await temporaryFile();
    await record(file, speaker([], spoken('before')), key(1));
    await appendFile(file, '{"schema":"cairn.rec');
    expect(turnOf((await replay(file, key(1))).result).content).toBe('before');
    await record(file, speaker([], spoken('after')), key(1, 1));
    expect(turnOf((await replay(file, key(1, 1))).result).content).toBe('after');
  });

  test('that an editor has left without a last line break loses nothing', async () => {
    const file = await temporaryFile();
    await record(file, speaker([], spoken('before')), key(1));
    await writeFile(file, (await readFile(file, 'utf8')).trimEnd());
    await record(file, speaker([], spoken('after')), key(1, 1));
    expect(turnOf((await replay(file, key(1))).result).content).toBe('before');
  });

  test('of sessions in parallel mixes no lines', async () => {
    const file = await temporaryFile();
    const long = 'word '.repeat(50_000);
    const provider = recordProvider(speaker([], spoken(long)), { file, redactor, clock: systemClock, onError: () => undefined });
    await Promise.all(
      Array.from({ length: 8 }, (_, turn) => provider.complete({ ...request, key: key(1, turn) }, noteSink(), never)),
    );
    for (let turn = 0; turn < 8; turn += 1) expect(turnOf((await replay(file, key(1, turn))).result).content).toBe(long);
  });

  test('that cannot be written does not stop the turn', async () => {
    const errors: Error[] = [];
    const provider = recordProvider(speaker([], spoken('x')), {
      file: '/does/not/exist.jsonl',
      redactor,
      clock: systemClock,
      onError: (error) => errors.push(error),
    });
    expect(turnOf(await provider.complete(request, noteSink(), never)).content).toBe('x');
    expect(errors.map((error) => error.message).join()).toContain('/does/not/exist.jsonl');
  });
});
