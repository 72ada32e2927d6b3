/**
 * What a terminal sends, as inputs. State in, state out: a sequence may come in any number of pieces, and one that never ends
 * takes nothing with it that comes after it.
 */
import type { Input } from './input.js';
import { characterKey, consoleKey, controlKey, csiInput, escapeKey, noModifiers, ss3Input, withAlt } from './keys.js';
import { graphemesOf } from '../text/text-position.js';

/**
 * `keys`: between inputs. `paste`: in a bracketed paste, with its text so far. `string`: in a string of the terminal (DCS,
 * SOS, OSC, PM, APC), which is thrown away as it comes; `opener` is the character that began it, until more has come.
 */
type Mode =
  | { readonly kind: 'keys' }
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'string'; readonly opener: string | null };

/** `rest` is the beginning of a sequence whose end is awaited. */
export interface DecoderState {
  readonly mode: Mode;
  readonly rest: string;
}

const keys: Mode = { kind: 'keys' };
export const emptyDecoder: DecoderState = { mode: keys, rest: '' };

export interface Decoded {
  readonly state: DecoderState;
  readonly inputs: readonly Input[];
  /** A sequence is incomplete: unless more comes soon, it has ended, and `decode` is to be called as final. */
  readonly isPending: boolean;
}

/** What stands at one place of the text: its length, and what it means. Null when its end has not come. */
interface Read {
  readonly length: number;
  readonly inputs: readonly Input[];
  readonly mode?: Mode;
}

const skip = (length: number): Read => ({ length, inputs: [] });
const take = (length: number, input: Input | null): Read => ({ length, inputs: input === null ? [] : [input] });

/**
 * Inputs of the next piece of text (bytes decoded as UTF-8). `isFinal` says that nothing more came for a while: a lone ESC is
 * then the Escape key, and what is incomplete is dropped.
 *
 * A paste lasts until its end marker, however long that takes: what comes meanwhile must not act as keys. One that is longer
 * than `pasteLimit` is handed out in parts. When the marker is lost, a Ctrl-C that comes alone ends the paste, and does
 * nothing else.
 */
export function decode(state: DecoderState, text: string, isFinal: boolean): Decoded {
  const all = state.rest + text;
  const inputs: Input[] = [];
  let mode = state.mode;
  let at = 0;
  if (mode.kind === 'paste' && text === interrupt) {
    inputs.push(pasteOf(mode.text + state.rest));
    return { state: emptyDecoder, inputs, isPending: false };
  }
  while (at < all.length) {
    const read = readAt(mode, all, at, isFinal);
    if (read === null) break;
    for (const input of read.inputs) inputs.push(input);
    at += read.length;
    mode = read.mode ?? mode;
  }
  if (isFinal && mode.kind === 'string') {
    if (mode.opener !== null) inputs.push(characterKey(mode.opener, withAlt));
    mode = keys;
  }
  const rest = all.slice(at);
  const isPending = mode.kind === 'string' || (mode.kind === 'keys' && rest !== '');
  return { state: { mode, rest }, inputs, isPending };
}

function readAt(mode: Mode, all: string, at: number, isFinal: boolean): Read | null {
  if (mode.kind === 'paste') return readPaste(mode.text, all, at);
  if (mode.kind === 'string') return readString(all, at, isFinal);
  return readInput(all, at, isFinal);
}

const escape = '\u001b';
const interrupt = '\u0003';
const pasteEnd = `${escape}[201~`;

/** In UTF-16 code units. */
export const pasteLimit = 8 * 1024 * 1024;

const pasteOf = (text: string): Input => ({ type: 'paste', text: text.replaceAll(/\r\n?/g, '\n') });

function readPaste(before: string, all: string, at: number): Read | null {
  const end = all.indexOf(pasteEnd, at);
  const until = end === -1 ? all.length - lengthOfStart(all, at) : end;
  const inputs: Input[] = [];
  let text = before + all.slice(at, until);
  while (text.length > pasteLimit) {
    // Neither a line end nor a character is split.
    const part = text.slice(0, pasteLimit).replace(/[\r\ud800-\udbff]$/, '');
    inputs.push(pasteOf(part));
    text = text.slice(part.length);
  }
  if (end !== -1) return { length: end - at + pasteEnd.length, inputs: [...inputs, pasteOf(text)], mode: keys };
  return until === at ? null : { length: until - at, inputs, mode: { kind: 'paste', text } };
}

/** How much of the end marker stands at the end. */
function lengthOfStart(all: string, at: number): number {
  const longest = Math.min(pasteEnd.length - 1, all.length - at);
  for (let length = longest; length > 0; length -= 1) if (all.endsWith(pasteEnd.slice(0, length))) return length;
  return 0;
}

// Strings end with BEL or ST, and CAN, SUB and ESC break them off.
const stringEnders = '\u0007\u0018\u001a\u001b\u009c';
const stringEnd = new RegExp(`[${stringEnders}]`, 'g');

function readString(all: string, at: number, isFinal: boolean): Read | null {
  stringEnd.lastIndex = at;
  const end = stringEnd.exec(all);
  if (end === null) return { ...skip(all.length - at), mode: { kind: 'string', opener: null } };
  const length = end.index - at;
  if (end[0] !== escape) return { ...skip(length + 1), mode: keys };
  if (end.index + 1 < all.length) return { ...skip(all[end.index + 1] === '\\' ? length + 2 : length), mode: keys };
  if (isFinal) return { ...skip(length), mode: keys };
  return length === 0 ? null : { ...skip(length), mode: { kind: 'string', opener: null } };
}

