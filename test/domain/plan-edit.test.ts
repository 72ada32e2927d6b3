import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addItem,
  clear,
  moveItem,
  removeItem,
  resetLeaves,
  setGoal,
  setStatus,
  updateItem,
} from '../../daemon/domain/plan-edit.js';
import { sameItem } from '../../daemon/domain/item-state.js';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { emptyPlan, placesOf, type Plan } from '../../daemon/domain/plan.js';
import type { Result } from '../../shared/errors.js';
import { planLimits, type Item } from '../../shared/plan.js';
import { indexTree, leavesOf } from '../../shared/plan-tree.js';
import { activate, change, changeOf, checkPlan, id, itemOf, itemsOf, outline, planOf, refused } from './plan-samples.js';

/** t1 leaf · t2 section (t3 done, t4 pending) · t5 done leaf · t6 section skipped (t7 skipped) · t8 active leaf */
const plan = planOf(
  [
    { title: 'one' },
    { title: 'two', children: [{ title: 'two-a', status: 'done' }, { title: 'two-b' }] },
    { title: 'five', status: 'done' },
    { title: 'six', children: [{ title: 'six-a', status: 'skipped' }] },
    { title: 'eight' },
  ],
  't8',
);

const set = (itemId: string, status: 'pending' | 'done' | 'skipped', note?: string) => (draft: PlanDraft) =>
  setStatus(draft, { itemId: id(itemId), status, ...(note === undefined ? {} : { note }) });

describe('an edit is refused', () => {
  const full = planOf(Array.from({ length: planLimits.items }, (_, i) => ({ title: `item ${i}` })));

  it.each<[string, (draft: PlanDraft) => Result<unknown>, string, string]>([
    ['updating what is not there', (d) => updateItem(d, { itemId: id('t99'), title: 'x' }, 'person'), 'not_found', 'no item t99'],
    ['moving what is not there', (d) => moveItem(d, { itemId: id('t99'), index: 0 }), 'not_found', 'no item t99'],
    ['closing what is not there', set('t99', 'done'), 'not_found', 'no item t99'],
    ['removing what is not there', (d) => removeItem(d, { itemId: id('t99') }, 'person'), 'not_found', 'no item t99'],
    [
      'adding under what is not there',
      (d) => addItem(d, { title: 'x', parentId: id('t99') }, 'person'),
      'not_found',
      'no item t99',
    ],
    [
      'moving under what is not there',
      (d) => moveItem(d, { itemId: id('t1'), parentId: id('t99'), index: 0 }),
      'not_found',
      'no item t99',
    ],
    ['adding under a subtask', (d) => addItem(d, { title: 'x', parentId: id('t3') }, 'person'), 'invalid_state', 'two levels'],
    [
      'moving under a subtask',
      (d) => moveItem(d, { itemId: id('t1'), parentId: id('t3'), index: 0 }),
      'invalid_state',
      'two levels',
    ],
    [
      'moving a section under a task',
      (d) => moveItem(d, { itemId: id('t2'), parentId: id('t1'), index: 0 }),
      'invalid_state',
      'has subtasks',
    ],
    [
      'moving a task under itself',
      (d) => moveItem(d, { itemId: id('t1'), parentId: id('t1'), index: 0 }),
      'invalid_state',
      'itself',
    ],
    [
      'adding under the active leaf',
      (d) => addItem(d, { title: 'x', parentId: id('t8') }, 'person'),
      'invalid_state',
      't8 "eight" is being worked on',
    ],
    [
      'moving under the active leaf',
      (d) => moveItem(d, { itemId: id('t1'), parentId: id('t8'), index: 0 }),
      'invalid_state',
      't8 "eight" is being worked on',
    ],
    [
      'changing the text of a done item',
      (d) => updateItem(d, { itemId: id('t5'), title: 'x' }, 'person'),
      'invalid_state',
      't5 "five" is done',
    ],
    [
      'changing the checks of a done item',
      (d) => updateItem(d, { itemId: id('t3'), verify: ['x'] }, 'person'),
      'invalid_state',
      't3 "two-a" is done',
    ],
    ['closing a section with open subtasks', set('t2', 'done'), 'invalid_state', 'open subtasks: t4 "two-b"'],
    ['closing a section in which all is skipped', (d) => set('t6', 'done')(d), 'invalid_state', 'all are skipped'],
    ['reopening a section', set('t6', 'pending'), 'invalid_state', 't7 "six-a"'],
    ['skipping a done item', set('t5', 'skipped'), 'invalid_state', 't5 "five" is done'],
    [
      'removing a done item, by a planner',
      (d) => removeItem(d, { itemId: id('t5') }, 'planner'),
      'invalid_state',
      't5 "five" is done',
    ],
    [
      'removing a section with done work, by a planner',
      (d) => removeItem(d, { itemId: id('t2') }, 'planner'),
      'invalid_state',
      't3 "two-a" is done',
    ],
    ['an empty title', (d) => addItem(d, { title: '' }, 'person'), 'invalid_params', 'title must not be empty'],
    ['a long goal', (d) => setGoal(d, { goal: 'x'.repeat(12_001) }), 'limit_exceeded', 'goal is 12001'],
    ['a long note', set('t1', 'done', 'x'.repeat(2_001)), 'limit_exceeded', 'note is 2001'],
  ])('%s', (_what, edit, kind, message) => {
    const refusal = refused(plan, edit);
    expect(refusal.kind).toBe(kind);
    expect(refusal.message).toContain(message);
    if (kind === 'not_found') expect(refusal.data?.hint).toContain('read the plan again');
  });

  it('when the plan is full', () => {
    const refusal = refused(full, (draft) => addItem(draft, { title: 'one more' }, 'person'));
    expect(refusal).toMatchObject({ kind: 'limit_exceeded', data: { length: 10_001, limit: 10_000 } });
  });

  it('with a way out for an item that is done', () => {
    expect(refused(plan, (draft) => updateItem(draft, { itemId: id('t5'), title: 'x' }, 'person')).data?.hint).toBe(
      'Add the correction as a new item, or reopen this one first.',
    );
  });
});

