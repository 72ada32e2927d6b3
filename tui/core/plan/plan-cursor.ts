/** The cursor of the plan pane: on an item, whatever row that is. */
import type { ItemId } from '../../../shared/plan.js';
import type { PlanModel } from './plan-model.js';
import type { PlanRow, PlanRows } from './plan-rows.js';
import type { PlanView } from '../state.js';

/** Rows that stay in sight before and behind the cursor while it moves. */
const margin = 1;

/** The first row to show. */
export function topOf(rows: PlanRows, view: PlanView, height: number): number {
  const at = Math.max(0, rows.indexOf(view.cursor));
  const top = at - Math.min(view.cursorRow, height - 1);
  return Math.max(0, Math.min(top, rows.count - height));
}

/** Moves by items; what is told between them is passed over. */
export function moveCursor(rows: PlanRows, view: PlanView, by: number, height: number): PlanView {
  const from = rows.indexOf(view.cursor);
  const step = by < 0 ? -1 : 1;
  let left = Math.abs(by);
  let at = from;
  for (let i = from + step; left > 0 && i >= 0 && i < rows.count; i += step) {
    if (rows.at(i)?.kind !== 'item') continue;
    at = i;
    left--;
  }
  return cursorAt(rows, view, at, topOf(rows, view, height), height);
}

/** The cursor on a row, with the pane showing from `top` on as far as the row allows. */
function cursorAt(rows: PlanRows, view: PlanView, index: number, top: number, height: number): PlanView {
  const row = rows.at(index);
  if (row?.kind !== 'item') return view;
  const room = Math.min(margin, Math.max(0, Math.floor((height - 1) / 2)));
  const cursorRow = Math.max(Math.min(room, index), Math.min(index - top, height - 1 - room));
  return { ...view, cursor: row.item.id, cursorRow };
}

export function cursorTo(rows: PlanRows, view: PlanView, id: ItemId, height: number): PlanView {
  return cursorAt(rows, view, rows.indexOf(id), topOf(rows, view, height), height);
}

export function cursorToEnd(rows: PlanRows, view: PlanView, end: 'first' | 'last', height: number): PlanView {
  return moveCursor(rows, view, end === 'first' ? -rows.count : rows.count, height);
}

/** Scrolls; the cursor goes along only where it would leave the pane. */
export function scrollPlan(rows: PlanRows, view: PlanView, by: number, height: number): PlanView {
  const top = Math.max(0, Math.min(topOf(rows, view, height) + by, rows.count - height));
  const at = rows.indexOf(view.cursor);
  const target = Math.max(top, Math.min(at, top + height - 1));
  const isItem = (row: PlanRow | undefined): boolean => row?.kind === 'item';
  for (let distance = 0; distance < height; distance++) {
    for (const index of [target + distance, target - distance]) {
      if (index < top || index >= top + height || !isItem(rows.at(index))) continue;
      const row = rows.at(index);
      return row?.kind === 'item' ? { ...view, cursor: row.item.id, cursorRow: index - top } : view;
    }
  }
  return view;
}

/** Where the cursor goes when its item is no longer there: to what stands in its place. */
export function keepCursor(before: PlanModel, now: PlanModel, view: PlanView): PlanView {
  return unfoldCursor(now, replaceCursor(before, now, view));
}

/** It may have come into a task that is folded: nobody must act on what is not seen. */
function unfoldCursor({ items }: PlanModel, view: PlanView): PlanView {
  const parentId = view.cursor === null ? null : (items.get(view.cursor)?.parentId ?? null);
  if (parentId === null || !view.folded.has(parentId)) return view;
  return { ...view, folded: new Set([...view.folded].filter((id) => id !== parentId)) };
}

function replaceCursor(before: PlanModel, now: PlanModel, view: PlanView): PlanView {
  if (view.cursor !== null && now.items.has(view.cursor)) return view;
  if (view.cursor === null) return { ...view, cursor: now.listed[0]?.id ?? null, cursorRow: 0 };
  const index = before.order.get(view.cursor) ?? 0;
  const next =
    before.listed.slice(index).find(({ id }) => now.items.has(id)) ?? now.listed[Math.min(index, now.listed.length - 1)];
  return { ...view, cursor: next?.id ?? null };
}