// The replacement character stands for bytes that are no text.
const typed = /[^\p{Cc}\p{Cs}\ufffd]+/uy;
const firstHalf = /[\ud800-\udbff]$/;

function matchAt(pattern: RegExp, all: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(all);
}

function readInput(all: string, at: number, isFinal: boolean): Read | null {
  const text = matchAt(typed, all, at)?.[0];
  if (text !== undefined) {
    return { length: text.length, inputs: graphemesOf(text).map((grapheme) => characterKey(grapheme, noModifiers)) };
  }
  const char = all.charAt(at);
  if (char === escape) return readEscape(all, at, isFinal);
  if (char < ' ' || char === '\u007f') return take(1, controlKey(char, noModifiers));
  const isHalf = at === all.length - 1 && firstHalf.test(char);
  return isHalf && !isFinal ? null : skip(1);
}

/** Behind an ESC stands a sequence, a character with Alt, or nothing: then it is the key itself. */
function readEscape(all: string, at: number, isFinal: boolean): Read | null {
  const next = all.charAt(at + 1);
  switch (next) {
    case '':
      return isFinal ? take(1, escapeKey) : null;
    case '[':
      return readCsi(all, at, isFinal);
    case 'O':
      return readSs3(all, at, isFinal);
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      return { ...skip(2), mode: { kind: 'string', opener: next } };
    case escape:
      return readTwoEscapes(all, at, isFinal);
    default:
      return readAlt(all, at, isFinal);
  }
}

/** Two Escapes; or, on some terminals, Alt with a key that is a sequence itself. */
function readTwoEscapes(all: string, at: number, isFinal: boolean): Read | null {
  const opener = all.charAt(at + 2);
  if (opener === '' && !isFinal) return null;
  if (opener !== '[' && opener !== 'O') return take(1, escapeKey);
  const read = opener === '[' ? readCsi(all, at + 1, isFinal) : readSs3(all, at + 1, isFinal);
  if (read === null) return null;
  const inputs = read.inputs.map((input): Input => (input.type === 'key' ? { ...input, alt: true } : input));
  return { ...read, length: read.length + 1, inputs };
}

const codePoint = /[^\p{Cc}\p{Cs}\ufffd]/uy;

function readAlt(all: string, at: number, isFinal: boolean): Read | null {
  const char = all.charAt(at + 1);
  if (char < ' ' || char === '\u007f') return take(2, controlKey(char, withAlt));
  const text = matchAt(codePoint, all, at + 1)?.[0];
  if (text !== undefined) return take(1 + text.length, characterKey(text, withAlt));
  const isHalf = at + 2 === all.length && firstHalf.test(char);
  return isHalf && !isFinal ? null : take(1, escapeKey);
}

const csi = new RegExp(String.raw`${escape}\[([0-?]{0,256})([ -/]{0,16})([@-~]?)`, 'y');
const consoleFunction = new RegExp(String.raw`${escape}\[\[([A-E]?)`, 'y');
/** Mouse reports of old: three more characters, which say nothing that the newer reports do not. */
const oldMouse = new RegExp(String.raw`${escape}\[M([^]{0,3})`, 'uy');
const oldMouseLength = 3;
const pasteStart = '200';

function readCsi(all: string, at: number, isFinal: boolean): Read | null {
  const left = all.length - at;
  const onOldMouse = matchAt(oldMouse, all, at);
  if (onOldMouse !== null) {
    const [whole, report = ''] = onOldMouse;
    const isCut = whole.length === left && (Array.from(report).length < oldMouseLength || firstHalf.test(report));
    return isCut && !isFinal ? null : skip(whole.length);
  }
  const onConsole = matchAt(consoleFunction, all, at);
  if (onConsole !== null) {
    const [whole, final = ''] = onConsole;
    if (final !== '') return take(whole.length, consoleKey(final));
    return left === whole.length && !isFinal ? null : skip(whole.length);
  }
  const [whole = '', params = '', between = '', final = ''] = matchAt(csi, all, at) ?? [];
  if (final === '') {
    if (whole.length === left && !isFinal) return null;
    // Something else stands where the sequence should go on, or nothing more comes.
    return params === '' && between === '' ? take(2, characterKey('[', withAlt)) : skip(whole.length);
  }
  if (between !== '') return skip(whole.length);
  if (params === pasteStart && final === '~') return { ...skip(whole.length), mode: { kind: 'paste', text: '' } };
  return take(whole.length, csiInput(params, final));
}

const ss3 = new RegExp(String.raw`${escape}O((?:\d{1,3};)?\d{0,3})([A-Za-z]?)`, 'y');

function readSs3(all: string, at: number, isFinal: boolean): Read | null {
  const [whole = '', params = '', final = ''] = matchAt(ss3, all, at) ?? [];
  if (final !== '') return take(whole.length, ss3Input(params, final));
  if (at + whole.length === all.length && !isFinal) return null;
  return params === '' ? take(2, characterKey('O', withAlt)) : skip(whole.length);
}