describe('adding', () => {
  it('puts an item at its index, or at the end', () => {
    const added = change(plan, (draft) => addItem(draft, { title: 'first', index: 0 }, 'person'));
    expect(outline(added)[0]).toBe('t9 pending first');
    expect(outline(change(added, (draft) => addItem(draft, { title: 'last' }, 'person'))).at(-1)).toBe('t10 pending last');
    expect(
      outline(change(plan, (draft) => addItem(draft, { title: 'between', parentId: id('t2'), index: 1 }, 'person'))),
    ).toContain('  t9 pending between');
  });

  it('reopens a closed section, and a closed task that becomes one', () => {
    expect(
      itemOf(
        change(plan, (draft) => addItem(draft, { title: 'more', parentId: id('t6') }, 'person')),
        't6',
      ).status,
    ).toBe('pending');
    const five = itemOf(
      change(plan, (draft) => addItem(draft, { title: 'more', parentId: id('t5') }, 'person')),
      't5',
    );
    expect(five.status).toBe('pending');
    expect(five.claimed).toBeUndefined();
  });

  it('leaves the rest of the plan as it is, however often it goes to the same place', () => {
    let next = planOf([{ title: 'a' }, { title: 'b' }]);
    for (let i = 0; i < 70; i += 1) next = change(next, (draft) => addItem(draft, { title: `x${i}`, index: 1 }, 'person'));
    checkPlan(next);
    expect(itemsOf(next).map((item) => item.title)).toEqual(['a', ...Array.from({ length: 70 }, (_, i) => `x${69 - i}`), 'b']);
  });
});

describe('updating', () => {
  const update = (itemId: string, patch: object) => (draft: PlanDraft) =>
    updateItem(draft, { itemId: id(itemId), ...patch }, 'person');

  it('changes the fields given and clears those that are null', () => {
    const detailed = change(plan, update('t1', { detail: 'why', priority: 'high' }));
    expect(itemOf(detailed, 't1')).toMatchObject({ title: 'one', detail: 'why', priority: 'high' });
    expect(itemOf(change(detailed, update('t1', { detail: null })), 't1')).toEqual({ ...itemOf(plan, 't1'), priority: 'high' });
  });

  it('may change the active leaf, and the note of a done one', () => {
    expect(itemOf(change(plan, update('t8', { title: 'eight!' })), 't8')).toMatchObject({ title: 'eight!', status: 'active' });
    expect(itemOf(change(plan, update('t5', { note: 'nice' })), 't5')).toMatchObject({ note: 'nice', status: 'done' });
  });

  it('changes nothing when it says what is there already', () => {
    expect(changeOf(plan, update('t5', { title: ' five ', note: null }))).toBeNull();
  });

  it('lets the executor follow the command while nobody chose one', () => {
    const command = change(plan, update('t1', { command: 'make' }));
    expect(itemOf(command, 't1').executor).toBe('command');
    expect(itemOf(change(command, update('t1', { command: null })), 't1').executor).toBe('model');
    const agent = change(command, update('t1', { executor: 'agent' }));
    expect(itemOf(change(agent, update('t1', { command: null })), 't1').executor).toBe('agent');
  });
});

