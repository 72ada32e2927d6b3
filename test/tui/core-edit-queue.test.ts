import { describe, expect, it } from 'vitest';
import { addItem, moveItem, removeItem, setGoal, setStatus, updateItem } from '../../daemon/domain/plan-edit.js';
import type { ItemId } from '../../shared/plan.js';
import { titleAtCursor } from './core-support.js';
import { openTalk, type Talk } from './core-talk.js';

const id = (text: string): ItemId => text as ItemId;
const titlesOf = ({ person }: Talk): string[] => person.session.plan.listed.map(({ number, title }) => `${number} ${title}`);
const started = ['1 Read', '2 Write', '2.1 Quote', '2.2 Stream', '3 Test'];

describe('edits', () => {
  it('go out one at a time, in the order in which they were made', () => {
    const talk = openTalk();
    talk.person.press('d j J');
    expect(talk.open().map(({ method }) => method)).toEqual(['plan.setStatus']);
    expect(talk.settle()).toEqual(['plan.setStatus', 'plan.moveItem']);
    expect(titlesOf(talk)).toEqual(['1 Read', '2 Test', '3 Write', '3.1 Quote', '3.2 Stream']);
    expect(talk.person.session.plan.items.get(id('t1'))?.status).toBe('done');
  });

  it('wait until the plan has come to where the one before left it', () => {
    const talk = openTalk();
    talk.person.press('J J');
    const [first] = talk.open();
    if (first === undefined) throw new Error('nothing was asked');
    const [answer, ...told] = talk.daemon.answer(first);
    if (answer === undefined) throw new Error('nothing was answered');
    talk.person.take(answer);
    expect(talk.person.calls()).toEqual([]);
    talk.person.take(...told);
    expect(talk.person.calls()).toMatchObject([
      { method: 'plan.moveItem', params: { itemId: 't1', index: 2, expectedVersion: 2 } },
    ]);
  });

  it('are worked out again when they met another version', () => {
    const talk = openTalk();
    talk.person.press('J');
    // The change is on its way to us when we send.
    const late = talk.daemon.edit((draft) => addItem(draft, { title: 'First of all', index: 0 }, 'planner'));
    const [call] = talk.open();
    if (call === undefined) throw new Error('nothing was asked');
    talk.person.take(...talk.daemon.answer(call));
    expect(talk.person.calls()).toEqual([]);
    talk.person.take(...late);
    expect(talk.person.calls()).toMatchObject([{ method: 'plan.moveItem', params: { itemId: 't1', index: 2 } }]);
  });

  it('give up when the version runs away', () => {
    const talk = openTalk();
    talk.person.press('J');
    for (let i = 0; i < 6; i += 1) talk.refuse({ kind: 'version_conflict', message: 'Too late.', currentVersion: 1 });
    expect(talk.person.state.notice?.text).toBe('Too late.');
    expect(talk.person.session.edits.current).toBeNull();
  });

  it('hit the item that was meant, whatever another client put in its place', () => {
    const talk = openTalk();
    talk.person.press('j');
    expect(titleAtCursor(talk.person)).toBe('2 Write');
    talk.meanwhile((draft) => addItem(draft, { title: 'New', index: 0 }, 'planner'));
    talk.meanwhile((draft) => moveItem(draft, { itemId: id('t5'), index: 0 }));
    expect(titleAtCursor(talk.person)).toBe('4 Write');
    talk.person.press('s');
    expect(talk.open()).toMatchObject([{ method: 'plan.setStatus', params: { itemId: 't2', status: 'skipped' } }]);
  });

  it('say so when the item has gone', () => {
    const talk = openTalk();
    talk.person.press('j j j j d J');
    const [first] = talk.open();
    expect(first).toMatchObject({ method: 'plan.setStatus', params: { itemId: 't5' } });
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t5') }, 'person'));
    talk.settle();
    expect(talk.person.state.notice?.text).toMatch(/gone|no item/);
    expect(titlesOf(talk)).toEqual(started.slice(0, 4));
  });

  it('wait for a lost connection, and are sent again when it is back', () => {
    const talk = openTalk();
    talk.person.press('d');
    talk.lose();
    talk.comeBack();
    expect(talk.settle()).toEqual(['plan.setStatus']);
    expect(talk.person.session.plan.items.get(id('t1'))?.status).toBe('done');
  });

  it('are not done twice when the answer was lost on the way', () => {
    const talk = openTalk();
    talk.person.press('d');
    const [call] = talk.open();
    if (call === undefined) throw new Error('nothing was asked');
    talk.daemon.answer(call);
    talk.lose();
    talk.comeBack();
    expect(talk.settle()).toEqual([]);
    expect(talk.person.session.plan.items.get(id('t1'))?.status).toBe('done');
  });

  it('are not moved twice when nobody knows whether they were', () => {
    const talk = openTalk();
    talk.person.press('J');
    talk.lose();
    expect(talk.person.state.notice?.text).toMatch(/connection was lost/);
    talk.comeBack();
    expect(talk.settle()).toEqual([]);
  });

  it('do not begin while there is no connection', () => {
    const talk = openTalk();
    talk.lose();
    for (const key of 'a A e E d s o x K J g u'.split(' ')) {
      talk.person.press(key);
      expect(talk.person.state.notice?.text, key).toContain('plan cannot be changed');
      expect([talk.person.state.prompt, talk.person.state.popup]).toEqual([null, null]);
    }
  });

  it('of a session that was left are not taken for those of the one that is shown', () => {
    const talk = openTalk();
    talk.person.press('d');
    const [old] = talk.open();
    if (old === undefined) throw new Error('nothing was asked');
    const other = { ...old, params: { ...old.params, sessionId: 's_other' } } as typeof old;
    const [answer] = talk.daemon.answer(old);
    if (answer?.type !== 'answered') throw new Error('it was refused');
    talk.person.take({ ...answer, params: other.params } as typeof answer);
    expect(talk.person.session.edits.current).not.toBeNull();
    talk.person.take({
      type: 'refused',
      call: other,
      error: { kind: 'not_found', message: 'No.', hint: null, currentVersion: null },
    });
    expect(talk.person.session.edits.current).not.toBeNull();
  });
});

