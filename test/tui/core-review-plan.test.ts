import { describe, expect, it } from 'vitest';
import { addItem, removeItem, setStatus } from '../../daemon/domain/plan-edit.js';
import type { ItemId } from '../../shared/plan.js';
import { call, type Call } from '../../tui/core/message.js';
import { clickAt, keyOf, sizeOf } from './core-support.js';
import { connectionLost, openTalk, threeTasks, type Talk } from './core-talk.js';
import { planRunOf } from './tui-support.js';
import { answerOne, callIn, changesOf, refuseOne } from './two-sessions.js';

const id = (text: string): ItemId => text as ItemId;
const notice = ({ person }: Talk): string => person.state.notice?.text ?? '';
const statusOf = ({ person }: Talk, itemId: string): string | undefined => person.session.plan.items.get(id(itemId))?.status;
const titlesOf = ({ person }: Talk): string[] => person.session.plan.listed.map(({ title }) => title);

const addByOther = (title: string) => (talk: Talk) => talk.meanwhile((draft) => addItem(draft, { title }, 'planner'));

describe('the menu of an item that goes on meanwhile', () => {
  /** The menu of the first task, with the cursor on an action of it, and the task then done by somebody else. */
  const doneMeanwhile = (keys: string): Talk => {
    const talk = openTalk();
    talk.person.press(`Enter ${keys}`);
    talk.meanwhile((draft) => setStatus(draft, { itemId: id('t1'), status: 'done' }));
    return talk;
  };

  it('does nothing in the place of what can no longer be done, by any key', () => {
    // The row of "done" is then that of "reopen", the row of "skip" that of "add".
    for (const moves of ['j j j', 'j j j j']) {
      for (const key of ['Enter', 'Right', 'd', 's']) {
        const talk = doneMeanwhile(moves);
        talk.person.press(key);
        expect(changesOf(talk.person), `${moves} ${key}`).toEqual([]);
        expect(talk.person.state.popup?.kind, `${moves} ${key}`).toBe('menu');
        expect(talk.person.state.prompt).toBeNull();
      }
    }
  });

  it('goes on from its first row', () => {
    const talk = doneMeanwhile('j j j');
    talk.person.press('j Enter');
    expect(talk.person.state.popup?.kind).toBe('detail');
  });

  it('keeps what can still be done, though its row is another one by now', () => {
    const talk = doneMeanwhile('j j j j j');
    talk.person.press('Enter');
    expect(talk.person.state.prompt?.about.kind).toBe('add');
  });

  it('does what a click is on', () => {
    const talk = doneMeanwhile('j j j');
    const done = 'mark as done';
    expect(talk.person.text()).not.toContain(done);
    talk.person.click('put it back to pending');
    expect(changesOf(talk.person)).toEqual(['plan.setStatus']);
    expect(talk.person.session.edits.current?.intent).toMatchObject({ itemId: 't1', status: 'pending' });
  });

  it('does nothing for an item that is gone', () => {
    const talk = openTalk();
    talk.person.press('Enter j j j');
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t1') }, 'person'));
    expect(talk.person.text()).toContain('The item is gone');
    const rows = talk.person.screen();
    const y = rows.findIndex((row) => row.includes('The item is gone'));
    talk.person.press('Enter d e');
    talk.person.take(clickAt(rows[y]?.indexOf('The item') ?? 0, y + 1));
    expect(changesOf(talk.person)).toEqual([]);
    expect(talk.person.state.prompt).toBeNull();
  });
});

