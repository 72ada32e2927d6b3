/** Long texts in the line: only what is in sight is laid out, and once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutEditor } from '../../tui/core/text/editor-layout.js';
import { type Editor, editorOf } from '../../tui/core/text/line-editor.js';
import { graphemesOf, nextPosition, previousPosition } from '../../tui/core/text/text-position.js';
import { widthOf } from '../../tui/core/text/text.js';
import { sizeOf } from './core-support.js';
import { openTalk } from './core-talk.js';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Texts with lines far longer than a screen. */
const longText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', 'word ', 'a', '語', '👩‍👧', 'e\u0301', ' '),
      fc
        .tuple(fc.constantFrom('x', 'of words ', '文', '👍🏽', 'e\u0301\u0302'), fc.integer({ min: 1, max: 1_500 }))
        .map(([text, times]) => text.repeat(times)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

function editorAt(text: string, place: number): Editor {
  const starts = [...Array.from(segmenter.segment(text), ({ index }) => index), text.length];
  return { ...editorOf(text), cursor: starts[place % starts.length] ?? 0 };
}

describe('a long text in the line', () => {
  it('shows the same rows whether all of it is laid out or what is in sight', () => {
    fc.assert(
      fc.property(
        longText,
        fc.nat(),
        fc.integer({ min: 2, max: 60 }),
        fc.integer({ min: 1, max: 8 }),
        (text, place, width, height) => {
          const editor = editorAt(text, place);
          const all = layoutEditor(editor, width);
          const seen = layoutEditor(editor, width, height);
          const top = Math.max(0, all.cursor.row - height + 1);
          expect(seen.lines).toEqual(all.lines.slice(top, top + height));
          expect(seen.cursor).toEqual({ row: all.cursor.row - top, column: all.cursor.column });
          expect(seen.isStart).toBe(top === 0);
          expect(all.isStart).toBe(true);
          for (const line of all.lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('loses nothing', () => {
    const harmless = fc.array(fc.tuple(fc.constantFrom('x', 'word ', '文', '\n'), fc.integer({ min: 1, max: 3_000 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(harmless, (parts) => {
        const text = parts.map(([part, times]) => part.repeat(part === '\n' ? 1 : times)).join('');
        expect(layoutEditor(editorOf(text), 40).lines.join('')).toBe(text.replaceAll('\n', ''));
      }),
      { numRuns: 50 },
    );
  });

  it('is laid out once for a width and a height', () => {
    const editor = editorOf('some words\n'.repeat(500));
    const seen = layoutEditor(editor, 40, 6);
    expect(layoutEditor(editor, 40, 6)).toBe(seen);
    expect(layoutEditor(editor, 40, 3)).not.toBe(seen);
    expect(layoutEditor(editor, 40, 6)).toBe(seen);
    expect(layoutEditor({ ...editor }, 40, 6)).toEqual(seen);
  });

  it('takes a character that is longer than all that is laid out at once', () => {
    const pile = `a${'\u0301'.repeat(9_000)}`;
    const { lines, cursor } = layoutEditor(editorOf(`${pile}b${pile}`), 10, 2);
    expect(lines.length).toBeLessThanOrEqual(2);
    expect(cursor.row).toBe(lines.length - 1);
    expect(widthOf(layoutEditor(editorOf(`${pile}b${pile}`), 10).lines.join(''))).toBe(3);
  });

  it('shows its end while one types there, and its beginning when one goes there', () => {
    const { person } = openTalk(undefined, { size: sizeOf(100, 24) });
    person.take({ type: 'paste', text: `first line\n${'the words of a log '.repeat(5_000)}\nlast line` });
    person.write('!');
    expect(person.text()).toContain('last line!');
    expect(person.text()).not.toContain('first line');
    person.take({ type: 'key', name: 'home', ctrl: true, alt: false, shift: false, text: null });
    expect(person.text()).toContain('first line');
    expect(person.text()).not.toContain('last line');
  });
});

describe('the characters of a text', () => {
  const char = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '\n',
      'é',
      'ß',
      'Ж',
      '文',
      'か',
      '가',
      '！',
      '\u0301',
      '\u3099',
      '\u302a',
      '\u1161',
      '\u200d',
      '👧',
      '🇩',
      '©',
      '\ufe0f',
      '\u0600',
    ),
    fc
      .integer({ min: 0x20, max: 0xffff })
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCharCode(code)),
  );

  it('are those of Unicode, however they are found', () => {
    fc.assert(
      fc.property(fc.array(char, { maxLength: 12 }), (chars) => {
        const text = chars.join('');
        const found = Array.from(segmenter.segment(text), ({ segment }) => segment);
        expect(graphemesOf(text)).toEqual(found);
        let at = 0;
        for (const line of text.split('\n')) {
          for (const { segment } of segmenter.segment(line)) {
            expect(nextPosition(text, at)).toBe(at + segment.length);
            expect(previousPosition(text, at + segment.length)).toBe(at);
            at += segment.length;
          }
          at += 1;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
