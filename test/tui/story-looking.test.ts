import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, statusesOf } from '../support/daemon.js';
import { sitDown } from '../support/person.js';
import { call, say } from '../support/scripted-provider.js';
import { result, tellStory } from '../support/story.js';

describe('the details of an item', () => {
  it('show what it says, what was checked, what was done, its runs and its changes', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? call('shell', { command: 'echo 42 > answer.txt' }) : result('wrote the answer'),
    );
    const { id } = await story.session({
      items: [{ title: 'Answer', detail: 'To everything.', acceptance: ['It is short.'], verify: ['grep 42 answer.txt'] }],
    });
    await runToRest(story.daemon, id, 'completed');
    const anna = await sitDown(story);
    await anna.sees('accepted');
    await anna.press('Space');
    await anna.sees('[Details]', 'To everything.', 'It is short.', 'grep 42 answer.txt', 'done, accepted');
    await anna.press('Right');
    await anna.sees('[Receipts]', 'passed: grep 42 answer.txt', 'exit code 0', 'try 1');
    await anna.press('Right');
    await anna.sees('[Effects]', 'shell', 'echo 42 > answer.txt', 'done');
    await anna.press('Right');
    await anna.sees('[Runs]', 'completed, try 1', 'wrote the answer');
    await anna.press('Right');
    await anna.sees('[Changes]', 'by runner', 'status', '- active', '+ done');
    await anna.click('Receipts');
    await anna.sees('[Receipts]', 'passed: grep 42 answer.txt');
    await anna.press('Esc');
    await anna.seesNot('[Receipts]');
    await anna.press('v');
    await anna.sees('[Receipts]', 'passed: grep 42 answer.txt');
    await anna.press('Esc', 'D');
    await anna.sees('[Changes]', '+ done');
  });

  it('tell of a check that failed, with what it said', async () => {
    const story = await tellStory(() => result('all good'));
    const { id } = await story.session({ items: [{ title: 'Build', verify: ['echo it is broken; exit 3'] }] });
    await runToRest(story.daemon, id, 'blocked');
    const anna = await sitDown(story);
    await anna.sees('blocked', 'exited with 3');
    await anna.press('v');
    await anna.sees('failed: echo it is broken; exit 3', 'exit code 3', 'it is broken', 'try 3');
  });

  it('say what there is not', async () => {
    const story = await tellStory(() => result());
    await story.session();
    const anna = await sitDown(story);
    await anna.press('v');
    await anna.sees('No check of it has run.');
    await anna.press('Right');
    await anna.sees('No tool was called for it.');
    await anna.press('Right');
    await anna.sees('It has not run yet.');
  });
});

describe('the sessions', () => {
  it('are found by typing and opened, each with its own conversation', async () => {
    const story = await tellStory((body) =>
      say(JSON.stringify(body).includes('pirates') ? 'Arr, a treasure.' : 'The export is done.'),
    );
    const elsewhere = join(dirname(story.workspace), 'elsewhere');
    await mkdir(elsewhere);
    const far = await story.session({
      title: 'Of pirates',
      goal: 'Find pirates',
      workspace: elsewhere,
      items: [{ title: 'Dig' }],
    });
    const near = await story.session({ title: 'Export', items: [{ title: 'Write it' }] });
    for (const { id } of [far, near]) await runToRest(story.daemon, id, 'completed');
    const anna = await sitDown(story);
    await anna.sees('1 Write it', 'The export is done.');
    await anna.press('S');
    await anna.sees('Sessions', 'Of pirates', 'Export');
    await anna.write('pira');
    await anna.seesNot('completed  1/1     Export');
    await anna.press('Enter');
    await anna.sees('Goal: Find pirates', '1 Dig', 'Arr, a treasure.');
    await anna.seesNot('The export is done.');
    await anna.press('S', 'Esc');
    await anna.sees('Goal: Find pirates');
    await anna.press('S');
    await anna.sees('Search');
    await anna.click('Export');
    await anna.sees('1 Write it', 'The export is done.');
  });

  it('can be opened from a folder that has none', async () => {
    const story = await tellStory(() => result());
    await story.session({ title: 'The other one' });
    const folder = join(dirname(story.workspace), 'empty');
    await mkdir(folder);
    const anna = await sitDown({ ...story, workspace: folder });
    await anna.sees('S  open a session of another folder');
    await anna.press('S');
    await anna.sees('The other one');
    await anna.press('Enter');
    await anna.sees('1 First', '2 Second');
  });
});

