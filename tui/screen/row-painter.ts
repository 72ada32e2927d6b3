/** Rows of text as cells of the screen, by the width that each grapheme takes. */
import type { Line } from 'neo-blessed';
import type { Row } from '../core/frame.js';
import { cells } from '../core/text/text.js';
import type { Palette } from './attributes.js';

const cacheLimit = 2_000;
/** Code units that one column is reckoned to take at most: the rest of a megabyte is not looked at. */
const longestCluster = 16;
const cache = new Map<string, readonly string[]>();

/** One entry for each column; the right half of a wide grapheme is empty. */
function cellsOf(text: string, width: number): readonly string[] {
  const start = text.length > width * longestCluster ? text.slice(0, width * longestCluster) : text;
  const known = cache.get(start);
  if (known) return known;
  if (cache.size >= cacheLimit) cache.clear();
  const made = cells(start);
  cache.set(start, made);
  return made;
}

/** Nothing before Hangul takes two columns. */
const firstWide = '\u1100';

export const isWide = (grapheme: string): boolean => grapheme >= firstWide && cellsOf(grapheme, 2).length === 2;

/** Paints a row from column `left` to before `right`; what it leaves free is blank. A cut wide grapheme becomes a space. */
export function paintRow(line: Line, row: Row, left: number, right: number, palette: Palette): void {
  let x = left;
  for (const { text, tone } of row.spans) {
    if (x >= right) return;
    const attribute = palette.attributeOf(tone, row.chosen);
    const found = cellsOf(text, right - x);
    const end = Math.min(found.length, right - x);
    for (let i = 0; i < end; i += 1) {
      const isCut = i === end - 1 && found[i + 1] === '';
      put(line, x + i, attribute, isCut ? ' ' : (found[i] ?? ' '));
    }
    x += end;
  }
  const rest = palette.restOf(row.chosen);
  for (; x < right; x += 1) put(line, x, rest, ' ');
}

/** Columns outside of the screen are left out. */
export function put(line: Line, x: number, attribute: number, character: string): void {
  const cell = line[x];
  if (cell === undefined || (cell[0] === attribute && cell[1] === character)) return;
  cell[0] = attribute;
  cell[1] = character;
  line.dirty = true;
}
