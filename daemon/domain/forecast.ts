/** What the open leaves of a plan may take, by the mean of those that were finished. Pure. */
import { leavesOf, type Tree } from '../../shared/plan-tree.js';
import type { ItemId } from '../../shared/plan.js';
import type { Forecast, Usage } from '../../shared/run.js';

type ItemUsage = Usage & { readonly itemId: ItemId | null };

/** `usage`: what each item has spent so far. Null while no leaf was finished by a run, or none is open. */
export function forecast(tree: Tree, usage: readonly ItemUsage[]): Forecast | null {
  const spent = new Map(usage.map((each) => [each.itemId, each]));
  const leaves = [...leavesOf(tree)];
  const finished = leaves.flatMap(({ id, status }) => (status === 'done' ? (spent.get(id) ?? []) : []));
  const open = leaves.filter(({ status }) => status === 'pending' || status === 'active');
  if (finished.length === 0 || open.length === 0) return null;
  /** Of one kind: the mean for each open leaf, less what that leaf has spent already. */
  const left = (of: (usage: ItemUsage) => number): number => {
    const mean = finished.reduce((sum, each) => sum + of(each), 0) / finished.length;
    return open.reduce((sum, { id }) => {
      const before = spent.get(id);
      return sum + Math.max(0, mean - (before ? of(before) : 0));
    }, 0);
  };
  const isPriced = finished.every(({ costUsd }) => costUsd !== null);
  return {
    finishedLeaves: finished.length,
    openLeaves: open.length,
    turns: left(({ turns }) => turns),
    tokens: left(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    costUsd: isPriced ? left(({ costUsd }) => costUsd ?? 0) : null,
    durationMs: left(({ durationMs }) => durationMs),
  };
}
