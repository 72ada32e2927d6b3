/** A run that goes on for long: what is left out of its requests, how loops end, what it may spend. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PolicyInput } from '../../shared/mission.js';
import { runToRest, waitForRun } from '../support/daemon.js';
import {
  call,
  fail,
  type Part,
  planPrompts,
  say,
  type ScriptedRequest,
  toolResults,
  usage,
} from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const oneItem = { items: [{ title: 'Only', detail: 'Read all the files.' }] };
const config = (home: string, value: object): Promise<void> => writeFile(join(home, 'config.json'), JSON.stringify(value));
const isDigest = (body: ScriptedRequest): boolean => body.messages[0]?.content?.includes('You keep the digest') === true;
const length = (body: ScriptedRequest): number => JSON.stringify(body.messages).length;
/** No call without its result, no result without its call. */
function expectWhole(body: ScriptedRequest): void {
  const open = new Set<string>();
  for (const message of body.messages) {
    if (message.role === 'tool') expect(open.delete(message.tool_call_id ?? '')).toBe(true);
    else {
      expect([...open]).toEqual([]);
      message.tool_calls?.forEach(({ id }) => open.add(id));
    }
  }
  expect([...open]).toEqual([]);
}

async function storyOfReading(
  turns: number,
  windowTokens: number,
  more: (body: ScriptedRequest, number: number) => Part | null = () => null,
  digest: () => Part = () => say('Digest: the files were read, nothing found.'),
) {
  let main = 0;
  const story = await tellStory((body) => {
    if (isDigest(body)) return digest();
    main += 1;
    const special = more(body, main);
    if (special !== null) return special;
    if (main === 1) return call('plan', { verb: 'create', steps: [{ id: 's1', title: 'Read on' }] });
    return main <= turns
      ? [say(`About file ${main}: ${'what I think of it '.repeat(60)}`), call('read', { path: `f${main}.txt` })]
      : result('read all');
  }, {});
  for (let i = 0; i <= turns; i++)
    await writeFile(join(story.workspace, `f${i}.txt`), `file ${i}: ${'lorem ipsum dolor '.repeat(150)}\n`);
  await story.daemon.stop();
  await config(story.home, { contextTokens: windowTokens });
  await story.restart();
  return story;
}

