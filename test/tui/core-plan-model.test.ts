import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Item, type ItemId, itemStatuses } from '../../shared/plan.js';
import { changePlan, planModel } from '../../tui/core/plan/plan-model.js';

const idOf = (n: number): ItemId => `i${n}` as ItemId;

/** Of few ids, so that items meet each other as parents, siblings and later versions. */
const item = fc
  .record({
    id: fc.integer({ min: 0, max: 9 }),
    parent: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 2 }),
    position: fc.integer({ min: 0, max: 5 }),
    title: fc.constantFrom('read', 'write', 'check'),
    status: fc.constantFrom(...itemStatuses),
  })
  .map(({ id, parent, position, title, status }): Item => ({
    id: idOf(id),
    // Two levels only: tasks are the first four.
    parentId: id < 4 || parent === null ? null : idOf(parent),
    position,
    title,
    status,
    priority: 'medium',
    acceptance: [],
    executor: 'model',
  }));
const items = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 10 });
const mapOf = (list: readonly Item[]): Map<ItemId, Item> => new Map(list.map((one): [ItemId, Item] => [one.id, one]));

describe('a plan that changes', () => {
  it('is the plan that its items make', () => {
    fc.assert(
      fc.property(
        items,
        items,
        fc.array(fc.integer({ min: 0, max: 9 }).map(idOf), { maxLength: 2 }),
        (before, changed, removed) => {
          const now = mapOf([...mapOf([...before, ...changed]).values()].filter(({ id }) => !removed.includes(id)));
          expect(changePlan(planModel(mapOf(before), 1), changed, removed, 2)).toEqual(planModel(now, 2));
        },
      ),
    );
  });

  it('is the plan that its items make when each stays in its place', () => {
    const status = fc.constantFrom(...itemStatuses);
    fc.assert(
      fc.property(items, fc.array(fc.tuple(fc.nat(), status), { maxLength: 4 }), (before, closed) => {
        const changed = closed.flatMap(([index, now]) => {
          const one = before[index % Math.max(1, before.length)];
          return one === undefined ? [] : [{ ...one, status: now, title: 'done it' }];
        });
        const plan = planModel(mapOf(before), 1);
        expect(changePlan(plan, changed, [], 2)).toEqual(planModel(mapOf([...before, ...changed]), 2));
        expect(plan).toEqual(planModel(mapOf(before), 1));
      }),
    );
  });
});
