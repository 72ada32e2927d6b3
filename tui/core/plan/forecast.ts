/** How long the rest may take, reckoned from the leaves that were finished. */
import { isOpen } from '../../../shared/plan-tree.js';
import type { ItemId } from '../../../shared/plan.js';
import type { Run } from '../../../shared/run.js';
import { isSection, type PlanModel } from './plan-model.js';

/** Milliseconds of the rest of the plan: the mean of finished leaves for each open one. Null while none has finished. */
export function forecast(plan: PlanModel, runs: readonly Run[], current: ItemId | null, now: number): number | null {
  const spent = spentOn(runs);
  const finished = [...spent.keys()].filter((id) => plan.items.get(id)?.status === 'done' && !isSection(plan, id));
  if (finished.length === 0) return null;
  const spentUntilNow = (id: ItemId): number => {
    const { ms, since } = spent.get(id) ?? nothing;
    return since.reduce((sum, start) => sum + Math.max(0, now - start), ms);
  };
  const mean = finished.reduce((sum, id) => sum + spentUntilNow(id), 0) / finished.length;
  const { pending, active } = plan.counts;
  const item = current === null ? undefined : plan.items.get(current);
  const isUnderWay = item !== undefined && isOpen(item.status) && !isSection(plan, item.id);
  return mean * (pending + active) - (isUnderWay ? Math.min(mean, spentUntilNow(item.id)) : 0);
}

/** What an item has taken. */
interface Spent {
  /** Milliseconds, by runs that have ended. */
  ms: number;
  /** When those began that go on, milliseconds since 1970. */
  readonly since: number[];
}
const nothing: Spent = { ms: 0, since: [] };

/** Asked for at every frame, and only another with each run that begins or ends. */
const known = new WeakMap<readonly Run[], ReadonlyMap<ItemId, Spent>>();

function spentOn(runs: readonly Run[]): ReadonlyMap<ItemId, Spent> {
  const before = known.get(runs);
  if (before !== undefined) return before;
  const spent = new Map<ItemId, Spent>();
  for (const { kind, itemId, startedAt, finishedAt } of runs) {
    if (kind !== 'leaf' || itemId === null) continue;
    const time = spent.get(itemId) ?? { ms: 0, since: [] };
    const start = Date.parse(startedAt);
    if (finishedAt === null) time.since.push(start);
    else time.ms += Math.max(0, Date.parse(finishedAt) - start);
    spent.set(itemId, time);
  }
  known.set(runs, spent);
  return spent;
}
