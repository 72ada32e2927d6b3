/** What an independent review of the mission engine found: each was a way to lose work, money or the thread. */
import { describe, expect, it } from 'vitest';
import type { PolicyInput } from '../../shared/mission.js';
import type { SessionId } from '../../shared/plan.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder, waitForRun } from '../support/daemon.js';
import { fire, openEntry, outcomeOf, plannerRuns, requestOf, sessionOf } from '../support/mission-story.js';
import { briefOf, isPlanner, isWoken, playing, systemOf } from '../support/planning-model.js';
import {
  call,
  fail,
  type Handler,
  hang,
  type Part,
  say,
  type ScriptedRequest,
  toolResults,
} from '../support/scripted-provider.js';
import { blocker, createGate, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const isFired = (body: ScriptedRequest): boolean => isWoken(body) && briefOf(body).includes('has been fired');
const two = call('mission_plan', { entries: [{ title: 'A' }, { title: 'B' }], explanation: 'two' });
const plansOnce: Handler = (body) => (isFired(body) ? two : say('ok'));
const goalOf = (body: ScriptedRequest): string => /^Goal: (.*)$/m.exec(systemOf(body))?.[1] ?? '';
const limited = (budget: object): PolicyInput => ({ default: 'allow', rules: [], budget });

const below = (story: Story, parentId: SessionId, more: object = {}) =>
  fire(story, { goal: 'Below', parentId, planner: 'never', items: [{ title: 'Dig' }], ...more });

describe('a budget', () => {
  it('that is raised answers what was asked of its own session, and nothing of those below', async () => {
    const story = await tellStory(() => call('list', {}));
    const parent = await story.session({ items: [{ title: 'Above', command: 'true' }] });
    const child = await below(story, parent.id, { policy: limited({ turns: 2, onExhausted: 'ask' }) });
    const asked = await openEntry(story, child.id, 'budget');
    await story.daemon.call('run.start', { sessionId: parent.id, budget: { turns: 500 } });
    await waitForRun(story.daemon, parent.id, 'completed');
    const { entries } = await story.daemon.call('inbox.list', { sessionId: child.id, state: 'open' });
    expect(entries.map(({ id }) => id)).toEqual([asked.id]);
  });

  it('can be raised before there is a plan, and at the end of one', async () => {
    const story = await tellStory(playing({ planner: plansOnce, worker: () => result() }));
    const { id } = await fire(story, { policy: limited({ turns: 1 }) });
    await waitFor('the planner to be held', async () => (await sessionOf(story, id)).planner.state === 'held');
    await waitForRun(story.daemon, id, 'blocked');
    await story.daemon.call('run.start', { sessionId: id, budget: { turns: 4 } });
    await waitFor('the planner to be held again', async () => {
      const { planner, status } = await sessionOf(story, id);
      return (planner.state === 'held' && (status === 'completed' || status === 'blocked')) || planner.state === 'none';
    });
    if ((await sessionOf(story, id)).outcome === null) {
      await story.daemon.call('run.start', { sessionId: id, budget: { turns: 100 } });
    }
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
  });

  it('of the one above, raised, frees the planners below', async () => {
    const story = await tellStory((body) => (isPlanner(body) ? plansOnce(body, 0) : result()));
    const parent = await story.session({ policy: limited({ turns: 1 }), items: [{ title: 'Above' }] });
    await story.daemon.call('run.start', { sessionId: parent.id });
    await waitForRun(story.daemon, parent.id, 'completed');
    const child = await fire(story, { goal: 'Below', parentId: parent.id });
    await waitFor('the planner below to be held', async () => (await sessionOf(story, child.id)).planner.state === 'held');
    await story.daemon.call('plan.addItem', { sessionId: parent.id, title: 'More', command: 'true' });
    await story.daemon.call('run.start', { sessionId: parent.id, budget: { turns: 100 } });
    expect(await outcomeOf(story, child.id)).toMatchObject({ outcome: 'landed' });
  });
});

describe('a planner that goes in circles', () => {
  it('by changing words at each waking is stopped', async () => {
    let n = 0;
    const story = await tellStory((body) => {
      n += 1;
      const entry = { title: `Word ${n}`, ...(n > 1 ? { id: 't1' } : {}) };
      return isWoken(body) ? call('mission_plan', { entries: [entry, { title: 'Other' }], explanation: `word ${n}` }) : say('ok');
    });
    const { id } = await fire(story, { profile: 'solo' });
    expect(await outcomeOf(story, id)).toMatchObject({
      outcome: 'stuck',
      outcomeReason: expect.stringContaining('stood still') as string,
    });
    expect((await plannerRuns(story, id)).length).toBeLessThan(12);
  });

  it('by skipping what stops and adding more of the same is stopped', async () => {
    let n = 0;
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (!isWoken(body)) return say('ok');
          n += 1;
          return call('mission_plan', { entries: [{ title: `Try ${n}` }, { title: `Try ${n} again` }], explanation: `try ${n}` });
        },
        worker: () => blocker('a wall'),
      }),
    );
    const { id } = await fire(story);
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'stuck' });
    expect((await plannerRuns(story, id)).length).toBeLessThan(12);
  });
});

