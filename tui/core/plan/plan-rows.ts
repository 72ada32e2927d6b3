/** The lines of the plan pane: items that are in sight, and between them what is told of the running one. */
import type { ItemId, ListedItem } from '../../../shared/plan.js';
import type { Step } from '../../../shared/run.js';
import { childrenOf, isSection, type PlanModel } from './plan-model.js';
import type { PromptKind, SessionView } from '../state.js';
import { sanitise, wrap } from '../text/text.js';

export type PlanRow =
  | { readonly kind: 'item'; readonly item: ListedItem }
  | { readonly kind: 'doing' | 'why'; readonly item: ListedItem; readonly text: string }
  | { readonly kind: 'step'; readonly item: ListedItem; readonly step: Step }
  /** `isLast`: no sibling stands below it. */
  | { readonly kind: 'adding'; readonly depth: number; readonly isLast: boolean };

export interface PlanRows {
  readonly count: number;
  at(index: number): PlanRow | undefined;
  /** The row of an item, of the task that it is folded into, or -1. */
  indexOf(id: ItemId | null): number;
}

const noFolds: ReadonlySet<ItemId> = new Set();
interface Visible {
  readonly folded: ReadonlySet<ItemId>;
  readonly items: readonly ListedItem[];
  readonly order: ReadonlyMap<ItemId, number>;
}
/** Working it out anew at every frame would cost more than drawing it. */
const visibleOf = new WeakMap<PlanModel, Visible>();

function visibleItems(plan: PlanModel, folded: ReadonlySet<ItemId> = noFolds): Visible {
  const known = visibleOf.get(plan);
  if (known?.folded === folded) return known;
  const items =
    folded.size === 0 ? plan.listed : plan.listed.filter((item) => item.parentId === null || !folded.has(item.parentId));
  const visible = { folded, items, order: folded.size === 0 ? plan.order : new Map(items.map(({ id }, i) => [id, i])) };
  visibleOf.set(plan, visible);
  return visible;
}

interface Insert {
  /** Index of the item behind which they stand; -1 is before the first. */
  readonly after: number;
  readonly rows: readonly PlanRow[];
}

/** Lines of a reason that are shown in place; all of it is in the details. */
const whyLines = 6;
const longestReason = 2_000;

export interface PlanRoom {
  readonly width: number;
  /** What the running item does is told in its own line. */
  readonly isBeside: boolean;
}

export function planRows(view: SessionView, prompt: PromptKind | null, room: PlanRoom): PlanRows {
  const { plan, planView } = view;
  const { items, order } = visibleItems(plan, planView.folded);
  const place = (id: ItemId | null): number => {
    if (id === null) return -1;
    return order.get(id) ?? order.get(plan.items.get(id)?.parentId ?? id) ?? -1;
  };
  const inserts = [...tellCurrent(view, place, room), ...tellAdding(view, place, prompt)].sort((a, b) => a.after - b.after);
  const extra = inserts.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    count: items.length + extra,
    at(index) {
      let shift = 0;
      for (const { after, rows } of inserts) {
        const first = after + 1 + shift;
        if (index < first) break;
        if (index < first + rows.length) return rows[index - first];
        shift += rows.length;
      }
      const item = items[index - shift];
      return item && { kind: 'item', item };
    },
    indexOf(id) {
      const at = place(id);
      if (at < 0) return -1;
      return at + inserts.reduce((sum, { after, rows }) => (after < at ? sum + rows.length : sum), 0);
    },
  };
}

function tellCurrent(view: SessionView, place: (id: ItemId | null) => number, { width, isBeside }: PlanRoom): Insert[] {
  const { planRun, plan, steps, liveness } = view;
  const index = planRun.currentItemId === null ? -1 : (plan.order.get(planRun.currentItemId) ?? -1);
  const item = plan.listed[index];
  const after = place(planRun.currentItemId);
  if (item === undefined || after < 0) return [];
  const why = planRun.lastError === null ? [] : reasonLines(planRun.lastError, Math.max(16, width - 10));
  const shown = why.length > whyLines ? [...why.slice(0, whyLines - 1), 'Space shows all of it'] : why;
  const rows: PlanRow[] = [
    ...(liveness.state !== 'idle' && !isBeside ? [{ kind: 'doing', item, text: liveness.cause } as const] : []),
    ...steps.map((step) => ({ kind: 'step', item, step }) as const),
    ...shown.map((text) => ({ kind: 'why', item, text }) as const),
  ];
  return rows.length === 0 ? [] : [{ after, rows }];
}

/** Only the start of what may be a long output. */
function reasonLines(reason: string, width: number): string[] {
  const lines = reason.slice(0, longestReason).split('\n');
  return lines.filter((line) => line.trim() !== '').flatMap((line) => wrap(sanitise(line), width));
}

function tellAdding({ plan }: SessionView, place: (id: ItemId | null) => number, prompt: PromptKind | null): Insert[] {
  if (prompt?.kind !== 'add') return [];
  const { parentId, afterId } = prompt;
  const last = childrenOf(plan, parentId).at(-1)?.id ?? null;
  // Behind a neighbour that has gone it will stand at the end.
  const before = afterId !== null && !plan.items.has(afterId) ? last : parentId === null ? (afterId ?? last) : afterId;
  // A task stands behind the subtasks of the one before it.
  const after = parentId === null ? endOf(plan, place, before) : place(before ?? parentId);
  return [{ after, rows: [{ kind: 'adding', depth: parentId === null ? 0 : 1, isLast: before === last }] }];
}

function endOf(plan: PlanModel, place: (id: ItemId | null) => number, taskId: ItemId | null): number {
  if (taskId === null) return -1;
  const at = plan.places.get(taskId);
  const last = (at && plan.tree[at.task]?.children.at(-1)?.id) ?? taskId;
  return isSection(plan, taskId) ? Math.max(place(taskId), place(last)) : place(taskId);
}
