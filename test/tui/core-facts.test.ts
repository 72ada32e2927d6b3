/** What a session runs on is in reach at every size: in the last row, or in the help. */
import { describe, expect, it } from 'vitest';
import { sizeOf } from './core-support.js';
import { states } from './screen-states.js';

const low = sizeOf(40, 12);

function lowScreen(name: string): { text(): string; lastRow(): string; press(names: string): void } {
  const person = states[name]?.({ size: low });
  if (person === undefined) throw new Error(`no state ${name}`);
  return { text: person.text, lastRow: () => person.screen().at(-1) ?? '', press: person.press };
}

describe('on a terminal with one row for the status', () => {
  it('a budget near its end is told in it', () => {
    const screen = lowScreen('status-budget-near-its-end');
    expect(screen.lastRow()).toContain('of 200k tokens');
    expect(screen.lastRow()).toContain('of $0.50');
  });

  it('a budget that is not near its end leaves it to the keys', () => {
    expect(lowScreen('plan-running').lastRow()).not.toMatch(/tokens|\$/);
  });

  it('model, spending and folder are at the head of the help', () => {
    const screen = lowScreen('status-budget-near-its-end');
    screen.press('?');
    for (const fact of [/Model +gpt-5-mini/, /Tokens +192k of 200k/, /Cost +\$0\.42 of \$0\.50/, /Turns +\d+ of 10/, /Folder +~/])
      expect(screen.text()).toMatch(fact);
  });

  it('without a session the help tells the model and the folder', () => {
    const screen = lowScreen('start-with-a-model');
    screen.press('?');
    expect(screen.text()).toMatch(/Model +gpt-5-mini[^]*Folder +~\/export/);
    expect(screen.text()).not.toMatch(/Tokens|Cost/);
  });
});
