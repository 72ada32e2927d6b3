import { describe, expect, it } from 'vitest';
import { addItem, removeItem, setStatus } from '../../daemon/domain/plan-edit.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { Msg } from '../../tui/core/message.js';
import { sizeOf } from './core-support.js';
import { openTalk, type Talk } from './core-talk.js';
import * as samples from './screen-samples.js';
import { planRunOf } from './tui-support.js';
import { answerOne, callIn, changesOf, goToOther, keptTexts, refuseOne } from './two-sessions.js';

const id = (text: string): ItemId => text as ItemId;
const noticeOf = ({ person }: Talk): string => person.state.notice?.text ?? '';

/** The plan runs, at its first item. */
function running(talk: Talk): void {
  talk.person.press('r');
  talk.settle();
  if (talk.person.session.planRun.status !== 'running') throw new Error('it does not run');
}

describe('a session that was left', () => {
  it('is not confused with the one that is shown: nothing of that is cleared', () => {
    const talk = openTalk();
    running(talk);
    talk.person.press('C y');
    const cancel = callIn(goToOther(talk), 'run.cancel');
    answerOne(talk, cancel);
    expect(changesOf(talk.person)).toEqual([]);
    expect(noticeOf(talk)).toContain('was not cleared');
  });

  it('keeps the text of an editor in a file, where another plan is shown by now', () => {
    const talk = openTalk();
    const sessionId = talk.person.session.session.id;
    goToOther(talk);
    talk.person.wanted();
    talk.person.take({ type: 'textEdited', sessionId, itemId: id('t1'), base: '', text: 'All of it' });
    const wanted = talk.person.wanted();
    expect(keptTexts(wanted)).toEqual(['All of it']);
    expect(wanted.filter(({ type }) => type === 'call')).toEqual([]);
  });

  it('gives no answers to a popup of another one', () => {
    const talk = openTalk();
    talk.person.press('v');
    const asked = talk.open();
    const receipts = callIn(asked, 'run.receipts');
    talk.person.press('Esc');
    goToOther(talk);
    talk.person.press('v');
    answerOne(talk, receipts);
    expect(talk.person.state.popup).toMatchObject({ kind: 'detail', receipts: null });
  });

  it('is not left while edits of it are on their way', () => {
    const talk = openTalk();
    talk.person.press('d');
    expect(() => goToOther(talk)).toThrow('not asked');
    expect(talk.person.text()).toContain('still on their way');
  });

  it('takes nothing with it when it could not be read', () => {
    const talk = openTalk();
    const first = talk.person.session.session.id;
    const refused = {
      type: 'call',
      method: 'session.watch',
      params: { sessionId: 's_9' as SessionId },
      purpose: { for: 'view' },
    } as const;
    refuseOne(talk, refused, { kind: 'not_found', message: 'There is no session s_9.' });
    expect(talk.person.session.session.id).toBe(first);
    expect(talk.person.state.wanted).toBe(first);
  });
});

describe('a question', () => {
  it('takes no letters of somebody who writes in the line', () => {
    const talk = openTalk();
    talk.person.press('j x y');
    talk.lose();
    talk.person.press('Tab Tab');
    talk.person.write('ma');
    talk.comeBack();
    talk.meanwhile((draft) => addItem(draft, { title: 'More', parentId: id('t2') }, 'person'));
    talk.settle();
    talk.person.write('ybe');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.state.chat.editor.text).toBe('maybe');
    talk.person.press('Esc');
    expect(talk.person.state.popup).toMatchObject({ kind: 'confirm', title: 'Remove it?' });
    expect(talk.person.text()).toContain('More');
  });

  it('before a run is told of, not put over the line', () => {
    const talk = openTalk();
    talk.person.press('r Tab Tab');
    const explain = callIn(talk.open(), 'run.explain');
    talk.person.take({
      type: 'answered',
      method: 'run.explain',
      params: { sessionId: talk.person.session.session.id },
      purpose: explain.purpose,
      result: {
        wouldStart: true,
        reason: 'It is paused.',
        next: null,
        reused: { runId: null, turns: 1, effects: [] },
        wouldRun: [],
        mightRepeat: [{ name: 'shell', summary: 'make deploy', why: 'it was cut off' }],
        remainingLeaves: 3,
      },
    });
    talk.person.write('by now');
    expect(talk.person.state.popup).toBeNull();
    expect(talk.person.state.chat.editor.text).toBe('by now');
    expect(changesOf(talk.person)).toEqual([]);
  });

  it('names what is cancelled, and asks again when that is another item by now', () => {
    const talk = openTalk();
    running(talk);
    talk.person.press('c');
    expect(talk.person.text()).toContain('1 Read');
    talk.person.take(...talk.daemon.change({ planRun: planRunOf({ currentItemId: 't3' }) }));
    talk.person.press('y');
    expect(changesOf(talk.person)).toEqual([]);
    expect(talk.person.text()).toContain('2.1 Quote');
    talk.person.press('y');
    expect(changesOf(talk.person)).toEqual(['run.cancel']);
  });

  it('is asked when an item began to run between the key and its turn', () => {
    const talk = openTalk();
    talk.person.press('J d');
    const began = planRunOf({ currentItemId: 't1' });
    // It is told in the same breath as the move.
    const told = talk.daemon.answer(callIn(talk.open(), 'plan.moveItem')).map((msg): Msg => {
      return msg.type === 'changed' ? { ...msg, change: { ...msg.change, planRun: began } } : msg;
    });
    talk.person.take(...told);
    expect(changesOf(talk.person)).not.toContain('plan.setStatus');
    expect(talk.person.text()).toContain('its run is cancelled');
  });

  it('to clear is asked again when the items are other ones, however many', () => {
    const talk = openTalk();
    talk.person.press('C');
    talk.meanwhile((draft) => removeItem(draft, { itemId: id('t5') }, 'person'));
    talk.meanwhile((draft) => addItem(draft, { title: 'Another' }, 'person'));
    talk.person.press('y');
    expect(talk.settle()).toEqual([]);
    expect(talk.person.text()).toContain('The plan changed meanwhile');
  });
});

