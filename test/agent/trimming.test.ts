/** What is left out of a request that is too long, and what never is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrange, flatten } from '../../daemon/agent/context.js';
import { createTokenBudget, windowIn } from '../../daemon/agent/tokens.js';
import { planSurvival, planTrim, tokensOfContext } from '../../daemon/agent/trimming.js';
import type { StoredMessage, TrimState } from '../../daemon/store/store.js';
import type { RunId } from '../../shared/run.js';

const untrimmed: TrimState = { resultsTo: 0, droppedTo: 0, conversationDropped: 0 };
const base = { at: '2026-01-01T00:00:00.000Z', runId: 'r1' as RunId };

/** A transcript of turns with that many calls each, results of that many words. */
function transcriptOf(turns: readonly { calls: number; words: number }[]): StoredMessage[] {
  const messages: StoredMessage[] = [{ ...base, seq: 1, kind: 'plan_prompt', role: 'user', content: 'THE TASK' }];
  for (const { calls, words } of turns) {
    const seq = messages.length + 1;
    const toolCalls = Array.from({ length: calls }, (_, i) => ({ id: `c${seq}_${i}`, name: 'read', arguments: '{}' }));
    messages.push({
      ...base,
      seq,
      kind: 'assistant',
      role: 'assistant',
      content: `turn ${seq}`,
      ...(calls > 0 ? { toolCalls } : {}),
    });
    toolCalls.forEach(({ id }, i) =>
      messages.push({ ...base, seq: seq + 1 + i, kind: 'tool', role: 'tool', toolCallId: id, content: 'word '.repeat(words) }),
    );
  }
  return messages;
}
const chat = (count: number): StoredMessage[] =>
  Array.from({ length: count }, (_, i) => ({
    ...base,
    runId: 'r0' as RunId,
    seq: i + 1,
    kind: 'chat',
    role: 'user',
    content: `said ${i} ${'word '.repeat(30)}`,
  }));
const digest: StoredMessage = { ...base, seq: 900, kind: 'digest', role: 'system', content: 'THE DIGEST' };
const plan: StoredMessage = { ...base, seq: 901, kind: 'plan_state', role: 'system', content: '[Current plan: THE STEPS' };

describe('for any transcript and any window', () => {
  const turns = fc.array(fc.record({ calls: fc.integer({ min: 0, max: 3 }), words: fc.integer({ min: 1, max: 600 }) }), {
    maxLength: 25,
  });
  it('rules, digest, steps and task stay, groups stay whole, and what fits is sent as it is', () => {
    fc.assert(
      fc.property(
        turns,
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 50, max: 6_000 }),
        fc.boolean(),
        (made, said, limit, mustShrink) => {
          const parts = { system: 'THE RULES', digest, plan, conversation: chat(said), transcript: transcriptOf(made) };
          const arranged = arrange(parts);
          const input = { arranged, state: untrimmed, toolTokens: 10, limit };
          const trim = mustShrink ? planSurvival(input) : planTrim(input);
          const before = tokensOfContext(arranged, untrimmed, 10);
          if (!mustShrink && before <= limit) expect(trim).toBeNull();
          const state = trim?.state ?? untrimmed;
          const after = arrange({ ...parts, trim: state });
          const sent = flatten(after, state);
          const text = sent.map(({ content }) => content).join('\n');
          for (const kept of ['THE RULES', 'THE DIGEST', 'THE STEPS', 'THE TASK']) expect(text).toContain(kept);
          const called = sent.flatMap(({ toolCalls }) => toolCalls ?? []).map(({ id }) => id);
          expect(sent.flatMap(({ toolCallId }) => toolCallId ?? [])).toEqual(called);
          if (trim === null) return;
          const tokens = tokensOfContext(after, state, 10);
          expect(tokens).toBeLessThan(before);
          // Fits, or only the model's last turn is left, and what was said since.
          if (tokens > limit) {
            expect(after.conversation).toHaveLength(after.transcript.length === 0 ? 1 : 0);
            expect(after.transcript.filter(({ messages }) => messages[0]?.kind === 'assistant').length).toBeLessThanOrEqual(1);
          }
          // The newest is never what goes.
          const newest = parts.transcript.at(-1);
          if (newest && newest.kind !== 'plan_prompt') expect(after.transcript.at(-1)?.messages.at(-1)?.seq).toBe(newest.seq);
        },
      ),
    );
  });

  it('trimming again from where it was left goes on, and comes to an end', () => {
    fc.assert(
      fc.property(turns, fc.integer({ min: 50, max: 2_000 }), (made, limit) => {
        const parts = { system: 'THE RULES', conversation: chat(5), transcript: transcriptOf(made) };
        let state = untrimmed;
        for (let round = 0; round < 40; round += 1) {
          const trim = planSurvival({ arranged: arrange({ ...parts, trim: state }), state, toolTokens: 0, limit });
          if (trim === null) return;
          expect(trim.state.droppedTo).toBeGreaterThanOrEqual(state.droppedTo);
          expect(trim.state.conversationDropped).toBeGreaterThanOrEqual(state.conversationDropped);
          expect(trim.state).not.toEqual(state);
          state = trim.state;
        }
        expect.unreachable('it never ends');
      }),
    );
  });
});

