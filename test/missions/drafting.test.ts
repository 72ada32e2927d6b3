/** Plans that a planner drafts for a person, and what a person finds in the morning. */
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import { runToRest, statusesOf, waitForRun } from '../support/daemon.js';
import { fire, openEntry, outcomeOf, requestOf } from '../support/mission-story.js';
import { call, hang, say, toolResults } from '../support/scripted-provider.js';
import { blocker, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const ended = (story: Story, sessionId: SessionId, runId: RunId) =>
  waitFor('the draft to end', async () => {
    const { runs } = await story.daemon.call('run.list', { sessionId });
    return runs.find((run) => run.id === runId && run.finishedAt !== null);
  });

describe('plan.draft', () => {
  it('makes the plan from the goal and a document, as a revision like any other, and starts nothing', async () => {
    const story = await tellStory((body) =>
      toolResults(body).length === 0
        ? call('mission_plan', { entries: [{ title: 'Read' }, { title: 'Write' }], explanation: 'as the document says' })
        : say('There it is.'),
    );
    const { id } = await story.session({ items: [] });
    const { runId } = await story.daemon.call('plan.draft', { sessionId: id, text: 'The requirements: a CSV.' });
    expect(await ended(story, id, runId)).toMatchObject({ kind: 'planner', status: 'completed' });
    expect(await statusesOf(story.daemon, id)).toEqual({ Read: 'pending', Write: 'pending' });
    expect(await story.daemon.call('session.get', { sessionId: id })).toMatchObject({ status: 'idle', isMission: false });
    const words = JSON.stringify(requestOf(story, () => true).messages);
    expect(words).toContain('Ship the export');
    expect(words).toContain('The requirements: a CSV.');
    const { revisions } = await story.daemon.call('plan.history', { sessionId: id });
    expect(revisions[0]).toMatchObject({ author: 'planner', explanation: 'as the document says' });
    const back = await story.daemon.call('plan.revert', { sessionId: id, version: 1 });
    expect(back.removed).toEqual(['t1', 't2']);
  });

  it('is refined in the chat, on the plan as it is', async () => {
    const story = await tellStory((body) => {
      const words = JSON.stringify(body.messages);
      if (toolResults(body).length > 0) return say('ok');
      if (!words.includes('Test it as well'))
        return call('mission_plan', { entries: [{ title: 'A' }, { title: 'B' }], explanation: 'two' });
      return call('mission_plan', {
        entries: [{ id: 't1', title: 'A' }, { id: 't2', title: 'B' }, { title: 'Test' }],
        explanation: 'asked for',
      });
    });
    const { id } = await story.session({ items: [] });
    const { runId } = await story.daemon.call('plan.draft', { sessionId: id });
    await ended(story, id, runId);
    const chat = await story.daemon.call('chat.send', { sessionId: id, text: 'Test it as well' });
    await ended(story, id, chat.runId);
    expect(Object.keys(await statusesOf(story.daemon, id))).toEqual(['A', 'B', 'Test']);
    const { from, to } = { from: 2, to: 3 };
    expect(await story.daemon.call('plan.diff', { sessionId: id, from, to })).toMatchObject({
      added: [{ title: 'Test' }],
      removed: [],
    });
  });

  it('goes on after kill -9', async () => {
    let isFirst = true;
    const story = await tellStory((body) => {
      if (isFirst) {
        isFirst = false;
        return hang();
      }
      return toolResults(body).length === 0
        ? call('mission_plan', { entries: [{ title: 'A' }, { title: 'B' }], explanation: 'two' })
        : say('ok');
    });
    const { id } = await story.session({ items: [] });
    await story.daemon.call('plan.draft', { sessionId: id });
    await waitFor('the request', () => story.provider.requests.length === 1);
    await story.daemon.kill();
    await story.restart();
    await waitFor('the plan', async () => Object.keys(await statusesOf(story.daemon, id)).length === 2);
  });

  it.each([
    ['without a model', { CAIRN_MODEL: '', OPENAI_BASE_URL: '' }, 'a goal', -32013],
    ['with nothing to plan for', {}, '', -32602],
  ])('%s is refused', async (_name, env, goal, code) => {
    const story = await tellStory(() => say('ok'), env);
    const { id } = await story.session({ goal, items: [] });
    await expect(story.daemon.call('plan.draft', { sessionId: id })).rejects.toMatchObject({ code });
  });
});

describe('the report of the morning', () => {
  it('says what was accepted, what is only claimed, what is blocked and why, what it cost, and what needs a person', async () => {
    const story = await tellStory((body) =>
      JSON.stringify(body.messages).includes('Your item: 3') ? blocker('no key') : result('did it'),
    );
    const items = [{ title: 'Checked', verify: ['true'] }, { title: 'Said' }, { title: 'Locked' }, { title: 'Later' }];
    const { id } = await story.session({ title: 'Night', items });
    await runToRest(story.daemon, id, 'blocked');
    const mission = await fire(story, { goal: 'Short', planner: 'never', items: [{ title: 'One' }, { title: 'Two' }] });
    await outcomeOf(story, mission.id);
    const summary = await story.daemon.call('report.summary', {});
    expect(summary.accepted).toMatchObject([{ session: 'Night', number: '1', title: 'Checked' }]);
    expect(summary.claimed).toMatchObject([{ title: 'Said', summary: 'did it' }, { title: 'One' }, { title: 'Two' }]);
    expect(summary.blocked).toMatchObject([{ session: 'Night', status: 'blocked', number: '3', title: 'Locked', why: 'no key' }]);
    expect(summary.outcomes).toMatchObject([
      { session: 'Short', outcome: 'landed', landed: { planned: 2, added: 0, dropped: 0, done: 2 } },
    ]);
    expect(summary.spent).toMatchObject({ turns: 5, inputTokens: 50, outputTokens: 25 });
    expect(summary.needsPerson).toMatchObject([{ kind: 'blocker', detail: 'no key' }]);
    expect(summary.underWay).toEqual([]);
    const only = await story.daemon.call('report.summary', { sessionId: mission.id });
    expect([only.accepted, only.claimed.length, only.blocked]).toEqual([[], 2, []]);
    const later = await story.daemon.call('report.summary', { since: summary.until });
    expect([later.accepted, later.claimed, later.outcomes, later.spent.turns]).toEqual([[], [], [], 0]);
    expect(later.blocked).toHaveLength(1);
  });

  it('of a mission tells what its first plan said against what became of it, and each revision', async () => {
    const story = await tellStory((body) => {
      if (!body.messages[0]?.content?.includes('PLANNER')) return result();
      const results = toolResults(body).length;
      if (results === 0)
        return call('mission_plan', {
          entries: [{ title: 'A', command: 'sleep 60' }, { title: 'B' }, { title: 'C' }],
          explanation: 'three',
        });
      if (results === 1)
        return call('mission_plan', {
          entries: [{ id: 't1', title: 'A' }, { id: 't3', title: 'C' }, { title: 'D' }],
          explanation: 'D for B',
        });
      return say('ok');
    });
    const { id } = await fire(story);
    await waitForRun(story.daemon, id, 'running');
    await waitFor(
      'the second revision',
      async () => (await story.daemon.call('plan.history', { sessionId: id, statusOnly: false })).revisions.length === 3,
    );
    await story.daemon.call('plan.setStatus', { sessionId: id, itemId: 't1', status: 'skipped' });
    await outcomeOf(story, id);
    const { outcomes, revisions } = await story.daemon.call('report.summary', { sessionId: id });
    expect(outcomes[0]?.landed).toEqual({
      planned: 3,
      added: 1,
      dropped: 1,
      done: 2,
      skipped: 1,
      addedTitles: ['D'],
      droppedTitles: ['B'],
    });
    expect(revisions).toMatchObject([
      { author: 'planner', explanation: 'three', added: 3 },
      { author: 'planner', explanation: 'D for B', added: 1, removed: 1 },
    ]);
  });

  it('leaves out what was done and then reopened, and takes a time with an offset', async () => {
    const story = await tellStory(() => result());
    const { id } = await story.session({ items: [{ title: 'A' }] });
    await runToRest(story.daemon, id, 'completed');
    await story.daemon.call('plan.setStatus', { sessionId: id, itemId: 't1', status: 'pending' });
    const { claimed, since } = await story.daemon.call('report.summary', { since: '2026-01-01T02:00:00+02:00' });
    expect([claimed, since]).toEqual([[], '2026-01-01T00:00:00.000Z']);
  });
});

describe('the inbox of a mission', () => {
  it('tells of the same blocker once, and of each revision once', async () => {
    const story = await tellStory((body) => (body.messages[0]?.content?.includes('PLANNER') ? hang() : blocker('no key')));
    const { id } = await fire(story, { items: [{ title: 'A' }] });
    const { id: first } = await openEntry(story, id, 'blocker');
    await story.daemon.kill();
    await story.restart();
    const { entries } = await story.daemon.call('inbox.list', { sessionId: id, state: 'open' });
    expect(entries.map((entry) => entry.id)).toEqual([first]);
  });
});
