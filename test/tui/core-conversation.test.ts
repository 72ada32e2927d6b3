import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { RunOutput } from '../../shared/session.js';
import {
  addBlock,
  appendOutput,
  type Block,
  type Conversation,
  emptyConversation,
  endRun,
  linesOf,
  newBlock,
  replaceRuns,
} from '../../tui/core/conversation/conversation.js';

const run = (n: number): RunId => `r_${n}` as RunId;

const said = (
  stream: RunOutput['stream'],
  text: string,
  { tool, runId = run(1) }: { tool?: string; runId?: RunId } = {},
): RunOutput => ({
  ...{ sessionId: 's_1' as SessionId, itemId: 't1' as ItemId, runId, stream, text },
  ...(tool === undefined ? {} : { tool }),
});

const hear = (outputs: readonly RunOutput[], from = emptyConversation, head = '1 Read'): Conversation =>
  outputs.reduce((conversation, output) => appendOutput(conversation, output, head), from);

const tell = ({ kind, head, lines, rest }: Block): string =>
  `${kind}${head === '' ? '' : ` ${head}`}: ${[...lines, ...(rest === '' ? [] : [rest])].join(' | ')}`.replace(/: $/, '');
const told = ({ blocks }: Conversation): string[] => blocks.map(tell);

describe('a stream', () => {
  it('grows by lines, below the heading of its run', () => {
    expect(told(hear([said('text', 'It is '), said('text', 'clear.\nNow'), said('text', ' then')]))).toEqual([
      'run 1 Read',
      'text: It is clear. | Now then',
    ]);
  });

  it('gives the same lines however it is cut into pieces', () => {
    const text = fc
      .array(fc.constantFrom('a', '\n', '\r', '\r\n', '你', '👩‍👧', ' '), { maxLength: 40 })
      .map((parts) => parts.join(''));
    const cuts = fc.array(fc.nat(60), { maxLength: 6 });
    fc.assert(
      fc.property(text, cuts, (whole, at) => {
        const places = [0, ...at.map((n) => Math.min(n, whole.length)).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, i) => whole.slice(places[i], end));
        const shown = (outputs: readonly RunOutput[]): string =>
          hear(outputs)
            .blocks.flatMap(({ kind, lines, rest }) => (kind === 'text' ? [...lines, rest] : []))
            .join('\n')
            .replace(/[\r\n]+$/, '');
        expect(shown(pieces.map((piece) => said('text', piece)))).toBe(shown([said('text', whole)]));
      }),
    );
  });

  it('of a thought, a text and again a thought are three', () => {
    const outputs = [said('reasoning', 'Hm.'), said('text', 'Yes.'), said('reasoning', 'Or'), said('reasoning', ' no.')];
    expect(told(hear(outputs))).toEqual(['run 1 Read', 'reasoning: Hm.', 'text: Yes.', 'reasoning: Or no.']);
  });

  it('of each run stands for itself', () => {
    const first = hear([said('text', 'One')]);
    expect(told(hear([said('text', 'Two', { runId: run(2) })], first, '2 Write'))).toEqual([
      'run 1 Read',
      'text: One',
      'run 2 Write',
      'text: Two',
    ]);
  });
});

describe('tools', () => {
  it('show what they were called with, and their output', () => {
    const outputs = [
      said('tool', 'npm test\n--silent', { tool: 'shell' }),
      said('tool_output', 'one\ntwo', { tool: 'shell' }),
      said('tool_output', ' and three\n', { tool: 'shell' }),
    ];
    expect(told(hear(outputs))).toEqual(['run 1 Read', 'tool shell npm test --silent: one | two and three']);
  });

  it('that run side by side each get their own output', () => {
    const outputs = [
      said('tool', 'a.ts', { tool: 'read_file' }),
      said('tool', 'npm test', { tool: 'shell' }),
      said('tool_output', 'text of a\n', { tool: 'read_file' }),
      said('tool_output', 'ok\n', { tool: 'shell' }),
      said('tool_output', 'more of a\n', { tool: 'read_file' }),
    ];
    expect(told(hear(outputs))).toEqual(['run 1 Read', 'tool read_file a.ts: text of a | more of a', 'tool shell npm test: ok']);
  });

  it('whose call was not heard have one block all the same', () => {
    const outputs = ['one\n', 'two\n', 'three\n'].map((text) => said('tool_output', text, { tool: 'shell' }));
    expect(hear(outputs).blocks.map(({ kind, lines }) => [kind, lines])).toEqual([
      ['run', []],
      ['tool', ['one', 'two', 'three']],
    ]);
  });

  it('are not taken for one whose name only begins alike', () => {
    const outputs = [said('tool', 'x', { tool: 'read' }), said('tool_output', 'of the file\n', { tool: 'read_file' })];
    expect(told(hear(outputs))[1]).toBe('tool read x');
  });
});

