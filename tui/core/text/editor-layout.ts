/**
 * The text of an editor in rows. Only what is in sight is laid out: a paste may be a megabyte long, and each key makes a new
 * editor.
 */
import { graphemesOf, lineEnd, lineStart, positionFrom } from './text-position.js';
import { type Piece, rowStarts, sanitise, substitute, widthOf } from './text.js';

/** A text, and where its cursor is: an offset in UTF-16 code units, between graphemes. */
export interface Version {
  readonly text: string;
  readonly cursor: number;
}

/** A grapheme as it is painted: harmless, and with a cell at least, so that the cursor is seen to pass it. */
interface Shown extends Piece {
  readonly grapheme: string;
}

export function shownOf(line: string): Shown[] {
  return graphemesOf(line).map((grapheme) => {
    if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return { grapheme, text: grapheme, columns: 1 };
    const text = sanitise(grapheme) || substitute;
    return { grapheme, text, columns: widthOf(text) };
  });
}

export interface EditorLayout {
  /** Harmless rows of at most `width` columns. */
  readonly lines: readonly string[];
  /** Its row is one of `lines`. */
  readonly cursor: { readonly row: number; readonly column: number };
  /** The first row is the first of the text. */
  readonly isStart: boolean;
}

/** By the editor, which never changes; a frame asks for the same again and again. */
const known = new WeakMap<Version, Map<string, EditorLayout>>();

/**
 * The text in rows of `width` columns (1 or more), broken at words where possible. Where the cursor stands behind a full row,
 * it is at the beginning of the next one. Without wraps the rows are the text as it is painted. `height`: so many rows at
 * most, the one with the cursor and those above it; what they leave free is taken by those below.
 */
export function layoutEditor(version: Version, width: number, height = Number.POSITIVE_INFINITY): EditorLayout {
  const layouts = known.get(version) ?? new Map<string, EditorLayout>();
  known.set(version, layouts);
  const key = `${width} ${height}`;
  const layout = layouts.get(key) ?? layOut(version, width, height);
  layouts.set(key, layout);
  return layout;
}

function layOut({ text, cursor }: Version, width: number, height: number): EditorLayout {
  const middle = partAt(text, cursor);
  const { rows, place } = rowsWithCursor(text.slice(middle.start, middle.end), cursor - middle.start, width);
  let { row } = place;
  const above: (readonly string[])[] = [];
  let first = middle;
  for (let part = partBefore(text, middle); part !== null && row < height - 1; part = partBefore(text, part)) {
    const more = rowsOf(text.slice(part.start, part.end), width).map(textOf);
    above.push(more);
    row += more.length;
    first = part;
  }
  const lines = [...above.reverse().flat(), ...rows.map(textOf)];
  for (let part = partAfter(text, middle); part !== null && lines.length < height; part = partAfter(text, part)) {
    for (const more of rowsOf(text.slice(part.start, part.end), width)) lines.push(textOf(more));
  }
  const top = Math.max(0, row - height + 1);
  return {
    lines: lines.slice(top, top + height),
    cursor: { row: row - top, column: place.column },
    isStart: top === 0 && first.start === 0,
  };
}

/** A line, or a part of a long one: offsets in the text, the end exclusive. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** Code units: parts of a line that is longer are laid out one by one, each from the beginning of a row on. */
const partSize = 2_048;

/** The part that holds an offset; the last one of its line, where that ends there. */
function partAt(text: string, at: number): Part {
  const [begin, end] = [lineStart(text, at), lineEnd(text, at)];
  const startOf = (index: number): number => {
    const place = begin + index * partSize;
    return index === 0 ? begin : place >= end ? end : positionFrom(text, place);
  };
  let index = Math.floor((at - begin) / partSize);
  // A character may reach over the place where a part would begin.
  while (index > 0 && (startOf(index) > at || startOf(index) === end)) index--;
  return { start: startOf(index), end: startOf(index + 1) };
}

function partBefore(text: string, { start }: Part): Part | null {
  return start === 0 ? null : partAt(text, start - 1);
}

function partAfter(text: string, { end }: Part): Part | null {
  if (end === text.length) return null;
  return partAt(text, text[end] === '\n' ? end + 1 : end);
}

type PartRow = readonly Shown[];

const textOf = (row: PartRow): string => row.map((piece) => piece.text).join('');

function rowsOf(part: string, width: number): PartRow[] {
  const pieces = shownOf(part).map((piece) => (piece.columns > width ? { ...piece, text: substitute, columns: 1 } : piece));
  const starts = rowStarts(pieces, width, 'kept');
  return starts.map((first, index) => pieces.slice(first, starts[index + 1]));
}

/** Behind a full last row the cursor has a row more. */
function rowsWithCursor(part: string, offset: number, width: number): { rows: PartRow[]; place: EditorLayout['cursor'] } {
  const rows = rowsOf(part, width);
  const place = placeIn(rows, offset, width);
  return { rows: place.row === rows.length ? [...rows, []] : rows, place };
}

/** Where an offset in a part is, in its rows. */
function placeIn(rows: readonly PartRow[], offset: number, width: number): EditorLayout['cursor'] {
  let passed = 0;
  for (const [index, row] of rows.entries()) {
    let column = 0;
    for (const { grapheme, columns } of row) {
      if (passed >= offset) return { row: index, column };
      passed += grapheme.length;
      column += columns;
    }
    if (index === rows.length - 1) return column < width ? { row: index, column } : { row: index + 1, column: 0 };
  }
  return { row: 0, column: 0 };
}
