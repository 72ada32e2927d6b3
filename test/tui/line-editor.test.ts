import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutEditor } from '../../tui/core/text/editor-layout.js';
import { decode, emptyDecoder } from '../../tui/core/input/input-decoder.js';
import type { Key } from '../../tui/core/input/input.js';
import { applyKey, type Editor, editorOf, emptyEditor, insert } from '../../tui/core/text/line-editor.js';
import { cells, sanitise, widthOf } from '../../tui/core/text/text.js';

const [controlKeys, altKeys] = ['abdefjkuwy_', 'bdf_'];
const sequences: Readonly<Record<string, string>> = {
  ...{ left: '\u001b[D', right: '\u001b[C', up: '\u001b[A', down: '\u001b[B', home: '\u001b[H', end: '\u001b[F' },
  ...{ 'ctrl-left': '\u001b[1;5D', 'ctrl-right': '\u001b[1;5C', 'ctrl-home': '\u001b[1;5H', 'ctrl-end': '\u001b[1;5F' },
  ...{ backspace: '\u007f', delete: '\u001b[3~', 'ctrl-delete': '\u001b[3;5~', 'alt-backspace': '\u001b\u007f' },
  ...{ 'alt-enter': '\u001b\r', 'shift-enter': '\u001b[13;2u', enter: '\r', tab: '\t', escape: '\u001b', f1: '\u001bOP' },
  ...{ pageup: '\u001b[5~', 'ctrl-c': '\u0003', 'ctrl-z': '\u001a', 'alt-x': '\u001bx' },
  ...Object.fromEntries(Array.from(controlKeys, (name) => [`ctrl-${name}`, String.fromCharCode(name.charCodeAt(0) & 31)])),
  ...Object.fromEntries(Array.from(altKeys, (name) => [`alt-${name}`, `\u001b${name}`])),
};

/** Keys as they come from the terminal: `left`, `ctrl-w`, or what is typed. */
function keysOf(...said: string[]): Key[] {
  return said.flatMap((name) => {
    const pending = decode(emptyDecoder, sequences[name] ?? name, false);
    const inputs = [...pending.inputs, ...decode(pending.state, '', true).inputs];
    return inputs.filter((input): input is Key => input.type === 'key');
  });
}

const press = (editor: Editor, ...said: string[]): Editor =>
  keysOf(...said).reduce((before, key) => applyKey(before, key) ?? before, editor);

const oneLine = { multiline: false };

/** An editor, its cursor where the `|` is. */
const at = (marked: string): Editor => ({ ...editorOf(marked.replace('|', '')), cursor: marked.indexOf('|') });