describe('a conversation that grows too long', () => {
  it('first loses its old large results, then its oldest parts to a digest; task, steps and rules stay', async () => {
    const story = await storyOfReading(30, 9_000);
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
    const bodies = story.provider.requests.map(({ body }) => body).filter((body) => !isDigest(body));
    expect(bodies).toHaveLength(31);
    for (const body of bodies.slice(1)) {
      expectWhole(body);
      expect(planPrompts(body)[0]).toContain('Read all the files.');
      expect(body.messages[1]?.content ?? body.messages[2]?.content).toBeDefined();
      expect(
        body.messages.filter(({ content, role }) => role === 'system' && content?.startsWith('[Current plan:')),
      ).toHaveLength(1);
      // Three quarters of the window, at about four characters to a token, with room for the tools.
      expect(length(body)).toBeLessThan(40_000);
    }
    const last = bodies.at(-1) as ScriptedRequest;
    expect(last.messages.some(({ content }) => content?.includes('Digest: the files were read'))).toBe(true);
    expect(last.messages.map(({ content }) => content?.slice(0, 15))).toEqual(
      expect.arrayContaining(['[Digest of earl', '[Current plan: ']),
    );
    expect(toolResults(last).at(-1)?.content).toContain('file 30');
    const { events } = await story.daemon.call('event.list', {});
    const stages = events.filter(({ type }) => type === 'context.trimmed').map(({ data }) => data.stage);
    expect(stages[0]).toBe(1);
    expect(stages).toContain(2);
  });

  it('goes on when no digest can be made', async () => {
    const story = await storyOfReading(
      24,
      9_000,
      () => null,
      () => fail(400, { error: { message: 'no digest today' } }),
    );
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
    expect(story.provider.requests.some(({ body }) => isDigest(body))).toBe(true);
    const last = story.provider.requests.at(-1)?.body as ScriptedRequest;
    expectWhole(last);
    expect(length(last)).toBeLessThan(40_000);
    expect(planPrompts(last)[0]).toContain('Read all the files.');
  });

  it('is trimmed the same way after kill -9', async () => {
    const story = await storyOfReading(24, 9_000);
    const session = await story.session(oneItem);
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the digest', () => story.provider.requests.some(({ body }) => isDigest(body)));
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    const last = story.provider.requests.at(-1)?.body as ScriptedRequest;
    expectWhole(last);
    expect(length(last)).toBeLessThan(40_000);
  });

  it.each([
    [
      'OpenAI',
      400,
      {
        error: {
          code: 'context_length_exceeded',
          message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        },
      },
    ],
    [
      'Anthropic',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 200005 tokens > 199999 maximum' } },
    ],
    [
      'Gemini',
      400,
      {
        error: {
          code: 400,
          message: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    [
      'Mistral',
      400,
      { object: 'error', message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length' },
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size. try increasing the context size or enable context shift',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        code: 400,
      },
    ],
    ['Groq', 413, { error: { message: 'Request too large for model', code: 'request_too_large' } }],
    [
      'OpenRouter',
      400,
      {
        error: {
          message: "This endpoint's maximum context length is 16384 tokens. However, you requested about 20000 tokens",
          code: 400,
        },
      },
    ],
  ])('is made shorter when %s says so, without costing a turn', async (_name, status, body) => {
    let refused = 0;
    const story = await storyOfReading(8, 128_000, (request, number) => {
      if (number > 8 && refused === 0) {
        refused += 1;
        return fail(status, body);
      }
      return number > 8 && request.messages.length > 0 ? result('went on') : null;
    });
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
    expect(refused).toBe(1);
    const bodies = story.provider.requests.map((each) => each.body).filter((each) => !isDigest(each));
    const [before, after] = bodies.slice(-2);
    expect(length(after as ScriptedRequest)).toBeLessThan(length(before as ScriptedRequest));
    expectWhole(after as ScriptedRequest);
    expect(planPrompts(after as ScriptedRequest)[0]).toContain('Read all the files.');
    const { total } = await story.daemon.call('usage.get', { sessionId: session.id });
    expect(total.turns).toBe(9);
    const { events } = await story.daemon.call('event.list', {});
    expect(events.filter(({ type }) => type === 'context.trimmed').at(-1)?.data.stage).toBe(3);
  });

  it('says what to do when even the item alone is too long', async () => {
    const story = await tellStory(() =>
      fail(400, { error: { code: 'context_length_exceeded', message: 'maximum context length is 100 tokens' } }),
    );
    const session = await story.session(oneItem);
    const run = await runToRest(story.daemon, session.id, 'failed');
    expect(run.lastError).toMatch(/too long for the model/);
  });
});

describe('a model that goes in circles', () => {
  it('D4: is told after three identical calls, shown as looping, and blocked after six', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 5) await gate.passed;
      return call('grep', { pattern: 'nothing' });
    });
    const session = await story.session({ ...oneItem });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor(
      'it to be shown as looping',
      async () => (await story.daemon.call('run.get', { sessionId: session.id })).liveness.state === 'looping',
    );
    gate.open();
    const run = await waitForRun(story.daemon, session.id, 'blocked');
    expect(run.lastError).toMatch(/^looping: grep was called 6 times/);
    expect(story.provider.requests).toHaveLength(6);
    const hint = story.provider.requests[3]?.body.messages.at(-1);
    expect(hint).toMatchObject({ role: 'system', content: expect.stringContaining('3 times with the same arguments') as string });
  });

  it('names the current and the next step in the hint', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1)
        return [
          call('plan', {
            verb: 'create',
            steps: [
              { id: 's1', title: 'Find it' },
              { id: 's2', title: 'Mend it' },
            ],
          }),
          call('plan', { verb: 'update', updates: [{ id: 's1', status: 'in_progress' }] }),
        ];
      if (number <= 4) return call('glob', { pattern: '*.none' });
      const hint = body.messages.findLast(({ role }) => role === 'system')?.content ?? '';
      return hint.includes('s1 (“Find it”)') && hint.includes('s2 (“Mend it”)') ? result() : blocker(`hint: ${hint}`);
    });
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
  });

  it('is blocked when nothing new comes of eight turns', async () => {
    const story = await tellStory((_body, number) => call('nonsense', { number }));
    const session = await story.session(oneItem);
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toMatch(/nothing new came of 8 turns/);
  });

  it('gets a hint by kind when one tool fails three times', async () => {
    const story = await tellStory((body, number) => {
      if (number <= 3) return call('read', { path: `missing-${number}.txt` });
      return body.messages.at(-1)?.content?.includes('read has failed 3 times in a row. Look at what is really there')
        ? result()
        : blocker('no hint');
    });
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
  });

  it('D5: is not taken for one that waits: a result that changes, or a call that takes its time', async () => {
    const story = await tellStory((_body, number) => (number <= 8 ? call('shell', { command: 'date +%N' }) : result()));
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
  });

  it('counts on after kill -9', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 5) await gate.passed;
      return call('grep', { pattern: 'nothing' });
    });
    const session = await story.session(oneItem);
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the fifth turn', () => story.provider.requests.length === 5);
    await story.daemon.kill();
    gate.open();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'blocked');
    expect(story.provider.requests).toHaveLength(7);
  });
});

