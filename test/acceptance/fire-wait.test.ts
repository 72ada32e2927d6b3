import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { outcomes } from '../../shared/mission.js';
import type { SessionId } from '../../shared/plan.js';
import { sessionSchema } from '../../shared/session.js';
import { waitForRun } from '../support/daemon.js';
import { outcomeOf, sessionOf } from '../support/mission-story.js';
import { briefOf, isWoken, playing, systemOf } from '../support/planning-model.js';
import { call, fail, type Handler, say } from '../support/scripted-provider.js';
import { blocker, createGate, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { begin, cairn } from '../tui/tui-support.js';

const firstPlan = call('mission_plan', { entries: [{ title: 'Read' }, { title: 'Write' }], explanation: 'the first plan' });
const plansOnce: Handler = (body) => (isWoken(body) && briefOf(body).includes('has been fired') ? firstPlan : say('Fine.'));
const asks = call('mission_ask_attention', { question: 'Which colour?' });

const fire = ['fire', 'Ship the export', '--policy', 'full', '--wait'] as const;
/** Nobody plans: it comes with its plan. */
const alone = [...fire, '--planner', 'never', '--from', '-'] as const;
const plan = { input: '- [ ] Read\n- [ ] Write\n' };

const answered = z.strictObject({
  session: sessionSchema,
  exitCode: z.number(),
  outcome: z.enum(outcomes).nullable(),
  reason: z.string().nullable(),
});

/** The one line that a program reads. */
function answerOf(stdout: string): z.infer<typeof answered> {
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  return z.strictObject({ schema: z.literal('cairn.fire/v1'), data: answered }).parse(JSON.parse(lines[0] ?? '')).data;
}

const firedIn = async (story: Story): Promise<SessionId> =>
  waitFor('the mission', async () => (await story.daemon.call('session.list', {})).sessions[0]?.id);

describe('cairn fire --wait', () => {
  it('tells how it goes, past a blocker that its planner answers, and ends with 0 when it has landed', async () => {
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (!isWoken(body)) return say('Done.');
          if (briefOf(body).includes('has been fired')) return firstPlan;
          if (!briefOf(body).includes('no key')) return say('Fine.');
          const entries = [{ id: 't1', title: 'Read' }, { title: 'Get a key' }, { id: 't2', title: 'Write', status: 'pending' }];
          return call('mission_plan', { entries, explanation: 'a key is needed first' });
        },
        worker: (_body, number) => (number === 2 ? blocker('no key') : result()),
      }),
    );
    const { code, stdout, stderr } = await cairn(story, fire);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^s_\w+ {2}Ship the export\n✔ landed {2}Every item of the plan is done or skipped\.\n$/);
    const lines = stderr.replaceAll(/^\d\d:\d\d:\d\d /gm, '').split('\n');
    // By the time it is heard, the blocker may be history.
    expect(lines.filter((line) => !line.includes('woken') && line !== '    no key')).toEqual([
      '· plan v2 by planner  +2 −0 — the first plan',
      '▶ running',
      '✓ 1 Read  done, claimed',
      '✗ blocked',
      '· plan v4 by planner  +1 −0 ~1 — a key is needed first',
      '▶ running',
      '✓ 2 Get a key  done, claimed',
      '✓ 3 Write  done, claimed',
      '✔ completed',
      '',
    ]);
  });

  it('ends with 1 when it is stuck, and says why', async () => {
    const story = await tellStory(playing({ planner: plansOnce, worker: () => blocker('the door is locked') }));
    const { code, stdout } = await cairn(story, [...fire, '--json']);
    expect(code).toBe(1);
    const answer = answerOf(stdout);
    expect(answer).toMatchObject({ exitCode: 1, outcome: 'stuck', reason: expect.stringContaining('the door is locked') });
    expect(answer.session).toMatchObject({ outcome: 'stuck', isMission: true });
  });

  it("is not ended by a leaf's result: one that is followed by a failure for good is derailed", async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? result() : fail(400, { error: { message: 'no such model' } }),
    );
    expect(await cairn(story, alone, plan)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ derailed {2}.*no such model/),
      stderr: expect.stringContaining('✓ 1 Read  done, claimed'),
    });
  });

  it('ends with 2 at a blocker that nobody plans around, and says what to do', async () => {
    const story = await tellStory(() => blocker('no key'));
    const { code, stdout } = await cairn(story, alone, plan);
    expect(code).toBe(2);
    expect(stdout).toMatch(/✗ blocked\n {4}no key\nGo on with: cairn retry s_\w+\n$/);
  });

  it('waits past a blocker for a mission below that is to clear it, and ends with 2 when that one needs a person', async () => {
    const gate = createGate();
    const story = await tellStory(
      playing({
        planner: (body) => {
          const brief = briefOf(body);
          if (!isWoken(body)) return say('Done.');
          if (systemOf(body).includes('Goal: Get a key'))
            return call('mission_plan', { entries: [{ title: 'Ask around' }], explanation: 'ask' });
          if (brief.includes('has been fired')) return firstPlan;
          return brief.includes('no key') ? call('mission_fire', { goal: 'Get a key' }) : say('Fine.');
        },
        worker: async (body) => {
          if (!JSON.stringify(body.messages).includes('Ask around')) return blocker('no key');
          await gate.passed;
          return asks;
        },
      }),
    );
    const waiting = begin(story, fire);
    await waiting.toSay('✗ blocked');
    const { child, parent } = await waitFor('the mission below', async () => {
      const [newest, first] = (await story.daemon.call('session.list', {})).sessions;
      return first !== undefined && newest?.status === 'running' ? { child: newest.id, parent: first.id } : undefined;
    });
    await waitFor('the planner above to be at rest', async () => (await sessionOf(story, parent)).planner.state === 'idle');
    expect(waiting.child.exitCode).toBeNull();
    gate.open();
    expect(await waiting.ended).toBe(2);
    expect(await sessionOf(story, child)).toMatchObject({ status: 'waiting', parentId: parent });
    expect(waiting.stdout()).toContain('Which colour?');
    expect(waiting.stdout()).not.toContain('cairn retry');
  });

  it.each([
    ['a leaf', playing({ planner: plansOnce, worker: () => asks })],
    ['its planner', playing({ planner: (body) => (isWoken(body) ? asks : say('Fine.')), worker: () => result() })],
  ])('ends with 2 when %s asks a person', async (_who, model) => {
    const story = await tellStory(model);
    const { code, stdout } = await cairn(story, fire);
    expect(code).toBe(2);
    expect(stdout).toMatch(/\n {4}Which colour\?\n\? .*Which colour\?\n[^]*answer: cairn inbox answer i_\w+ TEXT\n$/);
  });

  it('ends with 2 when nothing can wake its planner', async () => {
    const story = await tellStory(plansOnce, { CAIRN_MODEL: '', OPENAI_BASE_URL: '' });
    const { code, stdout } = await cairn(story, [...fire, '--json']);
    expect(code).toBe(2);
    expect(answerOf(stdout)).toMatchObject({ outcome: null, reason: expect.stringContaining('No model is configured') });
  });

  it.each([
    ['run.pause', 'paused'],
    ['run.cancel', 'cancelled'],
  ] as const)('ends with 2 when a person stops it (%s)', async (method, status) => {
    const gate = createGate();
    const worker: Handler = async () => {
      await gate.passed;
      return result();
    };
    const story = await tellStory(playing({ planner: plansOnce, worker }));
    const waiting = begin(story, fire);
    const sessionId = await firedIn(story);
    await waitForRun(story.daemon, sessionId, 'running');
    await story.daemon.call(method, { sessionId });
    gate.open();
    expect(await waiting.ended).toBe(2);
    expect(waiting.stdout()).toContain(`a person has it ${status}\nGo on with: cairn run ${sessionId}`);
  });

  it('ends with 3 when the time is over; the mission goes on', async () => {
    const gate = createGate();
    const worker: Handler = async () => {
      await gate.passed;
      return result();
    };
    const story = await tellStory(playing({ planner: plansOnce, worker }));
    const { code, stdout } = await cairn(story, [...fire, '--timeout', '0.2', '--json']);
    expect(code).toBe(3);
    const { session, ...rest } = answerOf(stdout);
    expect(rest).toMatchObject({ exitCode: 3, outcome: null });
    gate.open();
    expect(await outcomeOf(story, session.id)).toMatchObject({ outcome: 'landed' });
  });

  it('is ended by Ctrl-C, with 130; the mission goes on', async () => {
    const gate = createGate();
    const worker: Handler = async () => {
      await gate.passed;
      return result();
    };
    const story = await tellStory(playing({ planner: plansOnce, worker }));
    const waiting = begin(story, fire);
    await waiting.toSay('▶ running');
    waiting.child.kill('SIGINT');
    expect(await waiting.ended).toBe(130);
    const sessionId = await firedIn(story);
    expect(waiting.stdout()).toContain(`Detached. The mission goes on; follow it with: cairn watch ${sessionId}`);
    expect(await sessionOf(story, sessionId)).toMatchObject({ status: 'running', outcome: null });
    gate.open();
    expect(await outcomeOf(story, sessionId)).toMatchObject({ outcome: 'landed' });
  });

  it('outlives the daemon: what came of it while nobody was connected is heard afterwards', async () => {
    const gate = createGate();
    const worker: Handler = async (_body, number) => {
      if (number === 2) await gate.passed;
      return result();
    };
    const story = await tellStory(playing({ planner: plansOnce, worker }));
    const waiting = begin(story, fire);
    await waiting.toSay('✓ 1 Read');
    await story.daemon.kill();
    await waiting.toSay('The daemon went away.');
    gate.open();
    await story.restart();
    expect(await waiting.ended).toBe(0);
    expect(waiting.said().match(/✓ 1 Read/g)).toHaveLength(1);
    expect(waiting.said()).toContain('✓ 2 Write');
  });
});

