import { describe, expect, it } from 'vitest';
import { addItem } from '../../daemon/domain/plan-edit.js';
import type { ItemId } from '../../shared/plan.js';
import type { Call } from '../../tui/core/message.js';
import { daemonOf, sizeOf } from './core-support.js';
import { connectionLost, openTalk, type Talk } from './core-talk.js';
import * as samples from './screen-samples.js';
import { callIn, refuseOne } from './two-sessions.js';

const id = (text: string): ItemId => text as ItemId;
const notice = ({ person }: Talk): string => person.state.notice?.text ?? '';

/** The first task runs, and has been paused and resumed: there is something to say before the next start. */
const startAndPause = (talk: Talk): void => {
  for (const key of ['r', 'P']) {
    talk.person.press(key);
    talk.settle();
  }
};

describe('a question that comes up while one writes in the line', () => {
  /** A yes to a removal whose connection was lost; by the time it is back there is more to remove. */
  const staleRemoval = (): Talk => {
    const talk = openTalk();
    talk.person.press('j x y');
    talk.lose();
    talk.person.press('Tab Tab');
    talk.person.write('I wait');
    talk.daemon.edit((draft) => addItem(draft, { title: 'One more', parentId: id('t2') }, 'planner'));
    talk.comeBack();
    talk.settle();
    return talk;
  };

  it('takes none of the letters, is told, and Escape shows it', () => {
    const talk = staleRemoval();
    expect(talk.person.state.popup).toBeNull();
    expect(notice(talk)).toMatch(/something to decide.*Esc/);
    talk.person.write(' yet y');
    expect([talk.person.state.popup, talk.person.state.chat.editor.text]).toEqual([null, 'I wait yet y']);
    expect(talk.settle()).toEqual([]);
    talk.person.press('Esc');
    expect(talk.person.text()).toContain('One more');
    expect(talk.person.state.popup?.kind).toBe('confirm');
    talk.person.press('y');
    expect(talk.settle()).toEqual(['plan.removeItem']);
    expect(talk.person.state.chat.editor.text).toBe('I wait yet y');
  });

  it('is shown when one goes to the plan by key or click, as after Escape', () => {
    for (const leave of [({ person }: Talk) => person.press('Tab'), ({ person }: Talk) => person.click('3 Test')]) {
      const talk = staleRemoval();
      leave(talk);
      expect(talk.person.state.popup?.kind).toBe('confirm');
    }
  });

  it('before a run is told as well, and r shows it', () => {
    const talk = openTalk();
    startAndPause(talk);
    talk.person.press('r Tab Tab');
    talk.person.write('by now');
    expect(talk.settle()).toEqual([]);
    expect([talk.person.state.popup, talk.person.state.chat.editor.text]).toEqual([null, 'by now']);
    expect(notice(talk)).toMatch(/before it runs: r shows it/);
    talk.person.press('Esc r');
    talk.settle();
    expect(talk.person.state.popup?.kind).toBe('explain');
  });
});

describe('a new session', () => {
  const asked = (talk: Talk): Call => callIn(talk.person.calls(), 'session.create');
  const keyOf = ({ params }: Call): unknown => ('idempotencyKey' in params ? params.idempotencyKey : undefined);
  const ask = (): { talk: Talk; first: Call } => {
    const talk = openTalk();
    talk.person.press('Ctrl-t');
    talk.person.write('Mend the login');
    talk.person.press('Enter');
    const first = asked(talk);
    expect(keyOf(first)).toEqual(expect.any(String));
    return { talk, first };
  };
  const loseAndComeBack = (talk: Talk, call: Call): void => {
    talk.person.take({ type: 'lost', reason: 'gone' });
    refuseOne(talk, call, connectionLost);
    expect(talk.person.text()).toContain('Mend the login');
    talk.person.take({ type: 'connected', daemon: daemonOf() });
    talk.settle();
  };

  it('is another one when its goal was changed, or after a refusal', () => {
    const changed = ask();
    loseAndComeBack(changed.talk, changed.first);
    changed.talk.person.write('!');
    changed.talk.person.press('Enter');
    expect(keyOf(asked(changed.talk))).not.toBe(keyOf(changed.first));
    const refused = ask();
    refuseOne(refused.talk, refused.first, { message: 'The folder is gone.' });
    refused.talk.person.press('Enter');
    expect(keyOf(asked(refused.talk))).not.toBe(keyOf(refused.first));
  });
});

