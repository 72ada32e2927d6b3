/** When a model is taken to go in circles, and when not. */
import { describe, expect, it } from 'vitest';
import { type Advice, createGuards, type EndedCall, type GuardLimits } from '../../daemon/domain/guards.js';

const limits: GuardLimits = { hintAfter: 3, blockAfter: 6, noProgressTurns: 8 };
const call = (more: Partial<EndedCall> = {}): EndedCall => ({
  tool: 'grep',
  args: '{}',
  result: 'none',
  failure: null,
  durationMs: 3,
  ...more,
});
/** What is said after each turn, by turn. */
function play(turns: readonly (readonly EndedCall[])[], own = limits): (readonly Advice[])[] {
  const guards = createGuards(own);
  return turns.map((calls) => {
    calls.forEach(guards.called);
    return guards.turnEnded();
  });
}
const repeat = (count: number, made: EndedCall): EndedCall[][] => Array.from({ length: count }, () => [made]);
const types = (said: readonly (readonly Advice[])[]): string[] => said.map((advice) => advice.map(({ type }) => type).join());

describe('the same call with the same result', () => {
  it('is hinted at the third time and ends the run at the sixth', () => {
    expect(types(play(repeat(6, call())))).toEqual(['', '', 'repeated', '', 'no_progress', 'looping']);
  });
  it('counts within one turn as well', () => {
    expect(types(play([Array.from({ length: 6 }, () => call())]))).toEqual(['repeated,looping']);
  });
  it('begins anew when something new happens between', () => {
    const turns = [...repeat(2, call()), [call({ tool: 'edit', result: 'edited' })], ...repeat(2, call())];
    expect(types(play(turns)).join('')).toBe('');
  });
  it('is found in a circle of two', () => {
    const turns = Array.from({ length: 12 }, (_, i) => [call({ args: i % 2 ? '{"a":1}' : '{"b":2}' })]);
    expect(types(play(turns, { ...limits, noProgressTurns: 100 }))).toContain('looping');
  });
});

describe('a wait', () => {
  it('is no loop: a call that takes its time', () => {
    expect(types(play(repeat(20, call({ durationMs: 30_000 })))).join('')).toBe('');
  });
  it('is a loop all the same when it fails the same way each time', () => {
    expect(types(play(repeat(6, call({ durationMs: 30_000, failure: 'exit_code' })))).join()).toContain('looping');
  });
  it('is no loop: a result that changes', () => {
    expect(types(play(Array.from({ length: 20 }, (_, i) => [call({ result: `line ${i}` })]))).join('')).toBe('');
  });
});

describe('what was trimmed', () => {
  it('may be asked for again', () => {
    const guards = createGuards(limits);
    for (let i = 0; i < 20; i += 1) {
      guards.called(call());
      guards.forget();
      expect(guards.turnEnded()).toEqual([]);
    }
  });
});

describe('a tool that fails', () => {
  const failing = (i: number): EndedCall =>
    call({ tool: 'shell', args: `{"i":${i}}`, result: `error ${i}`, failure: 'exit_code' });
  it('brings a hint by kind each third time', () => {
    const said = play(Array.from({ length: 6 }, (_, i) => [failing(i)]));
    expect(said.flat()).toMatchObject([
      { type: 'failing', tool: 'shell', times: 3, kind: 'exit_code' },
      { type: 'failing', tool: 'shell', times: 6 },
    ]);
  });
  it('begins anew when it works once', () => {
    const worked = call({ tool: 'shell', result: 'ok' });
    expect(play([[failing(1)], [failing(2)], [worked], [failing(3)], [failing(4)]]).flat()).toEqual([]);
  });
});

describe('turns that bring nothing new', () => {
  const wrong = (i: number): EndedCall =>
    call({ tool: `nonsense${i}`, args: `{"i":${i}}`, result: 'no such tool', failure: 'no_tool' });
  it('are hinted at half way and end the run', () => {
    expect(types(play(Array.from({ length: 8 }, (_, i) => [wrong(i)])))).toEqual([
      '',
      '',
      '',
      'no_progress',
      '',
      '',
      '',
      'idling',
    ]);
  });
  it('begin anew with a turn that does', () => {
    const turns = [
      ...Array.from({ length: 7 }, (_, i) => [wrong(i)]),
      [call({ result: 'new' })],
      ...Array.from({ length: 3 }, (_, i) => [wrong(i + 7)]),
    ];
    expect(types(play(turns))).not.toContain('idling');
  });
});

describe('what is shown', () => {
  it('is the call that repeats, until another one is made', () => {
    const guards = createGuards(limits);
    for (let i = 0; i < 3; i += 1) guards.called(call());
    expect(guards.repeating()).toEqual({ tool: 'grep', times: 3 });
    guards.called(call({ tool: 'read', result: 'text' }));
    expect(guards.repeating()).toBeNull();
  });
});