describe('the help', () => {
  it('scrolls to its end at the smallest size', async () => {
    const story = await tellStory(() => result());
    await story.session();
    const anna = await sitDown(story, { columns: 40, rows: 12 });
    await anna.press('?');
    await anna.sees('Keys', 'Run');
    await anna.press('End');
    await anna.sees('Mouse');
    await anna.press('Home');
    await anna.sees('run the plan');
    await anna.press('q');
    await anna.sees('1 First');
    expect(anna.hasLeft()).toBe(false);
  });
});

describe('the search', () => {
  it('goes to titles while one types, and on with n and N', async () => {
    const story = await tellStory(() => result());
    await story.session({ items: ['Read it', 'Write it', 'Check it', 'Write more'].map((title) => ({ title })) });
    const anna = await sitDown(story);
    await anna.press('/');
    await anna.write('write');
    await anna.pointsAt('2 Write it');
    await anna.press('Enter', 'n');
    await anna.pointsAt('4 Write more');
    await anna.press('N');
    await anna.pointsAt('2 Write it');
    await anna.press('/');
    await anna.write('check');
    await anna.pointsAt('3 Check it');
    await anna.press('Esc');
    await anna.pointsAt('2 Write it');
  });
});

describe('the mouse', () => {
  it('chooses and opens items, turns to panes, takes hints, and leaves popups', async () => {
    const story = await tellStory(() => result());
    const { id } = await story.session();
    const anna = await sitDown(story);
    await anna.click('2 Second');
    await anna.pointsAt('2 Second');
    await anna.click('2 Second');
    await anna.sees('skip it');
    await anna.click('skip it');
    await anna.sees('skipped');
    expect((await statusesOf(story.daemon, id)).Second).toBe('skipped');
    await anna.click('Conversation');
    await anna.sees('[Conversation]');
    await anna.click('Say something');
    await anna.sees('[Say something]');
    await anna.click('2 Second');
    await anna.sees('[Plan]');
    await anna.click('help');
    await anna.sees('Keys');
    await anna.click('Goal: Ship');
    await anna.seesNot('Keys');
    await anna.click('r run ·');
    await anna.sees('completed');
  });

  it('turns to the other tab on a narrow terminal, and answers a question', async () => {
    const story = await tellStory(() => say('It is written.'));
    await story.session();
    const anna = await sitDown(story, { columns: 80, rows: 24 });
    await anna.press('r');
    await anna.sees('completed');
    await anna.click('Conversation');
    await anna.sees('It is written.');
    await anna.click('Plan');
    await anna.sees('1 First');
    await anna.press('x');
    await anna.click('No');
    await anna.seesNot('Remove it?');
    await anna.press('x');
    await anna.click('y Remove it');
    await anna.sees('1 item removed');
  });

  it('scrolls what it is over, by the wheel', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? say(Array.from({ length: 80 }, (_, i) => `row ${i}.`).join('\n')) : result(),
    );
    const { id } = await story.session({ items: Array.from({ length: 70 }, (_, i) => ({ title: `Item number ${i + 1}` })) });
    const anna = await sitDown(story);
    await story.daemon.call('chat.send', { sessionId: id, text: 'Count, please.' });
    await anna.sees('row 79.', '1 Item number 1');
    for (let i = 0; i < 6; i++) await anna.wheel('up', 'row ');
    await anna.sees('row 50.', 'End follows');
    await anna.seesNot('row 79.');
    for (let i = 0; i < 14; i++) await anna.wheel('down', 'Item number');
    await anna.seesNot(' 1 Item number 1 ');
    await anna.sees('60 Item number 60');
    for (let i = 0; i < 8; i++) await anna.wheel('down', 'row ');
    await anna.sees('row 79.');
  });
});
