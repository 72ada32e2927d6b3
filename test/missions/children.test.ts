/** Missions below missions: what they may do, what they spend, and what their end means for the one above. */
import { describe, expect, it } from 'vitest';
import type { MissionNode } from '../../shared/mission.js';
import type { SessionId } from '../../shared/plan.js';
import { waitForRun } from '../support/daemon.js';
import { eventsOf, fire, openEntry, outcomeOf, requestOf, sessionOf } from '../support/mission-story.js';
import { briefOf, isPlanner, isWoken, systemOf } from '../support/planning-model.js';
import { call, type Handler, hang, type Part, say, type ScriptedRequest, toolResults } from '../support/scripted-provider.js';
import { createGate, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const goalOf = (body: ScriptedRequest): string => /^Goal: (.*)$/m.exec(systemOf(body))?.[1] ?? '';
const onePlan = (title: string): Part =>
  call('mission_plan', { entries: [{ title }, { title: `${title} again` }], explanation: 'two' });

/** The planner above fires one below; `above` and `below` say the rest. */
const family =
  (
    fired: Record<string, unknown>,
    above: (body: ScriptedRequest) => Part,
    below: (body: ScriptedRequest) => Part,
    worker: Handler = () => result(),
  ): Handler =>
  (body, number) => {
    if (!isPlanner(body)) return worker(body, number);
    if (goalOf(body) === 'Below') return below(body);
    const isFirst = isWoken(body) && briefOf(body).includes('has been fired');
    return isFirst ? call('mission_fire', { goal: 'Below', ...fired }) : above(body);
  };

const childOf = (story: Story, sessionId: SessionId): Promise<SessionId> =>
  waitFor('a mission below', async () => {
    const { nodes } = await story.daemon.call('mission.tree', { sessionId });
    return nodes[1]?.sessionId;
  });

const planOnce = (body: ScriptedRequest): Part =>
  isWoken(body) && briefOf(body).includes('has been fired') ? onePlan('Dig') : say('ok');

describe('a mission below another', () => {
  it('works by itself, and its end wakes the one above exactly once', async () => {
    const briefs: string[] = [];
    const story = await tellStory(
      family(
        { acceptance: ['It is deep'], scope: { included: ['the garden'], excluded: [] } },
        (body) => {
          if (!isWoken(body))
            return isWoken(body)
              ? say('ok')
              : toolResults(body).length === 1 && briefs.length === 0
                ? onePlan('Build')
                : say('ok');
          briefs.push(briefOf(body));
          return say('ok');
        },
        planOnce,
      ),
    );
    const { id } = await fire(story);
    const below = await childOf(story, id);
    expect(await outcomeOf(story, below)).toMatchObject({
      outcome: 'landed',
      parentId: id,
      isMission: true,
      workspace: story.workspace,
    });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
    expect(briefs.filter((brief) => brief.includes(`Mission ${below}`) && brief.includes('has ended: landed'))).toHaveLength(1);
    const ordered = requestOf(story, (body) => goalOf(body) === 'Below' && isPlanner(body));
    expect(systemOf(ordered)).toContain('It is deep');
    expect(systemOf(ordered)).toContain('the garden');
  });

  it('is charged, with all it spends, to those above it, in the tree and in their budgets', async () => {
    const story = await tellStory(
      family({}, (body) => (toolResults(body).length === 1 ? onePlan('Build') : say('ok')), planOnce),
    );
    const { id } = await fire(story);
    await outcomeOf(story, id);
    const { nodes } = await story.daemon.call('mission.tree', { sessionId: id });
    const [above, below] = nodes as [MissionNode, MissionNode];
    expect(nodes.map(({ depth, outcome }) => [depth, outcome])).toEqual([
      [0, 'landed'],
      [1, 'landed'],
    ]);
    expect(above.usage.turns).toBe(above.ownUsage.turns + below.ownUsage.turns);
    expect(below.usage).toEqual(below.ownUsage);
    expect(above.openInbox).toBeGreaterThan(below.openInbox);
  });

  it('stops when the budget of the one above is used up', async () => {
    const story = await tellStory(family({}, () => say('ok'), planOnce));
    const { id } = await fire(story, { policy: { default: 'allow', rules: [], budget: { turns: 3 } } });
    const below = await childOf(story, id);
    await waitForRun(story.daemon, below, 'blocked');
    expect((await story.daemon.call('run.get', { sessionId: below })).lastError).toContain(
      'of the session “Ship the export” above it',
    );
  });

  it.each([
    ['nothing asked', {}, 'ask'],
    ['more asked than the one above has', { policy: 'full' }, 'ask'],
    ['less asked', { policy: 'readonly' }, 'none'],
  ] as const)('may do no more than the one above: %s', async (_name, fired, expected) => {
    const story = await tellStory(
      family(
        fired,
        () => say('ok'),
        planOnce,
        (body) => {
          const tools = (body.tools ?? []).map((tool) => tool.function.name);
          if (!tools.includes('shell')) return result('no shell');
          return toolResults(body).length === 0 ? call('shell', { command: 'touch by-child' }) : result();
        },
      ),
    );
    const policy = { default: 'ask', rules: [{ tool: 'read', action: 'allow' }] } as const;
    const { id } = await fire(story, { policy: { ...policy, rules: [...policy.rules] } });
    const below = await childOf(story, id);
    if (expected === 'ask') expect(await openEntry(story, below, 'approval')).toMatchObject({ detail: 'touch by-child' });
    else expect((await outcomeOf(story, below)).outcome).toBe('landed');
  });

  it('is cancelled with the one above, and what it asks shows there', async () => {
    const story = await tellStory(
      family(
        {},
        () => say('ok'),
        planOnce,
        () => call('mission_ask_attention', { question: 'How deep?' }),
      ),
    );
    const { id } = await fire(story);
    const below = await childOf(story, id);
    const question = await openEntry(story, id, 'question');
    expect(question.sessionId).toBe(below);
    await story.daemon.call('run.cancel', { sessionId: id });
    expect(await sessionOf(story, below)).toMatchObject({ status: 'cancelled', outcome: null });
    expect(await sessionOf(story, id)).toMatchObject({ status: 'cancelled', outcome: null });
    const { entries } = await story.daemon.call('inbox.list', { sessionId: id, state: 'open' });
    expect(entries.filter(({ kind }) => kind === 'question')).toEqual([]);
  });

  it('ends with the one above, and keeps that from landing while it works', async () => {
    const gate = createGate();
    const told: string[] = [];
    const story = await tellStory(
      family(
        {},
        (body) => {
          told.push(...toolResults(body).map(({ content }) => content));
          return told.some((content) => content.includes('still work'))
            ? say('ok')
            : call('mission_finish', { outcome: 'landed', reason: 'too early' });
        },
        planOnce,
        async () => {
          await gate.passed;
          return result();
        },
      ),
    );
    const { id } = await fire(story, { items: [{ title: 'Only', command: 'true' }] });
    const below = await childOf(story, id);
    await waitFor('the refusal', () => told.some((content) => content.includes('missions that you have fired still work')));
    await story.daemon.call('mission.finish', { sessionId: id, outcome: 'derailed', reason: 'Enough.' });
    expect(await outcomeOf(story, below)).toMatchObject({
      outcome: 'derailed',
      outcomeReason: 'The mission above it has ended (derailed).',
      status: 'cancelled',
    });
    gate.open();
    expect((await eventsOf(story, below)).filter(({ type }) => type === 'session.outcome')).toHaveLength(1);
  });

  it('tells the one above when a person deletes it', async () => {
    const briefs: string[] = [];
    const story = await tellStory(
      family(
        {},
        (body) => (isWoken(body) ? (briefs.push(briefOf(body)), say('ok')) : say('ok')),
        () => hang(),
      ),
    );
    const { id } = await fire(story);
    const below = await childOf(story, id);
    await story.daemon.call('session.delete', { sessionId: below });
    await waitFor('the planner above to hear', () => briefs.some((brief) => brief.includes('A person has deleted the mission')));
  });

  it('cannot be fired without end', async () => {
    const story = await tellStory(() => say('ok'));
    let parentId: SessionId | undefined;
    const items = [{ title: 'Only', command: 'sleep 60' }];
    for (let depth = 0; depth < 4; depth++) {
      parentId = (await fire(story, { planner: 'never', items, ...(parentId === undefined ? {} : { parentId }) })).id;
    }
    await expect(fire(story, { planner: 'never', items, parentId })).rejects.toMatchObject({ code: -32012 });
  });
});