describe('taking back a removal', () => {
  const removed = (): Talk => {
    const talk = openTalk();
    talk.person.press('j x y');
    talk.settle();
    talk.person.press('u');
    return talk;
  };

  it('is looked up anew when another change is heard of before it is known what came after', () => {
    const talk = removed();
    const known = talk.daemon.answer(callIn(talk.person.calls(), 'plan.history'));
    addByOther('Of somebody else')(talk);
    talk.person.take(...known);
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('1 later change of others');
    talk.person.press('Enter');
    expect(titlesOf(talk)).toEqual(['Read', 'Test', 'Of somebody else']);
  });

  it('asks again when yet another change comes while the question stands there', () => {
    const talk = removed();
    addByOther('First')(talk);
    talk.settle();
    expect(talk.person.text()).toContain('1 later change of others');
    addByOther('Second')(talk);
    talk.person.press('y');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('2 later changes of others');
    expect(titlesOf(talk)).toContain('Second');
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(titlesOf(talk)).toEqual(['Read', 'Write', 'Quote', 'Stream', 'Test']);
  });

  it('that another client made is asked about anew as well', () => {
    const talk = openTalk();
    talk.person.take(...talk.daemon.edit((draft) => removeItem(draft, { itemId: id('t5') }, 'person'), 'person'));
    talk.person.press('u');
    talk.settle();
    expect(talk.person.text()).toContain('Take it back?');
    expect(talk.person.text()).not.toContain('later change');
    addByOther('Later')(talk);
    talk.person.press('y');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('1 later change of others');
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(titlesOf(talk)).toEqual(['Read', 'Write', 'Quote', 'Stream', 'Test']);
  });

  it('says that nothing was done when the connection is lost before it is known what came after', () => {
    const talk = removed();
    talk.lose();
    expect(notice(talk)).toBe('The connection was lost: nothing was taken back.');
    talk.comeBack();
    expect(talk.settle()).toEqual([]);
    talk.person.press('u');
    expect(talk.settle()).toEqual(['plan.revert']);
  });

  it('that was done though the connection was lost is not done once more without a question', () => {
    const talk = removed();
    answerOne(talk, callIn(talk.person.calls(), 'plan.history'));
    const revert = callIn(talk.person.calls(), 'plan.revert');
    talk.daemon.answer(revert);
    talk.person.take({ type: 'lost', reason: 'gone' });
    refuseOne(talk, revert, connectionLost);
    talk.comeBack();
    talk.settle();
    expect(titlesOf(talk)).toContain('Write');
    expect(talk.person.state.popup).toBeNull();
    talk.person.press('u');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.state.popup?.kind).toBe('confirm');
  });
});

describe('taking back what takes several edits', () => {
  /** A task with two subtasks is skipped, and that is being taken back; its first edit is on its way. */
  const takingBack = (): { talk: Talk; first: Call } => {
    const talk = openTalk();
    talk.person.press('j s');
    talk.settle();
    expect([statusOf(talk, 't3'), statusOf(talk, 't4')]).toEqual(['skipped', 'skipped']);
    talk.person.press('u');
    return { talk, first: callIn(talk.person.calls(), 'plan.setStatus') };
  };

  it('is told when the last one was carried out, and used up then', () => {
    const { talk, first } = takingBack();
    answerOne(talk, first);
    expect([notice(talk), talk.person.session.edits.undo.length]).toEqual(['', 1]);
    talk.settle();
    expect(notice(talk)).toContain('Taken back: marking as skipped "Write"');
    expect(talk.person.session.edits.undo).toEqual([]);
  });

  it('is never told when one of them was refused, but why not', () => {
    const { talk, first } = takingBack();
    answerOne(talk, first);
    refuseOne(talk, callIn(talk.person.calls(), 'plan.setStatus'), { message: 'It is locked.', hint: 'Wait.' });
    expect(notice(talk)).toBe('Not taken back: marking as skipped "Write". It is locked. Wait.');
    expect(talk.settle()).toEqual([]);
  });

  it('sends no further edit of it after a refusal, and goes on with what waited behind', () => {
    const { talk, first } = takingBack();
    talk.person.press('k d');
    refuseOne(talk, first, { message: 'It is locked.' });
    expect(talk.settle()).toEqual(['plan.setStatus']);
    expect([statusOf(talk, 't1'), statusOf(talk, 't3'), statusOf(talk, 't4')]).toEqual(['done', 'skipped', 'skipped']);
  });
});

