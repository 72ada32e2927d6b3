/** How titles and notes are normalised: one step is one line, and the renderer's separator is the renderer's alone. */
import { neutralise } from '../untrusted.js';

/** Everything that some reader takes for the end of a line. */
const lineBreaks = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
/** Invisible, and able to make two titles look the same or a line look like another. */
const invisible = /\u00ad|\u034f|\u180e|[\u200b-\u200d]|\u2060|[\ufe00-\ufe0f]/g;

/** Newlines become spaces, em dashes hyphens; what cannot be seen goes. Normalising twice gives the same as once. */
export function normaliseText(text: string): string {
  const once = (value: string): string =>
    neutralise(value.normalize('NFC').replace(lineBreaks, ' '))
      .replace(lineBreaks, ' ')
      .replace(invisible, '')
      .replaceAll('\t', ' ')
      .replaceAll('—', '-')
      .normalize('NFC')
      .trim();
  // Taking one thing out can bring two others together.
  let before = text;
  for (let round = 0; round < 8; round += 1) {
    const after = once(before);
    if (after === before) return after;
    before = after;
  }
  return before;
}

/** A short token: no white space, no brackets, nothing that cannot be seen. */
export const isToken = (id: string): boolean => /^[^\s[\](){}<>]+$/u.test(id) && normaliseText(id) === id;
