import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, waitForRun } from '../support/daemon.js';
import { type Person, sitDown } from '../support/person.js';
import { call, hang, say, toolResults } from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const tall = { columns: 132, rows: 60 };

/** What is in sight of the conversation, which stands left of the plan. */
function conversationOf(person: Person): string[] {
  const lines = person.screen().split('\n');
  const width = lines[1]?.indexOf('┬');
  return lines.map((line) => line.slice(0, width));
}

const timesSeen = (person: Person, text: string): number => conversationOf(person).filter((line) => line.includes(text)).length;
const firstLine = (person: Person, text: string): string => conversationOf(person).find((line) => line.includes(text)) ?? '';

describe('who opens the screen later', () => {
  it('sees what was said and done before, in order, each once', async () => {
    const story = await tellStory((body, number) => {
      if (body.messages.at(-1)?.content === 'How far are you?') return say('Nearly there.');
      if (toolResults(body).length === 0)
        return [say(`Part ${number} begins.`), call('shell', { command: `echo output ${number}` })];
      return result(`part ${number} is done`);
    });
    const { id } = await story.session({
      items: [{ title: 'First' }, { title: 'Second' }, { title: 'Build', command: 'echo built' }],
    });
    await runToRest(story.daemon, id, 'completed');
    await story.daemon.call('chat.send', { sessionId: id, text: 'How far are you?' });
    await waitFor('the answer', () => story.provider.requests.length === 5);
    const anna = await sitDown(story, tall);
    await anna.seesInOrder(
      '── 1 First',
      'Part 1 begins.',
      '$ echo output 1',
      '│ output 1',
      'part 2 is done',
      '── 2 Second',
      'Part 3 begins.',
      'part 4 is done',
      '── 3 Build',
      '$ echo built',
      '› How far are you?',
      'Nearly there.',
    );
    for (const text of [
      'Part 1 begins.',
      'part 2 is done',
      'Part 3 begins.',
      '── 3 Build',
      'How far are you?',
      'Nearly there.',
    ]) {
      expect([text, timesSeen(anna, text)]).toEqual([text, 1]);
    }
  });

  it('sees a run that is under way as a whole once its turn has ended, and nothing of it twice', async () => {
    const gates = [createGate(), createGate(), createGate()] as const;
    const story = await tellStory(async (_body, number) => {
      if (number === 1) return [say('I begin with the lexer.'), call('shell', { command: 'echo lexer written' })];
      if (number === 2) {
        await gates[0].passed;
        return [say('Now the parser.'), call('shell', { command: 'echo parser written' })];
      }
      if (number === 3) {
        await gates[1].passed;
        return [say('And the printer.'), call('shell', { command: 'echo printer written' })];
      }
      await gates[2].passed;
      return result('all is written');
    });
    const { id } = await story.session({ items: [{ title: 'Compiler' }] });
    await story.daemon.call('run.start', { sessionId: id });
    await waitFor('the second turn', () => story.provider.requests.length === 2);
    const anna = await sitDown(story, tall);
    await anna.sees('running', 'I begin with the lexer.', '│ lexer written');
    gates[0].open();
    await anna.sees('Now the parser.', '│ parser written');
    gates[1].open();
    await anna.sees('And the printer.', '│ printer written');
    gates[2].open();
    await anna.sees('completed', 'all is written');
    await anna.seesInOrder(
      '── 1 Compiler',
      'I begin',
      '│ lexer',
      'Now the',
      '│ parser',
      'And the',
      '│ printer',
      'all is written',
      'done, claimed',
    );
    for (const text of ['I begin', '$ echo lexer', 'Now the', '$ echo parser', 'And the', '$ echo printer', 'all is written']) {
      expect([text, timesSeen(anna, text)]).toEqual([text, 1]);
    }
  });

  it('in the middle of a command hears the rest of it, once', async () => {
    const story = await tellStory((body) =>
      toolResults(body).length === 0
        ? [say('I test.'), call('shell', { command: 'echo one; until [ -e go ]; do sleep 0.02; done; echo two' })]
        : result('tested'),
    );
    const { id } = await story.session({ items: [{ title: 'Test' }] });
    await story.daemon.call('run.start', { sessionId: id });
    await waitFor('the command', async () =>
      (await story.daemon.call('run.get', { sessionId: id })).liveness.cause.includes('echo one'),
    );
    const anna = await sitDown(story, tall);
    await anna.sees('I test.', '$ echo one;');
    await writeFile(join(story.workspace, 'go'), '');
    await anna.sees('completed', '│ one', '│ two', 'tested');
    for (const text of ['I test.', '$ echo one;', '│ one', '│ two', 'result: tested'])
      expect([text, timesSeen(anna, text)]).toEqual([text, 1]);
  });

  it('reads on what was before, as far back as one scrolls', async () => {
    const story = await tellStory((_body, number) => say(`This is answer number ${number}.`));
    const { id } = await story.session({ items: Array.from({ length: 15 }, (_, i) => ({ title: `Item ${i + 1}` })) });
    await runToRest(story.daemon, id, 'completed');
    const anna = await sitDown(story, { columns: 120, rows: 20 });
    await anna.sees('answer number 15.');
    await anna.press('Tab');
    for (const number of [10, 6, 3, 1]) {
      await anna.press('Home');
      await waitFor(`answer ${number}`, async () => {
        await anna.press('Home');
        return anna.screen().includes(`answer number ${number}.`);
      });
    }
    await anna.press('End');
    await anna.sees('answer number 15.');
  });
});

