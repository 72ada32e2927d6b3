import { describe, expect, it } from 'vitest';
import { addItem } from '../../daemon/domain/plan-edit.js';
import type { ItemId } from '../../shared/plan.js';
import { listTree } from '../../shared/plan-tree.js';
import { openTalk, type Talk } from './core-talk.js';

const id = (text: string): ItemId => text as ItemId;
const titlesOf = ({ person }: Talk): string[] => person.session.plan.listed.map(({ number, title }) => `${number} ${title}`);
const started = ['1 Read', '2 Write', '2.1 Quote', '2.2 Stream', '3 Test'];

describe('undo', () => {
  /** What is done, and the plan after it. */
  const edits: readonly [what: string, does: (talk: Talk) => void][] = [
    ['marks as done', ({ person }) => person.press('d')],
    ['skips a task with its subtasks', ({ person }) => person.press('j s')],
    ['moves down', ({ person }) => person.press('J')],
    ['moves up', ({ person }) => person.press('j j j K')],
    ['removes', ({ person }) => person.press('j x y')],
    ['clears', ({ person }) => person.press('C y')],
    [
      'changes a title',
      ({ person }) => {
        person.press('e');
        person.write('!');
        person.press('Enter');
      },
    ],
    ['changes a detail', (talk) => talk.writeDetail(id('t1'), '', 'All of it')],
    [
      'changes the goal',
      ({ person }) => {
        person.press('g');
        person.write('!');
        person.press('Enter');
      },
    ],
    [
      'adds',
      ({ person }) => {
        person.press('a');
        person.write('More');
        person.press('Enter');
      },
    ],
  ];

  const shapeOf = ({ daemon }: Talk): unknown => ({
    goal: daemon.plan.goal,
    items: listTree(daemon.plan.tree).map(({ number, title, status, detail }) => [number, title, status, detail ?? '']),
  });

  for (const telling of ['after', 'before'] as const) {
    for (const [what, does] of edits) {
      it(`takes back what ${what}, with the change told ${telling} the answer`, () => {
        const talk = openTalk();
        const before = shapeOf(talk);
        does(talk);
        talk.settle(telling);
        talk.person.press('Esc');
        expect(shapeOf(talk)).not.toEqual(before);
        talk.person.press('u');
        talk.settle(telling);
        expect(shapeOf(talk)).toEqual(before);
        expect(talk.person.state.notice?.tone).toBe('good');
      });
    }
  }

  it('goes back one change after the other', () => {
    const talk = openTalk();
    const before = shapeOf(talk);
    for (const key of ['d', 'j s', 'Home J', 'o']) {
      talk.person.press(key);
      talk.settle();
    }
    for (let i = 0; i < 4; i += 1) {
      talk.person.press('u');
      talk.settle();
    }
    expect(shapeOf(talk)).toEqual(before);
  });

  it('asks before it takes back the changes of others with it, and a No leaves all as it was', () => {
    const talk = openTalk();
    talk.person.press('j x y');
    talk.settle();
    talk.meanwhile((draft) => addItem(draft, { title: 'Of somebody else' }, 'planner'));
    const before = shapeOf(talk);
    talk.person.press('u');
    talk.settle();
    expect(talk.person.text()).toContain('1 later change of others');
    talk.person.press('Enter');
    expect(talk.settle()).toEqual([]);
    expect(shapeOf(talk)).toEqual(before);
    talk.person.press('u');
    talk.settle();
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(titlesOf(talk)).toEqual(started);
    expect(talk.person.session.edits.undo).toEqual([]);
  });

  it('says so when there is nothing', () => {
    const talk = openTalk();
    talk.person.press('u');
    talk.settle();
    expect(talk.person.state.notice?.text).toBe('There is nothing to take back.');
  });

  it('leaves a removal alone that would take more than what was added', () => {
    const talk = openTalk();
    talk.person.press('a');
    talk.person.write('More');
    talk.person.press('Enter');
    talk.settle();
    talk.person.press('Esc');
    const added = talk.person.cursor;
    if (added === null) throw new Error('the cursor is nowhere');
    talk.meanwhile((draft) => addItem(draft, { title: 'Inside', parentId: added }, 'planner'));
    talk.person.press('u');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('Inside');
    expect(talk.person.state.popup?.kind).toBe('confirm');
  });
});
