/** Words that a server chose, made fit to stand among ours. */
import { neutralise } from '../../domain/untrusted.js';
import { cutHead } from '../bounded-text.js';

/** On one line, of at most `most` characters, and nothing in it that could pass for more than words. */
export function cleanWords(text: string, most: number): string {
  // Cut before as well: a server may send megabytes.
  const words = neutralise(cutHead(text, most * 4))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return words.length <= most ? words : `${cutHead(words, most - 1)}…`;
}

/** Of a failed `fetch` also what it was caused by: its own words say nothing. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return error.message;
  // An address with several numbers fails with a list of errors that has no words of its own.
  const { cause } = error;
  return `${error.message} (${cause.message || ('code' in cause ? String(cause.code) : cause.name)})`;
}