describe('what comes while one reads further up', () => {
  it('moves nothing under the eyes', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 1) return say(Array.from({ length: 60 }, (_, i) => `first answer, row ${i}.`).join('\n'));
      await gate.passed;
      return say(Array.from({ length: 60 }, (_, i) => `second answer, row ${i}.`).join('\n'));
    });
    await story.session();
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('first answer, row 59.', '1/2');
    await anna.press('Tab', 'PgUp');
    await anna.seesNot('first answer, row 59.');
    const seen = firstLine(anna, 'first answer');
    gate.open();
    await anna.sees('completed', 'End follows');
    expect(firstLine(anna, 'first answer')).toBe(seen);
    await anna.press('End');
    await anna.sees('second answer, row 59.');
  });

  it('nor where the screen was opened in the middle of the run', async () => {
    const gates = [createGate(), createGate()] as const;
    const rows = Array.from({ length: 80 }, (_, i) => `row ${i} of the text.`).join('\n');
    const story = await tellStory(async (_body, number) => {
      if (number === 1) return [say(rows), call('list', {})];
      await gates[number === 2 ? 0 : 1].passed;
      return number === 2 ? [say('More comes.'), call('list', {})] : result('that was it');
    });
    const { id } = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: id });
    await waitFor('the second turn', () => story.provider.requests.length === 2);
    const anna = await sitDown(story);
    await anna.sees('row 79 of the text.');
    await anna.press('Tab', 'PgUp', 'Up');
    const seen = firstLine(anna, 'of the text.');
    gates[0].open();
    await waitFor('the third turn', () => story.provider.requests.length === 3);
    gates[1].open();
    await anna.sees('completed');
    // What was asked for before the list of sessions has come when that has.
    await anna.press('S');
    await anna.sees('Ship the export', '1/1');
    await anna.press('Esc');
    expect(firstLine(anna, 'of the text.')).toBe(seen);
    await anna.press('End');
    await anna.sees('More comes.', 'that was it');
  });
});

describe('a run that was cut off', () => {
  it('is told once, together with the run that goes on with it', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1) return [say('The first half.'), call('list', {})];
      if (number === 2) return hang();
      return toolResults(body).length > 0 ? [say('The second half.'), result('whole')] : blocker('forgotten');
    });
    const { id } = await story.session({ items: [{ title: 'Only' }] });
    const anna = await sitDown(story, tall);
    await anna.press('r');
    await anna.sees('The first half.');
    await waitFor('the second turn', () => story.provider.requests.length === 2);
    await story.daemon.kill();
    await anna.sees('lost');
    await story.restart();
    await anna.sees('completed', 'The second half.');
    await anna.seesNot('lost');
    await waitForRun(story.daemon, id, 'completed');
    await anna.seesInOrder('── 1 Only', 'The first half.', 'The second half.', 'done, claimed');
    const ben = await sitDown(story, tall);
    await ben.seesInOrder('── 1 Only', 'The first half.', 'The second half.', 'done, claimed');
    for (const person of [anna, ben]) {
      for (const text of ['The first half.', 'The second half.', 'result: whole', 'done, claimed'])
        expect([text, timesSeen(person, text)]).toEqual([text, 1]);
    }
  });
});