describe('moving', () => {
  const move = (itemId: string, parentId: string | null, index: number) => (draft: PlanDraft) =>
    moveItem(draft, { itemId: id(itemId), parentId: parentId === null ? null : id(parentId), index });

  it('keeps the status, the subtasks and everybody else', () => {
    const moved = changeOf(plan, move('t2', null, 4));
    expect(outline(moved?.plan as Plan).slice(-3)).toEqual(['t2 pending two', '  t3 done two-a', '  t4 pending two-b']);
    expect(moved?.change.items.map((item) => item.id)).toEqual(['t2']);
  });

  it('settles the sections at both ends', () => {
    const moved = change(plan, move('t4', 't6', 0));
    expect([itemOf(moved, 't2').status, itemOf(moved, 't6').status]).toEqual(['done', 'pending']);
  });

  it('lets the active leaf go under a section and stay active', () => {
    const moved = change(plan, move('t8', 't2', 0));
    expect(itemOf(moved, 't8')).toMatchObject({ parentId: 't2', status: 'active' });
  });

  it('changes nothing when it stands there already', () => {
    expect(changeOf(plan, move('t4', 't2', 1))).toBeNull();
    expect(changeOf(plan, move('t8', null, 99))).toBeNull();
  });
});

describe('setting a status by hand', () => {
  it('claims what is done, and takes the claim back when it is reopened', () => {
    const done = change(plan, set('t1', 'done', 'by hand'));
    expect(itemOf(done, 't1')).toMatchObject({ status: 'done', claimed: true, note: 'by hand' });
    const open = itemOf(change(done, set('t1', 'pending')), 't1');
    expect(open).toMatchObject({ status: 'pending', note: 'by hand' });
    expect(open.claimed).toBeUndefined();
  });

  it('puts the active leaf back to pending', () => {
    expect(itemOf(change(plan, set('t8', 'pending')), 't8').status).toBe('pending');
  });

  it('closes a section with its last subtask and reopens it with one', () => {
    const closed = change(plan, set('t4', 'skipped'));
    expect(itemOf(closed, 't2')).toMatchObject({ status: 'done', claimed: true });
    expect(itemOf(change(closed, set('t3', 'pending')), 't2').status).toBe('pending');
  });

  it('skips the open subtasks of a section and leaves the done ones', () => {
    const skipped = change(plan, set('t2', 'skipped'));
    expect([itemOf(skipped, 't3').status, itemOf(skipped, 't4').status, itemOf(skipped, 't2').status]).toEqual([
      'done',
      'skipped',
      'done',
    ]);
  });

  it('changes nothing when the status is the same, but takes a note', () => {
    expect(changeOf(plan, set('t5', 'done'))).toBeNull();
    expect(changeOf(plan, set('t2', 'pending'))).toBeNull();
    expect(itemOf(change(plan, set('t5', 'done', 'again')), 't5').note).toBe('again');
  });
});

describe('removing, clearing and resetting', () => {
  it('removes an item with its subtasks, done ones too when a person says so', () => {
    expect(itemsOf(change(plan, (draft) => removeItem(draft, { itemId: id('t2') }, 'person'))).map((item) => item.id)).toEqual([
      't1',
      't5',
      't6',
      't7',
      't8',
    ]);
  });

  it('never gives out an id again', () => {
    const cleared = change(plan, clear);
    expect(cleared.tree).toEqual([]);
    expect(itemsOf(change(cleared, (draft) => addItem(draft, { title: 'new' }, 'person')))[0]?.id).toBe('t9');
  });

  it('puts every leaf back to pending without its marks', () => {
    const reset = change(change(plan, set('t5', 'done', 'kept')), resetLeaves);
    expect(itemsOf(reset).map((item) => item.status)).toEqual(Array(8).fill('pending'));
    expect(itemsOf(reset).some((item) => item.claimed)).toBe(false);
    expect(itemOf(reset, 't5').note).toBe('kept');
    expect(changeOf(reset, resetLeaves)).toBeNull();
  });

  it('clears and resets ten thousand items at once', () => {
    const large = planOf(
      Array.from({ length: 100 }, (_, i) => ({
        title: `s${i}`,
        children: Array.from({ length: 99 }, (_, c) => ({ title: `c${c}`, status: 'done' as const })),
      })),
    );
    expect(changeOf(large, resetLeaves)?.change.items).toHaveLength(10_000);
    expect(changeOf(large, clear)?.change.items).toHaveLength(10_000);
  });
});

