/** Long runs and long lists: nothing is read again that was heard, and what is not there yet can be reached. */
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import { outputLeftOut } from '../../shared/session.js';
import type { Message, Run, RunId } from '../../shared/run.js';
import type { Call, Refused } from '../../tui/core/message.js';
import { answerTo, sizeOf } from './core-support.js';
import * as samples from './screen-samples.js';
import { snapshotOfScene, stage, type Staged } from './screen-script.js';
import { runOf } from './simulated-daemon.js';

const message = (kind: Message['kind'], content: string, part: Partial<Message> = {}): Message => ({
  ...{ kind, role: 'assistant', content, at: '2026-03-01T09:00:00.000Z' },
  ...part,
});
const withTurns = (run: Run, turns: number): Run => ({ ...run, usage: { ...run.usage, turns } });
const refusal: Refused = { kind: 'internal_error', message: 'The disk is gone.', hint: null, currentVersion: null };

const transcripts = (calls: readonly Call[]): Call[] => calls.filter(({ method }) => method === 'run.transcript');
const wordsIn = ({ person }: Staged, text: string): number => person.text().split(text).length - 1;

describe('a long run that is watched from its middle on', () => {
  /** Its turns end one after the other; gives how often its transcript was read. */
  function goOn(staged: Staged, run: Run, turns: readonly number[], meanwhile: (turn: number) => void = () => undefined): number {
    let reads = 0;
    for (const turn of turns) {
      staged.stream('text', `Words of turn ${turn}.`);
      staged.stream('tool', `step ${turn}`, 'shell');
      staged.tell({ run: withTurns(run, turn) });
      for (const call of transcripts(staged.person.calls())) {
        reads += 1;
        meanwhile(turn);
        const said = Array.from({ length: turn }, (_, i) =>
          message('assistant', `Words of turn ${i + 1}.`, {
            toolCalls: [{ id: `c${i}`, name: 'shell', arguments: JSON.stringify({ command: `step ${i + 1}` }) }],
          }),
        );
        const results = said.slice(0, -1).map((_, i) => message('tool', 'done', { role: 'tool', toolCallId: `c${i}` }));
        staged.person.take(answerTo(call, 'run.transcript', { messages: [...said, ...results] }));
      }
    }
    return reads;
  }

  it('is read once, when the turn ends that was under way', () => {
    const staged = stage({ size: sizeOf(200, 60) });
    expect(goOn(staged, samples.working, [3, 4, 5, 6, 7, 8])).toBe(1);
    for (const turn of [1, 2, 3, 4, 8]) expect(wordsIn(staged, `Words of turn ${turn}.`), `turn ${turn}`).toBe(1);
  });

  it('is not read while no turn has ended', () => {
    const staged = stage({ size: sizeOf(200, 60) });
    staged.stream('text', 'Words');
    for (let i = 0; i < 5; i += 1) staged.tell({ run: { ...samples.working } });
    expect(transcripts(staged.person.calls())).toEqual([]);
  });

  it('is read again where words ended while it was read, and shows them all', () => {
    const staged = stage({ size: sizeOf(200, 60) });
    const reads = goOn(staged, samples.working, [3, 4, 5, 6], (turn) => {
      if (turn !== 3) return;
      staged.stream('tool_output', 'done\n', 'shell');
      staged.stream('text', 'Words of turn 4, the first of them.');
      staged.stream('reasoning', 'Hm.\n');
    });
    expect(reads).toBe(2);
    for (const turn of [1, 2, 3, 4, 6]) expect(wordsIn(staged, `Words of turn ${turn}.`), `turn ${turn}`).toBe(1);
  });

  it('is read again after a part of it was left out', () => {
    const staged = stage({ size: sizeOf(200, 60) });
    expect(goOn(staged, samples.working, [3, 4])).toBe(1);
    staged.stream('notice', outputLeftOut);
    expect(goOn(staged, samples.working, [5, 6, 7])).toBe(1);
  });

  it('that ends while it is read is read to its end', () => {
    const staged = stage({ size: sizeOf(200, 60) });
    staged.tell({ run: withTurns(samples.working, 3) });
    const [first] = transcripts(staged.person.calls());
    if (first === undefined) throw new Error('it was not read');
    const ended: Run = { ...withTurns(samples.working, 4), status: 'completed', finishedAt: '2026-03-01T10:01:00.000Z' };
    staged.stream('text', 'The last words.');
    staged.tell({ run: ended });
    staged.person.take(answerTo(first, 'run.transcript', { messages: [message('assistant', 'The first words.')] }));
    const [second] = transcripts(staged.person.calls());
    if (second === undefined) throw new Error('it was not read to its end');
    const all = ['The first words.', 'The last words.'].map((text) => message('assistant', text));
    staged.person.take(answerTo(second, 'run.transcript', { messages: all }));
    expect(wordsIn(staged, 'The last words.')).toBe(1);
    expect(transcripts(staged.person.calls())).toEqual([]);
  });

  it('by another client is read for its words, not at every change', () => {
    const staged = stage({ size: sizeOf(200, 60) }, { run: null });
    const chat = runOf({ id: 'r_9' as RunId, kind: 'chat' });
    let reads = 0;
    for (let change = 0; change < 12; change += 1) {
      staged.tell({ run: withTurns(chat, Math.floor(change / 3)) });
      for (const call of transcripts(staged.person.calls())) {
        reads += 1;
        staged.person.take(
          answerTo(call, 'run.transcript', { messages: [message('chat', 'Words of another.', { role: 'user' })] }),
        );
      }
    }
    expect(reads).toBeLessThanOrEqual(2);
    expect(wordsIn(staged, 'Words of another.')).toBe(1);
  });
});

