/**
 * The checklist grammar of a plan in Markdown, as far as reading and writing share it. It is read line by line and not
 * by a Markdown library: titles and details must come back character by character, `[~]` and `[-]` are marks, the
 * indentation of hand-written lists is looser than CommonMark's, and `- 1. Title` is no nested list here.
 *
 *     # Plan: <title>
 *
 *     **Goal:** <goal>
 *
 *     **Status:** <status of the plan run, not read>
 *
 *     ## Steps
 *
 *     - [ ] 1. Title <!-- id:t1 priority:high -->
 *       detail lines
 *       - **Command:** `npm test`
 *       - [x] 1.1. Subtask <!-- id:t2 claimed:yes -->
 *
 * A field is a nested bullet with a bold label and no checkbox. A text that would not survive as it is, is put under
 * its label (a detail: under `**Detail:**`) in a fence that is longer than every row of backticks in it.
 */
import { itemStatuses, type ItemStatus } from '../../shared/plan.js';

export const marks = { pending: ' ', active: '~', done: 'x', skipped: '-' } as const satisfies Record<ItemStatus, string>;

/** The status that a mark means; GitHub writes `X` as well. */
export function statusOfMark(mark: string): ItemStatus | undefined {
  return itemStatuses.find((status) => marks[status] === mark.toLowerCase());
}

/** Labels of fields, and whether their value is code (in backticks) and may come more than once. */
export const labels = {
  Detail: { code: false, many: false },
  Note: { code: false, many: false },
  Acceptance: { code: false, many: true },
  Command: { code: true, many: false },
  Verify: { code: true, many: true },
  Model: { code: true, many: false },
  'File (read)': { code: true, many: true },
  'File (change)': { code: true, many: true },
  'File (create)': { code: true, many: true },
  'In scope': { code: true, many: true },
  'Out of scope': { code: true, many: true },
} as const satisfies Record<string, { code: boolean; many: boolean }>;

export type Label = keyof typeof labels;

/** Columns of the white space at the start of a line; a tab goes to the next multiple of four. */
export function indentOf(line: string): number {
  let column = 0;
  for (const char of line) {
    if (char === ' ') column += 1;
    else if (char === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}

/** The line without its first `columns` of white space, or without all that it has if that is less. */
export function dedent(line: string, columns: number): string {
  let column = 0;
  let at = 0;
  while (column < columns && (line[at] === ' ' || line[at] === '\t')) {
    column += line[at] === ' ' ? 1 : 4 - (column % 4);
    at += 1;
  }
  return line.slice(at);
}

/** The row of backticks that fences this text: longer than any in it. */
export function fenceFor(text: string): string {
  const rows = text.match(/`+/g) ?? [];
  return '`'.repeat(rows.reduce((longest, row) => Math.max(longest, row.length + 1), 3));
}