describe('a text that somebody else changed meanwhile', () => {
  const change = (talk: Talk, title: string): void =>
    talk.meanwhile((draft) => updateItem(draft, { itemId: id('t1'), title }, 'planner'));

  it('is shown beside what was typed, and is not overwritten unseen', () => {
    const talk = openTalk();
    talk.person.press('e');
    talk.person.write(' all of it');
    change(talk, 'Read the exporter');
    talk.person.press('Enter');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('Read all of it');
    expect(talk.person.text()).toContain('Read the exporter');
    talk.person.press('Enter');
    expect(talk.settle()).toEqual(['plan.updateItem']);
    expect(titlesOf(talk)[0]).toBe('1 Read all of it');
  });

  it('stays when one leaves', () => {
    const talk = openTalk();
    talk.person.press('e');
    talk.person.write('!');
    change(talk, 'Read the exporter');
    talk.person.press('Enter Esc');
    expect(talk.settle()).toEqual([]);
    expect(titlesOf(talk)[0]).toBe('1 Read the exporter');
  });

  it('is told in full at every size', () => {
    for (const columns of [40, 80, 132]) {
      for (const key of ['e', 'g']) {
        const talk = openTalk(undefined, { size: { columns, rows: 24 } });
        talk.person.press(key);
        talk.person.write('!');
        change(talk, 'Read the exporter');
        talk.meanwhile((draft) => setGoal(draft, { goal: 'Another goal' }));
        talk.person.press('Enter');
        const words = talk.person.text().replaceAll(/\s+│?\s*/g, ' ');
        expect(words, `${key} at ${columns}`).toMatch(/Esc leaves theirs/);
      }
    }
  });

  it('of a detail is asked about, with both texts, No first', () => {
    const talk = openTalk();
    talk.person.press('E');
    talk.meanwhile((draft) => updateItem(draft, { itemId: id('t1'), detail: 'Theirs' }, 'planner'));
    talk.writeDetail(id('t1'), '', 'Mine');
    expect(talk.person.text()).toMatch(/Theirs[\s\S]*Mine/);
    talk.person.press('Enter');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.session.plan.items.get(id('t1'))?.detail).toBe('Theirs');
  });

  it('of a detail is overwritten after a yes', () => {
    const talk = openTalk();
    talk.meanwhile((draft) => updateItem(draft, { itemId: id('t1'), detail: 'Theirs' }, 'planner'));
    talk.writeDetail(id('t1'), '', 'Mine');
    talk.person.press('m');
    expect(talk.settle()).toEqual(['plan.updateItem']);
    expect(talk.person.session.plan.items.get(id('t1'))?.detail).toBe('Mine');
  });

  it('takes no key that was meant for something else', () => {
    const talk = openTalk();
    talk.person.press('j e');
    talk.meanwhile((draft) => updateItem(draft, { itemId: id('t1'), detail: 'Theirs' }, 'planner'));
    talk.writeDetail(id('t1'), '', 'Mine');
    talk.person.write(' much');
    expect(talk.person.state.popup).toBeNull();
    talk.person.press('Enter');
    talk.settle();
    expect(titlesOf(talk)[1]).toBe('2 Write much');
    expect(talk.person.text()).toContain('Changed meanwhile');
    expect(talk.person.session.plan.items.get(id('t1'))?.detail).toBe('Theirs');
  });
});

