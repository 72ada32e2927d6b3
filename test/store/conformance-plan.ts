/** Plans: their tree, their counts and their history, over random edits and runs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planAt } from '../../daemon/domain/plan-diff.js';
import type { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { addItem, moveItem, removeItem, resetLeaves, setGoal, setStatus, updateItem } from '../../daemon/domain/plan-edit.js';
import type { PlanChange, Plan } from '../../daemon/domain/plan.js';
import type { RunEvent } from '../../daemon/domain/run-state.js';
import { countLeaves } from '../../shared/plan-tree.js';
import type { Result } from '../../shared/errors.js';
import type { OpenStore } from './conformance.js';
import { Driven, firstPage, itemId, runId, testParts } from './store-support.js';

type Step =
  | { readonly type: 'edit'; readonly edit: (draft: PlanDraft) => Result<unknown> }
  | { readonly type: 'event'; readonly event: (driven: Driven, n: number) => RunEvent };

const item = fc.integer({ min: 1, max: 9 }).map((n) => itemId(`t${n}`));
const parent = fc.option(item, { nil: null });
const index = fc.integer({ min: 0, max: 4 });
const edit = fc.oneof(
  fc.tuple(parent, index).map(
    ([parentId, at]) =>
      (draft: PlanDraft) =>
        addItem(
          draft,
          { title: 'New', detail: 'Long\ntext', acceptance: ['ok'], index: at, ...(parentId ? { parentId } : {}) },
          'person',
        ),
  ),
  item.map((itemId) => (draft: PlanDraft) => removeItem(draft, { itemId }, 'person')),
  fc.tuple(item, parent, index).map(
    ([itemId, parentId, at]) =>
      (draft: PlanDraft) =>
        moveItem(draft, { itemId, index: at, parentId }),
  ),
  fc.tuple(item, fc.constantFrom('done' as const, 'skipped' as const, 'pending' as const), fc.boolean()).map(
    ([itemId, status, noted]) =>
      (draft: PlanDraft) =>
        setStatus(draft, { itemId, status, ...(noted ? { note: 'why' } : {}) }),
  ),
  fc.tuple(item, fc.constantFrom('x', 'y')).map(
    ([itemId, text]) =>
      (draft: PlanDraft) =>
        updateItem(draft, { itemId, title: text, detail: text === 'x' ? null : text, verify: [text] }, 'person'),
  ),
  fc.constantFrom('Goal 1', 'Goal 2').map((goal) => (draft: PlanDraft) => setGoal(draft, { goal })),
  fc.constant((draft: PlanDraft) => resetLeaves(draft)),
);
const event = fc.constantFrom<(driven: Driven, n: number) => RunEvent>(
  () => ({ type: 'start' }),
  () => ({ type: 'start' }),
  (_, n) => ({ type: 'begin', runId: runId(`r${n}`) }),
  (_, n) => ({ type: 'begin', runId: runId(`r${n}`) }),
  (driven) => ({ type: 'claimed', ref: driven.ref, summary: 'did it', accepted: true, reported: false }),
  (driven) => ({ type: 'claimed', ref: driven.ref, summary: 'did it', accepted: false, reported: true }),
  (driven) => ({ type: 'run_failed', ref: driven.ref, error: 'net', retryable: true, jitter: 0 }),
  (driven) => ({ type: 'reported_blocked', ref: driven.ref, reason: 'no', reported: false }),
  () => ({ type: 'pause', now: true }),
  () => ({ type: 'cancel' }),
  () => ({ type: 'owner_died' }),
);
const step = fc.oneof(
  { weight: 3, arbitrary: edit.map((e): Step => ({ type: 'edit', edit: e })) },
  { weight: 2, arbitrary: event.map((e): Step => ({ type: 'event', event: e })) },
);

/** What one step would do; null when the domain refuses it. */
function decisionOf(driven: Driven, step: Step, n: number) {
  try {
    return step.type === 'edit' ? driven.decide([{ type: 'plan_edited' }], step.edit) : driven.decide([step.event(driven, n)]);
  } catch {
    return null;
  }
}

export function planConformance(open: OpenStore): void {
  describe('a plan', () => {
    it('is stored as the domain holds it, its leaves counted, and every version can be told again', async () => {
      const store = await open(testParts());
      let sessions = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
          const driven = await Driven.create(store, `s${++sessions}`, ['A', '  A1', '  A2', 'B', 'C', '  C1']);
          const versions = new Map<number, Plan>([[1, driven.state.plan]]);
          const changes: PlanChange[] = [];
          for (const [n, next] of steps.entries()) {
            const decision = decisionOf(driven, next, sessions * 1_000 + n);
            if (decision === null) continue;
            expect((await driven.commit(decision)).ok).toBe(true);
            if (decision.plan) changes.push(decision.plan);
            versions.set(driven.state.plan.version, driven.state.plan);
            expect(await store.loadState(driven.id)).toEqual(driven.state);
            expect((await store.sessionRow(driven.id))?.counts).toEqual(countLeaves(driven.state.plan.tree));
          }
          const { plan } = driven.state;
          const told = await store.revisionChanges(driven.id, 1, plan.version);
          expect(told.map((row) => row.items)).toEqual(changes.map((change) => change.items));
          expect(told.map((row) => row.goal)).toEqual(changes.map((change) => change.goal));
          expect(told.map((row) => row.revision.version)).toEqual(changes.map((change) => change.version));
          for (const [version, then] of versions) {
            const since = await store.revisionChanges(driven.id, version, plan.version);
            expect(planAt(plan, since)).toEqual({ goal: then.goal, tree: then.tree });
          }
        }),
        { numRuns: 40 },
      );
    });

    it('has its revisions listed newest first, without those of mere progress unless they are asked for', async () => {
      const store = await open(testParts());
      const driven = await Driven.create(store, 's1', ['A', 'B', 'C']);
      await driven.begin('r1');
      await driven.play([{ type: 'plan_edited' }], (draft) => addItem(draft, { title: 'D' }, 'person'));
      await driven.closeAndBegin('r2');
      const list = async (withStatusOnly: boolean) =>
        (await store.revisions(driven.id, firstPage, withStatusOnly)).rows.map((r) => [
          r.version,
          r.statusOnly,
          r.added,
          r.changed,
        ]);
      expect(await list(true)).toEqual([
        [4, true, [], ['t1', 't2']],
        [3, false, ['t4'], []],
        [2, true, [], ['t1']],
        [1, false, ['t1', 't2', 't3'], []],
      ]);
      expect((await list(false)).map(([version]) => version)).toEqual([3, 1]);
      const page = await store.revisions(driven.id, { limit: 1, cursor: null }, false);
      expect(page.rows[0]).toEqual({
        version: 3,
        at: '2026-01-01T00:00:00.000Z',
        author: 'person',
        statusOnly: false,
        added: ['t4'],
        removed: [],
        changed: [],
      });
      const next = await store.revisions(driven.id, { limit: 1, cursor: page.nextCursor }, false);
      expect(next.rows[0]).toMatchObject({ version: 1, explanation: 'the first plan' });
      expect(next.nextCursor).toBeNull();
      const middle = await store.revisionChanges(driven.id, 1, 3);
      expect(middle.map((row) => row.revision.version)).toEqual([2, 3]);
      expect(middle[0]?.items[0]?.before).toMatchObject({ title: 'A', status: 'pending', acceptance: [] });
    });
  });
}
