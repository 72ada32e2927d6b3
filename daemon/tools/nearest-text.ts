/** Says where a text nearly occurs, so that a failed edit can be corrected without reading the file again. */
import { cutHead } from './bounded-text.js';

const longestShownLine = 200;
const mostShownLines = 12;
/** Below this share of common letter pairs, lines have nothing to do with each other. */
const likeness = 0.4;
/** Comparing is quadratic in the end; past this the file is large enough to be read anew. */
const mostLines = 20_000;

/** Number of the line, from 1, in which the character at `place` is. */
export function lineOf(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Words for the model about the place in `text` that is most like `wanted`, with line numbers and the lines there. */
export function describeNearest(text: string, wanted: string): string {
  const lines = text.split('\n').slice(0, mostLines);
  const wantedLines = wanted.split('\n');
  const spaced = findIgnoringSpace(lines, wantedLines);
  if (spaced !== null) return `With other white space it is at line ${spaced + 1}:\n${show(lines, spaced, wantedLines.length)}`;

  const telling = wantedLines.reduce(
    (best, line, index) => (line.trim().length > best.line.trim().length ? { line, index } : best),
    {
      line: '',
      index: 0,
    },
  );
  const nearest = findSimilar(lines, telling.line);
  if (nearest === null) return 'Nothing like it is there: read the file first.';
  const from = Math.max(0, nearest - telling.index);
  return `The nearest is at line ${from + 1}:\n${show(lines, from, wantedLines.length)}`;
}

function findIgnoringSpace(lines: readonly string[], wanted: readonly string[]): number | null {
  const squeeze = (line: string): string => line.replace(/\s+/g, '');
  const squeezedLines = lines.map(squeeze);
  const squeezed = wanted.map(squeeze);
  if (squeezed.every((line) => line === '')) return null;
  const last = squeezed.length - 1;
  const found = squeezedLines.findIndex((_, start) =>
    // The first and the last line may have been given in part.
    squeezed.every((line, index) => {
      const there = squeezedLines[start + index];
      if (there === undefined) return false;
      if (last === 0) return there.includes(line);
      if (index === 0) return there.endsWith(line);
      return index === last ? there.startsWith(line) : there === line;
    }),
  );
  return found < 0 ? null : found;
}

function findSimilar(lines: readonly string[], wanted: string): number | null {
  const pairs = letterPairs(wanted);
  if (pairs.size === 0) return null;
  let best = { index: -1, score: likeness };
  for (const [index, line] of lines.entries()) {
    const score = compare(pairs, letterPairs(line));
    if (score > best.score) best = { index, score };
  }
  return best.index < 0 ? null : best.index;
}

function letterPairs(line: string): Set<string> {
  const text = cutHead(line.trim(), longestShownLine);
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at += 1) pairs.add(text.slice(at, at + 2));
  return pairs;
}

/** Sørensen–Dice coefficient of two sets, from 0 (nothing in common) to 1. */
function compare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (other.size === 0) return 0;
  let common = 0;
  for (const pair of other) if (one.has(pair)) common += 1;
  return (2 * common) / (one.size + other.size);
}

function show(lines: readonly string[], from: number, count: number): string {
  const shown = lines.slice(from, from + Math.min(count, mostShownLines));
  return shown.map((line, index) => `${from + index + 1}: ${cutHead(line, longestShownLine)}`).join('\n');
}
