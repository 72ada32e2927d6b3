import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffPlans, planAt } from '../../daemon/domain/plan-diff.js';
import { sameText } from '../../daemon/domain/item-state.js';
import type { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { addItem, clear, moveItem, removeItem, setGoal, setStatus, updateItem } from '../../daemon/domain/plan-edit.js';
import { revertTo } from '../../daemon/domain/plan-revert.js';
import { emptyPlan, type Plan, type PlanChange } from '../../daemon/domain/plan.js';
import type { Result } from '../../shared/errors.js';
import { planLimits, type Item } from '../../shared/plan.js';
import { activate, changeOf, checkPlan, id, itemOf, itemsOf, outline, planOf, refused } from './plan-samples.js';

type Edit = (draft: PlanDraft) => Result<unknown>;

/** A plan with all that ever happened to it, as the store keeps it. */
class History {
  readonly plans: Plan[];
  readonly changes: PlanChange[] = [];

  constructor(start: Plan = emptyPlan) {
    this.plans = [start];
  }

  get now(): Plan {
    return this.plans.at(-1) as Plan;
  }

  make(...edits: Edit[]): this {
    for (const edit of edits) {
      const made = changeOf(this.now, edit);
      if (made === null) continue;
      this.plans.push(made.plan);
      this.changes.push(made.change);
    }
    return this;
  }

  /** The plan as it was `back` revisions ago, rebuilt from the stored differences. */
  earlier(back: number): { goal: string; tree: Plan['tree'] } {
    return planAt(this.now, this.changes.slice(this.changes.length - back));
  }

  revert(back: number): Plan {
    return this.make((draft) => revertTo(draft, this.earlier(back))).now;
  }
}

const add =
  (title: string, parentId?: string): Edit =>
  (draft) =>
    addItem(draft, { title, ...(parentId === undefined ? {} : { parentId: id(parentId) }) }, 'person');
const rename =
  (itemId: string, title: string): Edit =>
  (draft) =>
    updateItem(draft, { itemId: id(itemId), title }, 'person');
const set =
  (itemId: string, status: 'pending' | 'done' | 'skipped'): Edit =>
  (draft) =>
    setStatus(draft, { itemId: id(itemId), status });
const remove =
  (itemId: string): Edit =>
  (draft) =>
    removeItem(draft, { itemId: id(itemId) }, 'person');
const move =
  (itemId: string, index: number, parentId: string | null = null): Edit =>
  (draft) =>
    moveItem(draft, { itemId: id(itemId), index, parentId: parentId === null ? null : id(parentId) });

const start = (): History =>
  new History(planOf([{ title: 'a' }, { title: 'b', children: [{ title: 'b1' }, { title: 'b2' }] }, { title: 'c' }]));

describe('the difference of two versions', () => {
  it('is the net of what happened between', () => {
    const { changes } = start().make(
      add('d'),
      rename('t1', 'A'),
      rename('t1', 'AA'),
      remove('t5'),
      rename('t6', 'D'),
      add('e'),
      remove('t7'),
    );
    const { added, removed, changed } = diffPlans(changes);
    expect(added.map((item) => `${item.id} ${item.title}`)).toEqual(['t6 D']);
    expect(removed.map((item) => item.id)).toEqual(['t5']);
    expect(changed.map(({ before, after }) => `${before?.title} → ${after?.title}`)).toEqual(['a → AA']);
  });

  it('is turned round the other way', () => {
    const { changes } = start().make(add('d'), rename('t1', 'A'), remove('t5'));
    const { added, removed, changed } = diffPlans(changes, true);
    expect([added[0]?.id, removed[0]?.id, changed[0]?.before?.title]).toEqual(['t5', 't6', 'A']);
  });

  it('is nothing when all was taken back', () => {
    expect(diffPlans(start().make(rename('t1', 'x'), rename('t1', 'a')).changes)).toEqual({
      added: [],
      removed: [],
      changed: [],
    });
  });
});

describe('taking a plan back', () => {
  it('brings back goal, shape and text as a new version', () => {
    const history = start().make(
      (draft) => setGoal(draft, { goal: 'g' }),
      rename('t1', 'A'),
      move('t5', 0),
      remove('t2'),
      add('new'),
    );
    const before = history.now.version;
    const reverted = history.revert(5);
    expect(outline(reverted)).toEqual(outline(history.plans[0] as Plan));
    expect([reverted.goal, reverted.version]).toEqual(['', before + 1]);
  });

  it('changes nothing when nothing has changed', () => {
    const history = start().make(rename('t1', 'A'), rename('t1', 'a'));
    const before = history.now;
    expect(history.revert(2)).toBe(before);
  });

  it('leaves done work done, with the text that was done', () => {
    const history = start().make(rename('t1', 'A'), set('t1', 'done'), set('t3', 'done'));
    expect(outline(history.revert(3))).toEqual(['t1 done A', 't2 pending b', '  t3 done b1', '  t4 pending b2', 't5 pending c']);
  });

  it('keeps done items that the version does not have where they stand, with their section', () => {
    const history = start().make(
      add('x'),
      move('t6', 1),
      set('t6', 'done'),
      add('s'),
      add('s1', 't7'),
      add('s2', 't7'),
      set('t8', 'done'),
      add('b3', 't2'),
      set('t10', 'done'),
    );
    expect(outline(history.revert(9))).toEqual([
      't1 pending a',
      't6 done x',
      't2 pending b',
      '  t3 pending b1',
      '  t4 pending b2',
      '  t10 done b3',
      't5 pending c',
      't7 done s',
      '  t8 done s1',
    ]);
  });

  it('gives done work a place of its own when its section goes under another', () => {
    const history = new History(planOf([{ title: 'a', children: [{ title: 'x' }] }])).make(
      move('t2', 1),
      add('y', 't2'),
      set('t3', 'done'),
    );
    expect(outline(history.revert(3))).toEqual(['t1 pending a', '  t2 pending x', 't3 done y']);
  });

  it('gives a section that was a leaf the status that it had as one', () => {
    const history = start().make(add('a1', 't1'), set('t6', 'skipped'));
    expect(outline(history.now).slice(0, 2)).toEqual(['t1 skipped a', '  t6 skipped a1']);
    expect(outline(history.revert(2))[0]).toBe('t1 pending a');
  });

  it('keeps the status of what is there now, and brings back the rest as it was', () => {
    const history = start().make(set('t5', 'skipped'), set('t3', 'done'), remove('t5'), remove('t3'), set('t1', 'skipped'));
    expect(outline(history.revert(3))).toEqual([
      't1 skipped a',
      't2 pending b',
      '  t3 done b1',
      '  t4 pending b2',
      't5 skipped c',
    ]);
    expect(itemOf(history.now, 't3').claimed).toBe(true);
  });

  it('leaves the active leaf active with the old text, and brings back what was active as pending', () => {
    const history = start().make(rename('t1', 'A'));
    history.plans.push(activate(history.now, id('t1')));
    expect(outline(history.revert(1))[0]).toBe('t1 active a');
    const gone = new History(activate(start().now, id('t1'))).make(remove('t1'));
    expect(outline(gone.revert(1))[0]).toBe('t1 pending a');
  });

  it('never gives out an id again', () => {
    const history = start().make(add('d'), remove('t6'));
    history.revert(2);
    expect(outline(history.make(add('e')).now).at(-1)).toBe('t7 pending e');
  });

  it('is refused when it would put subtasks under the active leaf', () => {
    const history = start().make(remove('t3'), remove('t4'));
    const active = activate(history.now, id('t2'));
    const refusal = refused(active, (draft) => revertTo(draft, history.earlier(2)));
    expect(refusal).toMatchObject({ kind: 'invalid_state', data: { itemId: 't2' } });
  });

  it('is refused when the plan would be too large with the done work of now', () => {
    const full = new History(planOf(Array.from({ length: planLimits.items }, (_, i) => ({ title: `${i}` })))).make(
      clear,
      add('x'),
      set('t10001', 'done'),
    );
    expect(refused(full.now, (draft) => revertTo(draft, full.earlier(3)))).toMatchObject({ kind: 'limit_exceeded' });
  });
});

const stepArb = fc.record({ kind: fc.nat(8), a: fc.nat(), b: fc.nat(), index: fc.nat(4) });

function randomEdit(plan: Plan, { kind, a, b, index }: { kind: number; a: number; b: number; index: number }): Edit {
  const items = itemsOf(plan);
  const itemId = (items[a % Math.max(1, items.length)]?.id ?? 't404') as string;
  const under = b % 2 === 0 ? null : (items[b % Math.max(1, items.length)]?.id ?? null);
  const edits: Edit[] = [
    add(`n${a % 5}`),
    add(`n${b % 5}`),
    add(`c${a % 5}`, under ?? undefined),
    rename(itemId, `r${b % 5}`),
    move(itemId, index, under),
    set(itemId, 'done'),
    set(itemId, b % 2 === 0 ? 'skipped' : 'pending'),
    remove(itemId),
    (draft) => setGoal(draft, { goal: `g${b % 3}` }),
  ];
  const chosen = edits[kind] as Edit;
  return (draft) => {
    const result = chosen(draft);
    return result.ok ? result : { ok: true, value: null };
  };
}

describe('any history', () => {
  it('can be rebuilt and compared at every version', () => {
    fc.assert(
      fc.property(fc.array(stepArb, { maxLength: 25 }), (steps) => {
        const history = new History();
        for (const step of steps) history.make(randomEdit(history.now, step));
        history.plans.forEach((then, version) => {
          const back = history.changes.length - version;
          expect(history.earlier(back)).toEqual({ goal: then.goal, tree: then.tree });
          const { added, removed, changed } = diffPlans(history.changes.slice(version));
          const items = new Map(itemsOf(then).map((item) => [item.id, item]));
          for (const item of removed) items.delete(item.id);
          for (const item of added) items.set(item.id, item);
          for (const { id: itemId, after } of changed) items.set(itemId, after as Item);
          expect([...items.values()].sort(byId)).toEqual(itemsOf(history.now).sort(byId));
        });
      }),
      { numRuns: 150 },
    );
  });

  it('can be taken back to every version without losing done work', () => {
    fc.assert(
      fc.property(fc.array(stepArb, { minLength: 1, maxLength: 25 }), fc.nat(), (steps, n) => {
        const history = new History();
        for (const step of steps) history.make(randomEdit(history.now, step));
        const before = history.now;
        const back = n % (history.changes.length + 1);
        const then = history.earlier(back);
        const reverted = history.revert(back);
        checkPlan(reverted);
        expect(reverted.goal).toBe(then.goal);
        const leaves = new Set(
          itemsOf(before)
            .filter((item) => !itemsOf(before).some((child) => child.parentId === item.id))
            .map((item) => item.id),
        );
        for (const item of then.tree.flatMap((task) => [task.item, ...task.children])) {
          const now = itemOf(reverted, item.id);
          expect(now.parentId).toBe(item.parentId);
          const was = itemsOf(before).find((candidate) => candidate.id === item.id);
          if (was?.status !== 'done') expect(sameText({ ...now, position: 0 }, { ...item, position: 0 })).toBe(true);
        }
        for (const item of itemsOf(before)) {
          const isLeafStill = leaves.has(item.id) && !itemsOf(reverted).some((child) => child.parentId === item.id);
          if (item.status === 'done' && isLeafStill)
            expect(itemOf(reverted, item.id)).toMatchObject({ title: item.title, status: 'done' });
        }
        const order = (plan: { tree: Plan['tree'] }) =>
          plan.tree.flatMap((task) => [task.item.id, ...task.children.map((child) => child.id)]);
        const wanted = order(then);
        expect(order(reverted).filter((itemId) => wanted.includes(itemId))).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });
});

const byId = (a: Item, b: Item): number => (a.id < b.id ? -1 : 1);