describe('the menu of an item', () => {
  it('does what stood under the cursor, or nothing', () => {
    const talk = openTalk();
    talk.person.press('Enter j j j');
    expect(talk.person.state.popup).toMatchObject({ chosen: 'markDone' });
    talk.meanwhile((draft) => setStatus(draft, { itemId: id('t1'), status: 'done' }));
    talk.person.press('Enter');
    expect(talk.settle()).toEqual([]);
    talk.person.press('Esc');
    expect(talk.person.session.plan.items.get(id('t1'))?.status).toBe('done');
  });
});

describe('undo of a removal', () => {
  const removed = (): Talk => {
    const talk = openTalk();
    talk.person.press('j x y');
    talk.settle();
    return talk;
  };

  it('asks when somebody changed the plan after it, also in the last moment', () => {
    const talk = removed();
    talk.person.press('u');
    const history = callIn(talk.open(), 'plan.history');
    answerOne(talk, history);
    // The revert is on its way, and comes too late.
    const revert = callIn(talk.open(), 'plan.revert');
    talk.meanwhile((draft) => addItem(draft, { title: 'Of somebody else' }, 'person'));
    const version = talk.daemon.plan.version;
    refuseOne(talk, revert, { kind: 'version_conflict', message: 'The plan changed.', currentVersion: version });
    talk.settle();
    expect(talk.person.text()).toContain('1 later change of others');
    expect(talk.person.session.plan.listed.map(({ title }) => title)).toContain('Of somebody else');
  });

  it('is not sent twice when nobody knows whether it was done', () => {
    const talk = removed();
    talk.person.press('u');
    answerOne(talk, callIn(talk.open(), 'plan.history'));
    callIn(talk.open(), 'plan.revert');
    talk.lose();
    expect(noticeOf(talk)).toContain('look whether it was taken back');
    talk.comeBack();
    expect(talk.settle()).toEqual([]);
  });

  it('is told when it was done, and what could not be taken back is said', () => {
    const talk = openTalk();
    talk.person.press('d');
    talk.settle();
    talk.person.press('u');
    expect(noticeOf(talk)).toBe('');
    talk.refuse({ message: 'Not now.' });
    expect(noticeOf(talk)).toContain('Not taken back');
    expect(noticeOf(talk)).toContain('Not now.');
  });
});

