/** Missions and a daemon that is killed: at every step of a story, and at random. */
import { describe, expect, it } from 'vitest';
import type { Session } from '../../shared/session.js';
import { statusesOf } from '../support/daemon.js';
import { eventsOf, fire, plannerRuns, sessionOf } from '../support/mission-story.js';
import { briefOf, isPlanner, isWoken, sinceWaking } from '../support/planning-model.js';
import { call, fail, hang, say, type Script, type ScriptedRequest } from '../support/scripted-provider.js';
import { blocker, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

/** Kills the daemon of a story, and starts another one after each kill. */
function killer() {
  let starting: Promise<unknown> = Promise.resolve();
  let isKilled = false;
  return {
    /** A daemon that has just been started asks before it says that it is ready: it is not killed before that. */
    async kill(story: Story): Promise<void> {
      await starting;
      if (!isKilled) await story.daemon.kill();
      isKilled = true;
    },
    /** Until the condition holds; a call may be cut off by the next kill. */
    keepAlive: <T>(story: Story, done: () => Promise<T | undefined>, describe?: () => unknown): Promise<T> =>
      waitFor<T>(
        'the end, through all kills',
        async () => {
          if (isKilled) {
            isKilled = false;
            starting = story.restart();
            await starting;
          }
          return (await done().catch(() => undefined)) as T;
        },
        { deadlineMs: 25_000, ...(describe ? { describe } : {}) },
      ),
  };
}

/** What a request is about, without what differs from try to try. */
const signatureOf = (body: ScriptedRequest): string =>
  JSON.stringify(
    (isPlanner(body) ? [briefOf(body), ...sinceWaking(body)] : body.messages.slice(1)).map((part) =>
      (typeof part === 'string' ? part : (part.content ?? '')).replaceAll(/\d{4}-\d\d-\d\d[^.]*|untrusted_content_\w+/g, ''),
    ),
  );

describe('kill -9 at every step of a mission', () => {
  it('changes nothing of what comes of it: each thing is done once, told once, and the end is the same', async () => {
    const seen = new Set<string>();
    const { kill, keepAlive } = killer();
    let fired = {} as Session;
    const answer = (body: ScriptedRequest): Script => {
      if (!isPlanner(body)) {
        const item = /Your item: \d+ (.*)$/m.exec(JSON.stringify(body.messages).replaceAll('\\n', '\n'))?.[1] ?? '';
        const isSecondTry = JSON.stringify(body.messages).includes('This is try 2');
        return item.startsWith('Write') && !isSecondTry ? blocker('no key') : result(`did ${item}`);
      }
      if (!isWoken(body)) return say('ok');
      const brief = briefOf(body);
      if (brief.includes('has been fired')) {
        return call('mission_plan', { entries: [{ title: 'Read' }, { title: 'Write' }], explanation: 'the first plan' });
      }
      if (brief.includes('no key')) {
        const entries = [{ id: 't1', title: 'Read' }, { id: 't2', title: 'Write' }, { title: 'Tell' }];
        return call('mission_plan', { entries, explanation: 'tell about it' });
      }
      return brief.includes('Every item') ? call('mission_finish', { outcome: 'landed', reason: 'all there' }) : say('ok');
    };
    const story = await tellStory(async (body) => {
      const signature = signatureOf(body);
      // An item on which the daemon dies three times in a row is blocked, which is another story: only its own step kills it.
      const run = isPlanner(body) ? await story.daemon.call('run.get', { sessionId: fired.id }).catch(() => null) : undefined;
      if (seen.has(signature) || run === null || run?.status === 'running') return answer(body);
      seen.add(signature);
      await kill(story);
      return hang();
    });
    fired = await fire(story);
    const ended = await keepAlive(story, async () => {
      const session = await sessionOf(story, fired.id);
      return session.outcome === null ? undefined : session;
    });
    expect(seen.size).toBeGreaterThan(6);
    expect(ended).toMatchObject({ outcome: 'landed', outcomeReason: 'all there' });
    expect(await statusesOf(story.daemon, fired.id)).toEqual({ Read: 'done', Write: 'done', Tell: 'done' });
    const events = await eventsOf(story, fired.id);
    const revisions = events.filter(({ type, data }) => type === 'plan.revised' && data.author === 'planner');
    expect(revisions.map(({ data }) => data.explanation)).toEqual(['the first plan', 'tell about it']);
    expect(events.filter(({ type }) => type === 'session.outcome')).toHaveLength(1);
    const { reports } = await story.daemon.call('report.list', { sessionId: fired.id });
    expect(reports.map(({ kind, summary }) => `${kind} ${summary}`).toReversed()).toEqual([
      'result did Read',
      'blocker no key',
      'result did Write',
      'result did Tell',
    ]);
    const { entries } = await story.daemon.call('inbox.list', { sessionId: fired.id });
    expect(entries.map(({ kind }) => kind).toReversed()).toEqual(['plan_revised', 'blocker', 'plan_revised', 'outcome']);
    // In its conversation, which goes on through all kills, each thing is told once.
    const last = (await plannerRuns(story, fired.id)).at(-1);
    const { messages } = await story.daemon.call('run.transcript', { runId: last?.id ?? '' });
    const told = (words: string): number =>
      messages.filter(({ kind, content }) => kind === 'notice' && content.includes(words)).length;
    expect(['has been fired', 'did Read', 'no key', 'did Write', 'did Tell', 'Every item'].map(told)).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await plannerRuns(story, fired.id)).every(({ status }) => status === 'completed' || status === 'interrupted')).toBe(
      true,
    );
  });
});