const shown = ({ text, cursor }: Editor): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('keys in a line', () => {
  it.each([
    ['typing', 'ab|', ['c', ' ', 'D'], 'abc D|'],
    ['typing in the middle', 'a|c', ['b'], 'ab|c'],
    ['left and right', 'ab|', ['left', 'left', 'left', 'right'], 'a|b'],
    ['Ctrl-B and Ctrl-F', 'ab|', ['ctrl-b', 'ctrl-b', 'ctrl-f'], 'a|b'],
    ['over a family in one step', 'a👩‍👧b|', ['left', 'left'], 'a|👩‍👧b'],
    ['Home and End', 'one\ntw|o', ['home', 'x', 'end', 'y'], 'one\nxtwoy|'],
    ['Ctrl-A and Ctrl-E', 'one\ntw|o', ['ctrl-a', 'x', 'ctrl-e', 'y'], 'one\nxtwoy|'],
    ['to both ends of the text', 'one\ntw|o', ['ctrl-home', 'x', 'ctrl-end', 'y'], 'xone\ntwoy|'],
    ['over a line end', 'a\n|b', ['left', 'left', 'right', 'right'], 'a\n|b'],
    ['words to the left', 'git commit --all|', ['alt-b', 'ctrl-left'], 'git |commit --all'],
    ['words to the right', '|git commit', ['alt-f', 'ctrl-right'], 'git commit|'],
    ['words over lines', 'one|\ntwo', ['alt-f', 'alt-b', 'alt-b'], '|one\ntwo'],
    ['Backspace', 'abc|', ['backspace'], 'ab|'],
    ['Backspace of a letter with its mark', 'ae\u0301|', ['backspace'], 'a|'],
    ['Backspace of a flag', '🇩🇪🇫🇷|', ['backspace'], '🇩🇪|'],
    ['Backspace at the beginning of a line', 'a\n|b', ['backspace'], 'a|b'],
    ['Backspace at the beginning', '|a', ['backspace'], '|a'],
    ['Delete and Ctrl-D', '|abc', ['delete', 'ctrl-d'], '|c'],
    ['Ctrl-W', 'rm /tmp/a.txt  |', ['ctrl-w'], 'rm |'],
    ['Alt-Backspace', 'rm /tmp/a.txt|', ['alt-backspace'], 'rm /tmp/a.|'],
    ['Alt-D', 'rm| -rf x', ['alt-d'], 'rm| x'],
    ['Ctrl-Delete', '|one two', ['ctrl-delete'], '| two'],
    ['Ctrl-K', 'one\ntw|o three\nfour', ['ctrl-k'], 'one\ntw|\nfour'],
    ['Ctrl-K at the end of a line', 'one|\ntwo', ['ctrl-k'], 'one|two'],
    ['Ctrl-U', 'one\ntwo thr|ee', ['ctrl-u'], 'one\n|ee'],
    ['Ctrl-Y', 'one two|', ['ctrl-w', 'ctrl-y', 'ctrl-y'], 'one twotwo|'],
    ['Ctrl-Y with nothing killed', 'a|', ['ctrl-y'], 'a|'],
    ['new lines', 'a|', ['ctrl-j', 'b', 'alt-enter', 'c', 'shift-enter'], 'a\nb\nc\n|'],
    ['up and down', 'abc\nd|ef', ['up', 'x', 'down', 'y'], 'axbc\ndey|f'],
    ['up and down over a short line', 'abcd\ne\nfghi|', ['up', 'up'], 'abcd|\ne\nfghi'],
    ['up and down by columns', '日本語\nabcd|', ['up'], '日本|語\nabcd'],
    ['up and down into the middle of a wide one', '日本語\nabc|', ['up'], '日|本語\nabc'],
  ])('%s', (_what, before, said, after) => {
    expect(shown(press(at(before), ...said))).toBe(after);
  });

  it.each(['enter', 'tab', 'escape', 'f1', 'pageup', 'ctrl-c', 'ctrl-z', 'alt-x'])('%s is none of the editor', (name) => {
    expect(keysOf(name).map((key) => applyKey(at('a|b'), key))).toEqual([null]);
  });

  it.each([
    ['up', 'fir|st\nlast'],
    ['down', 'first\nla|st'],
    ['up', '|'],
    ['down', '|'],
  ])('%s in %j is the history', (name, marked) => {
    expect(keysOf(name).map((key) => applyKey(at(marked), key))).toEqual([null]);
  });
});

describe('a title', () => {
  const title = at('one two|');

  it.each(['ctrl-j', 'alt-enter', 'shift-enter', 'up', 'down'])('knows no %s', (name) => {
    expect(keysOf(name).map((key) => applyKey(title, key, oneLine))).toEqual([null]);
  });

  it('takes the line ends of a paste as spaces', () => {
    expect(shown(insert(title, ' a\r\nb\nc', oneLine))).toBe('one two a b c|');
    expect(editorOf('a\nb', oneLine).text).toBe('a b');
  });

  it('is edited like any line', () => {
    const edited = keysOf('ctrl-w', 'x', 'home', 'y').reduce((before, key) => applyKey(before, key, oneLine) ?? before, title);
    expect(shown(edited)).toBe('y|one x');
  });
});

