import { describe, expect, it } from 'vitest';
import { act } from '../../tui/core/actions/act.js';
import { decode, emptyDecoder } from '../../tui/core/input/input-decoder.js';
import { actionOf, actions, bindingOf, keymap, keyName, keyOf, lineKeymap, toldKeys } from '../../tui/core/keymap.js';
import { helpView } from '../../tui/core/popups/help.js';
import { menuActions } from '../../tui/core/popups/menu.js';
import type { Pane } from '../../tui/core/state.js';
import { update } from '../../tui/core/update.js';
import { view } from '../../tui/core/view.js';
import { changesSomething, keyOf as press, linesOf, sizeOf } from './core-support.js';
import { openTalk } from './core-talk.js';
import { stage, streamWork } from './screen-script.js';

const panes: readonly Pane[] = ['plan', 'conversation', 'line'];
const actionIn = (pane: Pane, name: string): string | null => actionOf(press(name), pane);

describe('the keymap', () => {
  it('has a key for every action', () => {
    const bound = new Set(keymap.map(({ action }) => action));
    expect(actions.filter((action) => !bound.has(action))).toEqual([]);
  });

  it('binds no key twice at a place, and each action once', () => {
    for (const place of [...panes, 'start'] as const) {
      const bindings = keymap.filter(({ where }) => where.includes(place));
      for (const all of [bindings.flatMap(({ keys }) => keys), bindings.map(({ action }) => action)]) {
        expect(
          all.filter((one, i) => all.indexOf(one) !== i),
          place,
        ).toEqual([]);
      }
    }
    const inLine = Object.values(lineKeymap).flatMap(({ keys }) => keys);
    expect(inLine.filter((key, i) => inLine.indexOf(key) !== i)).toEqual([]);
    expect(inLine.filter((key) => actionOf(press(key), 'line') !== null)).toEqual([]);
  });

  it('tells all of it', () => {
    const told = toldKeys.flatMap((group) => group.told);
    expect(new Set(told)).toEqual(new Set([...keymap, ...Object.values(lineKeymap)]));
    expect(told).toHaveLength(keymap.length + Object.keys(lineKeymap).length);
  });

  it('has in the line what it tells of it', () => {
    for (const [action, { keys }] of Object.entries(lineKeymap)) {
      for (const key of keys) {
        const staged = stage({ size: sizeOf(80, 24) }, {});
        streamWork(staged);
        const { person } = staged;
        person.press('Tab Tab');
        person.write('said before');
        person.press('Enter');
        person.write('some words');
        // So that there is something to bring back, and somewhere to go down to.
        if (action === 'bringBack') person.press('Ctrl-w');
        if (key === 'Down') person.press('Up');
        if (key === 'PgDn') person.press('PgUp PgUp');
        const before = person.state;
        person.press(key);
        const { chat, session, focus } = person.state;
        const hasChanged = chat.editor.text !== before.chat.editor.text || session !== before.session || focus !== before.focus;
        expect(hasChanged, key).toBe(true);
      }
    }
  });

  it('makes the start screen: what it offers is what the keys do there', () => {
    const { person } = openTalk();
    const state = { ...person.state, session: null, wanted: null, size: sizeOf(80, 24) };
    const text = linesOf(view(state)).join('\n');
    for (const action of ['newSession', 'demo', 'sessions', 'help'] as const) {
      const key = keyOf(action, 'start');
      expect(actionOf(press(key), 'start')).toBe(action);
      expect(text).toContain(`${key}  ${bindingOf(action, 'start')?.help}`);
    }
    expect(update(state, press('d')).cmds).toEqual([{ type: 'leave', next: 'demo' }]);
    expect(update(state, press('q')).cmds).toEqual([{ type: 'leave', next: 'nothing' }]);
    expect(update(state, press('n')).state.prompt?.about.kind).toBe('newSession');
    expect(update(state, press('S')).state.popup?.kind).toBe('sessions');
    expect(update(state, press('?')).state.popup?.kind).toBe('help');
  });

  it('binds the keys that were designed', () => {
    const designed: Readonly<Record<string, string>> = {
      ...{ Tab: 'nextPane', 'Up k': 'up', 'Down j': 'down', PgUp: 'pageUp', PgDn: 'pageDown', Home: 'first', End: 'last' },
      ...{ Left: 'fold', Right: 'unfold', Enter: 'open', r: 'run', p: 'pause', P: 'pauseNow', c: 'cancelRun', C: 'cancelPlan' },
      ...{ R: 'retry', a: 'addTask', A: 'addSubtask', e: 'editTitle', E: 'editDetail', d: 'markDone', s: 'skip', o: 'reopen' },
      ...{ x: 'remove', K: 'moveUp', J: 'moveDown', g: 'goal', u: 'undo', D: 'diff', v: 'receipts', i: 'inbox', '/': 'search' },
      ...{ H: 'revisions', M: 'missions', w: 'report', m: 'draft' },
      ...{ S: 'sessions', '?': 'help', 'Ctrl-n': 'togglePlan', 'Ctrl-z': 'suspend' },
    };
    for (const [keys, action] of Object.entries(designed)) {
      for (const key of keys.split(' ')) expect(actionIn('plan', key), key).toBe(action);
    }
  });

  it('leaves every letter to the text in the line', () => {
    for (let code = 0x20; code < 0x7f; code += 1) {
      const text = String.fromCharCode(code);
      const [key] = decode(emptyDecoder, text, true).inputs;
      expect(key?.type === 'key' && actionOf(key, 'line'), text).toBeNull();
    }
    expect(['Tab', 'Shift-Tab', 'Ctrl-n'].map((key) => actionIn('line', key))).toEqual([
      'nextPane',
      'previousPane',
      'togglePlan',
    ]);
  });

  it('names keys as terminals send them', () => {
    const sent: readonly [bytes: string, name: string][] = [
      ['r', 'r'],
      ['R', 'R'],
      ['?', '?'],
      ['\t', 'Tab'],
      ['\x1b[Z', 'Shift-Tab'],
      ['\r', 'Enter'],
      ['\x1b\r', 'Alt-Enter'],
      [' ', 'Space'],
      ['\x1b', 'Esc'],
      ['\x0e', 'Ctrl-n'],
      ['\x1a', 'Ctrl-z'],
      ['\x03', 'Ctrl-c'],
      ['\x1b[5~', 'PgUp'],
      ['\x1b[H', 'Home'],
      ['\x1bOP', 'F1'],
    ];
    for (const [bytes, name] of sent) {
      const [key] = decode(emptyDecoder, bytes, true).inputs;
      expect(key?.type === 'key' && keyName(key)).toBe(name);
    }
  });

  it('is told in the help, and nothing else is', () => {
    const { state } = openTalk().person;
    const help = helpView({ kind: 'help', scroll: 0 }, { ...state, size: sizeOf(200, 60) }).rows.map(({ spans }) =>
      spans.map(({ text }) => text).join(''),
    );
    for (const { keys, help: words } of keymap) {
      const line = `${keys.join(' ')} ${words}`;
      expect(help.map((row) => row.replaceAll(/ +/g, ' '))).toContain(line);
    }
  });

  it('leaves a blank between each key and what is told of it', () => {
    for (const columns of [40, 80, 200]) {
      const { person } = openTalk(undefined, { size: sizeOf(columns, 60) });
      person.press('?');
      let seen = '';
      for (let page = 0; page < 5; page += 1) {
        seen += person.text();
        person.press('PgDn');
      }
      expect(seen).toContain('Ctrl-w Ctrl-u ');
    }
  });

  it('gives the menu of an item its keys', () => {
    const { person } = openTalk();
    person.press('j Enter');
    const { popup } = person.state;
    if (popup?.kind !== 'menu') throw new Error('no menu');
    for (const action of menuActions(popup, person.state)) {
      expect(bindingOf(action)?.where, action).toContain('plan');
      expect(person.text()).toContain(keyOf(action));
    }
  });
});