/** Mulberry32: a small generator, so that a seed is one story. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Ended, waiting for a mission below it, or a person is told by an open entry of the inbox what it waits for, and since when. */
async function isAccountedFor(story: Story, session: Session, all: readonly Session[]): Promise<boolean> {
  if (session.outcome !== null) return session.outcomeReason !== null;
  if (session.planner.state === 'idle' && all.some(({ parentId, outcome }) => parentId === session.id && outcome === null))
    return true;
  if (!['blocked', 'waiting', 'failed'].includes(session.status) && !['waiting', 'held'].includes(session.planner.state))
    return false;
  if (session.planner.state === 'due' || session.planner.state === 'running') return false;
  const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id, state: 'open' });
  return entries.some(({ kind, openedAt }) => kind !== 'plan_revised' && openedAt !== '');
}

describe('random crashes', () => {
  it.each([1, 2, 3])('leave no mission without an owner or a dated reason (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const pick = <T>(...choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
    let untilKill = 3;
    let kills = 0;
    const { kill, keepAlive } = killer();
    const story = await tellStory(async (body) => {
      if (kills < 8 && --untilKill <= 0) {
        kills += 1;
        untilKill = 1 + Math.floor(random() * 6);
        await kill(story);
        return hang();
      }
      if (!isPlanner(body)) {
        return pick(
          result('did it'),
          result('did it'),
          blocker('a wall'),
          fail(400, {}),
          call('mission_ask_attention', { question: 'Which?' }),
        );
      }
      if (!isWoken(body)) return say('ok');
      const entries = [{ title: `A ${Math.floor(random() * 100)}` }, { title: 'B' }];
      return pick<Script>(
        call('mission_plan', { entries, explanation: 'otherwise' }),
        say('Nothing to change.'),
        call('mission_finish', { outcome: pick('landed', 'derailed', 'stuck'), reason: 'so it is' }),
        briefOf(body).includes('has been fired') ? call('mission_fire', { goal: 'Below' }) : say('ok'),
        fail(400, {}),
      );
    });
    for (const planner of ['always', 'on_blocked', 'never'] as const) {
      const items = planner === 'never' ? { items: [{ title: 'A' }, { title: 'B' }] } : {};
      await keepAlive(story, () => fire(story, { planner, ...items, idempotencyKey: `${seed} ${planner}` }));
    }
    const sessions = await keepAlive(
      story,
      async () => {
        const { sessions: all } = await story.daemon.call('session.list', {});
        const accounted = await Promise.all(all.map((session) => isAccountedFor(story, session, all)));
        return accounted.every(Boolean) ? all : undefined;
      },
      () => story.daemon.call('session.list', {}),
    );
    expect(sessions.length).toBeGreaterThanOrEqual(3);
    for (const { id, outcome } of sessions) {
      const ends = (await eventsOf(story, id)).filter(({ type }) => type === 'session.outcome');
      expect(ends).toHaveLength(outcome === null ? 0 : 1);
    }
  });
});