type Step = { kind: number; a: number; b: number; index: number };
const stepArb: fc.Arbitrary<Step> = fc.record({ kind: fc.nat(9), a: fc.nat(), b: fc.nat(), index: fc.nat(6) });

/** One random edit of a plan; refusals are as good as edits here. */
function edit(draft: PlanDraft, { kind, a, b, index }: Step): Result<unknown> {
  const items = draft.tree.flatMap((task) => [task.item, ...task.children]);
  const pick = (n: number): Item | undefined => items[n % Math.max(1, items.length)];
  const itemId = pick(a)?.id ?? id('t404');
  const parentId = b % 3 === 0 ? undefined : pick(b)?.id;
  switch (kind) {
    case 0:
    case 1:
    case 2:
      return addItem(draft, { title: `n${a}`, parentId, index }, 'person');
    case 3:
      return updateItem(draft, { itemId, title: `u${b % 3}`, note: b % 2 === 0 ? 'n' : null }, 'person');
    case 4:
      return moveItem(draft, { itemId, parentId, index });
    case 5:
      return setStatus(draft, { itemId, status: 'done' });
    case 6:
      return setStatus(draft, { itemId, status: b % 2 === 0 ? 'pending' : 'skipped' });
    case 7:
      return removeItem(draft, { itemId }, 'person');
    case 8:
      return setGoal(draft, { goal: `g${b % 3}` });
    default:
      return b % 8 === 0 ? clear(draft) : resetLeaves(draft);
  }
}

const same = (a: Plan, b: Plan): boolean => {
  const [before, after] = [itemsOf(a), itemsOf(b)];
  return a.goal === b.goal && before.length === after.length && before.every((item, i) => sameItem(item, after[i] as Item));
};

describe('any row of edits', () => {
  it('keeps the plan in order, its versions gapless and its index right', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.array(stepArb, { minLength: 1, maxLength: 3 }), fc.nat(5)), { maxLength: 40 }),
        (commands) => {
          let now = emptyPlan;
          for (const [steps, run] of commands) {
            const open = [...leavesOf(now.tree)].filter((leaf) => leaf.status === 'pending');
            const busy = [...leavesOf(now.tree)].some((leaf) => leaf.status === 'active');
            if (run === 0 && open[0] && !busy) now = activate(now, open[0].id);
            const active = itemsOf(now).find((item) => item.status === 'active');
            const draft = new PlanDraft(now);
            if (steps.some((step) => !edit(draft, step).ok)) continue;
            const finished = draft.finish('person', null);
            if (finished === null) {
              expect(same(now, { ...now, goal: draft.goal, tree: draft.tree })).toBe(true);
              continue;
            }
            const { plan: next, change: made } = finished;
            expect(same(now, next)).toBe(false);
            expect([next.version, made.version]).toEqual([now.version + 1, now.version + 1]);
            checkPlan(next);
            expect(placesOf(next.tree)).toEqual(indexTree(next.tree));
            const nowActive = itemsOf(next)
              .filter((item) => item.status === 'active')
              .map((item) => item.id);
            expect(nowActive.every((itemId) => itemId === active?.id)).toBe(true);
            const replayed = new Map(itemsOf(now).map((item) => [item.id, item]));
            for (const { id: itemId, before, after } of made.items) {
              expect(replayed.get(itemId) ?? null).toEqual(before);
              if (after) replayed.set(itemId, after);
              else replayed.delete(itemId);
            }
            expect([...replayed.values()].sort(byId)).toEqual(itemsOf(next).sort(byId));
            now = next;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

const byId = (a: Item, b: Item): number => (a.id < b.id ? -1 : 1);