describe('what a person has stopped', () => {
  it('is not begun again by a claim of solo', async () => {
    const gate = createGate();
    const story = await tellStory(async (body) => {
      const results = toolResults(body).length;
      if (results === 0)
        return call('mission_plan', { entries: [{ title: 'A', verify: ['true'] }, { title: 'B' }], explanation: 'two' });
      if (results > 1) return say('ok');
      await gate.passed;
      return call('mission_plan', {
        entries: [
          { id: 't1', title: 'A', status: 'done' },
          { id: 't2', title: 'B' },
        ],
      });
    });
    const { id } = await fire(story, { profile: 'solo' });
    await waitFor('the plan', async () => (await story.daemon.call('plan.get', { sessionId: id })).items.length === 2);
    await story.daemon.call('run.pause', { sessionId: id });
    gate.open();
    await waitFor('the turn to end', async () => (await plannerRuns(story, id))[0]?.status === 'completed');
    expect(await sessionOf(story, id)).toMatchObject({ status: 'paused', counts: { done: 0 } });
    const refused = toolResults(requestOf(story, (body) => toolResults(body).length === 2)).at(-1)?.content;
    expect(refused).toContain('paused by a person');
  });

  it('stays so for the planner through a restart and through an answer', async () => {
    const story = await tellStory((body) => {
      if (!isPlanner(body)) return hang();
      const results = toolResults(body).length;
      return results === 0 ? call('mission_ask_attention', { question: 'Which?' }) : results === 1 ? two : say('ok');
    });
    const { id } = await fire(story);
    const question = await openEntry(story, id, 'question');
    await story.daemon.call('run.pause', { sessionId: id });
    await story.daemon.call('inbox.answer', { id: question.id, answer: 'the blue one' });
    await story.daemon.kill();
    await story.restart();
    expect(await sessionOf(story, id)).toMatchObject({ status: 'paused', planner: { state: 'held' } });
    expect(story.provider.requests).toHaveLength(1);
    await story.daemon.call('run.start', { sessionId: id });
    await waitFor('the plan', async () => (await story.daemon.call('plan.get', { sessionId: id })).items.length === 2);
    const answered = requestOf(story, (body) => toolResults(body).length === 1);
    expect(toolResults(answered)[0]?.content).toBe('A person answers: the blue one');
  });

  it('is not carried out when its turn comes', async () => {
    const gate = createGate();
    const story = await tellStory(
      async (body) => {
        if (goalOf(body) === 'First') await gate.passed;
        return say('ok');
      },
      { CAIRN_PARALLEL_SESSIONS: '1' },
    );
    await fire(story, { goal: 'First' });
    const second = await fire(story, { goal: 'Second' });
    await waitFor('the second to wait', async () => (await sessionOf(story, second.id)).planner.state === 'running');
    await story.daemon.call('run.cancel', { sessionId: second.id });
    gate.open();
    const third = await fire(story, { goal: 'Third' });
    await outcomeOf(story, third.id);
    expect(story.provider.requests.some(({ body }) => goalOf(body) === 'Second')).toBe(false);
  });

  it('can be a blocked mission whose planner works: it is paused, and goes on when it is started', async () => {
    const gate = createGate();
    const story = await tellStory(
      playing({
        planner: async (body) => {
          if (isFired(body)) return two;
          if (isWoken(body) && briefOf(body).includes('a wall')) await gate.passed;
          return say('ok');
        },
        worker: (_body, number) => (number === 1 ? blocker('a wall') : result()),
      }),
    );
    const { id } = await fire(story);
    await waitForRun(story.daemon, id, 'blocked');
    await story.daemon.call('run.pause', { sessionId: id, now: true });
    expect((await sessionOf(story, id)).planner).toMatchObject({ state: 'held', reason: 'a person has paused it' });
    gate.open();
    await story.daemon.call('run.start', { sessionId: id });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
  });

  it('with the rest skipped by hand comes to its end all the same', async () => {
    const story = await tellStory(playing({ planner: plansOnce, worker: () => hang() }));
    const { id } = await fire(story);
    await waitForRun(story.daemon, id, 'running');
    await waitFor('the planner to rest', async () => (await sessionOf(story, id)).planner.state === 'idle');
    await story.daemon.call('run.pause', { sessionId: id, now: true });
    for (const itemId of ['t1', 't2']) {
      await story.daemon.call('plan.setStatus', { sessionId: id, itemId: itemId, status: 'skipped' });
    }
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed', counts: { skipped: 2 } });
  });
});

