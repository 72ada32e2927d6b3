/** How long the rest may take, reckoned from the leaves that were finished. */
import type { ItemId } from '../../shared/plan.js';
import type { Run } from '../../shared/run.js';
import { isOpen, leavesOf } from '../../shared/plan-tree.js';
import type { PlanModel } from './plan-model.js';

/** Milliseconds of the rest of the plan: the mean of finished leaves for each open one. Null while none has finished. */
export function forecast(plan: PlanModel, runs: readonly Run[], current: ItemId | null, now: number): number | null {
  const spent = new Map<ItemId, number>();
  for (const { kind, itemId, startedAt, finishedAt } of runs) {
    if (kind !== 'leaf' || itemId === null) continue;
    const until = finishedAt === null ? now : Date.parse(finishedAt);
    spent.set(itemId, (spent.get(itemId) ?? 0) + Math.max(0, until - Date.parse(startedAt)));
  }
  const leaves = [...leavesOf(plan.tree)];
  const finished = leaves.filter((leaf) => leaf.status === 'done').flatMap(({ id }) => spent.get(id) ?? []);
  if (finished.length === 0) return null;
  const mean = finished.reduce((sum, ms) => sum + ms, 0) / finished.length;
  const rest = leaves
    .filter((leaf) => isOpen(leaf.status))
    .map(({ id }) => (id === current ? Math.max(0, mean - (spent.get(id) ?? 0)) : mean));
  return rest.reduce((sum, ms) => sum + ms, 0);
}
