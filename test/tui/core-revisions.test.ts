import { describe, expect, it } from 'vitest';
import { addItem, removeItem, setStatus, updateItem } from '../../daemon/domain/plan-edit.js';
import type { ItemId } from '../../shared/plan.js';
import { revisionsView } from '../../tui/core/popups/revisions.js';
import { sizeOf } from './core-support.js';
import { openTalk, type Talk, threeTasks } from './core-talk.js';

const id = (text: string): ItemId => text as ItemId;

/** A plan that was changed three times: by the planner, a person, the planner. */
function withHistory(begin: Parameters<typeof openTalk>[1] = {}): Talk {
  const talk = openTalk(threeTasks, { size: sizeOf(80, 24), ...begin });
  const { person, daemon } = talk;
  person.take(
    ...daemon.edit((draft) => addItem(draft, { title: 'Measure' }, 'planner'), 'planner', 'Nobody knows how slow it is.'),
  );
  person.take(...daemon.edit((draft) => updateItem(draft, { itemId: id('t1'), title: 'Read all of it' }, 'person'), 'person'));
  person.take(...daemon.edit((draft) => removeItem(draft, { itemId: id('t5') }, 'planner'), 'planner', 'It tests itself.'));
  talk.settle();
  return talk;
}

/** The feed, open and read. */
function opened(begin: Parameters<typeof openTalk>[1] = {}): Talk {
  const talk = withHistory(begin);
  talk.person.press('H');
  talk.settle();
  return talk;
}

const titles = ({ daemon }: Talk): string[] => daemon.snapshot().items.map(({ title }) => title);

describe('the revisions', () => {
  it('are told newest first: who, when, how many items, and why', () => {
    const rows = opened()
      .person.screen()
      .filter((row) => /│ v\d/.test(row));
    expect(rows.map((row) => /│ (v.*?)\s*│/.exec(row)?.[1])).toEqual([
      'v4 planner 10:00 +0 −1 — It tests itself.',
      'v3 person 10:00 +0 −0 ~1',
      'v2 planner 10:00 +1 −0 — Nobody knows how slow it is.',
    ]);
  });

  it('show with Enter what one of them changed, and Escape leads back, then out', () => {
    const talk = opened();
    talk.person.press('j Enter');
    expect(talk.person.text()).toContain('Reading.');
    talk.settle();
    expect(talk.person.text()).toContain('- Read');
    expect(talk.person.text()).toContain('+ Read all of it');
    talk.person.press('Esc');
    expect(talk.person.text()).toContain('v2 planner');
    talk.person.press('Up Enter');
    talk.settle();
    expect(talk.person.text()).toContain('− Test');
    talk.person.press('Left Esc');
    expect(talk.person.state.popup).toBeNull();
  });

  it('are opened by a click as well', () => {
    const talk = opened();
    talk.person.click('v2 planner');
    expect(talk.settle()).toEqual([]);
    talk.person.click('v2 planner');
    talk.settle();
    expect(talk.person.text()).toContain('+ Measure');
    talk.person.click('Esc all');
    talk.person.click('r go back to it');
    expect(talk.person.text()).toContain('Go back to version 2?');
  });

  it('can be gone back to after a yes, and that can be taken back', () => {
    const talk = opened();
    talk.person.press('End r');
    expect(talk.person.text()).toContain('Go back to version 2?');
    talk.person.press('Enter');
    expect(talk.settle()).toEqual([]);
    talk.person.press('H');
    talk.settle();
    talk.person.press('End r y');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(titles(talk)).toEqual(['Read', 'Write', 'Quote', 'Stream', 'Test', 'Measure']);
    expect(talk.person.state.notice?.text).toContain('again what it was at version 2');
    talk.person.press('u');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(titles(talk)).toEqual(['Read all of it', 'Write', 'Quote', 'Stream', 'Measure']);
  });

  it('are not gone back to over what came between the yes and now', () => {
    const talk = opened();
    talk.person.press('r');
    talk.meanwhile((draft) => addItem(draft, { title: 'Unseen' }, 'planner'));
    talk.person.press('y');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('The plan changed meanwhile.');
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(titles(talk)).not.toContain('Unseen');
  });

  it('can be gone back to while a run goes on from item to item', () => {
    const talk = opened();
    talk.person.press('End r');
    talk.meanwhile((draft) => setStatus(draft, { itemId: id('t3'), status: 'done' }));
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(titles(talk)).toContain('Test');
  });

  it('say when there is nothing to go back to', () => {
    const talk = opened();
    talk.person.press('r y');
    expect(talk.settle()).toEqual(['plan.revert']);
    expect(talk.person.state.notice?.text).toContain('nothing had to be changed');
    const fresh = openTalk();
    fresh.person.press('H');
    fresh.settle();
    expect(fresh.person.text()).toContain('no revisions yet');
    fresh.person.press('r Enter End j');
    expect(fresh.settle()).toEqual([]);
  });

  it('that come while one looks are there at once, and the cursor stays where it is', () => {
    const talk = opened();
    talk.person.press('j');
    talk.meanwhile((draft) => addItem(draft, { title: 'New' }, 'planner'));
    talk.settle();
    expect(talk.person.text()).toContain('v5 planner');
    talk.person.press('Enter');
    expect(talk.person.text()).toContain('Revision 3');
  });

  it('are read page by page as one goes down', () => {
    const talk = openTalk();
    for (let i = 0; i < 450; i += 1)
      talk.meanwhile((draft) => updateItem(draft, { itemId: id('t1'), title: `Read ${i}` }, 'planner'));
    talk.person.press('H');
    talk.settle();
    talk.person.press('PgDn');
    expect(talk.open()).toEqual([]);
    for (const oldest of [52, 2, 2]) {
      talk.person.press('End');
      talk.settle();
      talk.person.press('End');
      talk.settle();
      expect(talk.person.text()).toContain(`v${oldest} planner`);
    }
  });

  it('cost no more than what is in sight of them', () => {
    const talk = openTalk();
    for (let i = 0; i < 450; i += 1)
      talk.meanwhile((draft) => updateItem(draft, { itemId: id('t1'), title: `Read ${i}` }, 'planner'));
    talk.person.press('H');
    for (const key of ['End', 'End', 'End', 'Home', 'PgDn']) {
      talk.settle();
      talk.person.press(key);
    }
    const { popup } = talk.person.state;
    if (popup?.kind !== 'revisions') throw new Error('they are not shown');
    expect(popup.revisions).toHaveLength(450);
    const made = revisionsView(popup, talk.person.state).rows.filter(({ spans }) => spans.length > 0);
    expect(made.length).toBeLessThan(2 * talk.person.state.size.rows);
  });

  it('say what could not be read', () => {
    const talk = openTalk();
    talk.person.press('H');
    talk.refuse({ message: 'The store is busy.' });
    expect(talk.person.text()).toContain('The store is busy.');
    const other = opened();
    other.person.press('Enter');
    other.refuse({ message: 'Not now.' });
    expect(other.person.text()).toContain('Not now.');
  });
});

