/** What the rest of a plan may take. */
import { describe, expect, it } from 'vitest';
import { forecast } from '../../daemon/domain/forecast.js';
import { buildTree } from '../../shared/plan-tree.js';
import type { Item, ItemId } from '../../shared/plan.js';
import type { Usage } from '../../shared/run.js';

const item = (id: string, status: Item['status'], position: number): Item => ({
  id: id as ItemId,
  parentId: null,
  position,
  title: id,
  status,
  priority: 'medium',
  executor: 'model',
  acceptance: [],
});
const used = (id: string, tokens: number, costUsd: number | null = 1): Usage & { itemId: ItemId } => ({
  itemId: id as ItemId,
  turns: 2,
  inputTokens: tokens,
  outputTokens: 0,
  costUsd,
  durationMs: 1_000,
});

describe('the forecast', () => {
  const tree = buildTree([
    item('a', 'done', 1),
    item('b', 'done', 2),
    item('c', 'active', 3),
    item('d', 'pending', 4),
    item('e', 'skipped', 5),
  ]);
  it('is the mean of what was finished for each open item, less what that has spent', () => {
    expect(forecast(tree, [used('a', 100), used('b', 300), used('c', 50)])).toMatchObject({
      finishedLeaves: 2,
      openLeaves: 2,
      tokens: 150 + 200,
      costUsd: 1,
    });
  });
  it('invents no cost where one is not known', () => {
    expect(forecast(tree, [used('a', 100, null), used('b', 100)])?.costUsd).toBeNull();
  });
  it('is nothing before anything was finished, and when nothing is open', () => {
    expect(forecast(tree, [])).toBeNull();
    expect(forecast(buildTree([item('a', 'done', 1)]), [used('a', 1)])).toBeNull();
  });
});