describe('an answer in one’s own words', () => {
  const question = { ...samples.question, options: ['comma', 'semicolon'] };
  const askedBoth = (): Talk => openTalk(undefined, { inbox: [samples.approval, question], size: sizeOf(80, 24) });
  const answers = (talk: Talk): unknown[] => talk.open().map(({ params }) => ('answer' in params ? params.answer : null));
  const field = ({ person }: Talk): unknown => (person.state.popup?.kind === 'inbox' ? person.state.popup.editor.text : null);

  it('may begin with a digit, or with any letter', () => {
    for (const words of ['2 spaces', 'as before', 'comma or so']) {
      const talk = askedBoth();
      talk.person.press('i');
      talk.person.write(words);
      expect(talk.open()).toEqual([]);
      talk.person.press('Enter');
      expect(answers(talk)).toEqual([words]);
    }
  });

  it('gives way to what is offered with Tab, and comes back with typing', () => {
    const talk = askedBoth();
    talk.person.press('i');
    talk.person.write('ta');
    talk.person.press('Tab Tab');
    talk.person.write('b');
    talk.person.press('Enter');
    expect(answers(talk)).toEqual(['tab']);
    for (const [keys, given] of [
      ['Tab', 'comma'],
      ['Tab Tab', 'semicolon'],
      ['Shift-Tab', 'semicolon'],
      ['Tab Shift-Tab', 'ta'],
      ['Tab Tab Tab', 'ta'],
    ] as const) {
      const offered = askedBoth();
      offered.person.press('i');
      offered.person.write('ta');
      offered.person.press(`${keys} Enter`);
      expect(answers(offered), keys).toEqual([given]);
    }
  });

  it('is there again, however the question was left', () => {
    for (const [leave, back] of [
      ['Esc', 'i'],
      ['Up', 'Down'],
      ['Up Esc', 'i'],
      ['Ctrl-c', 'i'],
    ] as const) {
      const talk = askedBoth();
      talk.person.press('i');
      talk.person.write('2 tabs');
      talk.person.press(leave);
      expect(field(talk), leave).not.toBe('2 tabs');
      talk.person.press(back);
      expect(field(talk), leave).toBe('2 tabs');
    }
    const clicked = askedBoth();
    clicked.person.press('i');
    clicked.person.take({ type: 'paste', text: '2 tabs' });
    clicked.person.take({ type: 'mouse', action: 'press', button: 'left', x: 0, y: 0 });
    expect(clicked.person.state.popup).toBeNull();
    clicked.person.press('i');
    expect(field(clicked)).toBe('2 tabs');
  });

  it('is forgotten once it was given', () => {
    const talk = askedBoth();
    talk.person.press('i');
    talk.person.write('2 tabs');
    talk.person.press('Enter');
    expect(talk.settle()).toEqual(['inbox.answer']);
    expect(talk.person.state.answers).toEqual(new Map());
  });
});

describe('words in the line that were not sent', () => {
  const written = ({ person }: Talk): string => person.state.chat.editor.text;
  const atLine = (): Talk => {
    const talk = openTalk();
    talk.person.press('Tab Tab');
    talk.person.write('old');
    talk.person.press('Enter');
    talk.settle();
    talk.person.write('draft');
    return talk;
  };

  it('can be called back when older ones were changed', () => {
    const talk = atLine();
    talk.person.press('Up');
    talk.person.write('er');
    expect(written(talk)).toBe('older');
    talk.person.press('Up');
    expect(written(talk)).toBe('draft');
    talk.person.press('Down');
    expect(written(talk)).toBe('older');
  });

  it('hold back q and Ctrl-c once', () => {
    for (const first of ['q', 'Ctrl-c']) {
      const talk = atLine();
      talk.person.press('Esc');
      talk.person.wanted();
      talk.person.press(first);
      expect(talk.person.wanted(), first).toEqual([]);
      expect(notice(talk), first).toMatch(/not sent. Again|Ctrl-c once more/);
      talk.person.press(first);
      expect(talk.person.wanted(), first).toEqual([{ type: 'leave', next: 'nothing' }]);
    }
  });

  it('hold back q while one looks at what was said or cleared before, were it only blanks', () => {
    for (const before of ['older', '  ']) {
      const talk = openTalk();
      talk.person.press('Tab Tab');
      talk.person.write(before);
      talk.person.press('Ctrl-c');
      talk.person.write('draft');
      talk.person.press('Up Esc q');
      expect(written(talk)).toBe(before);
      expect(talk.person.wanted().filter(({ type }) => type === 'leave')).toEqual([]);
      expect(notice(talk)).toContain('not sent');
    }
  });

  it('are held back again after another key', () => {
    const talk = atLine();
    talk.person.press('Esc q j q');
    expect(talk.person.wanted().filter(({ type }) => type === 'leave')).toEqual([]);
  });
});