describe('words', () => {
  it('of a new plan are one plan, sent again after a lost connection', () => {
    const talk = openTalk();
    talk.person.press('Ctrl-t');
    talk.person.write('Ship');
    const keys = [0, 1].map(() => {
      talk.person.press('Enter');
      const call = callIn(talk.open(), 'session.create');
      talk.lose();
      talk.comeBack();
      talk.settle();
      return (call.params as { idempotencyKey?: string }).idempotencyKey;
    });
    expect(keys[0]).toBeDefined();
    expect(keys[1]).toBe(keys[0]);
    talk.person.write(' it');
    talk.person.press('Enter');
    expect((callIn(talk.open(), 'session.create').params as { idempotencyKey?: string }).idempotencyKey).not.toBe(keys[0]);
  });

  it('of an answer may begin with a figure, and are there again after a look elsewhere', () => {
    const talk = openTalk(undefined, { inbox: [samples.question] });
    talk.person.press('i');
    talk.person.write('2 weeks');
    expect(talk.open()).toEqual([]);
    talk.person.press('Esc i');
    expect(talk.person.text()).toContain('2 weeks');
    talk.person.press('Enter');
    expect(talk.open()).toMatchObject([{ params: { answer: '2 weeks' } }]);
    talk.refuse({ message: 'Not yet.' });
    expect(talk.person.text()).toContain('Not yet.');
    expect(talk.person.text()).toContain('2 weeks');
  });

  it('that were being written come back when older ones were sent or changed', () => {
    const talk = openTalk();
    talk.person.press('Tab Tab');
    talk.person.write('old words');
    talk.person.press('Enter');
    talk.person.write('a draft');
    talk.person.press('Up Enter');
    expect(talk.person.state.chat.editor.text).toBe('a draft');
    talk.person.press('Up');
    talk.person.write('!');
    expect(talk.person.state.chat.history.at(-1)).toBe('a draft');
    talk.person.press('Up Ctrl-c');
    expect(talk.person.state.chat.editor.text).toBe('old words!');
  });

  it('in the line are not left behind without a question', () => {
    const talk = openTalk();
    talk.person.press('Tab Tab');
    talk.person.write('half a');
    talk.person.press('Esc q');
    expect(talk.person.wanted()).not.toContainEqual(expect.objectContaining({ type: 'leave' }));
    expect(noticeOf(talk)).toContain('not sent');
    talk.person.press('q');
    expect(talk.person.wanted()).toContainEqual({ type: 'leave', next: 'nothing' });
  });

  it('in a prompt are kept in a file when their session is deleted, unless nothing was written', () => {
    for (const [words, kept] of [
      ['!', ['Read!']],
      ['', []],
    ] as const) {
      const talk = openTalk();
      talk.person.press('e');
      talk.person.write(words);
      talk.person.take(...talk.daemon.change({ deleted: true }));
      expect(keptTexts(talk.person.wanted())).toEqual(kept);
    }
  });

  it('of a prompt that was left, and that the daemon then refuses, are kept in a file', () => {
    const talk = openTalk();
    talk.person.press('e');
    talk.person.write('!');
    talk.person.press('Enter Esc Esc');
    talk.refuse({ message: 'Too long.' });
    expect(keptTexts(talk.person.wanted())).toEqual(['Read!']);
  });
});

describe('a daemon that is not heard any more', () => {
  it('is told of as it was when it was heard, and no time goes on', () => {
    const talk = openTalk();
    running(talk);
    const { now } = talk.person.state;
    talk.lose();
    const atOnce = talk.person.screen().slice(0, -1);
    talk.person.take({ type: 'ticked', now: now + 600_000 });
    expect(talk.person.screen().slice(0, -1)).toEqual(atOnce);
    expect(talk.person.text()).toContain('was running');
    expect(talk.person.text()).toContain('last known: ');
    talk.comeBack();
    talk.settle();
    expect(talk.person.text()).not.toMatch(/was running|last known/);
  });
});

describe('a new item', () => {
  it('that is gone again in the same breath leaves nobody waiting', () => {
    const talk = openTalk();
    talk.person.press('a');
    talk.person.write('Short-lived');
    talk.person.press('Enter');
    const add = callIn(talk.open(), 'plan.addItem');
    const [answered, ...told] = talk.daemon.answer(add);
    if (answered === undefined) throw new Error('no answer');
    // Both are told as one change.
    talk.person.take(answered);
    const { version } = talk.daemon.plan;
    const from = version - 1;
    talk.person.take(...talk.daemon.change({ fromVersion: from, items: [], removed: [] }));
    expect(told).not.toEqual([]);
    expect(talk.person.state.prompt).toMatchObject({ isSent: false });
    expect(talk.person.state.ahead).toEqual([]);
  });
});

describe('a terminal too small to show anything', () => {
  it('takes no decisions', () => {
    const talk = openTalk(undefined, { size: sizeOf(12, 4) });
    expect(talk.person.text()).toContain('Too small');
    talk.person.press('d x y C y r');
    expect(talk.settle()).toEqual([]);
    talk.person.press('q');
    expect(talk.person.wanted()).toContainEqual({ type: 'leave', next: 'nothing' });
  });
});
