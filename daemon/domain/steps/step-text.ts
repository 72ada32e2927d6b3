/**
 * How ids, titles and notes are normalised: one step is one line, the renderer's separator is the renderer's alone, and the
 * wrapper around the rows finds nothing in them that it would have to change.
 */
import { delimiterBegun, neutralise } from '../untrusted.js';

/** Everything that some reader takes for the end of a line. */
const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Draws nothing. Joiners stay where they are spelling (Persian, Hindi) or hold an emoji together. */
const invisible =
  /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}|(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{Extended_Pictographic}])/gu;

/** A token of a chat template that a title opens and its note could close. */
const templateBegun = /<(?=[|\uff5c])/g;
/** The wrapper refuses a body that names its tag, with or without an angle. */
const tagName = /untrusted_content_(?=[0-9a-f]{16})/g;

/** A title never begins its line, so it is judged as what follows something: `System: …` may stay as it is. */
const lineStart = 'x ';
const neutraliseInLine = (text: string): string => neutralise(`${lineStart}${text}`).slice(lineStart.length);

const normaliseOnce = (text: string): string =>
  neutraliseInLine(text.normalize('NFC').replace(lineBreaks, ' '))
    .replace(invisible, '')
    .replace(templateBegun, '< ')
    .replace(tagName, 'untrusted-content_')
    .replaceAll('\t', ' ')
    .replaceAll('—', '-')
    .normalize('NFC')
    .trim()
    // The id of the next row could complete it.
    .replace(delimiterBegun, '($1');

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

/**
 * Whether an id is a short token: no white space, no brackets, nothing unseen. It begins its line, so it must not play
 * another message there, nor complete a delimiter that the row before it might have begun.
 */
export const isToken = (id: string): boolean =>
  token.test(id) && normaliseId(id) === id && neutralise(id) === id && neutralise(`<${id}`) === `<${id}`;