describe('cairn fire', () => {
  it('says which one it is and how to follow it, and waits for nothing', async () => {
    const story = await tellStory(playing({ planner: plansOnce, worker: () => result() }));
    const args = ['fire', 'Ship', '--acceptance', 'A CSV can be opened', '--acceptance', 'It is fast', '--policy', 'full'];
    const { code, stdout } = await cairn(story, args);
    expect(code).toBe(0);
    const id = await firedIn(story);
    expect(stdout).toBe(`${id}  Ship\nIt runs by itself. Follow it with: cairn watch ${id}\n`);
    await outcomeOf(story, id);
    expect(JSON.stringify(story.provider.requests[0]?.body)).toContain('It is fast');
  });

  it.each([
    [['--timeout', '5'], /--wait/],
    [['--planner', 'sometimes'], /never, on_blocked, always/],
    [['--planner', 'never'], /Nobody would make its plan/],
    [['--wait', '--timeout', 'soon'], /number of seconds/],
  ])('refuses %s as wrong usage', async (args, message) => {
    const story = await tellStory(plansOnce);
    expect(await cairn(story, ['fire', 'Ship', ...args])).toMatchObject({ code: 64, stderr: expect.stringMatching(message) });
    expect((await story.daemon.call('session.list', {})).sessions).toEqual([]);
  });
});
