import { describe, expect, it } from 'vitest';
import type { PolicyInput } from '../../shared/mission.js';
import { statusesOf, waitForRun } from '../support/daemon.js';
import { eventsOf, fire, openEntry, outcomeOf, plannerRuns, requestOf, sessionOf } from '../support/mission-story.js';
import { briefOf, isWoken, playing, sinceWaking, systemOf } from '../support/planning-model.js';
import { call, fail, type Handler, say } from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const firstPlan = call('mission_plan', { entries: [{ title: 'Read' }, { title: 'Write' }], explanation: 'the first plan' });
const land = call('mission_finish', { outcome: 'landed', reason: 'all is there' });
const nothing = say('Nothing to change.');
/** Makes the plan when it is fired, and leaves everything else as it is. */
const plansOnce: Handler = (body) => (isWoken(body) && briefOf(body).includes('has been fired') ? firstPlan : nothing);

describe('a mission', () => {
  it('is planned, worked at, blocked, planned anew, worked at and landed, with nobody looking on', async () => {
    const briefs: string[] = [];
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (!isWoken(body)) return say('Done.');
          const brief = briefOf(body);
          briefs.push(brief);
          if (brief.includes('has been fired')) return firstPlan;
          if (brief.includes('no key')) {
            const entries = [
              { id: 't1', title: 'Read' },
              { title: 'Get a key' },
              { id: 't2', title: 'Write', status: 'pending' },
            ];
            return call('mission_plan', { entries, explanation: 'a key is needed first' });
          }
          return brief.includes('Every item') ? land : nothing;
        },
        worker: (_body, number) => (number === 2 ? blocker('no key') : result(`did ${number}`)),
      }),
    );
    const { id } = await fire(story);
    const ended = await outcomeOf(story, id);
    expect(ended).toMatchObject({ outcome: 'landed', outcomeReason: 'all is there', status: 'completed', isMission: true });
    expect(await statusesOf(story.daemon, id)).toEqual({ Read: 'done', 'Get a key': 'done', Write: 'done' });
    const { entries } = await story.daemon.call('inbox.list', { sessionId: id });
    expect(entries.map(({ kind, state, title }) => `${kind} ${state}: ${title}`).toReversed()).toEqual([
      'plan_revised open: Plan revised: +2 −0 — the first plan',
      'blocker withdrawn: Blocked: 2 Write',
      'plan_revised open: Plan revised: +1 −0 — a key is needed first',
      'outcome open: Landed: Ship the export',
    ]);
    const { reports } = await story.daemon.call('report.list', { sessionId: id });
    expect(reports.map(({ kind, summary }) => `${kind} ${summary}`).toReversed()).toEqual([
      'result did 1',
      'blocker no key',
      'result did 3',
      'result did 4',
    ]);
    // Every waking said what is new, and each thing once.
    expect(briefs.filter((brief) => brief.includes('no key'))).toHaveLength(1);
    expect(briefs.filter((brief) => brief.includes('did 1'))).toHaveLength(1);
    expect((await story.daemon.call('plan.history', { sessionId: id, statusOnly: false })).revisions).toMatchObject([
      { author: 'planner', explanation: 'a key is needed first', added: ['t3'], removed: [] },
      { author: 'planner', explanation: 'the first plan', added: ['t1', 't2'] },
      { author: 'person' },
    ]);
  });

  it('tells its planner, at each waking, goal, order, plan and date, and to reach people by its tools only', async () => {
    const story = await tellStory(playing({ planner: plansOnce, worker: () => result() }));
    const scope = { included: ['the exporter'], excluded: ['the importer'] };
    const { id } = await fire(story, { acceptance: ['A CSV can be opened'], scope });
    await outcomeOf(story, id);
    const system = systemOf(requestOf(story, () => true));
    expect(system).toContain('Goal: Ship the export');
    expect(system).toContain('A CSV can be opened');
    expect(system).toContain('the importer');
    expect(system).toContain('There is no plan yet.');
    expect(system).toContain('UNATTENDED');
    expect(system).toContain(new Date().toISOString().slice(0, 10));
    const worker = requestOf(story, (body) => !systemOf(body).includes('PLANNER'));
    expect(systemOf(worker)).toContain('UNATTENDED');
    expect(JSON.stringify(worker.messages)).toContain('the importer');
  });

  it('that came with a plan runs at once; with no planner the runtime lands it', async () => {
    const story = await tellStory(() => result());
    const { id } = await fire(story, { planner: 'never', items: [{ title: 'Only' }] });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed', planner: { mode: 'never', state: 'none' } });
    expect(await plannerRuns(story, id)).toEqual([]);
  });

  it('whose planner says nothing at the end is landed by the runtime, after it was woken once to finish', async () => {
    const briefs: string[] = [];
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (isWoken(body)) briefs.push(briefOf(body));
          return briefs.length === 1 && isWoken(body) ? firstPlan : nothing;
        },
        worker: () => result(),
      }),
    );
    const { id } = await fire(story);
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
    expect(briefs.filter((brief) => brief.includes('Every item'))).toHaveLength(1);
  });

  it('a burst of reports wakes the planner once, with all of them', async () => {
    const gate = createGate();
    const briefs: string[] = [];
    const story = await tellStory(
      playing({
        planner: async (body) => {
          if (!isWoken(body)) return say('ok');
          briefs.push(briefOf(body));
          if (briefs.length === 1)
            return call('mission_plan', { entries: ['A', 'B', 'C'].map((title) => ({ title })), explanation: 'three' });
          if (briefs.length === 2) await gate.passed;
          return nothing;
        },
        worker: (_body, number) => result(`did ${number}`),
      }),
    );
    const { id } = await fire(story);
    await waitForRun(story.daemon, id, 'completed');
    gate.open();
    await outcomeOf(story, id);
    const rest = briefs.slice(2).join('\n');
    // What came while the second turn was under way is one waking.
    expect(briefs).toHaveLength(3);
    expect(rest).toContain('did 3');
    expect(rest).toContain('Every item');
  });

  it('that is woken only when it is blocked hears of results with the next waking', async () => {
    const briefs: string[] = [];
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (isWoken(body)) briefs.push(briefOf(body));
          return isWoken(body) && briefs.length === 1 ? firstPlan : nothing;
        },
        worker: (_body, number) => result(`did ${number}`),
      }),
    );
    const { id } = await fire(story, { planner: 'on_blocked' });
    await outcomeOf(story, id);
    expect(briefs).toHaveLength(2);
    expect(briefs[1]).toContain('did 1');
    expect(briefs[1]).toContain('did 2');
  });

  it('is stuck after three planner turns that change nothing on the same blocker', async () => {
    const briefs: string[] = [];
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (isWoken(body)) briefs.push(briefOf(body));
          return isWoken(body) && briefs.length === 1 ? firstPlan : nothing;
        },
        worker: () => blocker('the door is locked'),
      }),
    );
    const { id } = await fire(story);
    const ended = await outcomeOf(story, id);
    expect(ended.outcome).toBe('stuck');
    expect(ended.outcomeReason).toContain('the door is locked');
    expect(briefs.slice(1).filter((brief) => brief.includes('the door is locked'))).toHaveLength(3);
  });

  it('whose planner makes no plan is stuck, and says why', async () => {
    const story = await tellStory(playing({ planner: () => say('I wonder.'), worker: () => result() }));
    const { id } = await fire(story);
    const ended = await outcomeOf(story, id);
    expect(ended).toMatchObject({ outcome: 'stuck', outcomeReason: expect.stringContaining('no plan') as string });
    expect(await plannerRuns(story, id)).toHaveLength(3);
  });

  it('in which the same item stops again and again, whatever is changed, is stuck', async () => {
    const story = await tellStory(
      playing({
        planner: (body, number) => {
          if (!isWoken(body)) return say('ok');
          const entries = [{ ...(number > 1 ? { id: 't1' } : {}), title: `Open the door, way ${number}` }, { title: 'Go in' }];
          return call('mission_plan', { entries, explanation: `way ${number}` });
        },
        worker: () => blocker('locked'),
      }),
    );
    const { id } = await fire(story);
    const ended = await outcomeOf(story, id);
    expect(ended).toMatchObject({ outcome: 'stuck', outcomeReason: expect.stringContaining('stood still 6 times') as string });
  });

  it('whose work fails for good is derailed when nobody plans, and tells the planner when somebody does', async () => {
    const alone = await tellStory(() => fail(400, { error: { message: 'no such model' } }));
    const { id } = await fire(alone, { planner: 'never', items: [{ title: 'Only' }] });
    const ended = await outcomeOf(alone, id);
    expect(ended).toMatchObject({ outcome: 'derailed', outcomeReason: expect.stringContaining('no such model') as string });
    const planned = await fire(alone, { items: [{ title: 'Only' }] });
    // Its planner has the same provider: nothing of it works.
    expect(await outcomeOf(alone, planned.id)).toMatchObject({
      outcome: 'derailed',
      outcomeReason: expect.stringContaining('The planner failed 3 times') as string,
    });
  });

  it('goes on after a provider that failed its planner for a while, and repeats and loses nothing', async () => {
    let failures = 2;
    const briefs: string[] = [];
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (isWoken(body)) briefs.push(briefOf(body));
          if (failures-- > 0) return fail(400, { error: { message: 'not now' } });
          return briefOf(body).includes('has been fired') && isWoken(body) ? firstPlan : nothing;
        },
        worker: () => result(),
      }),
    );
    const { id } = await fire(story);
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
    expect((await plannerRuns(story, id)).slice(0, 3).map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
    expect(briefs.slice(0, 3).every((brief) => brief.includes('has been fired'))).toBe(true);
    expect(briefs.slice(3).some((brief) => brief.includes('has been fired'))).toBe(false);
  });

  it('answers a person through its planner, in the conversation', async () => {
    const story = await tellStory(
      playing({
        planner: (body, number) => {
          const words = sinceWaking(body).filter(({ role }) => role === 'user');
          if (words.some(({ content }) => content === 'How far are you?')) return say('Half way.');
          return plansOnce(body, number);
        },
        worker: () => call('mission_ask_attention', { question: 'Which colour?' }),
      }),
    );
    const { id } = await story.session({ planner: 'always' });
    const { runId } = await story.daemon.call('chat.send', { sessionId: id, text: 'How far are you?' });
    await waitFor('the answer', async () =>
      (await plannerRuns(story, id)).some((run) => run.id === runId && run.status === 'completed'),
    );
    const { messages } = await story.daemon.call('run.transcript', { runId });
    expect(messages.slice(-2).map(({ kind, content }) => [kind, content])).toEqual([
      ['chat', 'How far are you?'],
      ['assistant', 'Half way.'],
    ]);
    // What was said is part of the conversation that the leaves are told.
    await story.daemon.call('run.start', { sessionId: id });
    await openEntry(story, id, 'question');
    const leaf = (story.provider.requests.at(-1)?.body.messages ?? []).map(({ content }) => content);
    expect(leaf).toEqual(expect.arrayContaining(['How far are you?', 'Half way.']));
  });

  it('that a person has paused or cancelled wakes no planner until it is started again', async () => {
    const gate = createGate();
    let planners = 0;
    const story = await tellStory(
      playing({
        planner: async (body) => {
          planners += 1;
          if (planners === 1) await gate.passed;
          return isWoken(body) && briefOf(body).includes('has been fired') ? firstPlan : nothing;
        },
        worker: () => result(),
      }),
    );
    const { id } = await fire(story);
    await waitFor('the planner', () => planners === 1);
    expect((await sessionOf(story, id)).planner).toMatchObject({ state: 'running' });
    expect(await story.daemon.call('run.get', { sessionId: id })).toMatchObject({
      status: 'idle',
      liveness: { state: 'working' },
    });
    await story.daemon.call('run.cancel', { sessionId: id });
    gate.open();
    await waitFor('the planner to stop', async () => (await plannerRuns(story, id))[0]?.status === 'cancelled');
    expect(await sessionOf(story, id)).toMatchObject({ status: 'cancelled', outcome: null, planner: { state: 'held' } });
    expect((await story.daemon.call('plan.get', { sessionId: id })).items).toEqual([]);
    await story.daemon.call('run.start', { sessionId: id });
    // It was shown nothing to its end, so it is shown all of it again.
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
  });

  it('without a model waits visibly, and goes on when the daemon has one', async () => {
    const story = await tellStory(playing({ planner: plansOnce, worker: () => result() }), {
      CAIRN_MODEL: '',
      OPENAI_BASE_URL: '',
    });
    const { id } = await fire(story);
    const held = await openEntry(story, id, 'blocker');
    expect(held.detail).toContain('No model is configured');
    expect((await sessionOf(story, id)).planner).toMatchObject({ state: 'held' });
    await story.daemon.kill();
    await story.restart({ CAIRN_MODEL: 'scripted', OPENAI_BASE_URL: story.provider.baseUrl });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
    const { entries } = await story.daemon.call('inbox.list', { sessionId: id });
    expect(entries.find(({ id: entry }) => entry === held.id)?.state).toBe('withdrawn');
    expect((await eventsOf(story, id)).filter(({ type }) => type === 'session.outcome')).toHaveLength(1);
  });

  it('whose budget is used up waits for a person to raise it, and its planner with it', async () => {
    const story = await tellStory(playing({ planner: plansOnce, worker: () => result() }));
    const policy: PolicyInput = { default: 'allow', rules: [], budget: { turns: 1 } };
    const { id } = await fire(story, { policy });
    await waitFor('the planner to be held', async () => (await sessionOf(story, id)).planner.state === 'held');
    await waitForRun(story.daemon, id, 'blocked');
    await story.daemon.call('run.start', { sessionId: id, budget: { turns: 100 } });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
  });
});
