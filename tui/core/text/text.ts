/**
 * Foreign text on a terminal: made harmless, and cut and wrapped by the columns that it takes. All of it reckons with the
 * cells of `cells`, as the painter does.
 */
import { columnsOf, disputedMarks, disputedSymbols, isMark } from './columns.js';

const ascii = /^[\x20-\x7e]*$/;

// Escape sequences whole: CSI, the strings (DCS, SOS, OSC, PM, APC) up to their end, and those of two characters.
const [bell, escape] = ['\u0007', '\u001b'];
const csi = String.raw`\[[0-?]*[ -/]*[@-~]`;
const strings = String.raw`[PX\]^_][^${bell}${escape}]*(?:${bell}|${escape}\\)?`;
const sequences = new RegExp(`${escape}(?:${csi}|${strings}|[@-_])`, 'g');

// Unassigned code points (Cn) may get any width one day.
const unsure = new RegExp(String.raw`^[\p{Cn}${disputedSymbols}]`, 'u');
const enclosingKeycap = '\u20e3';
const invisible = new RegExp(
  String.raw`^[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029${enclosingKeycap}${disputedMarks}]`,
  'u',
);
const flagLetter = /^\p{Regional_Indicator}/u;
const skinTone = /^\p{Emoji_Modifier}/u;
const pictograph = /^\p{Extended_Pictographic}/u;
const special = new RegExp(
  String.raw`[\p{C}\p{M}\p{Default_Ignorable_Code_Point}\p{Regional_Indicator}\p{Emoji_Modifier}` +
    String.raw`\u2028\u2029\u1160-\u11ff${disputedMarks}${disputedSymbols}]`,
  'u',
);

/** Stands for one character that cannot be shown: narrow everywhere. */
export const substitute = '□';

/** Marks that one character may carry: a pile of them would run into the lines around. */
const marksPerCharacter = 4;

/**
 * One line that can do nothing to a terminal, and that takes the same columns on all of them.
 *
 * Escape sequences, control, direction and invisible characters go; tabs are two spaces. Terminals disagree about emoji that
 * are made of several code points, so the first one stays (of a family the first person, of a keycap the digit; a flag is its
 * two letters). Characters whose width depends on the age of the terminal are the substitute. Letters are composed (NFC), and keep
 * their marks, up to four; a mark without a letter goes.
 */
export function sanitise(text: string): string {
  if (ascii.test(text)) return text;
  const composed = text.replace(sequences, '').replaceAll('\t', '  ').normalize('NFC');
  if (!special.test(composed)) return composed;
  let shown = '';
  let marks = marksPerCharacter;
  let isPictograph = false;
  let isJoined = false;
  for (const char of composed) {
    if (char === '\u200d') isJoined = isPictograph;
    if (invisible.test(char) || (isPictograph && skinTone.test(char))) continue;
    if (isMark(char)) {
      if (isPictograph || marks >= marksPerCharacter) continue;
      shown += char;
      marks += 1;
      continue;
    }
    const isPart = isJoined && pictograph.test(char);
    isJoined = false;
    if (isPart) continue;
    isPictograph = pictograph.test(char);
    marks = 0;
    shown += unsure.test(char) ? substitute : flagLetter.test(char) ? letterOf(char) : char;
  }
  return shown.normalize('NFC');
}

const firstFlagLetter = 0x1f1e6;
const letterOf = (indicator: string): string =>
  String.fromCharCode('A'.charCodeAt(0) + (indicator.codePointAt(0) ?? firstFlagLetter) - firstFlagLetter);

// What a person who judges a command must not miss: all that `sanitise` would drop or change, and blanks that only look
// like the space.
const hidden = new RegExp(
  String.raw`^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Regional_Indicator}\p{Emoji_Modifier}\u2800` +
    String.raw`${enclosingKeycap}${disputedMarks}${disputedSymbols}]`,
  'u',
);

function escapeOf(char: string): string {
  if (char === '\t') return String.raw`\t`;
  if (char === '\r') return String.raw`\r`;
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xff ? String.raw`\x${code.toString(16).padStart(2, '0')}` : String.raw`\u{${code.toString(16)}}`;
}

/**
 * A text that somebody is to judge, such as a command, with nothing hidden: what shows nothing, turns the direction or looks
 * like a space is written as `\t`, `\x1b` or `\u{202e}`. Line ends stay; each line is harmless and can be painted as it is.
 */
export function reveal(text: string): string {
  let shown = '';
  let marks = marksPerCharacter;
  for (const char of text) {
    const isBare = isMark(char) && marks >= marksPerCharacter;
    if (char !== ' ' && char !== '\n' && (isBare || hidden.test(char))) {
      shown += escapeOf(char);
      // A mark behind it would sit on the last letter of the escape.
      marks = marksPerCharacter;
      continue;
    }
    shown += char;
    marks = isMark(char) ? marks + 1 : char === '\n' || pictograph.test(char) ? marksPerCharacter : 0;
  }
  return shown;
}

