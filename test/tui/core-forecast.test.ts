import { describe, expect, it } from 'vitest';
import type { Item, ItemId, ItemStatus } from '../../shared/plan.js';
import type { Run, RunId } from '../../shared/run.js';
import { forecast } from '../../tui/core/plan/forecast.js';
import { planModel } from '../../tui/core/plan/plan-model.js';

const begin = Date.parse('2026-03-01T10:00:00.000Z');
const minute = 60_000;

const itemOf = (id: string, status: ItemStatus, parentId: string | null = null): [ItemId, Item] => [
  id as ItemId,
  {
    id: id as ItemId,
    parentId: parentId as ItemId | null,
    position: 1,
    title: id,
    status,
    priority: 'medium',
    acceptance: [],
    executor: 'model',
  },
];
const planOf = (...items: [ItemId, Item][]) => planModel(new Map(items), 1);

/** `from`, `to`: minutes; no end is a run that goes on. */
const runOf = (itemId: string, from: number, to: number | null): Run => ({
  id: `${itemId}-${from}` as RunId,
  sessionId: 's' as never,
  itemId: itemId as ItemId,
  kind: 'leaf',
  status: to === null ? 'running' : 'completed',
  attempt: 1,
  epoch: 1,
  resumes: null,
  planVersion: 1,
  model: null,
  error: null,
  summary: null,
  usage: { turns: 1, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 },
  startedAt: new Date(begin + from * minute).toISOString(),
  finishedAt: to === null ? null : new Date(begin + to * minute).toISOString(),
});
const at = (minutes: number): number => begin + minutes * minute;

describe('the time that the rest may take', () => {
  it('is not known before a leaf was finished', () => {
    expect(
      forecast(planOf(itemOf('a', 'active'), itemOf('b', 'pending')), [runOf('a', 0, null)], 'a' as ItemId, at(3)),
    ).toBeNull();
  });

  it('is the mean of the finished leaves, all their tries together, for each open one', () => {
    const plan = planOf(
      itemOf('a', 'done'),
      itemOf('b', 'done'),
      itemOf('c', 'pending'),
      itemOf('d', 'pending'),
      itemOf('e', 'skipped'),
    );
    const runs = [runOf('a', 0, 2), runOf('a', 2, 4), runOf('b', 4, 6)];
    expect(forecast(plan, runs, null, at(9))).toBe(2 * 3 * minute);
  });

  it('goes down while a leaf runs, and waits when that takes longer than the others', () => {
    const plan = planOf(itemOf('a', 'done'), itemOf('b', 'active'), itemOf('c', 'pending'));
    const runs = [runOf('b', 4, null), runOf('a', 0, 4)];
    const rest = (minutes: number): number | null => forecast(plan, runs, 'b' as ItemId, at(minutes));
    expect([4, 5, 7, 8, 20].map(rest)).toEqual([8, 7, 5, 4, 4].map((minutes) => minutes * minute));
  });

  it('counts leaves only, and none that were removed', () => {
    const plan = planOf(itemOf('a', 'active'), itemOf('a1', 'done', 'a'), itemOf('a2', 'pending', 'a'));
    const runs = [runOf('a', 0, 50), runOf('gone', 50, 90), runOf('a1', 90, 91)];
    expect(forecast(plan, runs, 'a' as ItemId, at(91))).toBe(minute);
  });
});
