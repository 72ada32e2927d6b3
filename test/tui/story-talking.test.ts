import { describe, expect, it } from 'vitest';
import { startDaemon, tempPlaces } from '../support/daemon.js';
import { sitDown } from '../support/person.js';
import { call, hang, say, think, toolResults } from '../support/scripted-provider.js';
import { createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

describe('words to the model', () => {
  it('get an answer, and change nothing of the plan', async () => {
    const story = await tellStory((body) => say(`You said: ${body.messages.at(-1)?.content ?? ''}`));
    const { id } = await story.session();
    const anna = await sitDown(story);
    const before = await story.daemon.call('plan.get', { sessionId: id });
    await anna.press('Tab', 'Tab');
    await anna.write('What is left?');
    await anna.press('Enter');
    await anna.seesInOrder('› What is left?', 'You said: What is left?');
    expect(await story.daemon.call('plan.get', { sessionId: id })).toEqual(before);
  });

  it('reach the running item at its next turn', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number > 1) return result();
      await gate.passed;
      return call('list', {});
    });
    await story.session({ items: [{ title: 'Only' }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    await anna.press('Tab', 'Tab');
    await anna.sees('Say something to the running item');
    await anna.write('Use tabs, please.');
    await anna.press('Enter');
    await anna.sees('› Use tabs, please.');
    gate.open();
    await anna.sees('completed');
    expect(JSON.stringify(story.provider.requests[1]?.body)).toContain('Use tabs, please.');
  });

  it('come back to the line, with the reason, where no model takes them', async () => {
    const { home, workspace } = await tempPlaces();
    const daemon = await startDaemon(home);
    await daemon.call('session.create', { workspace, items: [{ title: 'Build', command: 'true' }] });
    const anna = await sitDown({ home, workspace });
    await anna.press('Tab', 'Tab');
    await anna.write('Is anybody there?');
    await anna.press('Enter');
    await anna.sees('› Is anybody there?', 'No model is configured');
    await anna.write(' Hello?');
    await anna.sees('› Is anybody there? Hello?');
  });

  it('are called back with Up, and what was being written comes back with Down', async () => {
    const story = await tellStory(() => say('Yes.'));
    await story.session();
    const anna = await sitDown(story);
    await anna.press('Tab', 'Tab');
    for (const words of ['first question', 'second question']) {
      await anna.write(words);
      await anna.press('Enter');
      await anna.sees(`› ${words}`);
    }
    await waitFor('both answers', () => story.provider.requests.length === 2);
    await anna.write('a draft');
    await anna.press('Up', 'Up');
    expect(anna.screen().match(/› first question/g)).toHaveLength(2);
    await anna.press('Down', 'Down');
    await anna.sees('› a draft');
  });

  it('may be many lines pasted at once: one edit, sent as a whole', async () => {
    const story = await tellStory(() => say('Read.'));
    await story.session();
    const anna = await sitDown(story);
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1} of the log`).join('\n');
    // Wherever the focus is: none of it is taken for keys.
    await anna.paste(lines);
    await anna.sees('line 30 of the log');
    await anna.press('Enter');
    await anna.sees('Read.');
    expect(story.provider.requests).toHaveLength(1);
    expect(story.provider.requests[0]?.body.messages.at(-1)?.content).toBe(lines);
  });

  it('keep quiet keys: a letter typed in the line runs nothing', async () => {
    const story = await tellStory(() => hang());
    await story.session();
    const anna = await sitDown(story);
    await anna.press('Tab', 'Tab');
    await anna.write('rpPcCxdq');
    await anna.sees('› rpPcCxdq', 'idle');
    await anna.press('Ctrl-c');
    await anna.sees('Cleared', 'idle');
    await anna.press('Ctrl-c');
    expect(anna.hasLeft()).toBe(true);
    expect(story.provider.requests).toHaveLength(0);
  });

  it('stay in the line while the daemon is away, and are sent when it is back', async () => {
    const story = await tellStory(() => say('Welcome back.'));
    await story.session();
    const anna = await sitDown(story);
    await story.daemon.kill();
    await anna.sees('lost');
    await anna.press('Tab', 'Tab');
    await anna.write('Are you there?');
    await anna.press('Enter');
    await anna.sees('› Are you there?');
    await story.restart();
    await anna.seesNot('lost');
    await anna.press('Enter');
    await anna.seesInOrder('› Are you there?', 'Welcome back.');
    expect(story.provider.requests).toHaveLength(1);
  });
});

describe('what the model does', () => {
  it('is seen as it comes: thoughts folded, text, tool calls with their output', async () => {
    const gate = createGate();
    const story = await tellStory(async (body, number) => {
      if (number === 1)
        return [think('It may be\nthe encoding.'), say('I look at the file.'), call('shell', { command: 'echo found it' })];
      await gate.passed;
      return toolResults(body)[0]?.content.includes('found it') ? result('fixed the encoding') : hang();
    });
    await story.session({ items: [{ title: 'Find the bug' }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.seesInOrder('── 1 Find the bug', 'thought (2 lines)', 'I look at the file.', '$ echo found it', '│ found it');
    await anna.seesNot('the encoding.');
    gate.open();
    await anna.sees('completed', 'fixed the encoding');
  });

  it('never reaches the terminal as a command to it', async () => {
    const story = await tellStory((_body, number) =>
      number === 1
        ? [
            say('\u001b[2J\u001b]0;owned\u0007Hello \u001b[31mred'),
            call('shell', { command: "printf '\\033[?1049l\\033[2Jbye\\n'" }),
          ]
        : result(),
    );
    await story.session({ items: [{ title: 'A title with \u202e in it' }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('completed', 'Hello', 'bye', 'A title with', 'Goal: Ship the export');
  });
});