describe('a budget', () => {
  const working = (_body: ScriptedRequest, number: number): Part[] => [
    usage(100, 10),
    call('write', { path: `f${number}.txt`, content: 'x' }),
  ];

  it('that is used up lists what is left of the steps, is raised by a start, and the same run goes on', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1)
        return call('plan', {
          verb: 'create',
          steps: [
            { id: 's1', title: 'First part' },
            { id: 's2', title: 'Second part' },
          ],
        });
      return number < 5 ? working(body, number) : result();
    });
    const session = await story.session({ ...oneItem, policy: { default: 'allow', rules: [], budget: { turns: 2 } } });
    const blocked = await runToRest(story.daemon, session.id, 'blocked');
    expect(blocked.lastError).toContain('2 turns');
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    expect(entries).toMatchObject([{ kind: 'budget', detail: expect.stringMatching(/First part[\s\S]*Second part/) as string }]);
    await story.daemon.call('run.start', { sessionId: session.id, budget: { turns: 10 } });
    await waitForRun(story.daemon, session.id, 'completed');
    const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(runs[0]?.resumes).toBe(runs[1]?.id);
    expect((await story.daemon.call('session.get', { sessionId: session.id })).budget).toEqual({ turns: 10 });
  });

  it('that asks waits for an answer: yes gives as much again, no blocks', async () => {
    const story = await tellStory((body, number) =>
      number <= 3 ? working(body, number) : number === 4 ? result() : working(body, number),
    );
    const policy: PolicyInput = { default: 'allow', rules: [], budget: { turns: 2, onExhausted: 'ask' } };
    const session = await story.session({ items: [{ title: 'A' }, { title: 'B' }], policy });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const answer = async (text: string): Promise<void> => {
      const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
      expect(entries).toMatchObject([{ kind: 'budget', options: ['allow', 'deny'] }]);
      await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: text });
    };
    await answer('allow');
    await waitFor(
      'the second question',
      async () =>
        (await story.daemon.call('run.get', { sessionId: session.id })).status === 'waiting' &&
        story.provider.requests.length === 4,
    );
    await answer('deny');
    const run = await waitForRun(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('4 turns');
  });

  it('of a parent holds for its children, whose spending is charged to it with each turn', async () => {
    const story = await tellStory((body, number) => (number <= 3 ? working(body, number) : result()));
    const parent = await story.session({ items: [], policy: { default: 'allow', rules: [], budget: { tokens: 200 } } });
    const child = await story.session({ ...oneItem, parentId: parent.id, policy: 'full' });
    const run = await runToRest(story.daemon, child.id, 'blocked');
    expect(run.lastError).toMatch(/200 tokens of the session/);
    expect(story.provider.requests).toHaveLength(2);
    const { total, bySession } = await story.daemon.call('usage.get', {});
    expect(total.inputTokens).toBe(200);
    expect(bySession).toHaveLength(1);
  });

  it('of one item blocks that item', async () => {
    const story = await tellStory(working);
    await story.daemon.stop();
    await config(story.home, { leafBudget: { turns: 3 } });
    await story.restart();
    const session = await story.session(oneItem);
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('3 turns for one item');
    expect(story.provider.requests).toHaveLength(3);
  });

  it('is forecast for what is open from what was finished; the cost only where a price is known', async () => {
    const story = await tellStory((_body, number) => (number <= 2 ? [usage(100, 50), result()] : blocker('stop here')));
    const session = await story.session({ items: [{ title: 'A' }, { title: 'B' }, { title: 'C' }, { title: 'D' }] });
    await runToRest(story.daemon, session.id, 'blocked');
    const { forecast } = await story.daemon.call('usage.get', { sessionId: session.id });
    expect(forecast).toMatchObject({ finishedLeaves: 2, openLeaves: 2, costUsd: null });
    expect(forecast?.tokens).toBeGreaterThanOrEqual(150);
  });
});

describe('D4: the cap on turns', () => {
  it('holds, and a result on the last turn counts', async () => {
    const story = await tellStory((_body, number) =>
      number < 4
        ? call('write', { path: `f${number}`, content: String(number) })
        : number === 4
          ? result('on the last turn')
          : call('write', { path: `g${number}`, content: String(number) }),
    );
    await story.daemon.stop();
    await config(story.home, { turns: 4 });
    await story.restart();
    const session = await story.session({ items: [{ title: 'A' }, { title: 'B' }] });
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('no end after 4 turns');
    expect((await story.daemon.call('plan.get', { sessionId: session.id })).counts).toMatchObject({ done: 1, active: 1 });
  });
});