describe('each action', () => {
  it('does something, or says why not, in a session as well as without one', () => {
    for (const action of actions) {
      const { person } = openTalk();
      person.press('j');
      const before = person.state;
      const step = act(before, action);
      expect(step.state === before && step.cmds.length === 0, action).toBe(false);
      expect(() => act({ ...before, session: null }, action), action).not.toThrow();
    }
  });

  it('asks before it destroys: Enter at once changes nothing', () => {
    for (const key of ['c', 'C', 'x', 'R', 'r']) {
      const talk = openTalk();
      talk.person.press('r');
      talk.settle();
      talk.person.press(key);
      talk.settle();
      const { popup } = talk.person.state;
      if (popup?.kind !== 'confirm') continue;
      talk.person.press('Enter');
      expect(talk.person.state.popup).toBeNull();
      expect(talk.person.wanted().filter(changesSomething), key).toEqual([]);
    }
  });

  it('of the run sends what it says', () => {
    const talk = openTalk();
    const after = (keys: string): string[] => {
      talk.person.press(keys);
      return talk.settle();
    };
    expect(after('r')).toEqual(['run.start']);
    expect(after('p')).toEqual(['run.pause']);
    expect(after('P')).toEqual(['run.pause']);
    expect(talk.daemon.planRun.status).toBe('paused');
    // What might happen twice is told first.
    expect(after('r')).toEqual([]);
    expect(talk.person.text()).toContain('Might happen twice');
    expect(after('Enter')).toEqual([]);
    expect(after('r')).toEqual([]);
    expect(after('y')).toEqual(['run.start']);
    expect(after('c')).toEqual([]);
    expect(after('y')).toEqual(['run.cancel']);
    expect(after('r')).toEqual([]);
    expect(after('y')).toEqual(['run.start']);
    // The cancelled run has put its item back: the plan is cleared as it then is.
    expect(after('C y')).toEqual(['run.cancel', 'plan.clear', 'plan.clear']);
    expect(talk.daemon.plan.tree).toEqual([]);
    expect(after('u')).toEqual(['plan.revert']);
    expect(talk.daemon.plan.tree).toHaveLength(3);
  });

  it('says why a run cannot be controlled as asked', () => {
    const talk = openTalk();
    for (const [key, words] of [
      ['p', 'does not run'],
      ['P', 'does not run'],
      ['c', 'does not run'],
      ['R', 'blocked or failed'],
    ] as const) {
      talk.person.press(key);
      expect(talk.person.state.notice?.text, key).toContain(words);
    }
    expect(talk.settle()).toEqual([]);
    const empty = openTalk([]);
    for (const key of ['r', 'C', 'd', 'x', 'e', 'Space']) {
      empty.person.press(key);
      expect(empty.person.state.notice?.text, key).toMatch(/plan is empty|no item here/);
    }
  });
});
