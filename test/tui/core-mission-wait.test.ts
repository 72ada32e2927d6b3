import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CairnEvent, eventSchema } from '../../shared/event.js';
import { type MissionNode, missionNodeSchema, type PlannerMode } from '../../shared/mission.js';
import { planRunStatuses, runIdSchema } from '../../shared/run.js';
import type { SessionId } from '../../shared/plan.js';
import { type Ending, hear, judgeTree, startWait } from '../../tui/core/missions/mission-wait.js';
import { hearRun, startRunWait } from '../../tui/core/missions/run-wait.js';
import { exitCodeOf } from '../../tui/wait-for-outcome.js';

const mission = 's_1' as SessionId;
const at = '2026-03-01T10:00:00.000Z';

/**
 * An event as a word: a status of the plan run, an outcome, `deleted`, `opened` (of the inbox), `done` (a leaf's run), `planner`
 * (the end of its run), `edited`; `below:` before one is of another session.
 */
function eventOf(word: string, seq: number): CairnEvent {
  const isBelow = word.startsWith('below:');
  const name = word.replace('below:', '');
  const parts: Record<string, readonly [type: string, data: object]> = {
    deleted: ['session.deleted', {}],
    opened: ['inbox.opened', { id: 'i_1', kind: 'question' }],
    done: ['run.completed', { itemId: 't1', kind: 'leaf', attempt: 1 }],
    planner: ['run.completed', { itemId: null, kind: 'planner', attempt: 1 }],
    edited: ['plan.revised', { version: 2, author: 'planner', explanation: null, added: 1, removed: 0, changed: 0 }],
  };
  for (const outcome of ['landed', 'derailed', 'stuck']) parts[outcome] = ['session.outcome', { outcome }];
  for (const status of planRunStatuses)
    parts[status] = ['plan_run.changed', { status, from: 'running', currentItemId: 't1', stepNo: 1, attempt: 1 }];
  const [type, data] = parts[name] ?? [name, {}];
  return eventSchema.parse({ seq, at, sessionId: isBelow ? 's_2' : mission, type, data });
}

/** What is heard of `words`, in order: how it ended, or whether somebody has to look. */
function hearAll(mode: PlannerMode, words: string): { ending: Ending | null; lookDue: boolean } {
  let wait = startWait(mission, mode, 0);
  for (const [index, word] of words.split(' ').entries()) {
    const heard = hear(wait, eventOf(word, index + 1));
    wait = heard.wait;
    if (heard.ending !== null) return { ending: heard.ending, lookDue: false };
  }
  return { ending: null, lookDue: wait.lookDue };
}

describe('what the events of a mission say to those who wait for it', () => {
  it.each<[PlannerMode, string, number]>([
    ['always', 'running done landed', 0],
    ['always', 'running blocked running completed landed', 0],
    // A result is no outcome.
    ['always', 'running done derailed', 1],
    ['never', 'running done failed derailed', 1],
    ['on_blocked', 'blocked planner planner planner stuck', 1],
    ['always', 'running blocked deleted', 1],
    // It was blocked, even if somebody has answered before anybody looked.
    ['never', 'running blocked running completed landed', 2],
    ['never', 'running waiting running', 2],
    ['never', 'running pausing paused', 2],
    ['never', 'cancelled', 2],
  ])('%s: %s ends with %i', (mode, words, code) => {
    const { ending } = hearAll(mode, words);
    expect(ending && exitCodeOf(ending)).toBe(code);
  });

  it.each<[PlannerMode, string, boolean]>([
    ['always', 'running', false],
    ['always', 'running done', false],
    ['always', 'running planner', false],
    ['always', 'running opened', false],
    ['always', 'running blocked', true],
    ['always', 'running blocked running', false],
    ['always', 'running waiting', true],
    ['always', 'edited', false],
    ['always', 'planner', true],
    ['always', 'opened', true],
    ['always', 'completed planner', true],
    ['never', 'running failed', true],
    // What happens below may be what it waits for.
    ['always', 'running below:blocked', false],
    ['always', 'blocked below:opened', true],
    ['always', 'blocked below:landed', true],
    ['always', 'blocked below:done', true],
  ])('%s: %s leaves it open; a look is due: %s', (mode, words, lookDue) => {
    expect(hearAll(mode, words)).toEqual({ ending: null, lookDue });
  });

  it('nothing that is told twice is heard twice', () => {
    const words = fc.constantFrom(
      'running',
      'blocked',
      'waiting',
      'planner',
      'opened',
      'below:opened',
      'done',
      'landed',
      'deleted',
    );
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 12 }),
        fc.nat(),
        fc.constantFrom<PlannerMode>('never', 'always'),
        (all, from, mode) => {
          const events = all.map((word, index) => eventOf(word, index + 1));
          const repeated = events.flatMap((event, index) => [...events.slice(from % (index + 1), index + 1), event]);
          const run = (stream: readonly CairnEvent[]): unknown => {
            let wait = startWait(mission, mode, 0);
            for (const event of stream) {
              const heard = hear(wait, event);
              if (heard.ending !== null) return heard.ending;
              wait = heard.wait;
            }
            return wait;
          };
          expect(run(repeated)).toEqual(run(events));
        },
      ),
    );
  });
});

