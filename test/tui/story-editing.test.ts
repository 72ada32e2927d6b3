import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import { statusesOf } from '../support/daemon.js';
import { type Person, sitDown } from '../support/person.js';
import { hang } from '../support/scripted-provider.js';
import { createGate, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const titled = (...titles: readonly string[]) => titles.map((title) => ({ title }));

/** A plan with these items, and a person before it. */
async function begin(items: Parameters<Story['session']>[0] = {}): Promise<{ story: Story; anna: Person; id: SessionId }> {
  const story = await tellStory(() => hang());
  const { id } = await story.session(items);
  return { story, id, anna: await sitDown(story) };
}

const titlesOf = async ({ daemon }: Story, sessionId: SessionId): Promise<string[]> =>
  (await daemon.call('plan.get', { sessionId })).items.map(({ title }) => title);

const toBecome = (story: Story, id: SessionId, ...titles: readonly string[]): Promise<unknown> =>
  waitFor('the plan to change', async () => (await titlesOf(story, id)).join() === titles.join(), {
    describe: () => titlesOf(story, id),
  });

describe('an item', () => {
  it('has its title changed in place', async () => {
    const { story, anna, id } = await begin();
    await anna.press('Down', 'e');
    await anna.press('Backspace', 'Backspace');
    await anna.write('-hand');
    await anna.sees('2 Seco-hand');
    await anna.press('Enter');
    await toBecome(story, id, 'First', 'Seco-hand');
    await anna.press('e');
    await anna.write(' never mind');
    await anna.press('Esc');
    await anna.seesNot('never mind');
    expect(await titlesOf(story, id)).toEqual(['First', 'Seco-hand']);
  });

  it('has its detail changed in the editor of the person', async () => {
    const story = await tellStory(() => hang());
    const { id } = await story.session();
    const draft = join(story.home, 'draft.md');
    await writeFile(draft, 'Mind the quotes.\n');
    const anna = await sitDown(story, { env: { EDITOR: `cp '${draft}'` } });
    await anna.press('E');
    await waitFor('the detail', async () => {
      const { items } = await story.daemon.call('plan.get', { sessionId: id });
      return items[0]?.detail === 'Mind the quotes.';
    });
    await anna.press('Space');
    await anna.sees('Mind the quotes.');
  });

  it('is marked as done, skipped and reopened by hand', async () => {
    const { story, anna, id } = await begin();
    await anna.press('d');
    await anna.sees('claimed', '1/2');
    await anna.press('o');
    await anna.sees('0/2');
    await anna.press('s');
    await anna.sees('skipped', '0/1');
    expect(await statusesOf(story.daemon, id)).toEqual({ First: 'skipped', Second: 'pending' });
  });

  it('moves by as many places as the key was pressed, however fast', async () => {
    const { story, anna, id } = await begin({ items: titled('A', 'B', 'C', 'D', 'E', 'F', 'G') });
    await anna.press('J', 'J', 'J', 'J', 'J');
    await toBecome(story, id, 'B', 'C', 'D', 'E', 'F', 'A', 'G');
    await anna.press('K', 'K', 'K');
    await toBecome(story, id, 'B', 'C', 'A', 'D', 'E', 'F', 'G');
    await anna.pointsAt('3 A');
  });

  it('is removed only after a yes: Enter and Escape remove nothing', async () => {
    const { story, anna, id } = await begin({ items: [{ title: 'First', children: titled('One', 'Two') }, { title: 'Second' }] });
    await anna.press('Home', 'x');
    await anna.sees('Remove it?', '2 subtasks', 'No');
    await anna.press('Enter');
    await anna.seesNot('Remove it?');
    await anna.press('x', 'Esc');
    await anna.seesNot('Remove it?');
    expect(await titlesOf(story, id)).toHaveLength(4);
    await anna.press('x', 'y');
    await anna.sees('3 items removed');
    expect(await titlesOf(story, id)).toEqual(['Second']);
  });

  it('offers in its menu what can be done with it, and does it to this one', async () => {
    const { story, anna, id } = await begin();
    await anna.press('Down', 'Enter');
    await anna.sees('2 Second', 'skip it', 'remove it');
    await story.daemon.call('plan.addItem', { sessionId: id, title: 'Zeroth', index: 0 });
    await anna.sees('3 Second');
    await anna.press('s');
    await anna.sees('skipped');
    expect(await statusesOf(story.daemon, id)).toEqual({ Zeroth: 'pending', First: 'pending', Second: 'skipped' });
  });
});

describe('the goal', () => {
  it('is changed, over several lines, and shown in the first line', async () => {
    const { story, anna, id } = await begin();
    await anna.press('g');
    await anna.write(' soon');
    await anna.press('Alt-Enter');
    await anna.write('and with tests');
    await anna.press('Enter');
    await anna.sees('Goal: Ship the export soon');
    expect((await story.daemon.call('plan.get', { sessionId: id })).goal).toBe('Ship the export soon\nand with tests');
  });
});

describe('an edit that is refused', () => {
  it('keeps what was written, with the reason beside it', async () => {
    const { story, anna, id } = await begin();
    const long = 'x'.repeat(201);
    await anna.press('a');
    await anna.paste(`Much too long ${long}`);
    await anna.press('Enter');
    await anna.sees('200', 'Shorten');
    for (const _ of long) await anna.press('Backspace');
    await anna.press('Enter', 'Esc');
    await toBecome(story, id, 'First', 'Much too long', 'Second');
  });

  it('says why a done item keeps its title', async () => {
    const { anna } = await begin();
    await anna.press('d');
    await anna.sees('claimed');
    await anna.press('e');
    await anna.write('!');
    await anna.press('Enter');
    await anna.sees('is done', 'First!');
  });

  it('says why the running item takes no subtask', async () => {
    const { story, anna, id } = await begin();
    await anna.press('r');
    await anna.sees('running');
    await anna.press('A');
    await anna.write('Too late');
    await anna.press('Enter');
    await anna.sees('Too late', 'cannot take');
    await anna.press('Esc');
    await anna.seesNot('Too late');
    expect(await titlesOf(story, id)).toEqual(['First', 'Second']);
  });
});

describe('a daemon that is away', () => {
  it('gets what was written meanwhile when it is back', async () => {
    const { story, anna, id } = await begin();
    await anna.press('End', 'a');
    await anna.write('Written in the dark');
    await story.daemon.kill();
    await anna.sees('lost');
    await anna.press('Enter');
    await anna.sees('Written in the dark');
    await story.restart();
    await toBecome(story, id, 'First', 'Second', 'Written in the dark');
    await anna.seesNot('lost');
    await anna.press('Esc');
    await anna.sees('3 Written in the dark');
  });
});

describe('a plan that runs', () => {
  it('is edited all the same, although its version goes up all the time', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number > 6) await gate.passed;
      return result();
    });
    const before = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
    const { id } = await story.session({ items: titled(...before) });
    const anna = await sitDown(story);
    await anna.press('End', 'r', 'K', 'e');
    await anna.write(', edited');
    await anna.press('Enter', 'a');
    await anna.write('Ten');
    await anna.press('Enter', 'Esc', 'K');
    await toBecome(story, id, ...before.slice(0, 7), 'Ten', 'Nine, edited', 'Eight');
    await anna.sees('6/10', 'running');
    gate.open();
    await anna.sees('completed', '10/10');
  });
});
