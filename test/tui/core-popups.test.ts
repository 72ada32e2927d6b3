import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addItem, removeItem } from '../../daemon/domain/plan-edit.js';
import type { ItemId } from '../../shared/plan.js';
import { changesSomething, sizeOf } from './core-support.js';
import { openTalk, type Talk } from './core-talk.js';
import * as samples from './screen-samples.js';
import { type Scene, stage, type Staged } from './screen-script.js';

const id = (text: string): ItemId => text as ItemId;

/** Where each popup and prompt is opened from. */
const openings: Readonly<Record<string, (talk: Talk) => void>> = {
  menu: ({ person }) => person.press('Enter'),
  detail: ({ person }) => person.press('Space'),
  receipts: ({ person }) => person.press('v'),
  changes: ({ person }) => person.press('D'),
  help: ({ person }) => person.press('?'),
  inbox: ({ person }) => person.press('i'),
  sessions: ({ person }) => person.press('S'),
  revisions: ({ person }) => person.press('H'),
  missions: ({ person }) => person.press('M'),
  'the report': ({ person }) => person.press('w'),
  remove: ({ person }) => person.press('x'),
  'cancel the plan': ({ person }) => person.press('C'),
  'cancel the run': (talk) => {
    talk.person.press('r');
    talk.settle();
    talk.person.press('c');
  },
  'run all again': (talk) => {
    for (const item of talk.daemon.plan.tree) talk.meanwhile((draft) => removeItem(draft, { itemId: item.item.id }, 'person'));
    talk.meanwhile((draft) => addItem(draft, { title: 'One' }, 'planner'));
    talk.person.take(...talk.daemon.change({ planRun: { ...talk.daemon.planRun, status: 'completed' } }));
    talk.person.press('r');
  },
  explain: (talk) => {
    talk.person.press('r');
    talk.settle();
    talk.person.press('P');
    talk.settle();
    talk.person.press('r');
  },
  conflict: (talk) => talk.writeDetail(id('t1'), 'else', 'Mine'),
  'adding a task': ({ person }) => person.press('a'),
  'adding a subtask': ({ person }) => person.press('A'),
  title: ({ person }) => person.press('e'),
  goal: ({ person }) => person.press('g'),
  search: ({ person }) => person.press('/'),
  'new session': ({ person }) => person.press('Ctrl-t'),
  'drafting the plan': ({ person }) => person.press('m'),
};

const someKeys = fc.array(
  fc.constantFrom('Left', 'Right', 'Up', 'Down', 'Tab', 'PgUp', 'PgDn', 'Home', 'End', 'Backspace', 'w', 'z'),
  { maxLength: 6 },
);

describe('Escape', () => {
  for (const [name, open] of Object.entries(openings)) {
    it(`leaves ${name} without changing anything`, () => {
      fc.assert(
        fc.property(someKeys, fc.constantFrom('Esc', 'Ctrl-c'), (keys, leave) => {
          const talk = openTalk(undefined, { inbox: [samples.question] });
          open(talk);
          talk.settle();
          const { popup, prompt } = talk.person.state;
          expect(popup ?? prompt).not.toBeNull();
          const plan = JSON.stringify(talk.daemon.plan);
          for (const key of keys) talk.person.press(key);
          talk.person.press(leave);
          expect([talk.person.state.popup, talk.person.state.prompt]).toEqual([null, null]);
          expect(talk.person.wanted().filter(changesSomething)).toEqual([]);
          expect(JSON.stringify(talk.daemon.plan)).toBe(plan);
          expect(talk.person.session.edits.queue).toEqual([]);
        }),
        { numRuns: 25 },
      );
    });
  }
});

describe('a question', () => {
  it('has No as what Enter takes, and shows all its answers at every size', () => {
    for (const columns of [16, 24, 40, 80, 200]) {
      for (const name of ['remove', 'cancel the plan', 'cancel the run', 'run all again', 'conflict'] as const) {
        const talk = openTalk(undefined, { size: sizeOf(columns, 24) });
        openings[name]?.(talk);
        const { popup } = talk.person.state;
        if (popup?.kind !== 'confirm') throw new Error(`${name} does not ask`);
        expect(popup.choices[popup.chosen]?.does, name).toEqual({ type: 'nothing' });
        if (columns >= 24)
          for (const { key, label } of popup.choices)
            expect(talk.person.text(), `${name} at ${columns}`).toContain(`${key} ${label}`);
        talk.person.press('Enter');
        expect(talk.settle(), name).toEqual([]);
      }
    }
  });

  it('is answered by its letter, by the arrows and by a click', () => {
    const answer = (how: (talk: Talk) => void): string[] => {
      const talk = openTalk();
      talk.person.press('x');
      how(talk);
      return talk.settle();
    };
    expect(answer(({ person }) => person.press('y'))).toEqual(['plan.removeItem']);
    expect(answer(({ person }) => person.press('Left Enter'))).toEqual(['plan.removeItem']);
    expect(answer(({ person }) => person.press('Tab Enter'))).toEqual(['plan.removeItem']);
    expect(answer(({ person }) => person.click('y Remove it'))).toEqual(['plan.removeItem']);
    expect(answer(({ person }) => person.press('n'))).toEqual([]);
    expect(answer(({ person }) => person.click('n No'))).toEqual([]);
    expect(answer(({ person }) => person.click('Goal:'))).toEqual([]);
    expect(answer(({ person }) => person.write('Yx'))).toEqual([]);
  });
});