describe('undo', () => {
  it('takes typing back by words', () => {
    const typed = press(emptyEditor, ...'one two  three'.split(''));
    expect(shown(press(typed, 'ctrl-_'))).toBe('one two  |');
    expect(shown(press(typed, 'ctrl-_', 'ctrl-_'))).toBe('one |');
    expect(shown(press(typed, 'ctrl-_', 'ctrl-_', 'ctrl-_', 'ctrl-_'))).toBe('|');
  });

  it('is itself undone', () => {
    const typed = press(emptyEditor, ...'one two'.split(''));
    expect(shown(press(typed, 'ctrl-_', 'ctrl-_', 'alt-_', 'alt-_', 'alt-_'))).toBe('one two|');
    expect(shown(press(typed, 'ctrl-_', 'x', 'alt-_'))).toBe('one x|');
  });

  it('takes a paste back as a whole, and what was typed before it apart', () => {
    const pasted = insert(press(emptyEditor, 'a', 'b'), 'many words\nand lines ');
    expect(shown(press(pasted, 'x', 'ctrl-_'))).toBe('abmany words\nand lines |');
    expect(shown(press(pasted, 'ctrl-_'))).toBe('ab|');
    expect(shown(press(pasted, 'ctrl-_', 'ctrl-_'))).toBe('|');
  });

  it('takes backspaces in a row back as one, and begins anew after a move', () => {
    expect(shown(press(at('abcd|'), 'backspace', 'backspace', 'ctrl-_'))).toBe('abcd|');
    expect(shown(press(at('abcd|'), 'backspace', 'left', 'backspace', 'ctrl-_'))).toBe('ab|c');
  });

  it('does nothing where nothing was done', () => {
    expect(shown(press(at('a|b'), 'ctrl-_', 'alt-_'))).toBe('a|b');
  });

  it('has a depth, and a size', () => {
    const many = Array.from({ length: 1000 }, (_, index) => index).reduce((editor) => insert(editor, 'x'), emptyEditor);
    expect(many.past).toHaveLength(200);
    const large = insert(insert(insert(emptyEditor, 'x'.repeat(3_000_000)), 'y'), 'z');
    expect(large.past.map(({ text }) => text.length)).toEqual([3_000_001]);
  });
});

describe('the rows of an editor', () => {
  it.each([
    ['nothing', '|', 10, ['|']],
    ['a line', 'one t|wo', 10, ['one t|wo']],
    ['words', 'one two thr|ee', 8, ['one two ', 'thr|ee']],
    ['lines', 'one\n\ntw|o', 8, ['one', '', 'tw|o']],
    ['a long word', 'abcdefgh|ij', 4, ['abcd', 'efgh', '|ij']],
    ['the cursor behind a full row', 'abcd|', 4, ['abcd', '|']],
    ['the cursor behind a full line', 'abcd|\ne', 4, ['abcd', '|', 'e']],
    ['a full line without the cursor', 'abcd\ne|', 4, ['abcd', 'e|']],
    ['the cursor between rows', 'one |two', 4, ['one ', '|two']],
    ['a space behind a full row', 'abcd |ef', 4, ['abcd', ' |ef']],
    ['wide characters', '日本語|', 5, ['日本', '語|']],
    ['wide characters to the edge', '日本|', 4, ['日本', '|']],
    ['one column', 'a語|', 1, ['a', '□', '|']],
    ['what would do something', 'a\u001b[31m\u202e|b', 20, ['a□[31m□|b']],
    ['emoji of several parts', '👩‍👧🇩🇪|!', 20, ['👩DE|!']],
    ['a tab', 'a\t|b', 20, ['a  |b']],
  ])('%s', (_what, marked, width, rows) => {
    const { lines, cursor } = layoutEditor(at(marked), width);
    const row = cells(lines[cursor.row] ?? '');
    const withCursor = `${row.slice(0, cursor.column).join('')}|${row.slice(cursor.column).join('')}`;
    expect(lines.with(cursor.row, withCursor)).toEqual(rows);
  });
});