describe('a mission above', () => {
  it('does not wait for ever for one below that a person has cancelled', async () => {
    const briefs: string[] = [];
    const story = await tellStory((body) => {
      if (!isPlanner(body)) return call('mission_ask_attention', { question: 'How deep?' });
      if (goalOf(body) === 'Below') return plansOnce(body, 0);
      if (isWoken(body)) briefs.push(briefOf(body));
      if (isFired(body)) return call('mission_fire', { goal: 'Below' });
      return toolResults(body).length === 1 && briefs.length === 1
        ? call('mission_plan', {
            entries: [
              { title: 'A', command: 'true' },
              { title: 'B', command: 'true' },
            ],
            explanation: 'two',
          })
        : say('ok');
    });
    const { id } = await fire(story);
    const child = await waitFor(
      'one below',
      async () => (await story.daemon.call('mission.tree', { sessionId: id })).nodes[1]?.sessionId,
    );
    await waitForRun(story.daemon, child, 'waiting');
    await waitForRun(story.daemon, id, 'completed');
    await story.daemon.call('run.cancel', { sessionId: child });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
    expect(briefs.some((brief) => brief.includes('was cancelled by a person'))).toBe(true);
    expect((await sessionOf(story, child)).outcome).toBe('derailed');
  });

  it('is woken by what the daemon itself reports of one below', async () => {
    const briefs: string[] = [];
    const story = await tellStory((body) => {
      if (isWoken(body)) briefs.push(briefOf(body));
      return isFired(body)
        ? call('mission_plan', { entries: [{ title: 'Wait', command: 'sleep 60' }, { title: 'B' }], explanation: 'two' })
        : say('ok');
    });
    const { id } = await fire(story);
    await waitForRun(story.daemon, id, 'running');
    await below(story, id, { items: [{ title: 'Dig', command: 'exit 7' }], workspace: await tempFolder() });
    await waitFor('the planner above to hear', () => briefs.some((brief) => brief.includes('blocker: exit code 7')));
  });

  it('hears the last news before it is given up as stuck', async () => {
    let turns = 0;
    const gate = createGate();
    const story = await tellStory((body) => {
      if (!isPlanner(body)) return goalOf(body) === 'Below' ? hang() : blocker('a wall');
      if (isFired(body)) return two;
      if (isWoken(body) && briefOf(body).includes('Mission'))
        return call('mission_finish', { outcome: 'derailed', reason: 'heard of it' });
      if (isWoken(body) && ++turns === 3) return gate.passed.then(() => say('ok'));
      return say('ok');
    });
    const { id } = await fire(story);
    await waitFor('the third turn', () => turns === 3);
    const child = await below(story, id, { items: [{ title: 'Dig', command: 'true' }] });
    await outcomeOf(story, child.id);
    gate.open();
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'derailed', outcomeReason: 'heard of it' });
  });

  it('cannot be landed from outside while one below works, and cannot be deleted under it', async () => {
    const story = await tellStory(() => result());
    const parent = await fire(story, {
      planner: 'never',
      items: [
        { title: 'Wait', command: 'true' },
        { title: 'Last', command: 'sleep 60' },
      ],
    });
    const child = await below(story, parent.id, { items: [{ title: 'Dig', command: 'sleep 60' }] });
    await waitForRun(story.daemon, child.id, 'running');
    await story.daemon.call('plan.setStatus', { sessionId: parent.id, itemId: 't1', status: 'skipped' }).catch(() => undefined);
    await story.daemon.call('plan.setStatus', { sessionId: parent.id, itemId: 't2', status: 'skipped' });
    await expect(
      story.daemon.call('mission.finish', { sessionId: parent.id, outcome: 'landed', reason: 'x' }),
    ).rejects.toMatchObject({ code: -32010 });
    const plain = await story.session({ items: [] });
    const under = await story.session({
      parentId: plain.id,
      items: [{ title: 'Dig', command: 'sleep 60' }],
      workspace: story.home,
    });
    await story.daemon.call('run.start', { sessionId: under.id });
    await expect(story.daemon.call('session.delete', { sessionId: plain.id })).rejects.toMatchObject({ code: -32010 });
  });

  it('of a declared profile gives those below no more tools than it has', async () => {
    const seen: string[][] = [];
    const story = await tellStory((body) => {
      seen.push((body.tools ?? []).map((tool) => tool.function.name));
      if (toolResults(body).length > 0) return say('ok');
      return goalOf(body) === 'Below' ? two : call('mission_fire', { goal: 'Below' });
    });
    await story.daemon.kill();
    const profiles = { auditor: { tools: ['read', 'mission_*'] } };
    await writeFile(join(story.home, 'config.json'), JSON.stringify({ profiles }));
    await story.restart();
    const { id } = await fire(story, { profile: 'auditor' });
    const child = await waitFor(
      'one below',
      async () => (await story.daemon.call('mission.tree', { sessionId: id })).nodes[1]?.sessionId,
    );
    await waitFor('its end', async () => (await sessionOf(story, child)).outcome !== null);
    expect(seen.flat().filter((name) => name !== 'read' && !name.startsWith('mission_'))).toEqual([]);
  });
});

