import type xterm from '@xterm/headless';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  cells,
  countOf,
  cut,
  duration,
  fit,
  padEnd,
  reveal,
  rowStarts,
  sanitise,
  widthOf,
  wrap,
} from '../../tui/core/text/text.js';
import { openEmulator } from '../support/emulator.js';

// What joins, turns, hides and piles up.
const tricky = [
  ...['a', ' ', '語', '\t', '\n', '\u001b', '[', '\u200d', '\ufe0f', '\u0301', '\u20e3', '\u202e'],
  ...['👩', '\u{1f3fd}', '\u{1f1e9}', '❤', 'ᄀ', '\u1161'],
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...tricky) }),
);

describe('text of others on a terminal', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['a cleared screen', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['another window title', '\u001b]0;owned\u0007text', 'text'],
    ['a link', '\u001b]8;;http://evil.test\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['a sequence that is cut off', 'text\u001b[', 'text'],
    ['the one-byte form', 'a\u009b2Jb', 'a2Jb'],
    ['bells, backspaces and returns', 'a\u0007\b\rb', 'ab'],
    ['text turned around', 'rm \u202Efdp.exe', 'rm fdp.exe'],
    ['invisible letters', 'pay\u200Bpal\uFEFF', 'paypal'],
    ['tabs', 'a\tb', 'a  b'],
    ['a picture sent to the terminal', 'a\u001bPq#0;2;0\u001b\\b\u001b_Gf=100;AAAA\u001b\\c', 'abc'],
    ['the joined parts of an emoji', '👩‍👩‍👧 and ❤️‍🔥', '👩 and ❤'],
    ['the colour of a skin', '👍🏽', '👍'],
    ['what makes a sign an emoji', '✔️ ☠︎', '✔ ☠'],
    ['the frame of a keycap', '1️⃣#️⃣', '1#'],
    ['all but the letters of a flag', '🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'DE 🏴'],
    ['marks without a letter', '\u0301\u0302a', 'a'],
    ['a pile of marks', `z${'\u0334\u0312'.repeat(50)}!`, 'z\u0334\u0334\u0334\u0334!'],
    ['a letter that shows nothing', 'a\u3164\u115fb', 'ab'],
    ['an emoji that only new terminals take as wide', 'ok 🫠', 'ok □'],
    ['what no version of Unicode knows', '\u{2fe0}', '□'],
  ])('loses %s', (_what, text, shown) => {
    expect(sanitise(text)).toBe(shown);
  });

  it('holds no control or format character, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(sanitise(text)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it('is harmless after one time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(sanitise(sanitise(text))).toBe(sanitise(text));
      }),
    );
  });

  it.each(['Größe: 3 × 4 日本語 👍', 'हिन्दी', 'שָׁלוֹם', 'اَلْعَرَبِيَّة', 'ภาษาไทยกำลัง', '한국어', 'ｶﾀｶﾅ', '╭─┤░▒▓├─╮', 'x̌'])(
    'stays as it is when it is harmless: %s',
    (text) => {
      expect(sanitise(text)).toBe(text);
    },
  );
});

