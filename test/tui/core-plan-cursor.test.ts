import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addItem, moveItem, removeItem } from '../../daemon/domain/plan-edit.js';
import type { Item, ItemId } from '../../shared/plan.js';
import { topOf } from '../../tui/core/plan/plan-cursor.js';
import { layoutOf } from '../../tui/core/layout.js';
import { rowsOfPlan } from '../../tui/core/panes/plan-pane.js';
import { type Person, sizeOf, titleAtCursor } from './core-support.js';
import { openTalk, type Talk, threeTasks } from './core-talk.js';
import { itemOf, planRunOf } from './tui-support.js';

const id = (text: string): ItemId => text as ItemId;
const tasks = (count: number): Item[] =>
  Array.from({ length: count }, (_, i) => itemOf({ id: `t${i + 1}`, position: i + 1, title: `Task ${i + 1}` }));

/** The line of the plan pane on which the cursor stands. */
function lineOf({ state, session }: Person): number {
  const { width, height } = layoutOf(state).plan ?? { width: 80, height: 10 };
  const rows = rowsOfPlan(session, null, width);
  return rows.indexOf(session.planView.cursor) - topOf(rows, session.planView, height);
}

describe('the cursor of the plan', () => {
  it('moves by items, to the ends and by pages', () => {
    const { person } = openTalk(tasks(50), { size: sizeOf(80, 24) });
    const go = (keys: string): string => {
      person.press(keys);
      return titleAtCursor(person);
    };
    expect(go('Home')).toBe('1 Task 1');
    expect([go('j'), go('Down'), go('k'), go('Up')]).toEqual(['2 Task 2', '3 Task 3', '2 Task 2', '1 Task 1']);
    expect(go('PgDn')).toBe('18 Task 18');
    expect(go('PgUp')).toBe('1 Task 1');
    expect([go('End'), go('j')]).toEqual(['50 Task 50', '50 Task 50']);
    expect([go('<'), go('k')]).toEqual(['1 Task 1', '1 Task 1']);
  });

  it('pages also where the pane has one line', () => {
    const { person } = openTalk(tasks(5), { size: sizeOf(40, 6) });
    person.press('Home PgDn');
    expect(titleAtCursor(person)).toBe('2 Task 2');
    person.press('PgUp');
    expect(titleAtCursor(person)).toBe('1 Task 1');
  });

  it('is always in sight', () => {
    const keys = fc.array(fc.constantFrom('j', 'k', 'PgDn', 'PgUp', 'Home', 'End', 'h', 'l', '.', 'n'), { maxLength: 30 });
    const items = [
      ...tasks(20),
      ...Array.from({ length: 15 }, (_, i) => itemOf({ id: `s${i}`, parentId: 't4', position: i, title: `Sub ${i}` })),
    ];
    fc.assert(
      fc.property(keys, fc.integer({ min: 6, max: 30 }), (pressed, rows) => {
        const { person } = openTalk(items, { size: sizeOf(80, rows) });
        for (const key of pressed) {
          person.press(key);
          const line = lineOf(person);
          expect(line).toBeGreaterThanOrEqual(0);
          expect(line).toBeLessThan(layoutOf(person.state).plan?.height ?? 0);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('stays on its item and on its line while others change what is above it', () => {
    const change = fc.oneof(
      fc.record({ does: fc.constant('insert' as const), at: fc.nat(60) }),
      fc.record({ does: fc.constant('remove' as const), at: fc.nat(60) }),
      fc.record({ does: fc.constant('steps' as const), at: fc.nat(60) }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 39 }), fc.array(change, { minLength: 1, maxLength: 6 }), (start, changes) => {
        const talk = openTalk(tasks(40), { size: sizeOf(80, 24) });
        talk.person.press(['Home', ...Array.from({ length: start }, () => 'j')].join(' '));
        const was = talk.person.cursor;
        let line = lineOf(talk.person);
        for (const one of changes) {
          apply(talk, one);
          expect(talk.person.cursor).toBe(was);
          const now = lineOf(talk.person);
          // At the ends of the plan there may be nothing to fill the lines above or below with.
          const { session } = talk.person;
          const height = layoutOf(talk.person.state).plan?.height ?? 0;
          const rows = rowsOfPlan(session, null, 80);
          const top = topOf(rows, session.planView, height);
          const isAtEnd = top === 0 || top === rows.count - height;
          if (!isAtEnd) expect(now).toBe(line);
          line = now;
        }
      }),
      { numRuns: 200 },
    );
  });

  it('stands on its line from the first look on', () => {
    const talk = openTalk(tasks(40), { size: sizeOf(80, 24) });
    const before = lineOf(talk.person);
    talk.meanwhile((draft) => addItem(draft, { title: 'New', index: 0 }, 'planner'));
    expect([titleAtCursor(talk.person), lineOf(talk.person)]).toEqual(['2 Task 1', before]);
  });

  it('does not jump when the run goes on to another item', () => {
    const talk = openTalk(tasks(40), { size: sizeOf(80, 24) });
    talk.person.press('End');
    const before = [titleAtCursor(talk.person), talk.person.state.focus, lineOf(talk.person)];
    for (const currentItemId of ['t2', 't3', 't30']) {
      const planRun = planRunOf({ currentItemId, status: 'running' });
      talk.person.take(
        ...talk.daemon.change({ planRun, liveness: { state: 'working', cause: 'shell ls', lastProgressAt: null } }),
      );
      expect([titleAtCursor(talk.person), talk.person.state.focus]).toEqual(before.slice(0, 2));
    }
  });

  it('goes to what stands in the place of an item that was removed', () => {
    const talk = openTalk();
    talk.person.press('j j');
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t3') }, 'person'));
    expect(titleAtCursor(talk.person)).toBe('2.1 Stream');
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t2') }, 'person'));
    expect(titleAtCursor(talk.person)).toBe('2 Test');
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t5') }, 'person'));
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t1') }, 'person'));
    expect(titleAtCursor(talk.person)).toBe('nothing');
    talk.meanwhile((draft) => addItem(draft, { title: 'Anew' }, 'planner'));
    expect(titleAtCursor(talk.person)).toBe('1 Anew');
  });

  it('is never on an item that is folded away', () => {
    const talk = openTalk([...threeTasks.slice(0, 4)].map((item) => item));
    talk.meanwhile((draft) => addItem(draft, { title: 'Last' }, 'planner'));
    talk.person.press('j h End');
    expect(titleAtCursor(talk.person)).toBe('3 Last');
    const last = talk.person.cursor;
    if (last === null) throw new Error('the cursor is nowhere');
    talk.meanwhile((draft) => removeItem(draft, { itemId: last }, 'person'));
    const { session } = talk.person;
    expect(talk.person.text()).toContain(session.plan.items.get(session.planView.cursor ?? id(''))?.title);

    const moved = openTalk();
    moved.person.press('j h Home');
    moved.meanwhile((draft) => moveItem(draft, { itemId: id('t1'), parentId: id('t2'), index: 0 }));
    expect(titleAtCursor(moved.person)).toBe('1.1 Read');
    expect(moved.person.text()).toContain('1.1 Read');
  });
});

function apply(talk: Talk, { does, at }: { does: 'insert' | 'remove' | 'steps'; at: number }): void {
  const { session } = talk.person;
  const index = session.plan.order.get(session.planView.cursor ?? id('')) ?? 0;
  const above = index === 0 ? 0 : at % index;
  if (does === 'insert') talk.meanwhile((draft) => addItem(draft, { title: 'New', index: above }, 'planner'));
  else if (does === 'remove') {
    const item = session.plan.listed[above];
    if (item !== undefined && index > 0) talk.meanwhile((draft) => removeItem(draft, { itemId: item.id }, 'person'));
  } else {
    const item = session.plan.listed[above];
    const planRun = planRunOf({ currentItemId: item?.id ?? null, status: 'blocked', lastError: 'first\nsecond\nthird' });
    talk.person.take(...talk.daemon.change({ planRun }));
  }
}

describe('folding', () => {
  it('hides the subtasks, and shows how far they are', () => {
    const { person } = openTalk();
    person.press('j h');
    expect(person.text()).not.toContain('2.1 Quote');
    expect(person.text()).toMatch(/2 Write.*0\/2/);
    person.press('l');
    expect(person.text()).toContain('2.1 Quote');
  });

  it('from a subtask goes to its task', () => {
    const { person } = openTalk();
    person.press('j j Left');
    expect(titleAtCursor(person)).toBe('2 Write');
  });

  it('is undone by going to what is hidden', () => {
    const { person } = openTalk();
    person.press('j h /');
    person.write('stream');
    person.press('Enter');
    expect(titleAtCursor(person)).toBe('2.2 Stream');
    expect(person.text()).toContain('2.2 Stream');
  });
});

describe('searching', () => {
  it('goes along while one types, on with n and N, and back with Escape', () => {
    const { person } = openTalk();
    person.press('/');
    person.write('t');
    expect(titleAtCursor(person)).toBe('2 Write');
    person.write('e');
    expect(titleAtCursor(person)).toBe('2 Write');
    person.press('Enter n');
    expect(titleAtCursor(person)).toBe('2.1 Quote');
    person.press('N N');
    expect(titleAtCursor(person)).toBe('3 Test');
    person.press('/');
    person.write('read');
    expect(titleAtCursor(person)).toBe('1 Read');
    person.press('Esc');
    expect(titleAtCursor(person)).toBe('3 Test');
    person.press('n');
    expect(person.state.notice?.text).toBe('/ searches first.');
  });

  it('finds by number, in any case, and says when there is nothing', () => {
    const { person } = openTalk();
    person.press('/');
    person.write('2.2');
    person.press('Enter');
    expect(titleAtCursor(person)).toBe('2.2 Stream');
    person.press('/');
    person.write('nowhere');
    person.press('Enter n');
    expect(person.state.notice?.text).toMatch(/Nothing has .nowhere/);
  });

  it('from the conversation shows the plan', () => {
    const { person } = openTalk(undefined, { size: sizeOf(40, 12) });
    person.press('Tab /');
    person.write('stream');
    expect(person.text()).toContain('2.2 Stream');
  });
});
