/**
 * Wide graphemes take two cells, of which the right one is empty. A region that covers one half leaves the other, which no
 * terminal can show; and a terminal that is sent one half of what it shows loses the other.
 */
import type { Cell, Screen } from 'neo-blessed';
import { isWide } from './row-painter.js';

/** No character that a cell may hold: the terminal is taken to show something else. */
const unknown = '\0';

/** Lone halves become spaces, and a pair that changes in any way is sent whole. Called before each draw. */
export function mendWideCells({ lines, olines }: Screen): void {
  lines.forEach((line, y) => {
    const shown = olines[y];
    if (line.dirty && shown !== undefined) mendLine(line, shown);
  });
}

function mendLine(line: readonly Cell[], shown: readonly Cell[]): void {
  for (let x = 0; x < line.length; x += 1) {
    const cell = line[x];
    const next = line[x + 1];
    if (cell === undefined) continue;
    if (cell[1] === '') cell[1] = ' ';
    if (!isWide(cell[1])) continue;
    if (next?.[1] !== '') {
      cell[1] = ' ';
      continue;
    }
    next[0] = cell[0];
    x += 1;
    const [left, right] = [shown[x - 1], shown[x]];
    if (left === undefined || right === undefined || (isSame(cell, left) && isSame(next, right))) continue;
    left[1] = unknown;
    right[1] = unknown;
  }
}

const isSame = (one: Cell, other: Cell): boolean => one[0] === other[0] && one[1] === other[1];