describe('an item that begins to run meanwhile', () => {
  /** Another client starts the plan. */
  const runElsewhere = ({ person, daemon }: Talk): void => {
    const { id: sessionId } = person.session.session;
    const [, ...told] = daemon.answer(call('run.start', { sessionId }, { for: 'run' }));
    person.take(...told);
  };

  it('is not cut off by a d or an s that was typed before: it is asked first', () => {
    for (const [key, word] of [
      ['d', 'Mark it as done'],
      ['s', 'Skip it'],
    ] as const) {
      // The section, whose first subtask is the next to run; or that one.
      for (const cursor of key === 's' ? ['t2', 't3'] : ['t3']) {
        const talk = openTalk(threeTasks.slice(1));
        if (cursor === 't2') talk.person.press('k');
        expect(talk.person.cursor).toBe(cursor);
        talk.person.press(`J ${key}`);
        runElsewhere(talk);
        expect(
          talk.settle().filter((method) => method !== 'plan.moveItem'),
          `${key} ${cursor}`,
        ).toEqual([]);
        expect(talk.person.text()).toContain(`${word}?`);
        talk.person.press('Esc');
        expect(talk.settle()).toEqual([]);
        expect(talk.daemon.planRun).toMatchObject({ status: 'running', currentItemId: 't3' });
      }
    }
  });

  it('is not cleared away with a yes that was given to another one', () => {
    const talk = openTalk();
    talk.person.take(...talk.daemon.change({ planRun: planRunOf({ currentItemId: 't1' }) }));
    talk.person.press('C');
    expect(talk.person.text()).toContain('1 Read');
    talk.person.take(...talk.daemon.change({ planRun: planRunOf({ currentItemId: 't3' }) }));
    talk.person.press('y');
    expect(changesOf(talk.person)).toEqual([]);
    expect(talk.person.text()).toContain('2.1 Quote');
    talk.person.press('y');
    expect(changesOf(talk.person)).toEqual(['run.cancel']);
  });
});

describe('a plan that was to be cleared', () => {
  it('is not, when the yes was given to other items, though they changed on the way', () => {
    const talk = openTalk();
    talk.person.press('C y');
    const clear = callIn(talk.person.calls(), 'plan.clear');
    // As many as before.
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t5') }, 'person'));
    addByOther('Another')(talk);
    answerOne(talk, clear);
    expect(changesOf(talk.person)).toEqual([]);
    expect(talk.person.text()).toContain('The plan changed meanwhile');
    expect(titlesOf(talk)).toContain('Another');
  });
});

describe('a new item that is gone again at once', () => {
  it('leaves the prompt ready for the next one, whichever is told first', () => {
    for (const order of ['answer', 'changes'] as const) {
      const talk = openTalk();
      talk.person.press('a');
      talk.person.write('One');
      talk.person.press('Enter');
      const [answer, ...told] = talk.daemon.answer(callIn(talk.person.calls(), 'plan.addItem'));
      if (answer === undefined) throw new Error('nothing was answered');
      const added = talk.daemon.snapshot().items.find(({ title }) => title === 'One');
      if (added === undefined) throw new Error('nothing was added');
      const gone = talk.daemon.edit((draft) => removeItem(draft, { itemId: added.id }, 'planner'));
      talk.person.take(...(order === 'answer' ? [answer, ...gone] : [...told, ...gone, answer]));
      talk.settle();
      expect(talk.person.state.prompt, order).toMatchObject({ isSent: false, editor: { text: '' } });
      talk.person.write('Two');
      talk.person.press('Enter');
      talk.settle();
      expect(titlesOf(talk), order).toEqual(['Read', 'Two', 'Write', 'Quote', 'Stream', 'Test']);
    }
  });
});

describe('a terminal that has become too small', () => {
  it('takes no key for what it no longer shows', () => {
    for (const open of ['x', 'a', 'Tab Tab', 'C', 'Enter']) {
      const talk = openTalk();
      talk.person.press(open);
      talk.person.take({ type: 'resized', size: sizeOf(12, 4) });
      const before = talk.person.state;
      talk.person.take(...['y', 'Enter', 'Esc', 'd', 'r', 'Tab', 'Down', 'Ctrl-n'].map(keyOf));
      expect(talk.person.state, open).toEqual(before);
      expect(talk.person.wanted(), open).toEqual([]);
      talk.person.press('Ctrl-z');
      expect(talk.person.wanted(), open).toEqual([{ type: 'suspend' }]);
      talk.person.press('Ctrl-c');
      expect(talk.person.wanted(), open).toEqual([{ type: 'leave', next: 'nothing' }]);
    }
  });
});
