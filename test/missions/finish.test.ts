/** The end of a mission: once, from wherever it comes, and nothing lands after it. */
import { describe, expect, it } from 'vitest';
import { waitForRun } from '../support/daemon.js';
import { eventsOf, fire, outcomeOf, sessionOf } from '../support/mission-story.js';
import { call, hang, say } from '../support/scripted-provider.js';
import { createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const two = [{ title: 'First' }, { title: 'Second' }];

describe('mission.finish', () => {
  it('in the middle of a leaf cancels its run, and its leaf is open again', async () => {
    const story = await tellStory(() => hang());
    const { id } = await fire(story, { planner: 'never', items: two });
    await waitFor('the leaf', () => story.provider.requests.length === 1);
    const ended = await story.daemon.call('mission.finish', { sessionId: id, outcome: 'derailed', reason: 'Not wanted.' });
    expect(ended).toMatchObject({
      outcome: 'derailed',
      outcomeReason: 'Not wanted.',
      status: 'cancelled',
      counts: { pending: 2 },
    });
    const { runs } = await story.daemon.call('run.list', { sessionId: id });
    expect(runs.map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('is final: the same again changes nothing, another is refused, and nothing lands after it', async () => {
    const gate = createGate();
    const story = await tellStory(async () => {
      await gate.passed;
      return result('too late');
    });
    const { id } = await fire(story, { planner: 'never', items: two });
    await waitFor('the leaf', () => story.provider.requests.length === 1);
    const finish = (outcome: 'landed' | 'derailed' | 'stuck') =>
      story.daemon.call('mission.finish', { sessionId: id, outcome, reason: `it is ${outcome}` });
    await expect(finish('landed')).rejects.toMatchObject({ code: -32010, message: expect.stringContaining('"First"') as string });
    await finish('stuck');
    const events = (await eventsOf(story, id)).length;
    expect(await finish('stuck')).toMatchObject({ outcome: 'stuck', outcomeReason: 'it is stuck' });
    await expect(finish('derailed')).rejects.toMatchObject({ code: -32010 });
    gate.open();
    await expect(story.daemon.call('plan.addItem', { sessionId: id, title: 'More' })).rejects.toMatchObject({ code: -32010 });
    await expect(story.daemon.call('plan.setStatus', { sessionId: id, itemId: 't1', status: 'done' })).rejects.toMatchObject({
      code: -32010,
    });
    await expect(story.daemon.call('run.start', { sessionId: id })).rejects.toMatchObject({ code: -32010 });
    await expect(story.daemon.call('plan.draft', { sessionId: id })).rejects.toMatchObject({ code: -32010 });
    expect((await eventsOf(story, id)).length).toBe(events);
    expect((await story.daemon.call('report.list', { sessionId: id })).reports).toEqual([]);
  });

  it('withdraws what was asked, and its planner’s turn ends with it', async () => {
    const story = await tellStory((body) =>
      body.messages[0]?.content?.includes('PLANNER') ? hang() : call('mission_ask_attention', { question: 'Which?' }),
    );
    const { id } = await fire(story, { items: two });
    await waitForRun(story.daemon, id, 'waiting');
    await story.daemon.call('mission.finish', { sessionId: id, outcome: 'stuck', reason: 'Nobody answers.' });
    const { entries } = await story.daemon.call('inbox.list', { sessionId: id });
    expect(entries.map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual(['outcome open', 'question withdrawn']);
    const { runs } = await story.daemon.call('run.list', { sessionId: id });
    expect(runs.map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual(['leaf cancelled', 'planner cancelled']);
    expect((await sessionOf(story, id)).planner.state).toBe('none');
  });

  it('is for missions: a person’s session has no outcome', async () => {
    const story = await tellStory(() => say('ok'));
    const { id } = await story.session();
    await expect(story.daemon.call('mission.finish', { sessionId: id, outcome: 'stuck', reason: 'x' })).rejects.toMatchObject({
      code: -32010,
      message: expect.stringContaining('was not fired as a mission') as string,
    });
  });

  it('by the planner in its own turn ends that turn, with no request more', async () => {
    const story = await tellStory(() => call('mission_finish', { outcome: 'derailed', reason: 'Nothing can be done.' }));
    const { id } = await fire(story);
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'derailed' });
    expect(story.provider.requests).toHaveLength(1);
    const { runs } = await story.daemon.call('run.list', { sessionId: id });
    expect(runs.map(({ status }) => status)).toEqual(['completed']);
  });
});

describe('mission.fire', () => {
  it('with neither planner nor plan is refused, and says what is missing', async () => {
    const story = await tellStory(() => say('ok'));
    await expect(fire(story, { planner: 'never' })).rejects.toMatchObject({
      code: -32602,
      data: { issues: [{ path: 'items' }] },
    });
  });

  it('with one key is fired once', async () => {
    const story = await tellStory(() => hang());
    const params = { planner: 'never', items: two, idempotencyKey: 'k1' } as const;
    const [one, other] = [await fire(story, { ...params, items: [...two] }), await fire(story, { ...params, items: [...two] })];
    expect(other.id).toBe(one.id);
    expect((await story.daemon.call('session.list', {})).sessions).toHaveLength(1);
  });
});
