/** `mission_plan`: what a planner may do to a plan, by every way round, and what it is told. */
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import { runToRest, statusesOf, waitForRun } from '../support/daemon.js';
import { fire, openEntry, outcomeOf, sessionOf } from '../support/mission-story.js';
import { isPlanner } from '../support/planning-model.js';
import { call, type Part, say, type ScriptedRequest, toolResults } from '../support/scripted-provider.js';
import { blocker, createGate, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const plan = (entries: readonly unknown[], more: Record<string, unknown> = { explanation: 'why' }): Part =>
  call('mission_plan', { entries, ...more });

/** A chat makes these calls, one a turn; gives what each was answered. */
async function callsOf(story: Story, sessionId: SessionId, text = 'Plan'): Promise<string[]> {
  const before = story.provider.requests.length;
  await story.daemon.call('chat.send', { sessionId, text });
  await waitFor('the chat to end', async () => {
    const { runs } = await story.daemon.call('run.list', { sessionId });
    const chat = runs.find(({ kind }) => kind === 'chat');
    return chat !== undefined && chat.status !== 'running';
  });
  const last = story.provider.requests.slice(before).at(-1);
  return last === undefined ? [] : toolResults(last.body).map(({ content }) => unwrap(content));
}

const unwrap = (content: string): string => content.split('\n').slice(1, -1).join('\n');

/** A session in which the first task is done, with a chat that makes the calls given. */
async function withDone(script: readonly Part[]): Promise<{ story: Story; id: SessionId; answers: string[] }> {
  const story = await tellStory((body) => {
    if (!body.tools?.some((tool) => tool.function.name === 'mission_plan')) {
      return JSON.stringify(body.messages).includes('Your item: 1 ') ? result() : blocker('not yet');
    }
    return script[toolResults(body).length] ?? say('ok');
  });
  const { id } = await story.session({ items: [{ title: 'Made', detail: 'as it was' }, { title: 'Open' }] });
  await runToRest(story.daemon, id, 'blocked');
  return { story, id, answers: await callsOf(story, id) };
}

const doneNow = async (story: Story, sessionId: SessionId) => {
  const { items } = await story.daemon.call('plan.get', { sessionId });
  return items.find(({ id }) => id === 't1');
};

describe('done work is immutable to a planner', () => {
  it.each([
    [
      'rewriting it',
      [
        plan([
          { id: 't1', title: 'Made otherwise' },
          { id: 't2', title: 'Open' },
        ]),
      ],
      'is done',
    ],
    [
      'changing its detail',
      [
        plan([
          { id: 't1', title: 'Made', detail: 'now this' },
          { id: 't2', title: 'Open' },
        ]),
      ],
      'is done',
    ],
    [
      'giving it twice',
      [
        plan([
          { id: 't1', title: 'Made' },
          { id: 't1', title: 'Made anew' },
        ]),
      ],
      'given twice',
    ],
    [
      'an unknown id',
      [
        plan([
          { id: 't1', title: 'Made' },
          { id: 't9', title: 'Nobody' },
        ]),
      ],
      't9 is not in the plan',
    ],
    [
      'adding open work under it',
      [
        plan([
          { id: 't1', title: 'Made', children: [{ title: 'More' }] },
          { id: 't2', title: 'Open' },
        ]),
      ],
      'done',
    ],
    ['an unknown field', [plan([{ id: 't1', title: 'Made', done: true }])], 'Unrecognized key'],
    [
      'marking an open one done',
      [
        plan([
          { id: 't1', title: 'Made' },
          { id: 't2', title: 'Open', status: 'done' },
        ]),
      ],
      'cannot mark',
    ],
  ])('%s is refused, and says why', async (_name, script, words) => {
    const { story, id, answers } = await withDone(script);
    expect(answers[0]).toContain(words);
    expect(await doneNow(story, id)).toMatchObject({ title: 'Made', detail: 'as it was', status: 'done' });
  });

  it.each([
    [
      'reopening it and rewriting it in the next revision',
      [
        plan([
          { id: 't1', title: 'Made', status: 'pending' },
          { id: 't2', title: 'Open' },
        ]),
        plan([
          { id: 't1', title: 'Made otherwise', status: 'pending' },
          { id: 't2', title: 'Open' },
        ]),
      ],
    ],
    [
      'leaving it out and putting it back',
      [
        plan([{ id: 't2', title: 'Open' }]),
        plan([
          { id: 't1', title: 'Made anew' },
          { id: 't2', title: 'Open' },
        ]),
      ],
    ],
    [
      'skipping it',
      [
        plan([
          { id: 't1', title: 'Made', status: 'skipped' },
          { id: 't2', title: 'Open' },
        ]),
      ],
    ],
    ['deleting everything', [plan([])]],
  ] as const)('%s changes nothing of it', async (_name, script) => {
    const { story, id } = await withDone(script);
    expect(await doneNow(story, id)).toMatchObject({ title: 'Made', detail: 'as it was', status: 'done' });
  });
});

describe('a revision', () => {
  it('gives the plan back with its ids, keeps those that are echoed, and needs an explanation when the shape changes', async () => {
    const { story, id, answers } = await withDone([
      plan([{ id: 't1', title: 'Made' }, { id: 't2', title: 'Open' }, { title: 'New' }], {}),
      plan([{ id: 't1', title: 'Made' }, { id: 't2', title: 'Open' }, { title: 'New' }], { explanation: 'more to do' }),
      plan(
        [
          { id: 't1', title: 'Made' },
          { id: 't2', title: 'Open' },
          { id: 't3', title: 'New' },
        ],
        {},
      ),
    ]);
    expect(answers[0]).toContain('explanation');
    expect(JSON.parse(answers[1] ?? '')).toEqual({
      version: expect.any(Number) as number,
      plan: [
        { id: 't1', title: 'Made', status: 'done' },
        { id: 't2', title: 'Open', status: 'active' },
        { id: 't3', title: 'New', status: 'pending' },
      ],
    });
    expect(JSON.parse(answers[2] ?? '')).toMatchObject({ unchanged: true });
    const { revisions } = await story.daemon.call('plan.history', { sessionId: id, statusOnly: false });
    expect(revisions[0]).toMatchObject({ author: 'planner', explanation: 'more to do', added: ['t3'], removed: [] });
    // A person was there: nothing has to tell them.
    const { entries } = await story.daemon.call('inbox.list', { sessionId: id });
    expect(entries.map(({ kind }) => kind)).not.toContain('plan_revised');
  });

  it('limited to a section gives only what changed', async () => {
    const story = await tellStory(
      (body) =>
        [plan([{ title: 'One' }, { title: 'Two' }], { within: 't1', explanation: 'split' })][toolResults(body).length] ??
        say('ok'),
    );
    const { id } = await story.session({ items: [{ title: 'Whole' }, { title: 'Other' }] });
    const [answer] = await callsOf(story, id);
    expect(JSON.parse(answer ?? '')).toMatchObject({
      changed: expect.arrayContaining([{ id: 't3', title: 'One', status: 'pending', parentId: 't1' }]) as unknown,
    });
    expect(await statusesOf(story.daemon, id)).toEqual({ Whole: 'pending', One: 'pending', Two: 'pending', Other: 'pending' });
  });

  it('made on an old plan is refused with the plan as it is now; changes of status do not count', async () => {
    const gate = createGate();
    const answers: string[] = [];
    const story = await tellStory(async (body) => {
      if (!isPlanner(body)) return result();
      const results = toolResults(body).map(({ content }) => content);
      answers.splice(0, answers.length, ...results);
      if (results.length === 0) return plan([{ title: 'A' }, { title: 'B' }]);
      if (results.length === 1) {
        await gate.passed;
        return plan([{ id: 't1', title: 'A' }, { id: 't2', title: 'B' }, { title: 'C' }]);
      }
      return results.length === 2
        ? plan([{ id: 't1', title: 'A' }, { id: 't2', title: 'B' }, { title: 'C' }, { id: 't3', title: 'By hand' }])
        : say('ok');
    });
    const { id } = await fire(story);
    // The leaves are done meanwhile, which is no reason to refuse; a person's new item is.
    await waitForRun(story.daemon, id, 'completed');
    await story.daemon.call('plan.addItem', { sessionId: id, title: 'By hand' });
    gate.open();
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed', counts: { done: 4 } });
    expect(answers[1]).toContain('The plan has changed since you last saw it');
    expect(answers[1]).toContain('By hand');
    expect(answers[2]).toContain('"C"');
  });

  it('of commands and checks needs a person’s yes before they run, unless the policy allows commands', async () => {
    const story = await tellStory((body) =>
      isPlanner(body) && toolResults(body).length === 0
        ? plan([{ title: 'Run it', command: 'touch by-planner' }, { title: 'Look' }])
        : isPlanner(body)
          ? say('ok')
          : result(),
    );
    const { id } = await fire(story, { policy: { default: 'ask', rules: [{ tool: 'read', action: 'allow' }] } });
    const asked = await openEntry(story, id, 'approval');
    expect(asked).toMatchObject({ detail: 'touch by-planner' });
    await story.daemon.call('inbox.answer', { id: asked.id, answer: 'allow' });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
  });
});

describe('solo', () => {
  it('says in a chat what it has done: a claim, which its checks decide', async () => {
    const story = await tellStory((body) => {
      const script = [
        plan([
          { title: 'Write a' },
          { title: 'Write b', verify: ['test -e b.txt'] },
          { title: 'Write c', verify: ['test -e c.txt'] },
        ]),
        call('write', { path: 'b.txt', content: 'b' }),
        plan([
          { id: 't1', title: 'Write a', status: 'done' },
          { id: 't2', title: 'Write b', status: 'done' },
          { id: 't3', title: 'Write c' },
        ]),
      ];
      return script[toolResults(body).length] ?? say('ok');
    });
    const { id } = await story.session({ profile: 'solo', items: [] });
    await callsOf(story, id);
    await waitFor('the check to pass', async () => (await statusesOf(story.daemon, id))['Write b'] === 'done');
    const { items } = await story.daemon.call('plan.get', { sessionId: id });
    expect(items.map(({ title, status, claimed, accepted }) => [title, status, claimed === true, accepted === true])).toEqual([
      ['Write a', 'done', true, false],
      ['Write b', 'done', true, true],
      ['Write c', 'pending', false, false],
    ]);
    // Nothing else starts by itself.
    expect((await sessionOf(story, id)).status).toBe('paused');
  });

  it('is not believed against its checks', async () => {
    const story = await tellStory((body) => {
      const script = [
        plan([{ title: 'Write c', verify: ['test -e c.txt'] }, { title: 'More' }]),
        plan([
          { id: 't1', title: 'Write c', status: 'done' },
          { id: 't2', title: 'More' },
        ]),
      ];
      return script[toolResults(body).length] ?? say('ok');
    });
    const { id } = await story.session({ profile: 'solo', items: [] });
    await callsOf(story, id);
    const run = await waitForRun(story.daemon, id, 'blocked');
    expect(run.lastError).toContain('check failed: test -e c.txt');
    expect((await statusesOf(story.daemon, id))['Write c']).toBe('active');
  });

  it('carries a whole mission out by itself, and no worker is begun for it', async () => {
    const story = await tellStory((body) => {
      const script = [
        plan([{ title: 'Write b', verify: ['test -e b.txt'] }, { title: 'Say so' }]),
        call('write', { path: 'b.txt', content: 'b' }),
        plan([
          { id: 't1', title: 'Write b', status: 'done' },
          { id: 't2', title: 'Say so', status: 'done' },
        ]),
      ];
      return script[toolResults(body).length] ?? say('ok');
    });
    const { id } = await fire(story, { profile: 'solo' });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed', counts: { done: 2 } });
    const { items } = await story.daemon.call('plan.get', { sessionId: id });
    expect(items.map(({ accepted }) => accepted === true)).toEqual([true, false]);
    const { runs } = await story.daemon.call('run.list', { sessionId: id });
    expect(runs.filter(({ kind }) => kind === 'leaf')).toHaveLength(1);
    expect(runs.find(({ kind }) => kind === 'leaf')?.usage.turns).toBe(0);
  });
});

describe('splitting an item', () => {
  const script = (critique: string, parts: string) => (body: ScriptedRequest) => {
    const last = body.messages.at(-1)?.content ?? '';
    if (last.includes('"split": true|false')) return say(critique);
    if (last.includes('Split it into about')) return say(parts);
    return undefined;
  };

  it('proposes its parts, changes nothing, and is charged; the planner takes them', async () => {
    const split = script(
      '{"split": true, "into": 2, "why": "two things", "prompt": "Keep them apart."}',
      'Here:\n```json\n{"children": [{"title": "One", "verify": ["true"]}, {"title": "Two"}]}\n```',
    );
    const story = await tellStory((body) => {
      const own = split(body);
      if (own !== undefined) return own;
      const results = toolResults(body).length;
      if (results === 0) return call('mission_expand', { itemId: 't1' });
      return results === 1 ? plan([{ title: 'One' }, { title: 'Two' }], { within: 't1', explanation: 'split' }) : say('ok');
    });
    const { id } = await story.session({ items: [{ title: 'Whole' }, { title: 'Other' }] });
    const [proposal] = await callsOf(story, id);
    expect(proposal).toContain('"children":[{"title":"One","verify":["true"]},{"title":"Two"}]');
    expect(proposal).toContain('within "t1"');
    expect((await sessionOf(story, id)).usage.turns).toBe(5);
    expect(Object.keys(await statusesOf(story.daemon, id))).toEqual(['Whole', 'One', 'Two', 'Other']);
  });

  it.each([
    ['an unknown item', 't9', 'There is no item t9'],
    ['a subtask', 't2', 'two levels only'],
  ])('of %s is refused', async (_name, itemId, words) => {
    const story = await tellStory((body) => (toolResults(body).length === 0 ? call('mission_expand', { itemId }) : say('ok')));
    const { id } = await story.session({ items: [{ title: 'Whole', children: [{ title: 'Part' }] }] });
    expect((await callsOf(story, id))[0]).toContain(words);
  });

  it('that comes to nothing says so and leaves the plan as it is', async () => {
    const split = script('I think so!', '');
    const story = await tellStory(
      (body) => split(body) ?? (toolResults(body).length === 0 ? call('mission_expand', { itemId: 't1' }) : say('ok')),
    );
    const { id } = await story.session({ items: [{ title: 'Whole' }] });
    expect((await callsOf(story, id))[0]).toContain('No proposal for t1 could be made');
  });
});