const chats = (from: number, count: number): Run[] =>
  Array.from({ length: count }, (_, i) =>
    runOf({ id: `r_${from - i}` as RunId, kind: 'chat', status: 'completed', finishedAt: '2026-03-01T09:00:00.000Z' }),
  );

/** A session with the runs from 1 to `count`, of which a list has `limit`; `refuse` says what is not answered. */
function openMany(count: number, limit = 10): { staged: Staged; settle: (refuse?: (call: Call) => boolean) => Call[] } {
  const staged = stage({ size: sizeOf(80, 24) }, { run: null });
  const settle = (refuse: (call: Call) => boolean = () => false): Call[] => {
    const asked: Call[] = [];
    for (let calls = staged.person.calls(); calls.length > 0; calls = staged.person.calls()) {
      asked.push(...calls);
      for (const call of calls) {
        if (refuse(call)) staged.person.take({ type: 'refused', call, error: refusal });
        else if (call.method === 'run.list') {
          const below = call.params.cursor === undefined ? count + 1 : Number(call.params.cursor);
          const runs = chats(below - 1, Math.min(limit, below - 1));
          const nextCursor = below - 1 > limit ? String(below - limit) : null;
          staged.person.take(answerTo(call, 'run.list', { runs, nextCursor }));
        } else if (call.method === 'run.transcript')
          staged.person.take(answerTo(call, 'run.transcript', { messages: [message('chat', `Words of ${call.params.runId}`)] }));
      }
    }
    return asked;
  };
  // Another session than the one that the stage has shown.
  const scene = snapshotOfScene({ run: null });
  const session = { ...scene.session, id: 's_many' as SessionId };
  staged.person.press('S');
  const [list] = staged.person.calls();
  if (list?.method !== 'session.list') throw new Error('the sessions were not asked for');
  staged.person.take(answerTo(list, 'session.list', { sessions: [session], nextCursor: null }));
  staged.person.press('Enter');
  const watch = staged.person.calls().find(({ method }) => method === 'session.watch');
  if (watch === undefined) throw new Error('it was not opened');
  staged.person.take(
    answerTo(watch, 'session.watch', { ...scene, session, planRun: { ...scene.planRun, sessionId: session.id } }),
  );
  return { staged, settle };
}

