import { describe, expect, it } from 'vitest';
import { addItem } from '../../daemon/domain/plan-edit.js';
import type { Mouse } from '../../tui/core/input/input.js';
import { clickAt, sizeOf, titleAtCursor } from './core-support.js';
import { openTalk } from './core-talk.js';
import { stage, streamWork } from './screen-script.js';
import { itemOf } from './tui-support.js';

const wheel = (action: 'wheel-up' | 'wheel-down', x: number, y: number): Mouse => ({
  type: 'mouse',
  action,
  button: 'none',
  x,
  y,
});

describe('a click', () => {
  it('chooses an item, and a second one opens its menu', () => {
    const { person } = openTalk();
    person.click('2.1 Quote');
    expect(titleAtCursor(person)).toBe('2.1 Quote');
    expect(person.state.popup).toBeNull();
    person.click('2.1 Quote');
    expect(person.state.popup).toMatchObject({ kind: 'menu', itemId: 't3' });
  });

  it('is for what stands there now, whatever moved since the last look', () => {
    const talk = openTalk(undefined, { size: sizeOf(80, 24) });
    talk.person.press('End');
    talk.meanwhile((draft) => addItem(draft, { title: 'New', index: 0 }, 'planner'));
    talk.person.click('2 Read');
    expect(titleAtCursor(talk.person)).toBe('2 Read');
  });

  it('goes to the pane under it, and to a tab', () => {
    const { person } = openTalk();
    person.click('Nothing has been said');
    expect(person.state.focus).toBe('conversation');
    person.click('write here');
    expect(person.state.focus).toBe('line');
    person.click('Plan');
    expect(person.state.focus).toBe('plan');
    const narrow = openTalk(undefined, { size: sizeOf(40, 12) }).person;
    narrow.click('Talk');
    expect(narrow.text()).toContain('Nothing has been said');
    narrow.click('Plan');
    expect(narrow.text()).toContain('2.1 Quote');
  });

  it('unfolds the block that is chosen', () => {
    const staged = stage({ size: sizeOf(80, 24) });
    streamWork(staged);
    staged.person.press('Tab');
    staged.person.click('sed -n');
    expect(staged.person.text()).not.toContain('line 1 of');
    staged.person.click('sed -n');
    expect(staged.person.text()).toContain('line 1 of');
  });

  it('takes a hint for its key, and the count of what waits for the inbox', () => {
    const talk = openTalk();
    talk.person.click('r run ·');
    expect(talk.settle()).toEqual(['run.start']);
    talk.person.click('? help');
    expect(talk.person.state.popup?.kind).toBe('help');
  });

  it('leaves only when it is meant, with words on their way', () => {
    const talk = openTalk();
    talk.person.press('Tab Tab');
    talk.person.write('Hello');
    talk.person.press('Enter Tab');
    const leaves = (): boolean => talk.person.wanted().some(({ type }) => type === 'leave');
    talk.person.press('q');
    expect(leaves()).toBe(false);
    expect(talk.person.state.notice?.text).toContain('Again to leave');
    talk.person.press('q');
    expect(leaves()).toBe(true);
  });

  it('beside a popup leaves it, and does nothing else', () => {
    const talk = openTalk();
    talk.person.press('x');
    talk.person.click('1 Read');
    expect(talk.person.state.popup).toBeNull();
    expect(titleAtCursor(talk.person)).toBe('1 Read');
    expect(talk.settle()).toEqual([]);
  });

  it('leaves alone what is being written', () => {
    for (const columns of [40, 132]) {
      const { person } = openTalk(undefined, { size: sizeOf(columns, 24) });
      person.press('e');
      person.write('!!');
      for (let y = 0; y < 24; y += 1) for (let x = 0; x < columns; x += 3) person.take(clickAt(x, y));
      expect(person.state.prompt?.editor.text).toBe('Read!!');
      expect(person.text()).toContain('Read!!');
    }
  });

  it('by another button, a drag and a release mean nothing', () => {
    const { person } = openTalk();
    const before = person.state;
    for (let y = 0; y < 43; y += 1) {
      person.take(
        { ...clickAt(80, y), button: 'right' },
        { ...clickAt(80, y), action: 'release' },
        { ...clickAt(80, y), action: 'drag' },
      );
    }
    expect(person.state).toEqual(before);
  });
});

describe('the wheel', () => {
  const many = Array.from({ length: 60 }, (_, i) => itemOf({ id: `t${i + 1}`, position: i + 1, title: `Task ${i + 1}` }));

  it('scrolls what it is over; the cursor goes along only where it would leave', () => {
    const { person } = openTalk(many);
    person.press('Home');
    person.take(wheel('wheel-down', 100, 10));
    expect(person.text()).not.toContain(' 3 Task 3 ');
    expect(titleAtCursor(person)).toBe('4 Task 4');
    person.take(wheel('wheel-up', 100, 10));
    expect(person.text()).toContain('1 Task 1');
    expect(titleAtCursor(person)).toBe('4 Task 4');
    expect(person.state.focus).toBe('plan');
  });

  it('scrolls a popup to its end and back', () => {
    const { person } = openTalk(undefined, { size: sizeOf(80, 24) });
    person.press('?');
    const top = person.text();
    for (let i = 0; i < 60; i += 1) person.take(wheel('wheel-down', 40, 10));
    expect(person.text()).toContain('a click chooses');
    for (let i = 0; i < 60; i += 1) person.take(wheel('wheel-up', 40, 10));
    expect(person.text()).toBe(top);
  });

  it('scrolls the conversation, and at its end follows again', () => {
    const staged = stage({ size: sizeOf(132, 30) });
    streamWork(staged);
    staged.person.take(wheel('wheel-up', 10, 10));
    expect(staged.person.text()).toContain('End follows');
    staged.person.take(wheel('wheel-down', 10, 10), wheel('wheel-down', 10, 10));
    expect(staged.person.session.conversationView.top).toBeNull();
    expect(staged.person.state.focus).toBe('plan');
  });
});
