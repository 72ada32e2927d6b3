/**
 * How many columns a code point takes on a terminal. Terminals reckon by code point (wcwidth): East Asian width, ambiguous
 * as narrow, and nothing for marks that sit on the character before them.
 * Source: UAX #11; the tables of Unicode 11 to 12 that xterm.js and most terminals in use go by.
 */
import { eastAsianWidth } from 'get-east-asian-width';

// Conjoining vowels and finals of Hangul are letters, but terminals put them into the cell of the initial before them.
const marks = /^[\p{Mn}\p{Me}\u1160-\u11ff]/u;
const unseen = /^[\p{Cc}\p{Cf}\p{Cs}]/u;

/** Nothing is zero-width below, but for the controls. */
const firstMark = 0x300;
const lastControl = 0x9f;
const softHyphen = 0xad;

/** It sits in the cell of the character before it. */
export const isMark = (char: string): boolean => char >= '\u0300' && marks.test(char);

/** Columns of the first code point: 0 for marks and for what shows nothing (controls, format characters). */
export function columnsOf(char: string): 0 | 1 | 2 {
  const code = char.codePointAt(0) ?? 0;
  if (code < firstMark) return code < 0x20 || (code > 0x7e && code <= lastControl) || code === softHyphen ? 0 : 1;
  if (marks.test(char) || unseen.test(char)) return 0;
  return eastAsianWidth(code);
}

const classOf = (ranges: string): string =>
  ranges
    .trim()
    .split(/\s+/)
    .map((range) => range.replaceAll(/[\da-f]+/g, (code) => `\\u{${code}}`))
    .join('');

/**
 * Wide since a later version of Unicode (13 to 17, the trigrams and hexagrams among them), and narrow on terminals that go
 * by an older one; or the other way round.
 */
export const disputedSymbols = classOf(`
  2630-2637 268a-268f 2ffc-2fff 31bb-31bf 31e4-31e5 31ef 4dc0-4dff 16ff0-16ff6 187f8-187ff 18af3-18cd5 18cff-18d1e
  18d80-18df2 1aff0-1aff3 1aff5-1affb 1affd-1affe 1b11f-1b122 1b132 1b155 1d300-1d356 1d360-1d376 1f6d6-1f6d8
  1f6dc-1f6df 1f6fb-1f6fc 1f7f0 1f90c 1f93b 1f946 1f972 1f977-1f979 1f9a3-1f9a4 1f9ab-1f9ad 1f9cb-1f9cc 1fa74-1fa77
  1fa7b-1fa7c 1fa83-1fa8a 1fa8e-1fa8f 1fa96-1fac6 1fac8 1facd-1fadc 1fadf-1faea 1faef-1faf8`);

/** Marks since a later version, which older terminals give a cell of their own; or the other way round. */
export const disputedMarks = classOf(`
  897-89f 8ca-8d2 b55 c3c d81 ece 1734 1abf-1add 1ae0-1aeb 1dfa a82c d7b0-d7fb 10d69-10d6d 10eab-10eac 10efa-10eff
  10f82-10f85 11070 11073-11074 110c2 111cf 11241 113bb-113c0 113ce 113d0 113d2 113e1-113e2 1171e 1193b-1193c 1193e
  11943 11b60 11b62-11b64 11b66 11f00-11f01 11f36-11f3a 11f40 11f42 11f5a 13440 13447-13455 1611e-16129 1612d-1612f
  16fe4 1cf00-1cf2d 1cf30-1cf46 1e08f 1e2ae 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5`);
