/**
 * What a text says once its escapes are resolved, so that a secret is found however it was written: JSON, URLs, HTML,
 * shells, in part or of every character, one inside the other; and dumps (hex, base64) that are broken into pieces.
 */
import { replaceInView, viewOf, type TextView } from './text-view.js';

/** JSON inside JSON inside a URL has three. */
const mostLayers = 4;

/** No text is decoded without one of these. */
const mayBeEscaped = /[%\\&]|''|""|'"'"'/;

/** A byte of ASCII, or those of one character of UTF-8, each behind the mark. */
const bytes = (mark: string): string => String.raw`${mark}[0-7][\da-f]|${mark}[c-f][\da-f](?:${mark}[89ab][\da-f]){1,3}`;
/** The same in octal, as git quotes names. */
const octal = String.raw`\\[01][0-7]{2}|\\3[0-7]{2}(?:\\2[0-7]{2}){1,3}`;
const backslash = String.raw`\\u\{[\da-f]{1,6}\}|\\u[\da-f]{4}|${bytes(String.raw`\\x`)}|${octal}|\\[\s\S]`;
const entity = String.raw`&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|nbsp);`;
/** A quote inside quotes: as shells have it, and doubled. */
const quotes = String.raw`'\\''|'"'"'|''|""`;
const escape = [bytes('%'), quotes, backslash, entity].join('|');
const escapes = new RegExp(escape, 'gi');

/** Several bytes of one character, of which some are still to come. */
const someBytes = (mark: string): string =>
  String.raw`${mark}(?:[\da-f]|[c-f][\da-f](?:${mark}[89ab][\da-f]){0,2}(?:${mark}?[89ab]?|\\))?`;
/** What more text could make an escape of. */
const begun = String.raw`(?:${someBytes('%')}|&#?\w{0,7}|'(?:\\'?|"'?)?|"|\\(?:u[\da-f]{0,3}|u\{[\da-f]{0,6}|[01][0-7]?|3(?:[0-7]{0,2}|[0-7]{2}(?:\\2[0-7]{2}){0,2}\\?2?[0-7]?))?|${someBytes(String.raw`\\x`)})$`;
const begunOnly = new RegExp(`^${begun}`, 'i');
const escapesOfOpenText = new RegExp(`${begun}|${escape}`, 'gi');

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
const control: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '0': '\0' };

/** Where a line ends, and how far the next one is indented. */
const lineBreak = String.raw`(?:\r?\n[ \t]{0,32}|\r$)`;
/** Between the bytes of a hex dump (`aa:bb`, `aabb ccdd`, `0xaa, 0xbb`), also over the end of a line. */
const hexBreak = String.raw`(?<=[\da-f]{2})(?:[:,-]?${lineBreak}|[ :-]|, ?)(?:0x|0?$)?(?=[\da-f]{2}|[\da-f]?$)`;
/** Where base64 is broken into lines, all but the last of which are long. */
const base64Break = String.raw`[\r\n](?<=[a-z\d+/_-]{40}[\r\n])(?:(?<=\r)\n|(?<=\n)|$)[ \t]{0,32}(?=[a-z\d+/=_-]|$)`;
const breaks = new RegExp(`${hexBreak}|${base64Break}`, 'gi');
/** No whole dump is without one of these: three groups of bytes, or the end of a long line. (Two searches are faster than one.) */
const groups = /[\da-fA-F]{2}[\s:,-]{1,2}[\t ]{0,32}(?:0x)?[\da-fA-F]{2,16}[\s:,-]{1,2}[\t ]{0,32}(?:0x)?[\da-fA-F]{2}/;
const longLine = /[\r\n](?<=[\w+/-]{40}[\r\n])/;

/**
 * The text itself and every reading of it. `isOpen`: more text will follow, so what an escape at its end will say is not
 * known yet, and counts for nothing.
 */
export function readingsOf(text: string, isOpen = false): TextView[] {
  const plain = viewOf(text);
  const views = [plain];
  let last = plain;
  for (let layer = 0; layer < mostLayers && (isOpen || mayBeEscaped.test(last.text)); layer += 1) {
    const next = isOpen ? replaceInView(last, escapesOfOpenText, decodeOpen) : replaceInView(last, escapes, decode);
    if (next === last) break;
    views.push(next);
    last = next;
  }
  for (const view of new Set([plain, last])) {
    if (!isOpen && !groups.test(view.text) && !longLine.test(view.text)) continue;
    const joined = replaceInView(view, breaks, () => '');
    if (joined !== view) views.push(joined);
  }
  return views;
}

const decodeOpen = (piece: string, isLast: boolean): string => (isLast && begunOnly.test(piece) ? '' : decode(piece));

/** The character that an escape stands for. */
function decode(piece: string): string {
  switch (piece.charAt(0)) {
    case '%':
      return decodeBytes(piece, /[\da-f]{2}/gi, 16);
    case '&':
      return decodeEntity(piece.slice(1, -1).toLowerCase());
    case '\\':
      return decodeBackslash(piece);
    default:
      return piece.charAt(0);
  }
}

function decodeBackslash(piece: string): string {
  const code = /^\\u\{?([\da-f]+)\}?$/i.exec(piece)?.[1];
  if (code !== undefined) return fromCode(code, 16);
  if (/^\\[0-3][0-7]{2}/.test(piece)) return decodeBytes(piece, /[0-7]{3}/g, 8);
  if (piece.length > 2) return decodeBytes(piece, /[\da-f]{2}/gi, 16);
  const letter = piece.slice(1);
  return control[letter] ?? letter;
}

function decodeEntity(name: string): string {
  if (name.startsWith('#x')) return fromCode(name.slice(2), 16);
  return name.startsWith('#') ? fromCode(name.slice(1), 10) : (named[name] ?? '');
}

/** Each match of `digits` is a byte of UTF-8. */
function decodeBytes(piece: string, digits: RegExp, base: number): string {
  return Buffer.from((piece.match(digits) ?? []).map((byte) => Number.parseInt(byte, base))).toString();
}

function fromCode(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
