/** Expressions for words that a reader would take for the same, however they are spelled in Unicode. Pure. */

/** Other alphabets' letters of the same looks, besides those that Unicode derives from ours. */
const borrowed: Readonly<Record<string, string>> = {
  a: '\u0430\u0410\u03b1\u0391\u1d00',
  c: '\u0441\u0421\u03f2\u03f9\u1d04',
  d: '\u0501\u0500\u1d05\u0257',
  e: '\u0435\u0415\u0395\u03b5\u04bd\u1d07',
  l: '1|I\u04cf\u04c0\u0399\u0456\u0406\u029f',
  n: '\u039d\u0578\u057c\u0274\u043f',
  o: '0\u043e\u041e\u03bf\u039f\u0585\u1d0f',
  p: '\u0440\u0420\u03c1\u03a1\u1d18',
  r: '\u0433\u0280\u1d26\uab47',
  s: '5$\u0455\u0405\ua731\u0282',
  t: '\u0442\u0422\u03c4\u03a4\u1d1b',
  u: '\u057d\u03c5\u028b\u1d1c\u222a',
};

/**
 * Where Unicode has our alphabet once more: full-width, circled, squared, in brackets; and thirteen mathematical ones, each
 * of capitals and small letters. Source: Unicode charts UFF00, U2460, U1F100, U1D400.
 */
const alphabets: readonly number[] = [
  0xff21,
  0xff41,
  0x249c,
  0x24b6,
  0x24d0,
  0x1f110,
  0x1f130,
  0x1f150,
  0x1f170,
  ...Array.from({ length: 26 }, (_, index) => 0x1d400 + 26 * index),
];

/** One character class for a small letter of ours and all that looks like it. */
function letterLike(letter: string): string {
  const index = letter.charCodeAt(0) - 'a'.charCodeAt(0);
  const derived = alphabets.map((first) => String.fromCodePoint(first + index)).join('');
  return `[${letter}${letter.toUpperCase()}${derived}${borrowed[letter] ?? ''}]`;
}

/**
 * The inside of a character class: what may stand between the letters of a word and be overlooked. White space, hyphens and
 * underscores; accents, and what draws nothing. (Not the em dash, which is the separator of ours. Listed, since `\p{…}` in
 * so many classes would take milliseconds of each start.)
 */
export const overlooked = [
  String.raw`\s_\-\u2010-\u2013\u2015\u2043\u2212\uff0d\u203f\u2040\ufe4d-\ufe4f\uff3f`,
  String.raw`\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f`,
  String.raw`\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb`,
  String.raw`\u{e0000}-\u{e0fff}`,
].join('');
const between = `[${overlooked}]*`;

/** Matches the word in any of its spellings; linear, since its letters are none of what may stand between them. */
export const wordLike = (word: string): string => Array.from(word, letterLike).join(between);

/** Matches as much of the word as there is, at least its first letter. */
export const wordLikeBegun = (word: string): string =>
  Array.from(word, letterLike).reduceRight((rest, letter) => (rest === '' ? letter : `${letter}(?:${between}${rest})?`), '');
