/** Output without end, and lines without end: what is kept of them is bounded, and what shows is folded by rows. */
import { describe, expect, it } from 'vitest';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { Run, RunId } from '../../shared/run.js';
import type { RunOutput } from '../../shared/session.js';
import { blockRows, canFold } from '../../tui/core/conversation/block-rows.js';
import {
  addBlock,
  appendOutput,
  type Block,
  type Conversation,
  emptyConversation,
  linesOf,
  newBlock,
  type NewBlock,
  replaceRuns,
} from '../../tui/core/conversation/conversation.js';
import { glyphsFor } from '../../tui/core/glyphs.js';
import { transcriptBlocks } from '../../tui/core/conversation/transcript.js';
import { sizeOf } from './core-support.js';
import { stage } from './screen-script.js';
import { runOf } from './simulated-daemon.js';

const runId = 'r_1' as RunId;
const glyphs = glyphsFor('C.UTF-8');
const look = { width: 80, glyphs, isTurned: false, isChosen: false };
const textOf = (block: NewBlock): string => [...block.lines, block.rest].join('\n');
const sizeIn = ({ blocks }: Conversation): number =>
  blocks.reduce((sum, block) => sum + block.head.length + textOf(block).length, 0);

let id = 1_000_000;
const block = (kind: Block['kind'], part: Partial<NewBlock>): Block => ({ ...newBlock(kind, part), id: id++ });
const shown = (one: Block, turned = false): string[] =>
  blockRows(one, { ...look, isTurned: turned }).map(({ spans }) =>
    spans
      .map(({ text }) => text)
      .join('')
      .trim(),
  );

const heard = (text: string, from: Conversation, stream: RunOutput['stream'] = 'tool_output'): Conversation =>
  appendOutput(from, { sessionId: 's_1' as SessionId, itemId: 't1' as ItemId, runId, stream, tool: 'shell', text }, '1 Read');

describe('output in one line', () => {
  it('is folded to its last rows, and unfolds', () => {
    const one = block('tool', { head: 'shell cat', lines: linesOf(`begin${'x'.repeat(100_000)}end`) });
    const folded = shown(one);
    expect(folded.length).toBeLessThanOrEqual(6);
    expect(folded.at(-1)).toMatch(/xend$/);
    expect(folded.join('\n')).not.toContain('begin');
    expect(folded[1]).toMatch(/… \d+ lines before$/);
    expect(canFold(one, look)).toBe(true);
    expect(shown(one, true).length).toBeGreaterThan(1_000);
    expect(shown(one, true).join('\n')).toContain('begin');
  });

  it('that is still being written is folded as well', () => {
    const rest = block('tool', { head: 'shell cat', rest: 'y'.repeat(3_000), open: true });
    expect(shown(rest).length).toBeLessThanOrEqual(6);
    expect(shown(rest)[1]).toContain('more before');
    expect(canFold(rest, look)).toBe(true);
    expect(canFold(block('tool', { head: 'shell cat', rest: 'y'.repeat(100) }), look)).toBe(false);
  });

  it('of a few rows is shown whole', () => {
    const one = block('check', { lines: ['$ npm test', 'a', 'b', 'c'] });
    expect(shown(one).join('\n')).toContain('npm test');
    expect(shown(one).join('\n')).not.toContain('before');
    expect(canFold(one, look)).toBe(false);
    const more = block('check', { lines: ['$ npm test', 'a', 'b', 'c'], rest: 'd' });
    expect(shown(more).join('\n')).toContain('1 line before');
    expect(canFold(more, look)).toBe(true);
  });

  it('shows the newest row of a thought that goes on', () => {
    const one = block('reasoning', { rest: `${'so and so '.repeat(50)}and thus`, open: true });
    expect(shown(one)).toHaveLength(2);
    expect(shown(one).at(-1)).toMatch(/and thus$/);
    // A thought that ended without a line end is folded, and can be unfolded.
    const ended = block('reasoning', { rest: 'Hm.' });
    expect(shown(ended)).toHaveLength(1);
    expect(canFold(ended, look)).toBe(true);
    expect(shown(ended, true).at(-1)).toContain('Hm.');
  });

  it('goes on where it is folded, as it comes', () => {
    const staged = stage({ size: sizeOf(80, 24) });
    staged.person.press('Tab');
    staged.stream('tool', 'cat dump', 'shell');
    for (let i = 0; i < 40; i += 1) staged.stream('tool_output', `${String(i).padStart(3, '0')}${'z'.repeat(997)}`, 'shell');
    expect(staged.person.text()).toContain('$ cat dump');
    expect(staged.person.text()).toContain('before');
    staged.person.press('Enter');
    expect(staged.person.text()).not.toContain('before');
  });
});