/**
 * The cells of a harmless line, one entry a column: a character with its marks, or '' for the right half of a wide one.
 * Control and format characters have none, whatever was handed in.
 */
export function cells(text: string): string[] {
  if (ascii.test(text)) return text.split('');
  const row: string[] = [];
  let last = -1;
  for (const char of text) {
    const columns = columnsOf(char);
    if (columns === 0) {
      if (last >= 0 && isMark(char)) row[last] = (row[last] ?? '') + char;
      continue;
    }
    last = row.push(char) - 1;
    if (columns === 2) row.push('');
  }
  return row;
}

/** Columns that `cells` takes for it. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += columnsOf(char);
  return width;
}

/** Code units that one column holds at most in harmless text: a character and four marks, all of them outside the BMP. */
const longestCell = 2 + 2 * marksPerCharacter;

/** The first `width` columns of a harmless line; a wide character that would be halved goes whole. */
export function cut(text: string, width: number): string {
  const start = text.slice(0, width * longestCell);
  if (ascii.test(start)) return start.slice(0, width);
  const row = cells(start);
  return row.slice(0, row[width] === '' ? width - 1 : width).join('');
}

/** At most `width` columns of a harmless line; cut ones end in the ellipsis. */
export function fit(text: string, width: number, ellipsis: string): string {
  // A line of output may be a megabyte long: what cannot fit is not measured.
  if (text.length <= width * longestCell && widthOf(text) <= width) return text;
  const room = width - widthOf(ellipsis);
  return room < 0 ? '' : cut(text, room) + ellipsis;
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** A piece of a line that is not broken: what is painted for it, and the columns that this takes. */
export interface Piece {
  readonly text: string;
  readonly columns: number;
}

const pieceOf = (cell: string, index: number, row: readonly string[]): Piece[] =>
  cell === '' ? [] : [{ text: cell, columns: row[index + 1] === '' ? 2 : 1 }];

/**
 * Where the rows of a line begin, as indexes of pieces; the first is 0. Rows break after a space and on either side of a wide
 * character; words that are longer than a row break anywhere. Spaces at the end of a row `hang` over its edge, or are `kept`
 * as the beginning of the next. No piece may be wider than `width`.
 */
export function rowStarts(pieces: readonly Piece[], width: number, spaces: 'hang' | 'kept'): number[] {
  const starts = [0];
  let used = 0;
  let usedAtBreak = 0;
  let lastBreak = 0;
  for (const [index, { text, columns }] of pieces.entries()) {
    const isSpace = text === ' ';
    const before = pieces[index - 1];
    if (before !== undefined && (before.text === ' ' || before.columns > 1 || columns > 1 || (isSpace && spaces === 'kept'))) {
      lastBreak = index;
      usedAtBreak = used;
    }
    if (used + columns <= width) {
      used += columns;
    } else if (isSpace && spaces === 'hang') {
      used = width;
    } else if (lastBreak > (starts.at(-1) ?? 0)) {
      starts.push(lastBreak);
      used += columns - usedAtBreak;
    } else {
      starts.push(index);
      used = columns;
    }
  }
  return starts;
}

/**
 * A harmless line as rows of at most `width` columns (1 or more). Words stay whole where they fit, the spaces at a break go,
 * and the indentation of the first row stays. Where there is one column only, a wide character is the substitute.
 */
export function wrap(text: string, width: number): string[] {
  const rows = ascii.test(text) ? wrapAscii(text, width) : wrapPieces(text, width);
  return rows.length > 1 && rows[0] === '' ? rows.slice(1) : rows;
}

function wrapPieces(text: string, width: number): string[] {
  const pieces = cells(text)
    .flatMap(pieceOf)
    .map((piece) => (piece.columns > width ? { text: substitute, columns: 1 } : piece));
  const starts = rowStarts(pieces, width, 'hang');
  return starts.map((start, index) => {
    let end = starts[index + 1] ?? pieces.length;
    while (end > start && pieces[end - 1]?.text === ' ') end -= 1;
    return pieces
      .slice(start, end)
      .map((piece) => piece.text)
      .join('');
  });
}

/** The same where each code unit is a column, without an object for each: a line that is streamed is wrapped again and again. */
function wrapAscii(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const rows: string[] = [];
  let start = 0;
  while (start < text.length) {
    let next = start + width;
    if (next >= text.length) next = text.length;
    else if (text[next] === ' ') while (text[next] === ' ') next++;
    else {
      const word = text.lastIndexOf(' ', next - 1) + 1;
      if (word > start) next = word;
    }
    rows.push(text.slice(start, next).trimEnd());
    start = next;
  }
  return rows;
}

/** `42 s`, `3 min`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1 item`, `2 items`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
