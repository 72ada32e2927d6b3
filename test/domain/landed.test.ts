/** What a plan has become, against what it first said. */
import { describe, expect, it } from 'vitest';
import { landedAgainstPlanned } from '../../daemon/domain/landed.js';
import type { StoredChange } from '../../daemon/domain/plan-diff.js';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { addItem, removeItem, setGoal, setStatus } from '../../daemon/domain/plan-edit.js';
import { emptyPlan, type Plan } from '../../daemon/domain/plan.js';
import type { ItemId } from '../../shared/plan.js';

/** Makes one revision of each edit; gives the plan and its revisions. */
function planAfter(...edits: readonly ((draft: PlanDraft) => void)[]): { plan: Plan; revisions: StoredChange[] } {
  let plan = emptyPlan;
  const revisions: StoredChange[] = [];
  for (const edit of edits) {
    const draft = new PlanDraft(plan);
    edit(draft);
    const done = draft.finish('planner', null);
    if (done === null) continue;
    plan = done.plan;
    revisions.push(done.change);
  }
  return { plan, revisions };
}

const add =
  (...titles: readonly string[]) =>
  (draft: PlanDraft): void => {
    for (const title of titles) addItem(draft, { title }, 'planner');
  };
const close =
  (id: string, status: 'done' | 'skipped') =>
  (draft: PlanDraft): void =>
    void setStatus(draft, { itemId: id as ItemId, status });

describe('landed against planned', () => {
  it('counts from the first plan that had an item, over all that came after', () => {
    const { plan, revisions } = planAfter(
      (draft) => void setGoal(draft, { goal: 'Ship' }),
      add('A', 'B', 'C'),
      close('t1', 'done'),
      (draft) => void removeItem(draft, { itemId: 't2' as ItemId }, 'planner'),
      add('D'),
      close('t3', 'skipped'),
      close('t4', 'done'),
    );
    expect(landedAgainstPlanned(plan, revisions)).toEqual({
      planned: 3,
      added: 1,
      dropped: 1,
      done: 2,
      skipped: 1,
      addedTitles: ['D'],
      droppedTitles: ['B'],
    });
  });

  it('counts leaves: one that was split is dropped, and its parts are added', () => {
    const { plan, revisions } = planAfter(add('Whole', 'Other'), (draft) => {
      addItem(draft, { title: 'One', parentId: 't1' as ItemId }, 'planner');
      addItem(draft, { title: 'Two', parentId: 't1' as ItemId }, 'planner');
    });
    expect(landedAgainstPlanned(plan, revisions)).toMatchObject({
      planned: 2,
      addedTitles: ['One', 'Two'],
      droppedTitles: ['Whole'],
    });
  });

  it('of a mission without a plan is nothing', () => {
    expect(landedAgainstPlanned(emptyPlan, [])).toMatchObject({ planned: 0, added: 0, dropped: 0, done: 0 });
  });
});