const heard = ({ person }: Staged): string[] =>
  person.session.conversation.blocks.filter(({ kind }) => kind === 'you').map(({ runId }) => runId ?? '');

describe('runs beyond the first list', () => {
  it('are reached by scrolling up, down to the very first', () => {
    const { staged, settle } = openMany(35);
    settle();
    expect(heard(staged)).toHaveLength(6);
    staged.person.press('Tab');
    for (let i = 0; i < 60 && heard(staged).length < 35; i += 1) {
      staged.person.press('Home');
      settle();
    }
    expect(heard(staged)).toEqual(Array.from({ length: 35 }, (_, i) => `r_${i + 1}`));
    staged.person.press('Home');
    expect(staged.person.calls()).toEqual([]);
    expect(new Set(staged.person.session.runs.map(({ id }) => id)).size).toBe(35);
  });

  it('are asked for once at a time, and again when that was refused', () => {
    const { staged, settle } = openMany(35);
    settle();
    staged.person.press('Tab');
    for (let i = 0; i < 4; i += 1) {
      staged.person.press('Home');
      settle();
    }
    staged.person.press('Home Home Home');
    const asked = settle(({ method }) => method === 'run.list');
    expect(asked).toMatchObject([{ method: 'run.list', params: { cursor: '26' } }]);
    expect(staged.person.state.notice?.text).toContain('The disk is gone.');
    staged.person.press('Home');
    settle();
    expect(heard(staged)[0]).toBe('r_25');
  });

  it('stay known when the newest are listed anew', () => {
    const { staged, settle } = openMany(25);
    settle();
    staged.person.press('Tab');
    for (let i = 0; i < 30; i += 1) {
      staged.person.press('Home');
      settle();
    }
    const { session } = staged.person.session;
    staged.tell({ snapshot: { ...snapshotOfScene({ run: null }), session } });
    staged.person.take({
      type: 'changed',
      change: { sessionId: session.id, seq: 20, snapshot: { ...snapshotOfScene({ run: null }), session } },
    });
    expect(settle().some(({ method }) => method === 'run.list')).toBe(true);
    expect(staged.person.session.runs).toHaveLength(25);
    expect(heard(staged)).toHaveLength(25);
  });

  it('are told of when they are not kept any more', () => {
    const { staged, settle } = openMany(35);
    settle();
    const many = Array.from({ length: 60_000 }, (_, i) => `${i}\n`).join('');
    const sessionId = staged.person.session.session.id;
    const output = { sessionId, runId: 'r_36' as RunId, itemId: null, stream: 'text', text: many } as const;
    staged.person.take({ type: 'output', output });
    staged.person.press('Tab Home');
    expect(staged.person.calls()).toEqual([]);
    expect(staged.person.state.notice?.text).toContain('not kept');
  });

  it('are read also where the newest one speaks before they are listed', () => {
    const { staged, settle } = openMany(12);
    const sessionId = staged.person.session.session.id;
    staged.person.take({
      type: 'output',
      output: { sessionId, runId: 'r_12' as RunId, itemId: null, stream: 'text', text: 'Now' },
    });
    settle();
    expect(heard(staged)).toEqual(['r_7', 'r_8', 'r_9', 'r_10', 'r_11', 'r_12']);
    staged.person.press('Tab Home');
    expect(settle()).toMatchObject([{ method: 'run.transcript', params: { runId: 'r_6' } }]);
  });

  it('take the place of what is too old to go on from', () => {
    const { staged, settle } = openMany(8);
    settle();
    const { session } = staged.person.session;
    staged.person.take({
      type: 'changed',
      change: { sessionId: session.id, seq: 20, snapshot: { ...snapshotOfScene({ run: null }), session } },
    });
    const [list] = staged.person.calls();
    if (list?.method !== 'run.list') throw new Error('they were not listed');
    staged.person.take(answerTo(list, 'run.list', { runs: chats(500, 10), nextCursor: '491' }));
    settle();
    expect(heard(staged)).toEqual(['r_495', 'r_496', 'r_497', 'r_498', 'r_499', 'r_500']);
  });
});

