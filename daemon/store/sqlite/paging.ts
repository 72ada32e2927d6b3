/** Pages of a list that is ordered by a number (`no`, `version`), newest first. */
import type { Page, Paged } from '../queries.js';

/** The number below which a page begins. A cursor that no page gave out reads as the end of the list. */
export function startOf(page: Page): number {
  if (page.cursor === null) return Number.MAX_SAFE_INTEGER;
  return /^\d{1,15}$/.test(page.cursor) ? Number(page.cursor) : 0;
}

/** Makes the page of rows that were read with `limit + 1`: the one too many says that there are more. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  page: Page,
  numberOf: (row: Row) => number,
  toValue: (row: Row) => T,
): Paged<T> {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(toValue),
    nextCursor: rows.length > page.limit && last !== undefined ? String(numberOf(last)) : null,
  };
}