type NodePart = Partial<Omit<MissionNode, 'planner'>> & { readonly planner?: string };

function nodeOf({ planner = 'always idle', ...part }: NodePart): MissionNode {
  const [mode = '', state = ''] = planner.split(' ');
  const usage = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 };
  return missionNodeSchema.parse({
    sessionId: mission,
    parentId: null,
    depth: 0,
    title: 'Export',
    goal: 'Ship the export',
    isMission: true,
    status: 'running',
    lastError: null,
    outcome: null,
    outcomeReason: null,
    counts: { pending: 1, active: 0, done: 0, skipped: 0, leaves: 1 },
    ownUsage: usage,
    usage,
    openInbox: 0,
    createdAt: at,
    updatedAt: at,
    ...part,
    planner: { mode, state, reason: null },
  });
}

describe('a look at a mission that may have come to rest', () => {
  it.each([
    ['blocked', 'always due', false],
    ['blocked', 'always running', false],
    ['blocked', 'always idle', true],
    ['blocked', 'always waiting', true],
    ['blocked', 'always held', true],
    ['blocked', 'never none', true],
    ['waiting', 'always idle', true],
    ['waiting', 'on_blocked due', false],
    ['paused', 'always held', true],
    ['cancelled', 'always held', true],
    ['failed', 'always due', false],
    ['failed', 'always held', true],
    // The runtime ends it.
    ['failed', 'never none', false],
    ['running', 'always waiting', false],
    ['running', 'always held', false],
    ['pausing', 'always idle', false],
    ['idle', 'always due', false],
    ['idle', 'always idle', false],
    ['idle', 'always held', true],
    ['completed', 'always waiting', true],
    ['completed', 'always idle', false],
    ['completed', 'never none', false],
  ] as const)('%s, planner %s: a person is needed: %s', (status, planner, isNeeded) => {
    const ending = judgeTree({ sessionId: mission }, [nodeOf({ status, planner })]);
    expect(ending).toEqual(isNeeded ? { type: 'needs_person', status } : null);
  });

  it('leaves an outcome to the events, and takes what is gone for deleted', () => {
    expect(judgeTree({ sessionId: mission }, [nodeOf({ status: 'blocked', outcome: 'stuck' })])).toBeNull();
    expect(judgeTree({ sessionId: mission }, [])).toEqual({ type: 'deleted' });
  });

  it.each<[string, NodePart, boolean]>([
    ['works', { status: 'running' }, false],
    ['is about to be planned', { status: 'idle', planner: 'always due' }, false],
    ['needs a person', { status: 'blocked', planner: 'never none' }, true],
    ['has ended', { status: 'completed', outcome: 'landed' }, true],
  ])('that is blocked goes on when a mission below it %s', (_what, child, isNeeded) => {
    const below = nodeOf({ sessionId: 's_2' as SessionId, parentId: mission, depth: 1, ...child });
    const ending = judgeTree({ sessionId: mission }, [nodeOf({ status: 'blocked' }), below]);
    expect(ending !== null).toBe(isNeeded);
    // A planner that asks a person needs one, whatever goes on below.
    expect(judgeTree({ sessionId: mission }, [nodeOf({ status: 'blocked', planner: 'always waiting' }), below])).not.toBeNull();
  });
});

describe('the wait for one run', () => {
  const runEvent = (seq: number, type: string, runId: string, resumes: string | null = null): CairnEvent =>
    eventSchema.parse({ seq, at, sessionId: mission, runId, type, data: { itemId: null, kind: 'planner', attempt: 1, resumes } });
  const begin = startRunWait(runIdSchema.parse('r_1'), 0);

  it.each(['run.completed', 'run.failed', 'run.cancelled', 'run.blocked'])(
    'is over with its %s, not with that of another',
    (type) => {
      expect(hearRun(begin, runEvent(2, type, 'r_2')).ended).toBe(false);
      expect(hearRun(begin, runEvent(2, type, 'r_1')).ended).toBe(true);
    },
  );

  it('goes on with the run that resumes one that died with the daemon', () => {
    const cut = hearRun(begin, runEvent(2, 'run.interrupted', 'r_1'));
    expect(cut).toMatchObject({ ended: false, wait: { isCut: true } });
    const resumed = hearRun(cut.wait, runEvent(3, 'run.started', 'r_2', 'r_1'));
    expect(resumed).toMatchObject({ ended: false, wait: { runId: 'r_2', isCut: false } });
    expect(hearRun(resumed.wait, runEvent(4, 'run.completed', 'r_2')).ended).toBe(true);
    expect(hearRun(resumed.wait, runEvent(3, 'run.completed', 'r_2')).ended).toBe(false);
  });
});
