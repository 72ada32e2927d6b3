/**
 * How ids, titles and notes are normalised: one step is one line, the renderer's separator is the renderer's alone, and the
 * wrapper around the rows finds nothing in them that it would have to change.
 */
import { neutralise } from '../untrusted.js';

/** Everything that some reader takes for the end of a line. */
const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Draws nothing. Joiners stay where they are spelling (Persian, Hindi) or hold an emoji together. */
const invisible =
  /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}|(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{Extended_Pictographic}])/gu;

/** A title never begins its line, so it is judged as what follows something: `System: …` may stay as it is. */
const lineStart = 'x ';
const neutraliseInLine = (text: string): string => neutralise(`${lineStart}${text}`).slice(lineStart.length);

const normaliseOnce = (text: string): string =>
  neutraliseInLine(text.normalize('NFC').replace(lineBreaks, ' '))
    .replace(invisible, '')
    .replaceAll('\t', ' ')
    .replaceAll('—', '-')
    .normalize('NFC')
    .trim();

/** More than any text takes; a bound all the same. */
const mostRounds = 8;

/**
 * A title or a note on one line: line breaks and tabs become spaces, em dashes hyphens; control, bidi and invisible
 * characters go; delimiters of wrappers and chat templates are made harmless; composed (NFC) and trimmed. Doing it twice
 * gives the same as once.
 */
export function normaliseText(text: string): string {
  // Taking one thing out can bring two others together.
  let before = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const after = normaliseOnce(before);
    if (after === before) return after;
    before = after;
  }
  return before;
}

/** Composed and without white space around it; what else is wrong with an id is refused, not mended. */
export const normaliseId = (id: string): string => id.normalize('NFC').trim();

const token = /^[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}[\](){}<>—]+$/u;

/** Whether an id is a short token: no white space, no brackets, nothing unseen, nothing that plays another message. */
export const isToken = (id: string): boolean => token.test(id) && neutralise(id) === id && normaliseId(id) === id;