describe('a plan that is revised while one looks on', () => {
  const planner = { mode: 'always', state: 'running', reason: null } as const;
  const looking = (): Talk => openTalk(threeTasks, { session: { planner } });
  const lines = ({ person }: Talk): string[] =>
    person.session.conversation.blocks.filter(({ kind }) => kind === 'notice').flatMap((block) => block.lines);

  it('by the planner is told in the conversation, with why', () => {
    const talk = looking();
    talk.person.take(...talk.daemon.edit((draft) => addItem(draft, { title: 'Measure' }, 'planner'), 'planner', 'It is slow.'));
    talk.settle();
    expect(lines(talk)).toEqual(['plan revised +1 −0 — It is slow.']);
  });

  it('is told once for each revision, however fast they come', () => {
    const talk = looking();
    for (const title of ['One', 'Two', 'Three'])
      talk.person.take(...talk.daemon.edit((draft) => addItem(draft, { title }, 'planner'), 'planner', title));
    expect(talk.open()).toHaveLength(1);
    talk.settle();
    expect(lines(talk)).toEqual(['One', 'Two', 'Three'].map((why) => `plan revised +1 −0 — ${why}`));
    talk.meanwhile((draft) => addItem(draft, { title: 'Four' }, 'planner'));
    talk.settle();
    expect(lines(talk)).toHaveLength(4);
  });

  it('by a person or a run is not', () => {
    const talk = looking();
    talk.person.press('d');
    talk.settle();
    talk.person.press('a');
    talk.person.write('Mine');
    talk.person.press('Enter Esc');
    talk.settle();
    expect(lines(talk)).toEqual([]);
    talk.meanwhile((draft) => setStatus(draft, { itemId: id('t3'), status: 'done' }));
    expect(talk.open()).toEqual([]);
  });

  it('is asked for again with the next change when it could not be read', () => {
    const talk = looking();
    talk.meanwhile((draft) => addItem(draft, { title: 'One' }, 'planner'));
    talk.refuse({ message: 'No.' });
    expect(talk.person.state.notice).toBeNull();
    talk.meanwhile((draft) => addItem(draft, { title: 'Two' }, 'planner'));
    talk.settle();
    expect(lines(talk)).toHaveLength(2);
  });

  it('is told of also when the change itself was missed', () => {
    const talk = looking();
    talk.daemon.edit((draft) => addItem(draft, { title: 'Missed' }, 'planner'));
    talk.meanwhile((draft) => addItem(draft, { title: 'Heard' }, 'planner'));
    talk.settle();
    expect(lines(talk)).toHaveLength(2);
  });

  it('asks nothing where nobody plans', () => {
    const talk = openTalk();
    talk.meanwhile((draft) => addItem(draft, { title: 'Theirs' }, 'planner'));
    expect(talk.open()).toEqual([]);
  });
});
