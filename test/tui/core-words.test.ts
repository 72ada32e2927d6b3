import { describe, expect, it } from 'vitest';
import type { Run } from '../../shared/run.js';
import { livenessText } from '../../tui/core/plan/liveness-text.js';
import { clock, cost, count } from '../../tui/core/text/numbers.js';
import { countOf, duration } from '../../tui/core/text/text.js';
import { now } from './core-support.js';
import { openTalk } from './core-talk.js';
import { runOf } from './simulated-daemon.js';
import { planRunOf } from './tui-support.js';

describe('numbers', () => {
  it('are short', () => {
    expect([0, 7, 999, 1_000, 12_345, 99_949, 99_950, 182_400, 999_499, 999_500, 1_234_567].map(count)).toEqual([
      '0',
      '7',
      '999',
      '1.0k',
      '12.3k',
      '99.9k',
      '100k',
      '182k',
      '999k',
      '1.0M',
      '1.2M',
    ]);
    expect([0, 0.004_2, 0.009_99, 0.01, 1.2, 123.456].map(cost)).toEqual([
      '$0.00',
      '$0.0042',
      '$0.0100',
      '$0.01',
      '$1.20',
      '$123.46',
    ]);
  });

  it('of time are those of a clock, or words', () => {
    expect([-5, 0, 7_900, 60_000, 750_000, 3_723_000].map(clock)).toEqual(['0:00', '0:00', '0:07', '1:00', '12:30', '1:02:03']);
    expect([0, 42_000, 59_600, 180_000, 7_500_000].map(duration)).toEqual(['0 s', '42 s', '1 min', '3 min', '2 h 5 min']);
    expect([countOf(0, 'item'), countOf(1, 'item'), countOf(2, 'item')]).toEqual(['0 items', '1 item', '2 items']);
  });
});

describe('how a run lives', () => {
  const session = openTalk().person.session;
  const text = (
    state: 'working' | 'waiting' | 'idle' | 'stalled',
    cause: string,
    status: 'running' | 'paused' = 'running',
    later = 0,
  ): string =>
    livenessText(
      { ...session, liveness: { state, cause, lastProgressAt: null }, livenessAt: now, planRun: planRunOf({ status }) },
      now + later,
    );

  it('goes on counting between two words of the daemon', () => {
    expect(text('working', 'shell npm test (12 s)')).toBe('working: shell npm test (12 s)');
    expect(text('working', 'shell npm test (12 s)', 'running', 5_000)).toBe('working: shell npm test (17 s)');
    expect(text('working', 'shell npm test (58 s)', 'running', 5_000)).toBe('working: shell npm test (1 min)');
  });

  it('counts nothing for a run that stands still, and shows one harmless line', () => {
    expect(text('waiting', 'paused (3 s)', 'paused', 60_000)).toBe('waiting: paused (3 s)');
    expect(text('stalled', 'no\u001b[31m word\nsecond line')).toBe('stalled: no word');
    expect(text('idle', 'completed')).toBe('completed');
  });

  it('is asked for now and then while it runs, and not while nothing does', () => {
    const talk = openTalk();
    const asked = (ms: number): string[] => {
      talk.person.take({ type: 'ticked', now: talk.person.state.now + ms });
      return talk.person.calls().map(({ method }) => method);
    };
    expect([asked(60_000), asked(60_000)]).toEqual([[], []]);
    talk.person.press('r');
    talk.settle();
    expect(asked(60_000)).toEqual(['run.get']);
    expect(asked(100)).toEqual([]);
  });

  it('of runs that ended without a word is not asked for at every key', () => {
    const talk = openTalk();
    talk.person.press('r');
    talk.settle();
    const run = runOf({ id: 'r_9' as Run['id'], kind: 'chat' });
    talk.person.take(...talk.daemon.change({ run }));
    talk.person.wanted();
    let lists = 0;
    for (let i = 0; i < 50; i += 1) {
      talk.person.take({ type: 'ticked', now: talk.person.state.now + 10 });
      lists += talk.person.calls().filter(({ method }) => method === 'run.list').length;
    }
    expect(lists).toBe(1);
  });
});
