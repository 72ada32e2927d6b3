import { describe, expect, it } from 'vitest';
import type { Session } from '../../shared/session.js';
import { type Daemon, startDaemon, statusesOf, tempPlaces, waitForRun } from '../support/daemon.js';
import { sitDown } from '../support/person.js';
import { call, say } from '../support/scripted-provider.js';
import { result, tellStory } from '../support/story.js';

async function newestOf(daemon: Daemon): Promise<Session> {
  const [newest] = (await daemon.call('session.list', {})).sessions;
  if (newest === undefined) throw new Error('there is no session');
  return newest;
}

describe('the first start', () => {
  it('leads from nothing to a plan that runs', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? [say('I look at the exporter first.'), call('list', {})] : result(),
    );
    const anna = await sitDown(story);
    await anna.sees('n  make a plan', 'scripted');
    await anna.press('n');
    await anna.write('Ship the export');
    await anna.press('Enter');
    await anna.sees('Goal: Ship the export', 'The plan is empty');
    await anna.press('a');
    await anna.write('Read the exporter');
    await anna.press('Enter');
    await anna.write('Write the writer');
    await anna.press('Enter', 'Esc', 'A');
    await anna.write('Quote the fields');
    await anna.press('Enter', 'Esc');
    await anna.seesInOrder('1 Read the exporter', '2 Write the writer', '2.1 Quote the fields');
    await anna.press('r');
    await anna.sees('completed', 'I look at the exporter first.', '$ list', '2/2');
    const session = await newestOf(story.daemon);
    expect(session).toMatchObject({ goal: 'Ship the export', workspace: story.workspace });
    expect(Object.values(await statusesOf(story.daemon, session.id))).toEqual(['done', 'done', 'done']);
  });

  it('takes titles as fast as they are typed, one after the other', async () => {
    const story = await tellStory(() => result());
    const session = await story.session({ items: [] });
    const anna = await sitDown(story);
    const titles = Array.from({ length: 12 }, (_, i) => `Task number ${i + 1}`);
    // All in one go, as from a slow connection that catches up.
    await anna.write(`a${titles.join('\r')}\r`);
    await anna.press('Esc');
    await anna.sees('12 Task number 12', '0/12');
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    expect(items.map(({ title }) => title)).toEqual(titles);
  });

  it('without a model, says so and runs what needs none', async () => {
    const { home, workspace } = await tempPlaces();
    const daemon = await startDaemon(home);
    const anna = await sitDown({ home, workspace });
    await anna.sees('No model', 'n  make a plan');
    await anna.press('n', 'Enter');
    await anna.sees('The plan is empty', 'No model is configured');
    const { id } = await newestOf(daemon);
    await daemon.call('plan.addItem', { sessionId: id, title: 'Count', command: 'seq 1 9; echo counted' });
    await anna.sees('1 Count');
    await anna.press('r');
    await anna.sees('completed', 'counted');
    await daemon.call('plan.addItem', { sessionId: id, title: 'Think' });
    await anna.sees('2 Think', 'idle');
    await anna.press('r');
    await anna.sees('blocked', 'CAIRN_MODEL');
  });

  it('shows in a long output its end, and all of it when it is unfolded', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? call('shell', { command: 'seq 101 120' }) : result()));
    const session = await story.session({ items: [{ title: 'Count' }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('completed', '120', 'lines before');
    await anna.seesNot('105');
    await anna.press('Tab', 'Up', 'Up');
    await anna.press('Enter');
    await anna.sees('105', '120');
    await anna.press('Enter');
    await anna.seesNot('105');
    await waitForRun(story.daemon, session.id, 'completed');
  });
});

describe('leaving', () => {
  it('ends the screen and nothing else', async () => {
    const story = await tellStory(() => new Promise(() => undefined));
    const session = await story.session();
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('running');
    await anna.press('q');
    expect(anna.hasLeft()).toBe(true);
    expect((await story.daemon.call('run.get', { sessionId: session.id })).status).toBe('running');
    const again = await sitDown(story);
    await again.sees('running', '1 First');
  });
});
