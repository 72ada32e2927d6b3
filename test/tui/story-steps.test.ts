/** The model's own steps on the screen. */
import { describe, expect, it } from 'vitest';
import { call } from '../support/scripted-provider.js';
import { sitDown } from '../support/person.js';
import { createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const create = call('plan', {
  verb: 'create',
  steps: [
    { id: 's1', title: 'Read the exporter' },
    { id: 's2', title: 'Write the rows' },
  ],
});

describe('the steps of the running item', () => {
  it('are seen under it as soon as the model has made them, and by whoever comes later', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 1) return [create, call('plan', { verb: 'complete', step_id: 's1' })];
      await gate.passed;
      return result();
    });
    const session = await story.session({ items: [{ title: 'Export' }] });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('Read the exporter', 'Write the rows');
    await waitFor('the second turn', () => story.provider.requests.length === 2);
    const ben = await sitDown(story);
    await ben.sees('Read the exporter', 'Write the rows');
    gate.open();
    await anna.sees('completed');
    await anna.seesNot('Write the rows');
    expect((await story.daemon.call('plan.get', { sessionId: session.id })).counts.done).toBe(1);
  });
});

describe('a budget that asks', () => {
  it('is raised with a key', async () => {
    const story = await tellStory((_body, number) =>
      number <= 2 ? call('write', { path: `f${number}`, content: 'x' }) : result(),
    );
    const policy = { default: 'allow' as const, rules: [], budget: { turns: 2, onExhausted: 'ask' as const } };
    await story.session({ items: [{ title: 'Export' }], policy });
    const anna = await sitDown(story);
    await anna.press('r');
    await anna.sees('waiting for you (i)');
    await anna.press('i');
    await anna.sees('Raise it by as much again?', '2 turns');
    await anna.press('a');
    await anna.sees('completed');
  });
});
