/** What stands in the way of a mission, and what follows from a turn of its planner that left it so. */
import { describe, expect, it } from 'vitest';
import { addItem } from '../../daemon/domain/plan-edit.js';
import { isUrgent, noteKinds, urgentReport } from '../../daemon/domain/planner-notes.js';
import { judgeTurn, type PlannerTurn, standstillOf } from '../../daemon/domain/planner-verdict.js';
import type { Checkpoint, RunState } from '../../daemon/domain/run-state.js';
import { plannerModes, reportKinds } from '../../shared/mission.js';
import type { ItemId } from '../../shared/plan.js';
import { freshState, ownerships } from './scenario-runner.js';

function stateOf(checkpoint: Partial<Checkpoint>, ownership: RunState['ownership'] = ownerships.planned): RunState {
  const state = freshState((draft) => {
    addItem(draft, { title: 'Write' }, 'person');
  }, ownership);
  return { ...state, checkpoint: { ...state.checkpoint, ...checkpoint } };
}

const blocked = stateOf({ status: 'blocked', currentItemId: 't1' as ItemId, lastError: 'no key' });

describe('what stands in the way', () => {
  it.each([
    ['a blocked item', blocked, '1 Write (t1) is blocked: no key'],
    [
      'a failed item',
      stateOf({ status: 'failed', currentItemId: 't1' as ItemId, lastError: '401' }),
      '1 Write (t1) is failed: 401',
    ],
    [
      'no plan',
      { ...blocked, plan: { ...blocked.plan, tree: [] }, checkpoint: { ...blocked.checkpoint, status: 'idle' } },
      'There is no plan yet.',
    ],
    ['open items of one who works alone', stateOf({ status: 'idle' }, ownerships.solo), 'Items of the plan are open.'],
  ] as const)('%s', (_name, state, words) => {
    expect(standstillOf(state)?.words).toBe(words);
  });

  it.each([
    ['work goes on', stateOf({ status: 'running', currentItemId: 't1' as ItemId })],
    ['a person is asked', stateOf({ status: 'waiting', currentItemId: 't1' as ItemId })],
    ['a person has paused it', stateOf({ status: 'paused' })],
    ['a person has cancelled it', stateOf({ status: 'cancelled' })],
    [
      'a budget is a person’s to raise',
      stateOf({ status: 'blocked', currentItemId: 't1' as ItemId, lastError: 'budget', resume: true }),
    ],
    ['everything is closed', stateOf({ status: 'completed' })],
  ])('is nothing when %s', (_name, state) => {
    expect(standstillOf(state)).toBeNull();
  });

  it('is another blocker when another item stops, or for another reason', () => {
    const key = (state: RunState) => standstillOf(state)?.key;
    expect(key(blocked)).toBe(key({ ...blocked }));
    expect(key(blocked)).not.toBe(key({ ...blocked, checkpoint: { ...blocked.checkpoint, lastError: 'no lock' } }));
    expect(key(blocked)).not.toBe(key({ ...blocked, checkpoint: { ...blocked.checkpoint, currentItemId: 't2' as ItemId } }));
  });
});

const turn = (more: Partial<PlannerTurn> = {}): PlannerTurn => ({
  state: blocked,
  hasOpenChildren: false,
  hasNews: false,
  hasMoved: false,
  unmoved: 0,
  blocker: null,
  ...more,
});
const key = standstillOf(blocked)?.key ?? '';

describe('a turn of the planner', () => {
  it.each([
    ['that changed nothing is counted, and it is asked again', turn(), 1, true],
    ['that changed nothing for the second time', turn({ unmoved: 1, blocker: key }), 2, true],
    ['that changed nothing for the third time is the last', turn({ unmoved: 2, blocker: key }), 3, false],
    ['before another blocker begins to count anew', turn({ unmoved: 2, blocker: 'another' }), 1, true],
    ['that changed the plan counts for nothing', turn({ unmoved: 2, blocker: key, hasMoved: true }), 0, false],
    ['while missions below still work counts for nothing', turn({ unmoved: 2, blocker: key, hasOpenChildren: true }), 0, false],
    ['is not asked again when something else will wake it', turn({ hasNews: true }), 1, false],
    ['when all goes on counts for nothing', turn({ state: stateOf({ status: 'running' }), unmoved: 2, blocker: key }), 0, false],
  ])('%s', (_name, of, unmoved, isAsked) => {
    const verdict = judgeTurn(of);
    expect([verdict.unmoved, verdict.note !== null]).toEqual([unmoved, isAsked]);
    if (verdict.note !== null)
      expect(verdict.note).toMatchObject({ urgent: true, text: expect.stringContaining('no key') as string });
  });
});

describe('what wakes a planner', () => {
  const table = (mode: (typeof plannerModes)[number]) =>
    noteKinds.filter((kind) => kind !== 'report').filter((kind) => isUrgent(kind, mode));

  it('is nothing, what stops the work, or all that ends', () => {
    expect(table('never')).toEqual([]);
    expect(table('on_blocked')).toEqual(['fired', 'message', 'draft', 'blocked', 'failed', 'completed', 'child', 'unmoved']);
    expect(table('always')).toEqual(['fired', 'message', 'draft', 'done', 'blocked', 'failed', 'completed', 'child', 'unmoved']);
  });

  it('of reports, never progress', () => {
    const of = (mode: (typeof plannerModes)[number]) => reportKinds.filter((kind) => urgentReport(kind, mode));
    expect(plannerModes.map(of)).toEqual([[], ['blocker'], ['finding', 'blocker', 'result']]);
  });
});