describe('columns', () => {
  let terminal: xterm.Terminal;
  beforeAll(() => {
    terminal = openEmulator(1000, 2);
  });

  /** Where a terminal has its cursor after it has written the text. */
  const advanceOf = async (text: string): Promise<number> => {
    await new Promise<void>((resolve) => terminal.write(`\u001b[2J\u001b[H${text}`, resolve));
    return terminal.buffer.active.cursorX;
  };

  it.each([
    ['ASCII', 'npm test', 8],
    ['CJK', '日本語のテキスト', 16],
    ['emoji', '👍 ok', 5],
    ['a family', '👨‍👩‍👧‍👦!', 3],
    ['flags', '🇩🇪🇫🇷', 4],
    ['skin tones', '👍🏽👋🏿', 4],
    ['a skin tone alone', 'a🏽b', 4],
    ['keycaps', '1️⃣2️⃣', 2],
    ['hearts', '❤️❤', 2],
    ['Hangul', '한국어', 6],
    ['Hangul in parts', '한국', 4],
    ['old Hangul', 'ᄀᆞᆫ', 2],
    ['Devanagari', 'हिन्दी', 5],
    ['Arabic', 'اَلْعَرَبِيَّة', 7],
    ['Hebrew with points', 'שָׁלוֹם', 4],
    ['Thai', 'กำลัง', 4],
    ['halfwidth katakana', 'ｶﾞｷﾞ', 4],
    ['fullwidth letters', 'ＡＢＣ', 6],
    ['boxes and blocks', '╭─┤░▒▓█├─╮', 10],
    ['ambiguous ones', '…·×○▶✓✔⊘▾│', 10],
    ['composed and not', 'é e\u0301', 3],
    ['marks on a wide one', '語\u0301!', 3],
    ['emoji of Unicode 13 to 17', '🥲🫠🫡🫨🫩', 5],
    ['trigrams', '☰☷', 2],
    ['a pile of marks', `z${'\u0300'.repeat(90)}!`, 2],
    ['escape sequences', '\u001b[31mred\u001b[0m\u001b[5C', 3],
  ])('of %s are those of a terminal', async (_what, text, columns) => {
    const harmless = sanitise(text);
    expect(widthOf(harmless)).toBe(columns);
    expect(await advanceOf(harmless)).toBe(columns);
    expect(cells(harmless)).toHaveLength(columns);
    expect(cells(harmless).join('')).toBe(harmless);
  });

  it('are those of a terminal for every character there is', async () => {
    const wrong: string[] = [];
    const step = 250;
    for (let first = 0; first < 0x110000; first += step) {
      const all = Array.from({ length: step }, (_, index) => first + index).filter((code) => code < 0x110000);
      const text = sanitise(all.map((code) => `a${String.fromCodePoint(code)}`).join(''));
      // Planes that are empty or private come out as the same few letters.
      if (!/^[a□]*$/.test(text) && widthOf(text) !== (await advanceOf(text))) wrong.push(first.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('are those of a terminal for any text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const harmless = sanitise(text);
        expect(await advanceOf(harmless)).toBe(widthOf(harmless));
        expect(cells(harmless)).toHaveLength(widthOf(harmless));
        expect(cells(harmless).join('')).toBe(harmless);
      }),
    );
  });

  it('hold nothing that does something to a terminal, even of text that was not made harmless', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(cells(text).join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(cells(text)).toHaveLength(widthOf(text));
      }),
    );
  });

  it('of a wide character are two, its own and an empty one', () => {
    expect(cells('a語e\u0334')).toEqual(['a', '語', '', 'e\u0334']);
  });
});

describe('a command that somebody must judge', () => {
  it.each([
    ['an escape sequence', 'ls \u001b[8mrm\u001b[0m', String.raw`ls \x1b[8mrm\x1b[0m`],
    ['a line that hides itself', 'rm x\recho hello', String.raw`rm x\recho hello`],
    ['text turned around', 'cat \u202efdp.exe', String.raw`cat \u{202e}fdp.exe`],
    ['invisible letters', 'pay\u200bpal\ufeff\u3164', String.raw`pay\u{200b}pal\u{feff}\u{3164}`],
    ['tabs, but not line ends', 'a\tb\nc', 'a\\tb\nc'],
    ['the one-byte form', 'a\u009b2J', String.raw`a\x9b2J`],
    ['a blank that is no space', 'rm\u00a0-rf\u3000/\u2800', String.raw`rm\xa0-rf\u{3000}/\u{2800}`],
    ['letters of its own fonts', '\ue000', String.raw`\u{e000}`],
    ['half a character', 'a\ud800', String.raw`a\u{d800}`],
    ['joined emoji', '👩‍👧', String.raw`👩\u{200d}👧`],
    ['letters in tags', 'a\u{e0041}', String.raw`a\u{e0041}`],
    ['a pile of marks', `a${'\u0334'.repeat(6)}`, `a${'\u0334'.repeat(4)}${String.raw`\u{334}\u{334}`}`],
    ['a mark behind something hidden', '\u200b\u0334', String.raw`\u{200b}\u{334}`],
    ['nothing where nothing is hidden', 'grep -n "größe" 日本.txt 👍', 'grep -n "größe" 日本.txt 👍'],
  ])('shows %s', (_what, text, shown) => {
    expect(reveal(text)).toBe(shown);
  });

  it('is harmless, and nothing of it is dropped', () => {
    const escapes = /\\(?:(t)|(r)|x([\da-f]{2})|u\{([\da-f]+)\})/g;
    const read = (shown: string): string =>
      shown.replaceAll(escapes, (_all, tab?: string, back?: string, byte?: string, code?: string) =>
        tab !== undefined ? '\t' : back !== undefined ? '\r' : String.fromCodePoint(parseInt(byte ?? code ?? '', 16)),
      );
    fc.assert(
      fc.property(
        anyText.map((text) => text.replaceAll('\\', '/')),
        (text) => {
          const shown = reveal(text);
          for (const line of shown.split('\n')) expect(sanitise(line)).toBe(line.normalize('NFC'));
          expect(read(shown)).toBe(text);
        },
      ),
    );
  });
});

