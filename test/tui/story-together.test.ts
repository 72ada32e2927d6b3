import { describe, expect, it } from 'vitest';
import type { ItemId } from '../../shared/plan.js';
import { statusesOf } from '../support/daemon.js';
import { sitDown } from '../support/person.js';
import { say } from '../support/scripted-provider.js';
import { createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

/** Two people before the same plan: tasks First, Second and Third. */
async function beginTogether() {
  const story = await tellStory(() => result());
  const { id } = await story.session({ items: [{ title: 'First' }, { title: 'Second' }, { title: 'Third' }] });
  const at = { sessionId: id };
  const { items } = await story.daemon.call('plan.get', at);
  const idOf = (title: string): ItemId => {
    const item = items.find((one) => one.title === title);
    if (item === undefined) throw new Error(`no item ${title}`);
    return item.id;
  };
  return { story, at, idOf, anna: await sitDown(story), ben: await sitDown(story) };
}

describe('two people at one session', () => {
  it('see the same plan and the same run', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 2) await gate.passed;
      return say(`Part ${number} is written.`);
    });
    await story.session();
    const [anna, ben] = [await sitDown(story), await sitDown(story, { columns: 132, rows: 43 })];
    await anna.press('End', 'a');
    await anna.write('Third');
    await anna.press('Enter', 'Esc');
    await ben.sees('3 Third');
    await ben.press('r');
    for (const one of [anna, ben]) await one.sees('running', 'Part 1 is written.', '1/3');
    gate.open();
    for (const one of [anna, ben]) {
      await one.sees('completed', '3/3');
      await one.seesInOrder('Part 1 is written.', 'Part 2 is written.', 'Part 3 is written.');
    }
  });

  it('hear what the other one says, and the answer to it', async () => {
    const story = await tellStory(() => say('Quite well.'));
    await story.session();
    const [anna, ben] = [await sitDown(story), await sitDown(story)];
    await anna.press('Shift-Tab');
    await anna.write('How is it going?');
    await anna.press('Enter');
    for (const one of [anna, ben]) await one.seesInOrder('How is it going?', 'Quite well.');
  });

  it('change the same title: both texts are shown, and neither is lost', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.press('Down', 'e');
    await anna.write(' by anna');
    await story.daemon.call('plan.updateItem', { ...at, itemId: idOf('Second'), title: 'Second by ben' });
    await anna.press('Enter');
    await anna.sees('Second by anna', 'Second by ben', 'Esc');
    await anna.press('Esc');
    await anna.seesNot('Second by anna');
    await anna.press('e');
    await anna.write(' and anna');
    await anna.press('Enter');
    await waitFor('the title', async () => 'Second by ben and anna' in (await statusesOf(story.daemon, at.sessionId)));
  });

  it('change the same title: the one who has seen both puts theirs in its place', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.press('Down', 'e');
    await anna.write(' by anna');
    await story.daemon.call('plan.updateItem', { ...at, itemId: idOf('Second'), title: 'Second by ben' });
    await anna.press('Enter');
    await anna.sees('Second by ben');
    await anna.press('Enter');
    await waitFor('the title', async () => 'Second by anna' in (await statusesOf(story.daemon, at.sessionId)));
  });

  it('change other parts of the plan at once: both changes are kept', async () => {
    const { story, at, anna, ben } = await beginTogether();
    await Promise.all([
      anna.press('J', 'J', 'd').then(() => anna.press('a', 'A', 'n', 'n', 'a', 'Enter', 'Esc')),
      ben.press('End', 'K', 's').then(() => ben.press('a', 'B', 'e', 'n', 'Enter', 'Esc')),
    ]);
    for (const one of [anna, ben]) await one.sees(/\d Anna/, /\d Ben/, '1/4');
    expect(await statusesOf(story.daemon, at.sessionId)).toMatchObject({ First: 'done', Third: 'skipped' });
  });
});

