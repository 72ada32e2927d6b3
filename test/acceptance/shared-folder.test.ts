import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, waitForRun } from '../support/daemon.js';
import { call, toolResults } from '../support/scripted-provider.js';
import { createGate, result, tellStory, commandsAsked } from '../support/story.js';
import { waitFor } from '../support/wait.js';

describe('two sessions in one folder', () => {
  it('take turns, a leaf at a time, and say what they wait for', async () => {
    const gate = createGate();
    let atOnce = 0;
    let most = 0;
    const story = await tellStory(async () => {
      most = Math.max(most, ++atOnce);
      await gate.passed;
      atOnce -= 1;
      return result();
    });
    const [one, other] = [await story.session(), await story.session()];
    for (const { id } of [one, other]) await story.daemon.call('run.start', { sessionId: id });
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    const { liveness } = await waitFor('the other one to wait', async () => {
      const run = await story.daemon.call('run.get', { sessionId: other.id });
      return run.liveness.state === 'waiting' && run;
    });
    expect(liveness.cause).toContain(`for the workspace, used by ${one.id}`);
    gate.open();
    for (const { id } of [one, other]) await waitForRun(story.daemon, id, 'completed');
    expect(most).toBe(1);
    // Fair: neither finishes its whole plan before the other begins.
    const { events } = await story.daemon.call('event.list', {});
    const closed = events
      .filter(({ type, data }) => type === 'item.changed' && data.to === 'done')
      .map(({ sessionId }) => sessionId);
    expect(closed).not.toEqual([one.id, one.id, other.id, other.id]);
  });

  it('a run that waited for a person is told which files others changed meanwhile', async () => {
    const story = await tellStory((body) => (toolResults(body).length === 0 ? call('shell', { command: 'true' }) : result()));
    await writeFile(join(story.workspace, 'same.txt'), 'same');
    const session = await story.session({ policy: commandsAsked, items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'waiting');
    await writeFile(join(story.workspace, 'other.txt'), 'new');
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id, state: 'open' });
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    const told = story.provider.requests[1]?.body.messages
      .map(({ content }) => content)
      .find((text) => text?.includes('Changed meanwhile'));
    expect(told).toContain('other.txt');
    expect(told).not.toContain('same.txt');
  });
});