describe('what is kept', () => {
  it('is bounded, whatever is streamed', () => {
    const line = 'x'.repeat(100);
    let conversation = hear([said('tool', 'yes', { tool: 'shell' })]);
    for (let i = 0; i < 120; i += 1)
      conversation = hear([said('tool_output', `${line}\n`.repeat(500), { tool: 'shell' })], conversation);
    const lines = conversation.blocks.reduce((sum, block) => sum + block.lines.length, 0);
    expect(lines).toBeLessThanOrEqual(41_000);
    expect(conversation.dropped).toBeGreaterThan(0);
    expect(Math.max(...conversation.blocks.map((block) => block.lines.length))).toBeLessThanOrEqual(500);
    expect(conversation.blocks.at(-1)?.lines.at(-1)).toBe(line);
  });

  it('is bounded by blocks as well', () => {
    let conversation = emptyConversation;
    for (let i = 0; i < 4_200; i += 1) conversation = addBlock(conversation, newBlock('notice', { lines: [`${i}`] }));
    expect(conversation.blocks).toHaveLength(4_000);
    expect(conversation.blocks.at(-1)?.lines).toEqual(['4199']);
  });

  it('breaks a line that never ends', () => {
    const conversation = hear(Array.from({ length: 30 }, () => said('text', 'y'.repeat(1_000))));
    const lengths = conversation.blocks.flatMap(({ lines, rest }) => [...lines, rest].map((line) => line.length));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(8_192);
    expect(lengths.reduce((sum, n) => sum + n, 0)).toBe(30_000);
  });

  it('takes one huge piece as it takes many small ones', () => {
    const text = `${'z'.repeat(20)}\n`.repeat(3_000);
    const lines = hear([said('text', text)]).blocks.flatMap((block) => block.lines);
    expect(lines).toHaveLength(3_000);
  });
});

describe('the end of a run', () => {
  const end = newBlock('end', { runId: run(1), head: 'blocked', lines: ['why'] });

  it('stands behind its last block, and is told once', () => {
    const both = hear([said('text', 'Two', { runId: run(2) })], hear([said('text', 'One')]), '2 Write');
    const ended = endRun(endRun(both, run(1), end), run(1), end);
    expect(told(ended)).toEqual(['run 1 Read', 'text: One', 'end blocked: why', 'run 2 Write', 'text: Two']);
    expect(new Set(ended.blocks.map(({ id }) => id)).size).toBe(ended.blocks.length);
    expect(ended.blocks.filter(({ open }) => open).map(({ runId }) => runId)).toEqual([run(2)]);
  });
});

describe('a transcript', () => {
  const of = (n: number, ...texts: readonly string[]) =>
    texts.map((text) => newBlock('text', { runId: run(n), lines: linesOf(text) }));
  const ids = (n: number) => new Set([run(n)]);

  it('takes the place of what was heard of its run, of which the beginning may be missing', () => {
    const heard = hear([said('text', 'Two', { runId: run(2) })], hear([said('text', 'the other half')]));
    const read = replaceRuns(heard, ids(1), of(1, 'Before.', 'the first half and the other half'), 'end');
    expect(told(read)).toEqual(['text: Before.', 'text: the first half and the other half', 'run 1 Read', 'text: Two']);
  });

  it('leaves the words of the next turn that are being streamed', () => {
    const read = replaceRuns(hear([said('text', 'I')]), ids(1), of(1, 'I test it.'), 'end');
    expect(told(read)).toEqual(['text: I test it.', 'text: I']);
    expect(told(hear([said('text', ' commit it.')], read))).toEqual(['text: I test it.', 'text: I commit it.']);
  });

  it('of a run that was not heard goes to the start or the end', () => {
    const heard = hear([said('text', 'Two', { runId: run(2) })]);
    expect(told(replaceRuns(heard, ids(1), of(1, 'One'), 'start'))).toEqual(['text: One', 'run 1 Read', 'text: Two']);
    expect(told(replaceRuns(heard, ids(3), of(3, 'Three'), 'end')).at(-1)).toBe('text: Three');
  });

  it('with a tool under way has it once, with what it has put out so far', () => {
    const heard = hear([
      said('text', 'I test it.'),
      said('tool', 'npm test', { tool: 'shell' }),
      said('tool_output', 'one\ntwo\n', { tool: 'shell' }),
    ]);
    const call = newBlock('tool', { runId: run(1), head: 'shell npm test', open: true });
    const read = replaceRuns(heard, ids(1), [...of(1, 'I test it.'), call], 'end');
    expect(told(read)).toEqual(['text: I test it.', 'tool shell npm test: one | two']);
    expect(told(hear([said('tool_output', 'three\n', { tool: 'shell' })], read))).toEqual([
      'text: I test it.',
      'tool shell npm test: one | two | three',
    ]);
  });

  it('never makes two blocks with one id', () => {
    const step = fc.oneof(
      fc.record({
        does: fc.constant('hear' as const),
        n: fc.integer({ min: 1, max: 3 }),
        text: fc.constantFrom('a', 'b\n', 'c'),
      }),
      fc.record({ does: fc.constant('read' as const), n: fc.integer({ min: 1, max: 3 }), text: fc.constantFrom('a', 'ab', 'x') }),
      fc.record({ does: fc.constant('end' as const), n: fc.integer({ min: 1, max: 3 }), text: fc.constant('done') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const after = steps.reduce((conversation, { does, n, text }) => {
          if (does === 'hear') return hear([said('text', text, { runId: run(n) })], conversation);
          if (does === 'read') return replaceRuns(conversation, ids(n), of(n, text), 'end');
          return endRun(conversation, run(n), newBlock('end', { runId: run(n), head: text }));
        }, emptyConversation);
        const all = after.blocks.map(({ id }) => id);
        expect(new Set(all).size).toBe(all.length);
        expect(Math.max(0, ...all)).toBeLessThan(after.nextId);
      }),
    );
  });
});
