import { describe, expect, it } from 'vitest';
import type { ItemId } from '../../shared/plan.js';
import type { MethodName } from '../../shared/contract.js';
import type { RunId } from '../../shared/run.js';
import type { Call } from '../../tui/core/message.js';
import { answerTo } from './core-support.js';
import { openTalk, type Talk } from './core-talk.js';
import * as samples from './screen-samples.js';
import { runOf } from './simulated-daemon.js';
import { answerOne, callIn, goToOther, keptTexts, listSessions, other, refuseOne } from './two-sessions.js';

const id = (text: string): ItemId => text as ItemId;
const notice = ({ person }: Talk): string => person.state.notice?.text ?? '';

describe('a session that was left', () => {
  /** How each is asked, while nothing is answered. The item has the same id in both. */
  const askedBy: readonly [MethodName, (talk: Talk) => void][] = [
    ['run.receipts', ({ person }) => person.press('v')],
    ['plan.history', ({ person }) => person.press('D')],
    ['run.list', ({ person }) => person.press('v')],
    ['run.explain', ({ person }) => person.press('r')],
    ['run.get', ({ person }) => person.take({ type: 'ticked', now: person.state.now + 5_000 })],
  ];

  for (const [method, ask] of askedBy) {
    it(`is answered to nobody elsewhere: ${method}`, () => {
      const talk = openTalk();
      talk.person.take(...talk.daemon.change({ run: runOf({ itemId: id('t1') }) }));
      if (method === 'run.get')
        talk.person.take(...talk.daemon.change({ planRun: { ...talk.daemon.planRun, status: 'running' } }));
      talk.settle();
      ask(talk);
      const asked = callIn(talk.person.calls(), method);
      talk.person.press('Esc');
      goToOther(talk);
      talk.person.press('Home');
      if (method !== 'run.explain' && method !== 'run.get') ask(talk);
      talk.person.wanted();
      const before = talk.person.state;
      answerOne(talk, asked);
      expect(talk.person.state).toEqual(before);
      expect(talk.person.wanted()).toEqual([]);
    });
  }

  it('is answered to nobody elsewhere: plan.diff', () => {
    const changed = (talk: Talk): Call => {
      talk.person.press('Home D');
      const history = callIn(talk.person.calls(), 'plan.history');
      const [revision] = samples.revisions;
      if (revision === undefined) throw new Error('no sample');
      const revisions = [{ ...revision, version: 2, added: [], removed: [], changed: [id('t1')] }];
      talk.person.take(answerTo(history, 'plan.history', { revisions, nextCursor: null }));
      return callIn(talk.person.calls(), 'plan.diff');
    };
    const talk = openTalk();
    const asked = changed(talk);
    talk.person.press('Esc');
    goToOther(talk);
    const own = changed(talk);
    const before = talk.person.state;
    answerOne(talk, asked);
    expect(talk.person.state).toEqual(before);
    answerOne(talk, own);
    expect(talk.person.state).not.toEqual(before);
  });

  it('that cannot be watched any more changes nothing elsewhere', () => {
    const talk = openTalk();
    listSessions(talk);
    talk.person.press('Down Enter');
    const watch = callIn(talk.person.calls(), 'session.watch');
    talk.person.press('S');
    talk.settle();
    talk.person.press('Enter');
    talk.settle();
    const before = talk.person.state;
    expect(before.session?.session.id).toBe('s_1');
    for (const kind of ['not_found', 'invalid_state'] as const) refuseOne(talk, watch, { kind });
    expect(talk.person.state).toEqual(before);
    expect(talk.person.wanted()).toEqual([]);
  });

  it('whose run cannot be read drops nothing that is to be read elsewhere', () => {
    const talk = openTalk();
    talk.person.take(...talk.daemon.change({ run: runOf({ id: 'r_old' as RunId, kind: 'chat' }) }));
    const read = callIn(talk.person.calls(), 'run.transcript');
    listSessions(talk);
    talk.person.press('Down Enter');
    talk.person.take(answerTo(callIn(talk.person.calls(), 'session.watch'), 'session.watch', other));
    const runs = [runOf({ id: 'r_8' as RunId }), runOf({ id: 'r_9' as RunId })];
    talk.person.take(answerTo(callIn(talk.person.calls(), 'run.list'), 'run.list', { runs, nextCursor: null }));
    const { reads, reading } = talk.person.session;
    expect([reads.map(({ run }) => run.id), reading?.runId]).toEqual([['r_8', 'r_9'], 'r_8']);
    refuseOne(talk, read);
    expect([talk.person.session.reads, talk.person.session.reading]).toEqual([reads, reading]);
  });
});

