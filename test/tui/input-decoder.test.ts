import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, type DecoderState, emptyDecoder, pasteLimit } from '../../tui/core/input/input-decoder.js';
import type { Input, Key } from '../../tui/core/input/input.js';

/** All inputs of pieces that come at once, after which nothing more comes. */
function decodeAll(...pieces: string[]): Input[] {
  let state: DecoderState = emptyDecoder;
  const inputs: Input[] = [];
  for (const piece of pieces) {
    const decoded = decode(state, piece, false);
    inputs.push(...decoded.inputs);
    state = decoded.state;
  }
  return [...inputs, ...decode(state, '', true).inputs];
}

/** As a person would say it: `ctrl-a`, `alt-shift-f`, `"R"` for what types, `paste "x"`, `press left 2,1`. */
function say(input: Input): string {
  switch (input.type) {
    case 'key':
      return input.text === null ? nameOf(input) : JSON.stringify(input.text);
    case 'paste':
      return `paste ${JSON.stringify(input.text)}`;
    case 'mouse':
      return `${input.action} ${input.button} ${input.x},${input.y}`;
    default:
      return input.type;
  }
}

const nameOf = ({ name, ctrl, alt, shift }: Key): string =>
  [ctrl && 'ctrl', alt && 'alt', shift && 'shift', name].filter((part) => part !== false).join('-');

const said = (...pieces: string[]): string =>
  decodeAll(...pieces)
    .map(say)
    .join(' ');

describe('what is typed', () => {
  it.each([
    ['letters', 'aR', '"a" "R"'],
    ['other scripts', 'ñ語', '"ñ" "語"'],
    ['an emoji of several parts', '👩‍👧!', '"👩‍👧" "!"'],
    ['a letter and its mark', 'e\u0301x', '"e\u0301" "x"'],
    ['a space', ' ', '" "'],
    ['Enter', '\r', 'enter'],
    ['Ctrl-J', '\n', 'ctrl-j'],
    ['Tab', '\t', 'tab'],
    ['Shift-Tab', '\u001b[Z', 'shift-tab'],
    ['Backspace', '\u007f\b', 'backspace backspace'],
    ['Ctrl with a letter', '\u0001\u0003\u001a', 'ctrl-a ctrl-c ctrl-z'],
    ['Ctrl with a sign', '\u001c\u001d\u001e\u001f', 'ctrl-\\ ctrl-] ctrl-^ ctrl-_'],
    ['Ctrl-Space', '\0', 'ctrl-space'],
    ['Escape', '\u001b', 'escape'],
    ['Escape, twice', '\u001b\u001b', 'escape escape'],
    ['Escape, then a key at once', '\u001b\u001bx', 'escape alt-x'],
    ['Alt with a letter', '\u001bf\u001bF', 'alt-f alt-shift-f'],
    ['Alt with a letter of another script', '\u001bñ\u001b😀', 'alt-ñ alt-😀'],
    ['Alt-Enter', '\u001b\r', 'alt-enter'],
    ['Alt-Backspace', '\u001b\u007f', 'alt-backspace'],
    ['Alt-Space', '\u001b ', 'alt-space'],
    ['Ctrl-Alt', '\u001b\u0001', 'ctrl-alt-a'],
    ['Alt with what may begin a sequence', '\u001b[', 'alt-['],
    ['Alt-Shift-O', '\u001bO', 'alt-shift-o'],
    ['Alt-]', '\u001b]', 'alt-]'],
    ['Alt-_', '\u001b_', 'alt-_'],
    ['Alt-[ before another key', '\u001b[\r', 'alt-[ enter'],
  ])('%s', (_what, sent, inputs) => {
    expect(said(sent)).toBe(inputs);
  });

  it('is a key with its name, its modifiers and its text', () => {
    expect(decodeAll('R é\u001bR')).toEqual([
      { type: 'key', name: 'R', ctrl: false, alt: false, shift: true, text: 'R' },
      { type: 'key', name: 'space', ctrl: false, alt: false, shift: false, text: ' ' },
      { type: 'key', name: 'é', ctrl: false, alt: false, shift: false, text: 'é' },
      { type: 'key', name: 'r', ctrl: false, alt: true, shift: true, text: null },
    ]);
  });
});