describe('what is kept', () => {
  it('is bounded by its size as well as by its lines', () => {
    let conversation = emptyConversation;
    for (let i = 0; i < 300; i += 1) {
      conversation = addBlock(conversation, newBlock('tool', { runId, head: `shell ${i}`, open: true }));
      conversation = heard(`${'x'.repeat(60_000)}\n`, conversation);
    }
    expect(sizeIn(conversation)).toBeLessThanOrEqual(9 * 1024 * 1024);
    expect(conversation.dropped).toBeGreaterThan(0);
    expect(conversation.blocks.at(-1)?.head).toBe('shell 299');
  });

  it('lets a stream of long lines go on in further blocks', () => {
    let conversation = emptyConversation;
    for (let i = 0; i < 100; i += 1) conversation = heard(`${'x'.repeat(8_000)}\n`, conversation, 'text');
    const sizes = conversation.blocks.map((one) => textOf(one).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024 + 8_192);
    expect(conversation.blocks.flatMap(({ lines }) => lines)).toHaveLength(100);
  });

  it('is bounded also where one transcript is all there is', () => {
    const long = newBlock('text', { runId, lines: Array.from({ length: 60_000 }, (_, i) => `line ${i}`) });
    const conversation = replaceRuns(emptyConversation, new Set([runId]), [long], 'end');
    expect(conversation.blocks.flatMap(({ lines }) => lines).length).toBeLessThanOrEqual(40_000);
    expect(conversation.blocks.at(-1)?.lines.at(-1)).toBe('line 59999');
    expect(conversation.dropped).toBeGreaterThan(0);
  });

  it('has no line and no heading without end, whether it was heard or read', () => {
    const long = 'y'.repeat(50_000);
    const run: Run = runOf({ itemId: 't1' as ItemId, status: 'failed', error: long, finishedAt: '2026-03-01T09:01:00.000Z' });
    const at = '2026-03-01T09:00:00.000Z';
    const blocks = transcriptBlocks(
      run,
      [
        {
          kind: 'assistant',
          role: 'assistant',
          content: long,
          at,
          toolCalls: [{ id: 'c1', name: 'shell', arguments: JSON.stringify({ command: long }) }],
        },
        { kind: 'tool', role: 'tool', content: `${long}\n${long}`, toolCallId: 'c1', at },
      ],
      null,
    );
    const heardAll = heard(`${long}\n${long}`, heard(long, emptyConversation, 'tool')).blocks;
    for (const { head, lines, rest } of [...blocks, ...heardAll])
      for (const text of [head, ...lines, rest]) expect(text.length).toBeLessThanOrEqual(8_192);
    // A call that was heard is found in the transcript all the same.
    expect(heardAll.find(({ kind }) => kind === 'tool')?.head).toBe(blocks.find(({ kind }) => kind === 'tool')?.head);
    expect(blocks.find(({ kind }) => kind === 'text')?.lines.join('')).toBe(long);
  });

  it('breaks no character in two', () => {
    const lines = linesOf(`${'x'.repeat(8_191)}😀${'x'.repeat(8_191)}😀`);
    expect(lines.join('')).toBe(`${'x'.repeat(8_191)}😀${'x'.repeat(8_191)}😀`);
    for (const line of lines) expect(Buffer.from(line).toString()).toBe(line);
    const streamed = heard('😀'.repeat(10_000), emptyConversation, 'text').blocks.at(-1);
    for (const line of [...(streamed?.lines ?? []), streamed?.rest ?? '']) expect(Buffer.from(line).toString()).toBe(line);
  });
});
