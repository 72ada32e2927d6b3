import { describe, expect, it } from 'vitest';
import type { Person } from './core-support.js';
import { changesSomething, daemonOf, newPerson, sizeOf } from './core-support.js';
import { openTalk, type Talk } from './core-talk.js';

const atLine = (): Talk => {
  const talk = openTalk();
  talk.person.press('Tab Tab');
  return talk;
};
const say = ({ person }: Talk, ...all: readonly string[]): void => {
  for (const words of all) {
    person.write(words);
    person.press('Enter');
  }
};
const written = ({ state }: Person): string => state.chat.editor.text;

describe('what was said before', () => {
  it('comes back with Up, and what was being written with Down', () => {
    const talk = atLine();
    const { person } = talk;
    say(talk, 'one', 'two', 'three');
    person.write('four');
    const seen: string[] = [];
    for (const key of ['Up', 'Up', 'Up', 'Up', 'Down', 'Down', 'Down', 'Down']) {
      person.press(key);
      seen.push(written(person));
    }
    expect(seen).toEqual(['three', 'two', 'one', 'one', 'two', 'three', 'four', 'four']);
  });

  it('goes through the rows of a text before it goes to another', () => {
    const talk = atLine();
    say(talk, 'one');
    talk.person.write('a');
    talk.person.press('Alt-Enter');
    talk.person.write('b');
    talk.person.press('Up');
    expect(written(talk.person)).toBe('a\nb');
    talk.person.press('Up');
    expect(written(talk.person)).toBe('one');
  });

  it('is not kept twice in a row, and can be changed without changing what was said', () => {
    const talk = atLine();
    say(talk, 'one', 'two', 'two');
    expect(talk.person.state.chat.history).toEqual(['one', 'two']);
    talk.person.press('Up Up');
    talk.person.write('!');
    expect(written(talk.person)).toBe('one!');
    talk.person.press('Up');
    expect(written(talk.person)).toBe('two');
  });

  it('is bounded', () => {
    const talk = atLine();
    for (let i = 0; i < 510; i += 1) {
      talk.person.write(String(i));
      talk.person.press(i < 300 ? 'Enter' : 'Ctrl-c');
    }
    expect(talk.person.state.chat.history).toHaveLength(500);
  });
});

describe('the line', () => {
  it('sends the words of the person once, with a key of their own', () => {
    const talk = atLine();
    say(talk, 'Hello', 'and more');
    expect(talk.open()).toMatchObject([
      { method: 'chat.send', params: { text: 'Hello', idempotencyKey: 'c-1' } },
      { method: 'chat.send', params: { text: 'and more', idempotencyKey: 'c-2' } },
    ]);
    talk.settle();
    expect(talk.person.session.conversation.blocks.map(({ lines }) => lines)).toEqual([['Hello'], ['and more']]);
  });

  it('sends nothing that is empty, and nothing without a connection', () => {
    const talk = atLine();
    say(talk, '', '   ');
    expect(talk.open()).toEqual([]);
    talk.lose();
    say(talk, 'Hello');
    expect(talk.open()).toEqual([]);
    expect(written(talk.person)).toBe('   Hello');
    expect(talk.person.state.notice?.text).toContain('words stay here');
  });

  it('is cleared by Ctrl-c, which then leaves', () => {
    const talk = atLine();
    talk.person.write('Hello');
    talk.person.press('Ctrl-c');
    expect([written(talk.person), talk.person.wanted()]).toEqual(['', []]);
    talk.person.press('Up');
    expect(written(talk.person)).toBe('Hello');
    talk.person.press('Ctrl-c Ctrl-c');
    expect(talk.person.wanted()).toEqual([{ type: 'leave', next: 'nothing' }]);
  });

  it('takes a paste as one edit, from every pane, and none of it for keys', () => {
    const talk = openTalk();
    talk.person.take({ type: 'paste', text: 'Cy\nx\nd' });
    expect([written(talk.person), talk.person.state.focus]).toEqual(['Cy\nx\nd', 'line']);
    expect(talk.person.wanted().filter(changesSomething)).toEqual([]);
    talk.person.press('Ctrl-_');
    expect(written(talk.person)).toBe('');
  });

  it('takes a paste into a title as one line', () => {
    const talk = openTalk();
    talk.person.press('e');
    talk.person.take({ type: 'paste', text: ' with\n  all\nof it \n' });
    expect(talk.person.state.prompt?.editor.text).toBe('Readwith all of it');
  });

  it('grows with its text, and leaves the panes at least a row', () => {
    for (const rows of [6, 10, 12, 24]) {
      const { person } = openTalk(undefined, { size: sizeOf(40, rows) });
      person.press('Tab Tab');
      for (let i = 0; i < 12; i += 1) {
        person.write('x');
        person.press('Alt-Enter');
      }
      person.write('the end');
      expect(person.text()).toContain('the end');
      expect(person.text()).toMatch(/Plan/);
    }
  });
});