describe('what the model has not seen yet', () => {
  const call = { id: 'c', name: 'read', arguments: '{}' };
  it('is never what goes: results that a hint stands behind', () => {
    const transcript: StoredMessage[] = [
      ...transcriptOf([{ calls: 1, words: 400 }]),
      { ...base, seq: 10, kind: 'assistant', role: 'assistant', content: '', toolCalls: [call] },
      { ...base, seq: 11, kind: 'tool', role: 'tool', toolCallId: 'c', content: 'fresh '.repeat(2_000) },
      { ...base, seq: 12, kind: 'notice', role: 'system', content: 'a hint' },
    ];
    const trim = planTrim({
      arranged: arrange({ system: 's', conversation: [], transcript }),
      state: untrimmed,
      toolTokens: 0,
      limit: 500,
    });
    expect(trim?.state.droppedTo).toBeLessThan(10);
    expect(trim?.dropped).toHaveLength(1);
  });

  it('what came between a call and its results goes into the digest with them', () => {
    const transcript: StoredMessage[] = [
      { ...base, seq: 1, kind: 'plan_prompt', role: 'user', content: 'THE TASK' },
      { ...base, seq: 2, kind: 'assistant', role: 'assistant', content: '', toolCalls: [call] },
      { ...base, seq: 3, kind: 'notice', role: 'system', content: 'files changed' },
      { ...base, seq: 4, kind: 'tool', role: 'tool', toolCallId: 'c', content: 'word '.repeat(300) },
      ...[5, 6].map((seq) => ({ ...base, seq, kind: 'assistant', role: 'assistant', content: 'word '.repeat(40) }) as const),
    ];
    const trim = planTrim({
      arranged: arrange({ system: 's', conversation: [], transcript }),
      state: untrimmed,
      toolTokens: 0,
      limit: 200,
    });
    expect(trim?.dropped.flatMap(({ messages }) => messages.map(({ seq }) => seq)).sort()).toEqual(
      expect.arrayContaining([2, 3, 4]),
    );
  });
});

describe('old large results', () => {
  it('become a line each that says what was there; the newest four are left', () => {
    const transcript = transcriptOf(Array.from({ length: 8 }, () => ({ calls: 1, words: 500 })));
    const arranged = arrange({ system: 's', conversation: [], transcript });
    const trim = planTrim({ arranged, state: untrimmed, toolTokens: 0, limit: 3_000 });
    expect(trim).toMatchObject({ stage: 1, dropped: [] });
    const results = flatten(arranged, trim?.state ?? untrimmed).filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content.startsWith('[The result of read was here (2500 characters)'))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('the room that a request has', () => {
  it('is three quarters of the window, and less once the provider counts more than we do', () => {
    const tokens = createTokenBudget((model) => (model === 'small' ? 4_000 : 100_000));
    expect(tokens.limit('big')).toBe(75_000);
    expect(tokens.limit('small')).toBe(3_000);
    expect(tokens.limit('big', 10_000)).toBe(7_500);
    tokens.counted('big', 1_000, 500);
    expect(tokens.limit('big')).toBe(75_000);
    tokens.counted('big', 400, 1_600);
    expect(tokens.limit('big')).toBe(75_000);
    tokens.counted('big', 10_000, 20_000);
    expect(tokens.limit('big')).toBe(37_500);
    tokens.counted('big', 10_000, 90_000);
    expect(tokens.limit('big')).toBe(30_000);
    expect(tokens.limit('small')).toBe(3_000);
  });

  it('is never again what was refused, and what the provider says where it does', () => {
    const tokens = createTokenBudget(() => 100_000);
    tokens.refused('m', 50_000, 'too long');
    expect(tokens.limit('m')).toBeLessThan(37_500);
    tokens.refused('n', 10_000, 'maximum context length is 8192 tokens');
    expect(tokens.limit('n')).toBe(6_144);
    tokens.refused('o', 50_000, 'the request 128 has a context window of 128');
    expect(tokens.limit('o')).toBe(33_750);
  });

  it.each([
    ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", 8_192],
    ['prompt is too long: 200005 tokens > 199999 maximum', 199_999],
    ['The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ["This endpoint's maximum context length is 16,384 tokens.", 16_384],
    ['the request exceeds the available context size (4096 tokens)', 4_096],
    ['The context window of this model is 128k.', 128_000],
    ["'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens.", 8_192],
    ['Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 32_768],
    ['Something else went wrong', null],
  ])('is read from: %s', (words, window) => {
    expect(windowIn(words)).toBe(window);
  });
});