describe('many sessions', () => {
  const sessionsOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => samples.session({ id: `s_${from - i}` as SessionId, title: `Plan ${from - i}` }));
  const openSessions = (): { staged: Staged; asked: () => Call } => {
    const staged = stage({ size: sizeOf(80, 24) });
    staged.person.press('S');
    const asked = (): Call => {
      const [call, ...more] = staged.person.calls();
      if (call?.method !== 'session.list' || more.length > 0) throw new Error('one page is asked for');
      return call;
    };
    return { staged, asked };
  };

  it('come page by page, shown as they come, until all are there', () => {
    const { staged, asked } = openSessions();
    staged.person.take(answerTo(asked(), 'session.list', { sessions: sessionsOf(3_000, 1_000), nextCursor: '2001' }));
    expect(staged.person.text()).toContain('Plan 3000');
    const second = asked();
    expect(second.params).toMatchObject({ cursor: '2001' });
    staged.person.write('plan s_5');
    staged.person.take(answerTo(second, 'session.list', { sessions: sessionsOf(2_000, 1_000), nextCursor: '1001' }));
    staged.person.take(answerTo(asked(), 'session.list', { sessions: sessionsOf(1_000, 1_000), nextCursor: null }));
    expect(staged.person.calls()).toEqual([]);
    staged.person.write('17');
    expect(staged.person.text()).toContain('Plan 517');
    staged.person.press('Enter');
    expect(staged.person.calls()).toContainEqual(
      expect.objectContaining({ method: 'session.watch', params: { sessionId: 's_517' } }),
    );
  });

  it('are not said to be none while more of them come', () => {
    const { staged, asked } = openSessions();
    staged.person.take(answerTo(asked(), 'session.list', { sessions: sessionsOf(20, 10), nextCursor: '11' }));
    const second = asked();
    staged.person.write('plan 7');
    expect(staged.person.text()).not.toContain('None like that');
    expect(staged.person.text()).toContain('Reading');
    staged.person.take(answerTo(second, 'session.list', { sessions: sessionsOf(10, 10), nextCursor: null }));
    expect(staged.person.text()).toContain('Plan 7');
    expect(staged.person.text()).not.toContain('Reading');
  });

  it('that cannot be read are told of, below those that are there', () => {
    const { staged, asked } = openSessions();
    staged.person.take(answerTo(asked(), 'session.list', { sessions: sessionsOf(20, 10), nextCursor: '11' }));
    staged.person.take({ type: 'refused', call: asked(), error: refusal });
    expect(staged.person.text()).toContain('The disk is gone.');
    expect(staged.person.text()).toContain('Plan 20');
    expect(staged.person.text()).toContain('not all of them');
    staged.person.press('Down');
    expect(staged.person.text()).toContain('Plan 19');
  });

  it('take no page that an earlier look at them asked for', () => {
    const { staged, asked } = openSessions();
    staged.person.take(answerTo(asked(), 'session.list', { sessions: sessionsOf(20, 10), nextCursor: '11' }));
    const late = asked();
    staged.person.press('Esc S');
    const again = asked();
    staged.person.take(answerTo(late, 'session.list', { sessions: sessionsOf(10, 10), nextCursor: null }));
    staged.person.take(answerTo(again, 'session.list', { sessions: sessionsOf(20, 10), nextCursor: null }));
    const { popup } = staged.person.state;
    if (popup?.kind !== 'sessions') throw new Error('they are not shown');
    expect(popup.sessions?.map(({ id }) => id)).toEqual(sessionsOf(20, 10).map(({ id }) => id));
  });
});