describe('a line in rows', () => {
  it.each([
    ['nothing', '', 5, ['']],
    ['what fits', 'one two', 7, ['one two']],
    ['words', 'one two three', 7, ['one two', 'three']],
    ['words to the edge', 'aaaa bb c', 4, ['aaaa', 'bb c']],
    ['many spaces at the break', 'aaaa     bb', 4, ['aaaa', 'bb']],
    ['a long word', 'see abcdefghij', 4, ['see', 'abcd', 'efgh', 'ij']],
    ['an indentation', '  - one two', 7, ['  - one', 'two']],
    ['an indentation without room', '        one', 4, ['one']],
    ['spaces only', '         ', 4, ['']],
    ['wide characters', '日本語のテキスト', 5, ['日本', '語の', 'テキ', 'スト']],
    ['wide ones behind words', 'see 日本語', 7, ['see 日', '本語']],
    ['one column', 'a語b', 1, ['a', '□', 'b']],
    ['marks', 'e\u0334e\u0334e\u0334', 2, ['e\u0334e\u0334', 'e\u0334']],
  ])('%s', (_what, text, width, rows) => {
    expect(wrap(text, width)).toEqual(rows);
  });

  it('loses nothing but spaces, and never takes more columns than there are', () => {
    fc.assert(
      fc.property(anyText.map(sanitise), fc.integer({ min: 2, max: 20 }), (text, width) => {
        const rows = wrap(text, width);
        for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(width);
        expect(rows.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    );
  });

  it('breaks plain text where any text is broken', () => {
    const plainText = fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', ' '), maxLength: 60 });
    fc.assert(
      fc.property(plainText, fc.integer({ min: 1, max: 15 }), (text, width) => {
        const pieces = text.split('').map((char) => ({ text: char, columns: 1 }));
        const starts = rowStarts(pieces, width, 'hang');
        const rows = starts.map((start, index) => text.slice(start, starts[index + 1]).trimEnd());
        fc.pre(text.length > width);
        expect(wrap(text, width)).toEqual(rows.length > 1 && rows[0] === '' ? rows.slice(1) : rows);
      }),
    );
  });

  it('breaks no word that fits into a row', () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 8 }), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 20 }), (list, width) => {
        expect(wrap(list.join(' '), width).flatMap((row) => row.split(' '))).toEqual(list);
      }),
    );
  });
});

describe('a line that is too long', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['日本語のテキスト', 7, '日本語…'],
    ['日本語', 6, '日本語'],
    ['é'.repeat(8), 5, `${'é'.repeat(4)}…`],
    ['abc', 0, ''],
    ['abc', 1, '…'],
    ['日本語', 4, '日…'],
  ])('%s in %i columns is %s', (text, width, shown) => {
    expect(fit(text, width, '…')).toBe(shown);
  });

  it('never takes more columns than there are', () => {
    fc.assert(
      fc.property(anyText.map(sanitise), fc.integer({ min: 0, max: 40 }), (text, width) => {
        const shown = fit(text, width, '…');
        expect(widthOf(shown)).toBeLessThanOrEqual(width);
        if (widthOf(text) <= width) expect(shown).toBe(text);
        else expect(widthOf(shown)).toBeGreaterThanOrEqual(width - 1);
        expect(text.startsWith(cut(text, width))).toBe(true);
      }),
    );
  });

  it('is cut without being measured whole', () => {
    expect(fit('x'.repeat(50_000_000), 10, '...')).toBe('xxxxxxx...');
  });

  it('is filled up by columns, not by letters', () => {
    expect(padEnd('日本', 6)).toBe('日本  ');
  });
});

describe('quantities', () => {
  it.each([
    [0, '0 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [3_599_000, '59 min'],
    [7_500_000, '2 h 5 min'],
  ])('%i ms are %s', (ms, shown) => {
    expect(duration(ms)).toBe(shown);
  });

  it('say one and many', () => {
    expect([countOf(0, 'item'), countOf(1, 'item'), countOf(2, 'item')]).toEqual(['0 items', '1 item', '2 items']);
  });
});
