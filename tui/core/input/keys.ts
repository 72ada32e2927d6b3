/** Keys from what terminals send for them: characters, control characters, and control sequences (CSI, SS3). */
import type { Input, Key } from './input.js';

export interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

export const noModifiers: Modifiers = { ctrl: false, alt: false, shift: false };
export const withAlt: Modifiers = { ...noModifiers, alt: true };

const namedKey = (name: string, { ctrl, alt, shift }: Modifiers): Key => ({ type: 'key', name, ctrl, alt, shift, text: null });

/** The key of one typed grapheme. */
export function characterKey(text: string, { ctrl, alt, shift }: Modifiers): Key {
  const lower = text.toLowerCase();
  const isCommand = ctrl || alt;
  return {
    type: 'key',
    name: text === ' ' ? 'space' : isCommand ? lower : text,
    ctrl,
    alt,
    shift: shift || lower !== text,
    text: isCommand ? null : text,
  };
}

const controlNames: Readonly<Record<number, string>> = { 8: 'backspace', 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' };

/** The key of a control character (C0 and DEL): a named one, or ctrl with a letter or sign. Line feed is Ctrl-J. */
export function controlKey(char: string, modifiers: Modifiers): Key {
  const code = char.charCodeAt(0);
  const name = controlNames[code];
  if (name !== undefined) return namedKey(name, modifiers);
  const held = { ...modifiers, ctrl: true };
  return code === 0 ? namedKey('space', held) : characterKey(String.fromCharCode(code + 0x40).toLowerCase(), held);
}

export const escapeKey = controlKey('\u001b', noModifiers);

const finalNames: Readonly<Record<string, string>> = {
  ...{ A: 'up', B: 'down', C: 'right', D: 'left', F: 'end', H: 'home' },
  ...{ P: 'f1', Q: 'f2', R: 'f3', S: 'f4' },
};

const tildeNames: Readonly<Record<number, string>> = {
  ...{ 1: 'home', 2: 'insert', 3: 'delete', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end' },
  ...{ 11: 'f1', 12: 'f2', 13: 'f3', 14: 'f4', 15: 'f5', 17: 'f6', 18: 'f7', 19: 'f8', 20: 'f9', 21: 'f10' },
  ...{ 23: 'f11', 24: 'f12', 25: 'f13', 26: 'f14', 28: 'f15', 29: 'f16', 31: 'f17', 32: 'f18', 33: 'f19', 34: 'f20' },
};

/** The numeric keypad in application mode, by the last letter of its SS3 sequence. */
const keypad: Readonly<Record<string, string>> = {
  ...{ X: '=', j: '*', k: '+', l: ',', m: '-', n: '.', o: '/' },
  ...{ p: '0', q: '1', r: '2', s: '3', t: '4', u: '5', v: '6', w: '7', x: '8', y: '9' },
};

/** The functional keys of the kitty protocol: F13 to F24, then the keypad. */
const kittyF13 = 57_376;
const kittyKeypad = 57_399;
const kittyPrivate = { first: 57_344, last: 63_743 };
const kittyKeypadCharacters = '0123456789./*-+';
const kittyKeypadNames: Readonly<Record<number, string>> = {
  ...{ 57_414: 'enter', 57_417: 'left', 57_418: 'right', 57_419: 'up', 57_420: 'down', 57_421: 'pageup' },
  ...{ 57_422: 'pagedown', 57_423: 'home', 57_424: 'end', 57_425: 'insert', 57_426: 'delete' },
};

/** xterm and kitty: 1 and the sum of shift 1, alt 2, ctrl 4, super 8, hyper 16, meta 32, and locks. */
function modifiersOf(sum: number): Modifiers & { readonly isForeign: boolean } {
  const bits = Math.max(0, sum - 1);
  // What is held with super or hyper belongs to the window manager, and types nothing.
  return { shift: (bits & 1) > 0, alt: (bits & 34) > 0, ctrl: (bits & 4) > 0, isForeign: (bits & 24) > 0 };
}

/** A key by its code point, as `CSI u` and modifyOtherKeys tell it. `shifted` is what it types with shift, if told. */
function codePointKey(code: number, shifted: number | undefined, modifiers: Modifiers): Key | null {
  const name = controlNames[code] ?? kittyKeypadNames[code];
  if (name !== undefined) return namedKey(name, modifiers);
  if (code >= kittyF13 && code < kittyF13 + 12) return namedKey(`f${code - kittyF13 + 13}`, modifiers);
  const onKeypad = kittyKeypadCharacters[code - kittyKeypad];
  if (onKeypad !== undefined) return characterKey(onKeypad, modifiers);
  if (code >= kittyPrivate.first && code <= kittyPrivate.last) return null;
  const typed = modifiers.shift && shifted !== undefined ? shifted : code;
  if (!(typed <= 0x10ffff)) return null;
  const character = String.fromCodePoint(typed);
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(character)) return null;
  return characterKey(modifiers.shift ? upperOf(character) : character, modifiers);
}

/** In upper case, unless that takes more than one character (ß). */
function upperOf(character: string): string {
  const upper = character.toUpperCase();
  return upper.length === character.length ? upper : character;
}

const buttons = ['left', 'middle', 'right', 'none'] as const;

/** SGR mouse: bits 0 to 1 button, 5 motion, 6 wheel, 7 further buttons. Plain motion and sideways wheels are no input. */
function mouseInput([bits = 0, column = 0, row = 0]: readonly number[], isRelease: boolean): Input | null {
  const button = buttons[bits & 3] ?? 'none';
  const at = { type: 'mouse', x: column - 1, y: row - 1 } as const;
  if (!(at.x >= 0 && at.y >= 0 && bits < 128)) return null;
  if (bits >= 64) {
    if (isRelease || (bits & 2) > 0) return null;
    return { ...at, action: (bits & 1) > 0 ? 'wheel-down' : 'wheel-up', button: 'none' };
  }
  if ((bits & 32) > 0) return button === 'none' ? null : { ...at, action: 'drag', button };
  return { ...at, action: isRelease || button === 'none' ? 'release' : 'press', button };
}

const numbersOf = (params: string): number[][] =>
  params.split(';').map((param) => param.split(':').map((part) => (part === '' ? 0 : Number(part))));

/**
 * What a control sequence says: its parameters (`1;5`, `<0;3;2`) and its last character. Null for all that is no input:
 * reports, released keys, unknown ones.
 * Source: ECMA-48 section 5.4; xterm's ctlseqs; the keyboard protocol of kitty.
 */
export function csiInput(params: string, final: string): Input | null {
  if (params.startsWith('<')) {
    if (final !== 'M' && final !== 'm') return null;
    return mouseInput(
      numbersOf(params.slice(1)).map(([first = 0]) => first),
      final === 'm',
    );
  }
  if (/^[=>?]/.test(params)) return null;
  if (params === '' && final === 'I') return { type: 'focus' };
  if (params === '' && final === 'O') return { type: 'blur' };
  const [[code = 0, shifted] = [], [sum = 1, event = 1] = [], [other = 0] = []] = numbersOf(params);
  const { isForeign, ...modifiers } = modifiersOf(sum);
  const isReleased = event === 3;
  if (isForeign || isReleased) return null;
  if (final === 'u') return codePointKey(code, shifted === 0 ? undefined : shifted, modifiers);
  if (final === 'Z') return namedKey('tab', { ...modifiers, shift: true });
  if (final === '~') {
    if (code === 27) return codePointKey(other, undefined, modifiers);
    const name = tildeNames[code];
    return name === undefined ? null : namedKey(name, modifiers);
  }
  // With parameters, it is where the cursor is.
  if (final === 'R' && params !== '') return null;
  const name = finalNames[final];
  return name === undefined ? null : namedKey(name, modifiers);
}

/** What an SS3 sequence says: its modifiers (`5`, `1;5`, or nothing) and its last character. */
export function ss3Input(params: string, final: string): Input | null {
  const { isForeign, ...modifiers } = modifiersOf(Number(params.split(';').at(-1) ?? ''));
  if (isForeign) return null;
  if (final === 'M') return namedKey('enter', modifiers);
  const character = keypad[final];
  if (character !== undefined) return characterKey(character, modifiers);
  const name = finalNames[final];
  return name === undefined ? null : namedKey(name, modifiers);
}

/** F1 to F5 of the Linux console: `CSI [ A` to `CSI [ E`. */
export function consoleKey(final: string): Key {
  return namedKey(`f${final.charCodeAt(0) - 'A'.charCodeAt(0) + 1}`, noModifiers);
}