describe('keys of the keyboard', () => {
  it.each([
    ['arrows', '\u001b[A\u001b[B\u001b[C\u001b[D', 'up down right left'],
    ['arrows in application mode', '\u001bOA\u001bOB\u001bOC\u001bOD', 'up down right left'],
    ['arrows with modifiers', '\u001b[1;5C\u001b[1;2A\u001b[1;3D\u001b[1;8B', 'ctrl-right shift-up alt-left ctrl-alt-shift-down'],
    ['arrows with modifiers, the short way', '\u001bO5C\u001bO1;2A', 'ctrl-right shift-up'],
    ['arrows behind an Escape of Alt', '\u001b\u001b[A\u001b\u001bOB', 'alt-up alt-down'],
    ['Home and End', '\u001b[H\u001b[F\u001bOH\u001b[1~\u001b[4~\u001b[7~\u001b[8~', 'home end home home end home end'],
    ['paging, insert, delete', '\u001b[5~\u001b[6~\u001b[2~\u001b[3~\u001b[3;5~', 'pageup pagedown insert delete ctrl-delete'],
    ['F1 to F4', '\u001bOP\u001bOQ\u001bOR\u001bOS\u001b[P\u001b[R\u001b[13~', 'f1 f2 f3 f4 f1 f3 f3'],
    ['F5 and above', '\u001b[15~\u001b[17;2~\u001b[24~\u001b[34~', 'f5 shift-f6 f12 f20'],
    ['F1 and F5 of the console', '\u001b[[A\u001b[[E', 'f1 f5'],
    ['the keypad', '\u001bOM\u001bOp\u001bOy\u001bOk', 'enter "0" "9" "+"'],
    ['CSI u', '\u001b[13;2u\u001b[27u\u001b[9;2u\u001b[127;5u\u001b[97;5u', 'shift-enter escape shift-tab ctrl-backspace ctrl-a'],
    ['CSI u that types', '\u001b[97u\u001b[97;2u\u001b[32u\u001b[97:65;2u', '"a" "A" " " "A"'],
    ['CSI u with the shifted sign', '\u001b[45:95;6u', 'ctrl-shift-_'],
    ['CSI u of the keypad', '\u001b[57399u\u001b[57414u\u001b[57417;5u\u001b[57376u', '"0" enter ctrl-left f13'],
    ['CSI u of a released key', '\u001b[97;1:3u\u001b[1;1:3A\u001b[97;1:2u', '"a"'],
    ['CSI u with super, of locks and unknown keys', '\u001b[97;9u\u001b[57358u\u001b[99999999u\u001b[55296u', ''],
    ['CSI u with Caps Lock', '\u001b[97;69u', 'ctrl-a'],
    [
      'modifyOtherKeys',
      '\u001b[27;2;13~\u001b[27;5;97~\u001b[27;3;32~\u001b[27;6;82~',
      'shift-enter ctrl-a alt-space ctrl-shift-r',
    ],
  ])('%s', (_what, sent, inputs) => {
    expect(said(sent)).toBe(inputs);
  });
});

describe('the mouse', () => {
  it.each([
    ['pressed and released', '\u001b[<0;3;2M\u001b[<0;3;2m', 'press left 2,1 release left 2,1'],
    ['the other buttons', '\u001b[<1;1;1M\u001b[<2;1;1M', 'press middle 0,0 press right 0,0'],
    ['dragged', '\u001b[<32;300;200M', 'drag left 299,199'],
    ['the wheel', '\u001b[<64;5;5M\u001b[<65;5;5M', 'wheel-up none 4,4 wheel-down none 4,4'],
    ['the wheel with Ctrl held', '\u001b[<81;5;5M', 'wheel-down none 4,4'],
    ['only moved', '\u001b[<35;5;5M', ''],
    ['a sideways wheel and further buttons', '\u001b[<66;5;5M\u001b[<67;5;5M\u001b[<128;5;5M', ''],
    ['nowhere', '\u001b[<0;0;0M\u001b[<0M\u001b[<M\u001b[<0;1<;1M', ''],
    ['reports of old', '\u001b[M !!x', '"x"'],
    ['reports of old at a far place', '\u001b[M a😀x', '"x"'],
    ['reports of old that look like sequences', '\u001b[M\u001b[Ax', '"x"'],
    ['reports of urxvt', '\u001b[32;5;5Mx', '"x"'],
  ])('%s', (_what, sent, inputs) => {
    expect(said(sent)).toBe(inputs);
  });
});