describe('the menu of an item', () => {
  it('goes round, and acts on its item also when that has moved', () => {
    const talk = openTalk();
    talk.person.press('j Enter k');
    talk.meanwhile((draft) => addItem(draft, { title: 'Above', index: 0 }, 'planner'));
    expect(talk.person.text()).toContain('3 Write');
    talk.person.press('Enter');
    expect(talk.person.text()).toContain('Remove it?');
    talk.person.press('y');
    expect(talk.open()).toMatchObject([{ method: 'plan.removeItem', params: { itemId: 't2' } }]);
  });

  it('does nothing to another item when its own has gone', () => {
    const talk = openTalk();
    talk.person.press('j Enter');
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t2') }, 'person'));
    expect(talk.person.text()).toContain('The item is gone');
    for (const key of ['d', 's', 'x', 'K', 'e', 'Enter']) talk.person.press(key);
    expect(talk.settle()).toEqual([]);
  });

  it('takes a click on a line', () => {
    const talk = openTalk();
    talk.person.press('Enter');
    talk.person.click('skip it');
    expect(talk.settle()).toEqual(['plan.setStatus']);
  });
});

describe('the details', () => {
  const scene: Scene = {};
  const opened = (keys: string): Staged => {
    const staged = stage({ size: sizeOf(80, 24) }, scene);
    staged.person.press(keys);
    staged.settle();
    return staged;
  };

  it('have a tab for each thing that is known, reached by arrows, Tab and clicks', () => {
    const { person } = opened('Space');
    expect(person.text()).toContain('One row at a time');
    person.press('Right');
    expect(person.text()).toContain('failed: npm test -- csv');
    person.press('Tab');
    expect(person.text()).toContain('outcome unknown');
    person.press('l');
    expect(person.text()).toContain('running, try 2');
    person.click('Changes');
    expect(person.text()).toContain('+ Stream rows');
    person.press('Right Left Left');
    expect(person.text()).toContain('running, try 2');
    person.press('v');
    expect(person.text()).toContain('passed: npm run lint');
    person.press('q');
    expect(person.state.popup).toBeNull();
  });

  it('scroll to their end and no further', () => {
    const { person } = opened('Space');
    person.press('End');
    expect(person.text()).toContain('Out of scope');
    const end = person.text();
    person.press('PgDn j');
    expect(person.text()).toBe(end);
    person.press('Home k');
    expect(person.text()).toContain('Stream rows');
  });

  it('never show what belongs to another item', () => {
    const staged = stage({ size: sizeOf(80, 24) }, scene);
    staged.person.press('Space');
    const late = staged.person.calls();
    staged.person.press('Esc j Space Right');
    for (const call of late)
      if (call.method === 'run.receipts')
        staged.person.take({
          type: 'answered',
          method: 'run.receipts',
          params: call.params,
          purpose: call.purpose,
          result: { receipts: [...samples.receipts] },
        });
    expect(staged.person.text()).toContain('Reading.');
    expect(staged.person.text()).not.toContain('npm test');
  });

  it('hide nothing of a command', () => {
    const talk = openTalk();
    talk.meanwhile((draft) => addItem(draft, { title: 'Evil', command: 'rm \u202e-rf\u200b /', index: 0 }, 'planner'));
    talk.person.press('Home Space');
    expect(talk.person.text()).toContain(String.raw`rm \u{202e}-rf\u{200b} /`);
  });
});

describe('the sessions', () => {
  it('are narrowed down by words, and opened', () => {
    const staged = stage({ size: sizeOf(80, 24) });
    staged.person.press('S');
    staged.settle();
    staged.person.write('login try');
    expect(staged.person.text()).toContain('Login page, second try');
    expect(staged.person.text()).not.toContain('Fix the login');
    staged.person.press('Enter');
    expect(staged.person.calls()).toMatchObject([
      { method: 'session.unwatch', params: { sessionId: 's_1' } },
      { method: 'session.watch', params: { sessionId: 's_4' } },
    ]);
  });

  it('show the end of a long folder, whole characters only', () => {
    const staged = stage({ size: sizeOf(80, 24) }, {});
    staged.person.press('S');
    for (const call of staged.person.calls()) {
      const sessions = [samples.session({ workspace: `/${'文'.repeat(60)}/end` })];
      staged.person.take({
        type: 'answered',
        method: 'session.list',
        params: call.params as object,
        purpose: call.purpose,
        result: { sessions, nextCursor: null },
      });
    }
    expect(staged.person.text()).toMatch(/文\/end/);
  });
});
