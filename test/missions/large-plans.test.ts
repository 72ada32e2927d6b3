/** Plans of thousands: what a planner is sent and answered, and what a revision adds to the store, do not grow with them. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type outcomeOf, requestOf } from '../support/mission-story.js';
import { call, type Part, say, toolResults } from '../support/scripted-provider.js';
import { type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const titles = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `Item ${i}`, detail: 'What is to be done. '.repeat(20) }));

async function chat(story: Story, sessionId: Parameters<typeof outcomeOf>[1]): Promise<void> {
  await story.daemon.call('chat.send', { sessionId, text: 'Go' });
  await waitFor('the chat to end', async () => {
    const { runs } = await story.daemon.call('run.list', { sessionId });
    return runs.length > 0 && runs.every(({ status }) => status !== 'running');
  });
}

const script =
  (...parts: readonly Part[]) =>
  (body: Parameters<typeof toolResults>[0]) =>
    parts[toolResults(body).length] ?? say('ok');

describe('a plan of 3,000 items', () => {
  it('is told to its planner in the open items that come first, and revised in one section with a short answer', async () => {
    const split = call('mission_plan', { entries: [{ title: 'One' }, { title: 'Two' }], within: 't1', explanation: 'split' });
    const story = await tellStory(script(split));
    const { id } = await story.session({ items: titles(3_000) });
    await chat(story, id);
    const request = requestOf(story, () => true);
    expect(JSON.stringify(request.messages).length).toBeLessThan(40_000);
    expect(JSON.stringify(request.messages)).toContain('and 2800 more open items');
    const answer = toolResults(requestOf(story, (body) => toolResults(body).length === 1))[0]?.content ?? '';
    expect(answer.length).toBeLessThan(1_000);
    expect(answer).toContain('"One"');
  });

  it('whose planner has an old version is told what changed, not everything', async () => {
    let story: Story | null = null;
    const within = (title: string): Part =>
      call('mission_plan', { entries: [{ title }, { title: 'Two' }], within: 't1', explanation: 'split' });
    story = await tellStory(async (body) => {
      const results = toolResults(body).length;
      if (results > 1) return say('ok');
      if (results === 0) await story?.daemon.call('plan.updateItem', { sessionId: session.id, itemId: 't7', title: 'By hand' });
      return within('One');
    });
    const session = await story.session({ items: titles(3_000) });
    await chat(story, session.id);
    const [answer] = toolResults(requestOf(story, (body) => toolResults(body).length === 1));
    expect(answer?.content.length).toBeLessThan(1_500);
    expect(answer?.content).toContain('By hand');
  });

  it('grows in the store by what a revision changes', async () => {
    const rename = (title: string): Part => call('mission_plan', { entries: [{ title }], within: 't1', explanation: title });
    const story = await tellStory(script(rename('One'), rename('Two'), rename('Three')));
    const { id } = await story.session({ items: titles(3_000) });
    const size = async (): Promise<number> => {
      const sizes = await Promise.all(
        ['cairn.db', 'cairn.db-wal'].map((name) =>
          stat(join(story.home, name)).then(
            ({ size: bytes }) => bytes,
            () => 0,
          ),
        ),
      );
      return sizes.reduce((sum, bytes) => sum + bytes, 0);
    };
    await story.daemon.call('daemon.status', {});
    const before = await size();
    await chat(story, id);
    // Three revisions and a conversation: pages, not plans of a megabyte and a half each.
    expect((await size()) - before).toBeLessThan(1_000_000);
  });
});