describe('what the terminal reports', () => {
  it.each([
    ['focus', '\u001b[I\u001b[O', 'focus blur'],
    ['where the cursor is', '\u001b[12;40R\u001b[1;1R', ''],
    ['what it is', '\u001b[?62;22c\u001b[>0;276;0c\u001b[?2026;2$y', ''],
    ['its colours', 'a\u001b]11;rgb:ffff/ffff/ffff\u0007b\u001b]10;rgb:0/0/0\u001b\\c', '"a" "b" "c"'],
    ['its name', '\u001bP>|XTerm(380)\u001b\\a', '"a"'],
    ['pictures', '\u001b_Gi=31;OK\u001b\\a', '"a"'],
    ['a report that another sequence breaks off', '\u001b]11;rgb\u001b[Aa', 'up "a"'],
    ['an unknown sequence', '\u001b[1;2;3!pa\u001b[99~b\u001bOzc', '"a" "b" "c"'],
    ['one of the one-byte form', '\u009bA', '"A"'],
    ['a stray end of a paste', '\u001b[201~a', '"a"'],
  ])('%s', (_what, sent, inputs) => {
    expect(said(sent)).toBe(inputs);
  });

  it('takes no room, however long it is', () => {
    let { state } = decode(emptyDecoder, '\u001b]52;c;', false);
    for (let piece = 0; piece < 100; piece += 1) ({ state } = decode(state, 'A'.repeat(10_000), false));
    expect(JSON.stringify(state).length).toBeLessThan(100);
    expect(decode(state, '\u0007x', false).inputs.map(say)).toEqual(['"x"']);
  });
});

describe('a paste', () => {
  it.each([
    ['is one input', ['\u001b[200~ls -la\u001b[201~'], 'paste "ls -la"'],
    ['has its line ends as \\n', ['\u001b[200~a\rb\r\nc\nd\u001b[201~'], 'paste "a\\nb\\nc\\nd"'],
    ['may be empty', ['\u001b[200~\u001b[201~'], 'paste ""'],
    ['holds what would be keys', ['\u001b[200~\u0003\u001b[A\tx\u001b[201~y'], 'paste "\\u0003\\u001b[A\\tx" "y"'],
    ['holds what looks like its end', ['\u001b[200~\u001b[20', '0~\u001b[201~'], 'paste "\\u001b[200~"'],
    ['may be split in its marks', ['\u001b[2', '00~a', 'b\u001b', '[20', '1', '~c'], 'paste "ab" "c"'],
  ])('%s', (_what, pieces, inputs) => {
    expect(said(...pieces)).toBe(inputs);
  });

  it('goes on after a pause, also within its end', () => {
    const begun = decode(emptyDecoder, '\u001b[200~one\r', false);
    expect(begun).toMatchObject({ inputs: [], isPending: false });
    const paused = decode(decode(begun.state, '', true).state, 'two\u001b[20', false);
    expect(paused).toMatchObject({ inputs: [], isPending: false });
    const ended = decode(decode(paused.state, '', true).state, '1~', false);
    expect(ended.inputs).toEqual([{ type: 'paste', text: 'one\ntwo' }]);
  });

  it('whose end was lost is ended by a Ctrl-C', () => {
    const { state } = decode(emptyDecoder, '\u001b[200~text', false);
    const ended = decode(state, '\u0003', false);
    expect(ended.inputs).toEqual([{ type: 'paste', text: 'text' }]);
    expect(decode(ended.state, '\u0003x', false).inputs.map(say)).toEqual(['ctrl-c', '"x"']);
  });

  it('that is very long comes in parts, with nothing lost and none of it typed', () => {
    const text = `${'x'.repeat(pasteLimit - 1)}😀${'y'.repeat(pasteLimit)}`;
    const inputs = decodeAll('\u001b[200~', text.slice(0, pasteLimit), text.slice(pasteLimit), '\u001b[201~');
    expect(inputs.map(({ type }) => type)).toEqual(['paste', 'paste', 'paste']);
    expect(inputs.map((input) => (input.type === 'paste' ? input.text : '')).join('') === text).toBe(true);
    expect(inputs[0]).toHaveProperty('text.length', pasteLimit - 1);
  });
});