describe('what a planner is told', () => {
  it('is bounded, urgent things first, and is not said again in full after a turn that failed', async () => {
    let failures = 2;
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (isFired(body)) {
            const entries = Array.from({ length: 30 }, (_, i) => ({ title: `Item ${i}` }));
            return call('mission_plan', { entries, explanation: 'many' });
          }
          if (isWoken(body) && briefOf(body).includes('a wall') && failures-- > 0) return fail(400, { error: { message: 'no' } });
          return isWoken(body) && briefOf(body).includes('a wall')
            ? call('mission_finish', { outcome: 'stuck', reason: 'a wall' })
            : say('ok');
        },
        worker: (_body, number) => (number === 25 ? blocker('a wall') : result('very much was done. '.repeat(200))),
      }),
    );
    const { id } = await fire(story, { planner: 'on_blocked' });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'stuck' });
    const planner = story.provider.requests.map(({ body }) => body).filter(isPlanner);
    const sizes = planner.map((body) => JSON.stringify(body.messages).length);
    expect(Math.max(...sizes)).toBeLessThan(75_000);
    expect(briefOf(planner.at(-1) as ScriptedRequest)).toContain('was cut off');
    expect(briefOf(planner.at(-1) as ScriptedRequest).length).toBeLessThan(12_000);
  });

  it('of a person is said once, however often the turn fails', async () => {
    let failures = 2;
    const story = await tellStory((body) => {
      if (isPlanner(body) && failures-- > 0) return fail(400, { error: { message: 'no' } });
      return say('Half way.');
    });
    const { id } = await story.session({ planner: 'always' });
    await story.daemon.call('chat.send', { sessionId: id, text: 'How far are you?' });
    await waitFor('the answer', async () => (await plannerRuns(story, id)).at(-1)?.status === 'completed');
    const last = story.provider.requests.at(-1)?.body.messages ?? [];
    expect(last.filter(({ content }) => content === 'How far are you?')).toHaveLength(1);
  });

  it('by a person has an answer under the id that was promised, also after a restart', async () => {
    const gate = createGate();
    const story = await tellStory(async () => {
      await gate.passed;
      return say('ok');
    });
    const { id } = await story.session({ planner: 'always' });
    const send = (text: string, idempotencyKey: string) =>
      story.daemon.call('chat.send', { sessionId: id, text, idempotencyKey });
    await send('First', 'k1');
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    const { runId } = await send('Second', 'k2');
    await story.daemon.kill();
    gate.open();
    await story.restart();
    await waitFor('the second turn', async () =>
      (await plannerRuns(story, id)).some((run) => run.id === runId && run.status === 'completed'),
    );
    expect(await send('Second', 'k2')).toEqual({ runId });
    const { messages } = await story.daemon.call('run.transcript', { runId });
    expect(messages.map(({ content }) => content)).toEqual(expect.arrayContaining(['Second']));
  });
});