describe('what somebody else does meanwhile', () => {
  it('does not make a yes hit another item', async () => {
    const { story, at, anna } = await beginTogether();
    await anna.press('Down', 'x');
    await anna.sees('Remove it?', '2 Second');
    await story.daemon.call('plan.addItem', { ...at, title: 'Zeroth', index: 0 });
    await anna.sees('4 Third');
    await anna.press('y');
    await anna.sees('1 item removed');
    expect(Object.keys(await statusesOf(story.daemon, at.sessionId))).toEqual(['Zeroth', 'First', 'Third']);
  });

  it('keeps the cursor on its item', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.press('Down');
    await anna.pointsAt('2 Second');
    await story.daemon.call('plan.addItem', { ...at, title: 'Zeroth', index: 0 });
    await anna.pointsAt('3 Second');
    await story.daemon.call('plan.moveItem', { ...at, itemId: idOf('Second'), index: 3 });
    await anna.pointsAt('4 Second');
    await anna.press('s');
    await anna.sees('skipped');
    expect((await statusesOf(story.daemon, at.sessionId)).Second).toBe('skipped');
  });

  it('is told where it takes away the item of an open menu', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.press('Down', 'Enter');
    await anna.sees('skip it');
    await story.daemon.call('plan.removeItem', { ...at, itemId: idOf('Second') });
    await anna.sees('gone');
    await anna.press('s', 'x', 'y');
    await anna.press('Esc');
    await anna.seesNot('gone');
    expect(await statusesOf(story.daemon, at.sessionId)).toEqual({ First: 'pending', Third: 'pending' });
  });

  it('is told where it takes away what one is about to remove', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.press('Down', 'x');
    await anna.sees('Remove it?');
    await story.daemon.call('plan.removeItem', { ...at, itemId: idOf('Second') });
    await anna.seesNot('3 Third');
    await anna.press('y');
    await anna.sees('gone');
    expect(await statusesOf(story.daemon, at.sessionId)).toEqual({ First: 'pending', Third: 'pending' });
  });

  it('leaves the title that one is writing in sight, although the item is gone', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.press('Down', 'e');
    await anna.write(', with all my thoughts');
    await story.daemon.call('plan.removeItem', { ...at, itemId: idOf('Second') });
    await anna.sees('2 Third', 'Second, with all my thoughts');
    await anna.press('Enter');
    await anna.sees('The item is gone', 'Second, with all my thoughts');
  });

  it('asks again where a subtask was added to what one is about to remove', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.press('Down', 'x');
    await anna.sees('Remove it?');
    await story.daemon.call('plan.addItem', { ...at, parentId: idOf('Second'), title: 'Precious' });
    await anna.sees('2.1 Precious');
    await anna.press('y');
    await anna.sees('changed meanwhile', 'Precious');
    await anna.press('Enter');
    await anna.seesNot('changed meanwhile');
    expect(Object.keys(await statusesOf(story.daemon, at.sessionId))).toContain('Precious');
  });

  it('is all there after something was missed', async () => {
    const { story, at, idOf, anna } = await beginTogether();
    await anna.misses(() => story.daemon.call('plan.addItem', { ...at, title: 'Missed', index: 0 }));
    await anna.seesNot('Missed');
    await story.daemon.call('plan.setStatus', { ...at, itemId: idOf('Third'), status: 'skipped' });
    await anna.seesInOrder('1 Missed', '2 First', '3 Second', '4 Third');
    await anna.press('Home', 'd');
    await waitFor('the missed one to be done', async () => (await statusesOf(story.daemon, at.sessionId)).Missed === 'done');
  });

  it('is told where it deletes the session', async () => {
    const { story, at, anna } = await beginTogether();
    await anna.press('e');
    await story.daemon.call('session.delete', at);
    await anna.sees('deleted', 'n  make a plan');
    await anna.press('n');
    await anna.write('Another');
    await anna.press('Enter');
    await anna.sees('Goal: Another', 'The plan is empty');
  });
});