/** Typed text as one, since a letter and a mark that come apart are two keys. */
function joined(inputs: readonly Input[]): string[] {
  const parts: string[] = [];
  let text = '';
  for (const input of inputs) {
    if (input.type === 'key' && input.text !== null) {
      text += input.text;
      continue;
    }
    if (text !== '') parts.push(text);
    text = '';
    parts.push(say(input));
  }
  return text === '' ? parts : [...parts, text];
}

const sequence = fc.constantFrom(
  ...['a', 'R', ' ', 'é', '👩‍👧', '語', '\r', '\n', '\t', '\u007f', '\u0001', '\u001b', '\u001bf', '\u001b\r', '\u001b😀'],
  ...[
    '\u001b[A',
    '\u001b[1;5C',
    '\u001bOP',
    '\u001bO5A',
    '\u001b[[B',
    '\u001b[13;2u',
    '\u001b[27;5;97~',
    '\u001b\u001b[A',
    '\u001b[Z',
  ],
  ...['\u001b[<0;3;2M', '\u001b[<65;13;12M', '\u001b[M !!', '\u001b[I', '\u001b[12;40R', '\u001b[?62;22c'],
  ...['\u001b]11;rgb:0/0/0\u0007', '\u001b]8;;x\u001b\\', '\u001bP1$r\u001b\\', '\u001b_G\u001b\\', '\u001b[1;2;3!p'],
  ...[
    '\u001b[200~a\r\nb\u001b[201~',
    '\u001b[200~\u001b[A\u001b[20\u001b[201~',
    '\u001b[',
    '\u001bO',
    '\u001b]',
    `\u001b[${'1;'.repeat(200)}`,
  ],
);
const garbage = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => String.fromCharCode(...bytes)),
  fc.string({
    unit: fc.constantFrom(
      '\u001b',
      '[',
      'O',
      ']',
      'P',
      '<',
      '?',
      ';',
      '1',
      '2',
      '0',
      '7',
      '~',
      'M',
      'u',
      'R',
      '\u0007',
      '\\',
      'x',
      '\ud83d',
    ),
  }),
);

describe('any input', () => {
  it('says the same in however many pieces it comes', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.oneof(sequence, garbage), { maxLength: 8 }), cuts, (sequences, places) => {
        const whole = sequences.join('').replaceAll('\u0003', '');
        const at = [0, ...places.map((place) => Math.round(place * whole.length)).sort((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        expect(joined(decodeAll(...pieces))).toEqual(joined(decodeAll(whole)));
        expect(joined(decodeAll(...whole.split('')))).toEqual(joined(decodeAll(whole)));
      }),
      { numRuns: 400 },
    );
  });

  it('never types a control character, and every key has a name', () => {
    fc.assert(
      fc.property(garbage, (sent) => {
        for (const input of decodeAll(sent)) {
          if (input.type !== 'key') continue;
          expect(input.name).not.toBe('');
          expect(input.text ?? '').not.toMatch(/[\p{Cc}\p{Cs}]/u);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves the keyboard working, whatever was lost', () => {
    fc.assert(
      fc.property(garbage, (sent) => {
        const before = decode(decode(emptyDecoder, sent, false).state, '', true);
        expect(before.isPending).toBe(false);
        // What a paste has begun is ended by hand.
        const { state } = before.state.mode.kind === 'paste' ? decode(before.state, '\u0003', false) : before;
        expect(decode(state, 'x', false).inputs.map(say)).toEqual(['"x"']);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    '\u001b',
    '\u001b[',
    '\u001b[1;',
    '\u001b[M!',
    '\u001bO',
    '\u001b]11;rgb',
    '\u001bP1',
    '\u001b]1\u001b',
    '\u001b[[',
    '\ud83d',
    '\u001b\u001b[<0;1',
  ])('that stops in %j is waited for, then given up', (sent) => {
    const waiting = decode(emptyDecoder, sent, false);
    expect(waiting).toMatchObject({ inputs: [], isPending: true });
    const over = decode(waiting.state, '', true);
    expect(over.isPending).toBe(false);
    expect(decode(over.state, 'x', false).inputs.map(say)).toEqual(['"x"']);
  });

  it('that is complete is not waited for', () => {
    expect(decode(emptyDecoder, 'x\u001b[A', false)).toMatchObject({ isPending: false, state: emptyDecoder });
  });
});
