import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, statusesOf, waitForRun } from '../support/daemon.js';
import { sitDown } from '../support/person.js';
import { call, hang, say, toolResults } from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

describe('pausing', () => {
  it('p lets the item finish; r goes on', async () => {
    const gate = createGate();
    const story = await tellStory(async () => {
      await gate.passed;
      return result();
    });
    const { id } = await story.session();
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('running');
    await anna.press('p');
    await anna.sees('pausing');
    gate.open();
    await anna.sees('paused', '1/2');
    expect(await statusesOf(story.daemon, id)).toEqual({ First: 'done', Second: 'pending' });
    await anna.press('r');
    await anna.sees('completed', '2/2');
  });

  it('P interrupts at once; before it goes on, r says what might happen twice', async () => {
    const command = 'echo begun >> log.txt; sleep 60';
    const story = await tellStory((body, number) =>
      number === 1 ? [say('I deploy it.'), call('shell', { command })] : toolResults(body).length > 0 ? result() : hang(),
    );
    const { id } = await story.session({ items: [{ title: 'Deploy' }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees(`$ ${command}`);
    const log = (): Promise<string> => readFile(join(story.workspace, 'log.txt'), 'utf8').catch(() => '');
    await waitFor('the command to begin', async () => (await log()) === 'begun\n');
    await anna.press('P');
    await anna.sees('paused');
    await anna.press('r');
    await anna.sees('Kept', '1 turn', 'Might happen twice', command, 'nobody knows how far it came');
    await anna.press('Enter');
    await anna.seesNot('Might happen twice');
    expect(story.provider.requests).toHaveLength(1);
    expect((await story.daemon.call('run.get', { sessionId: id })).status).toBe('paused');
    await anna.press('r');
    await anna.sees('Might happen twice');
    await anna.press('y');
    await anna.sees('completed');
    expect(await log()).toBe('begun\n');
  });

  it('says so where there is nothing to pause or to run', async () => {
    const story = await tellStory(() => result());
    await story.session({ items: [] });
    const anna = await sitDown(story);
    await anna.press('p');
    await anna.sees('does not run');
    await anna.press('r');
    await anna.sees('The plan is empty. a adds');
    await anna.press('c');
    await anna.sees('does not run');
    await anna.press('R');
    await anna.sees('Retry is for');
  });
});

describe('cancelling', () => {
  it('c asks first: Enter and Escape cancel nothing, y does', async () => {
    const story = await tellStory(() => hang());
    const { id } = await story.session();
    const anna = await sitDown(story);
    const status = async (): Promise<string> => (await story.daemon.call('run.get', { sessionId: id })).status;
    await anna.press('r');
    await anna.sees('running');
    for (const key of ['Enter', 'Esc', 'n']) {
      await anna.press('c');
      await anna.sees('Cancel the run?', '1 First');
      await anna.press(key);
      await anna.seesNot('Cancel the run?');
      expect(await status()).toBe('running');
    }
    await anna.press('c', 'y');
    await anna.sees('cancelled');
    expect(await statusesOf(story.daemon, id)).toEqual({ First: 'pending', Second: 'pending' });
  });

  it('C asks first, then takes the plan away as well; u brings all of it back', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? result() : hang()));
    const { id } = await story.session({ items: [{ title: 'First' }, { title: 'Second', children: [{ title: 'Part' }] }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('1/2', 'running');
    await anna.press('C');
    await anna.sees('Cancel the plan?', '3 items');
    await anna.press('Enter');
    await anna.seesNot('Cancel the plan?');
    await anna.press('C', 'Esc');
    await anna.seesNot('Cancel the plan?');
    await anna.sees('running', '2.1 Part');
    await anna.press('C', 'y');
    await anna.sees('The plan is empty', '3 items removed');
    expect(await waitForRun(story.daemon, id, 'cancelled', 'idle')).toMatchObject({ currentItemId: null });
    await anna.press('u');
    await anna.seesInOrder('1 First', '2 Second', '2.1 Part');
    expect(await statusesOf(story.daemon, id)).toEqual({ First: 'done', Second: 'pending', Part: 'pending' });
  });
});

describe('what is blocked', () => {
  it('says why in the tree; R goes on with a word that the model reads', async () => {
    const story = await tellStory((body) =>
      JSON.stringify(body.messages).includes('Take the one of May') ? result() : blocker('which sample is it?'),
    );
    await story.session({ items: [{ title: 'Convert the sample' }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('blocked');
    await anna.seesInOrder('1 Convert the sample', 'which sample is it?');
    await anna.press('R');
    await anna.write('Take the one of May.');
    await anna.press('Esc');
    await anna.seesNot('Take the one');
    expect(story.provider.requests).toHaveLength(1);
    await anna.press('R');
    await anna.write('Take the one of May.');
    await anna.press('Enter');
    await anna.sees('completed');
    expect(JSON.stringify(story.provider.requests.at(-1)?.body)).toContain('Take the one of May.');
  });

  it('leaves the panel where it was', async () => {
    const gate = createGate();
    const items = Array.from({ length: 60 }, (_, i) => ({ title: `Item number ${i + 1}` }));
    const story = await tellStory(async (_body, number) => {
      if (number < 3) return result();
      await gate.passed;
      return blocker('no sample');
    });
    await story.session({ items });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('2/60');
    await anna.press('End', 'Up', 'Up');
    await anna.pointsAt('58 Item number 58');
    const before = anna.line('58 Item number 58');
    gate.open();
    await anna.sees('blocked');
    await anna.pointsAt('58 Item number 58');
    expect(anna.line('58 Item number 58')).toBe(before);
    await anna.press('.');
    await anna.seesInOrder('3 Item number 3', 'no sample');
  });
});

describe('a plan that is done', () => {
  it('is run again as a whole only after a yes', async () => {
    const story = await tellStory(() => result());
    const { id } = await story.session();
    await runToRest(story.daemon, id, 'completed');
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('Run all of it again?', 'side effects happen again');
    await anna.press('Enter');
    await anna.seesNot('Run all of it again?');
    await anna.press('r', 'Esc');
    await anna.seesNot('Run all of it again?');
    expect(story.provider.requests).toHaveLength(2);
    await anna.press('r', 'y');
    await waitFor('all to run again', () => story.provider.requests.length === 4);
    await anna.sees('completed', '2/2');
  });
});

describe('at every size', () => {
  it.each([
    [40, 12],
    [60, 16],
    [80, 24],
    [132, 43],
  ])('a plan is made and run with keys alone at %i×%i', async (columns, rows) => {
    const story = await tellStory((_body, number) => (number === 2 ? blocker('no sample') : result()));
    const anna = await sitDown(story, { columns, rows });
    await anna.press('n');
    await anna.write('Ship it');
    await anna.press('Enter');
    await anna.sees('The plan is empty');
    await anna.press('a');
    await anna.write('Read\rWrite\r');
    await anna.press('Esc');
    await anna.sees('2 Write');
    await anna.press('r');
    await anna.sees('blocked', 'no sample', '1/2');
    await anna.press('R', 'Enter');
    await anna.sees('completed', '2/2');
    await anna.press('Ctrl-n');
    await anna.press('?');
    await anna.sees('Keys', 'run the plan');
    await anna.press('Esc', 'q');
    expect(anna.hasLeft()).toBe(true);
  });

  it('is fitted while it runs, whatever the size becomes', async () => {
    const gate = createGate();
    const story = await tellStory(async () => {
      await gate.passed;
      return [say('All of it is written.'), result()];
    });
    await story.session();
    const anna = await sitDown(story, { columns: 200, rows: 60 });
    await anna.press('r');
    await anna.sees('running');
    for (const [columns, rows] of [
      [40, 12],
      [20, 6],
      [100, 10],
      [99, 30],
      [250, 80],
    ] as const) {
      await anna.resize(columns, rows);
      await anna.sees('running');
    }
    gate.open();
    await anna.sees('completed', 'All of it is written.');
  });
});