describe('a popup that could not do what it was asked', () => {
  it('is the only one that says so', () => {
    const inbox = [samples.approval, samples.blocker];
    const talk = openTalk(undefined, { inbox });
    talk.person.press('i Up a');
    const answer = callIn(talk.person.calls(), 'inbox.answer');
    talk.person.press('Esc');
    listSessions(talk);
    refuseOne(talk, answer, { message: 'Too late.' });
    expect(talk.person.state.popup).toMatchObject({ kind: 'sessions', error: null });
    expect(notice(talk)).toBe('Too late.');
  });

  it('says nothing in another entry of the inbox', () => {
    const talk = openTalk(undefined, { inbox: [samples.approval, samples.blocker] });
    talk.person.press('i');
    talk.person.press('s');
    const seen = callIn(talk.person.calls(), 'inbox.ack');
    talk.person.press('Up');
    refuseOne(talk, seen, { message: 'Too late.' });
    expect(talk.person.state.popup).toMatchObject({ kind: 'inbox', entry: samples.approval.id, error: null });
  });

  it('says nothing in the details of another item', () => {
    const talk = openTalk();
    talk.person.press('v');
    const calls = talk.person.calls();
    talk.person.press('Esc j v');
    for (const method of ['run.receipts', 'run.list'] as const) refuseOne(talk, callIn(calls, method));
    expect(talk.person.state.popup).toMatchObject({ kind: 'detail', itemId: 't2', errors: new Map() });
  });
});

describe('going to another session', () => {
  it('is held back by a click as well', () => {
    const talk = openTalk();
    talk.person.press('d');
    listSessions(talk);
    talk.person.click('Login');
    expect(talk.person.wanted()).toEqual([]);
    expect(talk.person.text()).toContain('still on their way');
  });
});

describe('what one wrote and left before it was refused', () => {
  for (const [what, keys, text] of [
    ['the goal', 'g', 'Ship the export all'],
    ['a new item', 'a', ' all'],
    ['a new subtask', 'A', ' all'],
  ] as const) {
    it(`is kept in a file: ${what}`, () => {
      const talk = openTalk();
      talk.person.press(keys);
      talk.person.write(' all');
      talk.person.press('Enter Esc');
      expect(talk.person.state.prompt).not.toBeNull();
      talk.person.press('Esc');
      expect(talk.person.state.prompt).toBeNull();
      talk.refuse({ message: 'The plan is locked.' });
      expect(talk.person.wanted()).toEqual([
        { type: 'keepText', text, reason: expect.stringContaining('The plan is locked.') as string },
      ]);
    });
  }

  it('is not kept twice while its prompt is still there', () => {
    const talk = openTalk();
    talk.person.press('e');
    talk.person.write(' all');
    talk.person.press('Enter');
    talk.refuse({ message: 'The plan is locked.' });
    expect(keptTexts(talk.person.wanted())).toEqual([]);
    expect(talk.person.text()).toContain('The plan is locked.');
  });
});

describe('what one is writing when the session is deleted elsewhere', () => {
  const deletedWhile = (keys: string, words: string): string[] => {
    const talk = openTalk();
    talk.person.press(keys);
    talk.person.write(words);
    talk.person.wanted();
    talk.person.take(...talk.daemon.change({ deleted: true }));
    expect([talk.person.state.session, talk.person.state.prompt]).toEqual([null, null]);
    return keptTexts(talk.person.wanted());
  };

  it('is kept in a file', () => {
    expect(deletedWhile('e', ' all')).toEqual(['Read all']);
    expect(deletedWhile('g', ' all')).toEqual(['Ship the export all']);
    expect(deletedWhile('a', 'More')).toEqual(['More']);
  });

  it('is not kept where nothing was written yet, or only looked for', () => {
    expect(deletedWhile('e', '')).toEqual([]);
    expect(deletedWhile('g', '')).toEqual([]);
    expect(deletedWhile('a', '  ')).toEqual([]);
    expect(deletedWhile('/', 'Test')).toEqual([]);
  });
});