const piece = fc.constantFrom('a', 'b', ' ', '\n', '.', 'é', 'e\u0301', '語', '👍', '👩‍👧', '🇩🇪', 'हि', 'กำ', '\t');
const someText = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const wildText = fc.oneof(
  someText,
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\u0301', '\u200d', '👩', '\r', '\n', '🇩', 'a') }),
);
const edit = fc.constantFrom(
  ...['left', 'right', 'home', 'end', 'up', 'down', 'ctrl-left', 'ctrl-right', 'backspace', 'delete', 'ctrl-k', 'ctrl-u'],
  ...[
    'ctrl-w',
    'alt-backspace',
    'alt-d',
    'ctrl-y',
    'ctrl-j',
    'ctrl-_',
    'alt-_',
    'x',
    ' ',
    '語',
    'e\u0301',
    '\u0301',
    '\u200d',
    '👩',
    '🇩',
  ],
);
const edited = fc
  .tuple(
    wildText,
    fc.array(
      fc.oneof(
        edit,
        wildText.map((text) => `paste ${text}`),
      ),
      { maxLength: 20 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce(
      (editor, name) => (name.startsWith('paste ') ? insert(editor, name.slice(6)) : press(editor, name)),
      editorOf(text),
    ),
  );
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

describe('any edits', () => {
  it('leave the cursor between graphemes', () => {
    fc.assert(
      fc.property(edited, ({ text, cursor }) => {
        const starts = Array.from(segmenter.segment(text), ({ index }) => index);
        expect([...starts, text.length]).toContain(cursor);
        expect(text).not.toContain('\r');
      }),
      { numRuns: 500 },
    );
  });

  it('are undone one by one, to where the cursor was', () => {
    fc.assert(
      fc.property(edited, edit, (editor, name) => {
        const fresh = { ...editor, run: null };
        const after = press(fresh, name);
        if (after.text !== fresh.text && name !== 'ctrl-_' && name !== 'alt-_') {
          expect(shown(press(after, 'ctrl-_'))).toBe(shown(fresh));
          expect(shown(press(after, 'ctrl-_', 'alt-_'))).toBe(shown(after));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a paste is one undo away, and as many backspaces as it has characters', () => {
    const apart = fc.array(fc.constantFrom('a', ' ', '\n', '語', '👍', '.'), { maxLength: 20 });
    fc.assert(
      fc.property(apart, apart, apart, (before, pasted, behind) => {
        const editor = at(`${before.join('')}|${behind.join('')}`);
        const after = insert(editor, pasted.join(''));
        if (pasted.length > 0) expect(shown(press(after, 'ctrl-_'))).toBe(shown(editor));
        expect(shown(press(after, ...pasted.map(() => 'backspace')))).toBe(shown(editor));
      }),
    );
  });

  it('are laid out within the width, with the cursor in it', () => {
    fc.assert(
      fc.property(edited, fc.integer({ min: 1, max: 20 }), (editor, width) => {
        const { lines, cursor } = layoutEditor(editor, width);
        for (const line of lines) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          expect(sanitise(line)).toBe(line.normalize('NFC'));
        }
        expect(cursor.row).toBeLessThan(lines.length);
        expect(cursor.column).toBeLessThan(width);
        expect(cursor.column).toBeLessThanOrEqual(widthOf(lines[cursor.row] ?? ''));
        // Not on the right half of a wide character.
        expect(cells(lines[cursor.row] ?? '')[cursor.column]).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('are laid out with nothing lost, and the cursor behind what is before it', () => {
    const harmless = someText.map((text) => text.split('\n').map(sanitise).join('\n'));
    fc.assert(
      fc.property(harmless, fc.nat(), fc.integer({ min: 4, max: 20 }), (text, place, width) => {
        const starts = [...Array.from(segmenter.segment(text), ({ index }) => index), text.length];
        const editor = { ...editorOf(text), cursor: starts[place % starts.length] ?? 0 };
        const { lines, cursor } = layoutEditor(editor, width);
        expect(lines.join('')).toBe(text.replaceAll('\n', ''));
        const before = [
          ...lines.slice(0, cursor.row),
          cells(lines[cursor.row] ?? '')
            .slice(0, cursor.column)
            .join(''),
        ];
        expect(before.join('')).toBe(text.slice(0, editor.cursor).replaceAll('\n', ''));
      }),
      { numRuns: 500 },
    );
  });
});