describe('the first start', () => {
  const start = (hasModel: boolean): Person => {
    const person = newPerson({ size: sizeOf(80, 24) });
    person.take({ type: 'connected', daemon: daemonOf(hasModel ? {} : { provider: null }) });
    for (const { purpose } of person.calls())
      person.take({ type: 'answered', method: 'session.list', params: {}, purpose, result: { sessions: [], nextCursor: null } });
    return person;
  };

  it('looks for a model on this machine only where none is configured', () => {
    expect(start(true).wanted()).toEqual([]);
    expect(start(false).wanted()).toEqual([{ type: 'findServers' }]);
  });

  it('makes a plan of a goal', () => {
    const person = start(true);
    person.press('n');
    person.write('Ship it');
    person.press('Enter');
    expect(person.calls()).toMatchObject([
      { method: 'session.create', params: { goal: 'Ship it', workspace: '/home/ann/export' } },
    ]);
  });

  it('shows the demo, the sessions, the help, and lets one leave', () => {
    for (const [key, cmds] of [
      ['d', [{ type: 'leave', next: 'demo' }]],
      ['q', [{ type: 'leave', next: 'nothing' }]],
      ['Ctrl-c', [{ type: 'leave', next: 'nothing' }]],
      ['Ctrl-z', [{ type: 'suspend' }]],
    ] as const) {
      const person = start(true);
      person.press(key);
      expect(person.wanted()).toEqual(cmds);
    }
    const person = start(true);
    person.press('?');
    expect(person.text()).toContain('Keys');
    person.press('Esc S');
    expect(person.calls()).toMatchObject([{ method: 'session.list' }]);
  });

  it('is where one is when the session was deleted', () => {
    const talk = openTalk(undefined, { size: sizeOf(80, 24) });
    talk.person.take({ type: 'connected', daemon: daemonOf({ provider: null }) });
    talk.settle();
    talk.person.press('e');
    talk.person.take(...talk.daemon.change({ deleted: true }));
    expect(talk.person.state.prompt).toBeNull();
    expect(talk.person.text()).toContain('make a plan');
    expect(talk.person.wanted()).toContainEqual({ type: 'findServers' });
  });
});

describe('the connection', () => {
  const delays = (person: Person): number[] => person.wanted().flatMap((cmd) => (cmd.type === 'connect' ? [cmd.delayMs] : []));

  it('is tried again, later and later', () => {
    const { person } = openTalk();
    person.take({ type: 'lost', reason: 'gone' });
    for (let i = 0; i < 6; i += 1) person.take({ type: 'notConnected', reason: 'none', otherProtocol: false });
    expect(delays(person)).toEqual([200, 500, 1_000, 2_000, 5_000, 5_000, 5_000]);
    expect(person.text()).toContain('connection lost, again in 5 s');
    person.take({ type: 'ticked', now: person.state.now + 4_000 });
    expect(person.text()).toContain('again in 1 s');
  });

  it('starts a daemon when asked to', () => {
    const { person } = openTalk();
    person.take({ type: 'lost', reason: 'gone' });
    person.wanted();
    person.press('r');
    expect(person.wanted()).toEqual([{ type: 'connect', start: true, delayMs: 0 }]);
  });

  it('is said to be back, with all as it is by then', () => {
    const talk = openTalk();
    talk.person.press('j');
    talk.lose();
    talk.daemon.edit((draft) => {
      draft.setGoal('Another');
      return { ok: true, value: null };
    });
    talk.comeBack();
    talk.settle();
    expect(talk.person.text()).toContain('Goal: Another');
    expect(talk.person.text()).toContain('The daemon is back.');
    expect(talk.person.cursor).toBe('t2');
  });

  it('with a gap in the versions asks for a snapshot, once, and leaves the cursor alone', () => {
    const talk = openTalk();
    talk.person.press('j j');
    const { daemon } = talk;
    const set = (goal: string) =>
      daemon.edit((draft) => {
        draft.setGoal(goal);
        return { ok: true, value: null };
      });
    set('lost on the way');
    talk.person.take(...set('second'), ...set('third'));
    expect(talk.open().map(({ method }) => method)).toEqual(['session.watch']);
    talk.settle();
    expect(talk.person.session.session.goal).toBe('third');
    expect(talk.person.session.plan.version).toBe(daemon.plan.version);
    expect(talk.person.cursor).toBe('t3');
  });
});

describe('an answer that comes late', () => {
  it('closes no prompt that it is not for', () => {
    const talk = openTalk();
    const planRun = { ...talk.daemon.planRun, status: 'blocked' as const, currentItemId: talk.person.cursor, lastError: 'why' };
    talk.person.take(...talk.daemon.change({ planRun }));
    talk.person.press('R');
    talk.person.write('Again');
    talk.person.press('Enter Esc Esc a');
    talk.person.write('More');
    expect(talk.settle()).toContain('run.retry');
    expect(talk.person.state.prompt?.editor.text).toBe('More');
  });
});
