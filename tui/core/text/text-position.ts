/**
 * Positions in a text of lines: offsets in UTF-16 code units between graphemes. Line ends are `\n`, which is a grapheme of its
 * own.
 */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Letters and signs of which each is a grapheme beside any other of them: Latin, Greek, Cyrillic, kana, Han and syllables of
 * Hangul, without marks. The segmenter takes a hundred times as long as a look at these.
 */
const apart = String.raw`\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;
const allApart = new RegExp(`^[${apart}]*$`);
const isApart = new RegExp(`^[${apart}]`);

export function graphemesOf(text: string): string[] {
  return allApart.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Where the line that `at` is in begins. */
export const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** Where it ends, before its `\n`. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The grapheme that holds the code unit at `at`: where it begins and ends. */
function graphemeAt(text: string, at: number): { readonly start: number; readonly end: number } {
  if (standsApart(text, at)) return { start: at, end: at + 1 };
  const begin = lineStart(text, at);
  const found = segmenter.segment(text.slice(begin, lineEnd(text, at))).containing(at - begin);
  return found === undefined
    ? { start: at, end: Math.min(at + 1, text.length) }
    : { start: begin + found.index, end: begin + found.index + found.segment.length };
}

/** Told by what is around it, without a look at the whole line. */
const standsApart = (text: string, at: number): boolean =>
  [at - 1, at, at + 1].every((place) => isEdge(text, place) || isApart.test(text.charAt(place))) && !isEdge(text, at);
const isEdge = (text: string, at: number): boolean => at < 0 || at >= text.length || text[at] === '\n';

export const nextPosition = (text: string, at: number): number => graphemeAt(text, at).end;
export const previousPosition = (text: string, at: number): number => (at === 0 ? 0 : graphemeAt(text, at - 1).start);

/** `at` itself where it is a position, else the next one behind it. */
export function positionFrom(text: string, at: number): number {
  const { start, end } = graphemeAt(text, at);
  return start === at ? at : end;
}

/** Tells what belongs to a word: `name` goes by letters, digits and `_`, `blank` by everything but white space. */
export type WordKind = 'name' | 'blank';
const inWord: Readonly<Record<WordKind, RegExp>> = { name: /^[\p{L}\p{N}\p{M}_]/u, blank: /^\S/ };

/** The beginning of the word before `at`. */
export function wordStart(text: string, at: number, kind: WordKind): number {
  let place = at;
  let isInside = false;
  while (place > 0) {
    const before = previousPosition(text, place);
    const isPart = inWord[kind].test(text.slice(before, place));
    if (isInside && !isPart) break;
    isInside = isPart;
    place = before;
  }
  return place;
}

/** The end of the word behind `at`. */
export function wordEnd(text: string, at: number, kind: WordKind): number {
  let place = at;
  let isInside = false;
  while (place < text.length) {
    const next = nextPosition(text, place);
    const isPart = inWord[kind].test(text.slice(place, next));
    if (isInside && !isPart) break;
    isInside = isPart;
    place = next;
  }
  return place;
}