describe('a claim of solo', () => {
  const claiming =
    (entries: readonly object[]): ((body: ScriptedRequest) => Part) =>
    (body) =>
      toolResults(body).length === 0 ? call('mission_plan', { entries, explanation: 'it is done' }) : say('ok');

  it('cannot drop the checks that it is held to in the same breath', async () => {
    const story = await tellStory(claiming([{ id: 't1', title: 'A', status: 'done', verify: [] }]));
    const { id } = await story.session({ profile: 'solo', items: [{ title: 'A', verify: ['false'] }] });
    await story.daemon.call('chat.send', { sessionId: id, text: 'Go' });
    const answered = await waitFor('the answer', () =>
      story.provider.requests.find(({ body }) => toolResults(body).length === 1),
    );
    expect(toolResults(answered.body)[0]?.content).toContain('its checks cannot change');
    expect((await sessionOf(story, id)).counts).toMatchObject({ done: 0, pending: 1 });
  });

  it('is checked with nobody else at work: a word meanwhile is answered by solo', async () => {
    const story = await tellStory((body) => {
      if (JSON.stringify(body.messages).includes('HELLO')) return say('Hello.');
      return claiming([{ id: 't1', title: 'A', status: 'done' }])(body);
    });
    const { id } = await story.session({ profile: 'solo', items: [{ title: 'A', verify: ['test -e go || sleep 30'] }] });
    await story.daemon.call('chat.send', { sessionId: id, text: 'Go' });
    await waitForRun(story.daemon, id, 'pausing', 'running');
    const { runId } = await story.daemon.call('chat.send', { sessionId: id, text: 'HELLO' });
    const { runs } = await story.daemon.call('run.list', { sessionId: id });
    expect(runs.find((run) => run.id === runId)?.kind).toBe('chat');
    expect(story.provider.requests.some(({ body }) => systemOf(body).includes('You are a worker'))).toBe(false);
  });
});

describe('a planner on which the daemon dies', () => {
  it('is given up after some tries, as one that fails', async () => {
    const story = await tellStory(() => hang());
    const { id } = await fire(story);
    for (let deaths = 0; deaths < 3; deaths++) {
      const before = story.provider.requests.length;
      await waitFor('its turn', () => story.provider.requests.length > before || story.provider.requests.length > deaths);
      await story.daemon.kill();
      await story.restart();
    }
    await waitFor('the turn to be given up', async () =>
      (await plannerRuns(story, id)).some(({ status, error }) => status === 'failed' && error?.includes('died 3 times')),
    );
  });
});