describe('a title whose item goes away while one writes it', () => {
  it('stays in sight, and says why it cannot be kept', () => {
    const talk = openTalk();
    talk.person.press('j j e');
    talk.person.write(' every field');
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t3') }, 'person'));
    expect(talk.person.text()).toContain('Quote every field');
    talk.person.press('Enter');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('Quote every field');
    expect(talk.person.text()).toMatch(/gone/);
    talk.person.press('Esc');
    expect(talk.person.state.prompt).toBeNull();
  });
});

describe('adding', () => {
  it('goes on with the next one below, until Escape', () => {
    const talk = openTalk();
    talk.person.press('a');
    for (const title of ['One', 'Two']) {
      talk.person.write(title);
      talk.person.press('Enter');
      talk.settle();
    }
    talk.person.press('Esc');
    expect(titlesOf(talk)).toEqual(['1 Read', '2 One', '3 Two', '4 Write', '4.1 Quote', '4.2 Stream', '5 Test']);
    expect(titleAtCursor(talk.person)).toBe('3 Two');
  });

  it('keeps what was typed when it is refused', () => {
    const talk = openTalk();
    talk.person.press('a');
    talk.person.write('One');
    talk.person.press('Enter');
    talk.refuse({ message: 'The plan is full.' });
    expect(talk.person.state.prompt).toMatchObject({ error: 'The plan is full.', isSent: false, editor: { text: 'One' } });
  });

  it('puts a subtask behind the last one, or behind the one under the cursor', () => {
    const talk = openTalk();
    talk.person.press('j A');
    talk.person.write('Last');
    talk.person.press('Enter');
    talk.settle();
    talk.person.press('Esc k k A');
    talk.person.write('Second');
    talk.person.press('Enter');
    talk.settle();
    expect(titlesOf(talk).slice(2, 6)).toEqual(['2.1 Quote', '2.2 Second', '2.3 Stream', '2.4 Last']);
  });

  it('is not done twice when the answer was lost', () => {
    const talk = openTalk();
    talk.person.press('a');
    talk.person.write('One');
    talk.person.press('Enter');
    const [first] = talk.open();
    talk.lose();
    talk.comeBack();
    const again = (): unknown => talk.open().find(({ method }) => method === 'plan.addItem')?.params;
    while (again() === undefined) {
      const call = talk.open().at(0);
      if (call === undefined) break;
      talk.settle();
    }
    expect(first?.params).toMatchObject({ idempotencyKey: expect.any(String) });
    expect(titlesOf(talk).filter((title) => title.endsWith('One'))).toHaveLength(1);
  });
});

describe('what was said yes to', () => {
  it('is asked again when it is no longer the same', () => {
    const talk = openTalk();
    talk.person.press('j x');
    talk.meanwhile((draft) => addItem(draft, { title: 'One more', parentId: id('t2') }, 'planner'));
    talk.person.press('y');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('One more');
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.removeItem']);
    expect(titlesOf(talk)).toEqual(['1 Read', '2 Test']);
  });

  it('holds when only a status went on', () => {
    const talk = openTalk();
    talk.person.press('j x');
    talk.meanwhile((draft) => setStatus(draft, { itemId: id('t3'), status: 'done' }));
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.removeItem']);
  });

  it('clears a plan only as large as it was seen', () => {
    const talk = openTalk();
    talk.person.press('C');
    talk.meanwhile((draft) => addItem(draft, { title: 'One more' }, 'planner'));
    talk.person.press('y');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toMatch(/has 6 items/);
  });
});
