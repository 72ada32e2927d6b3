/** The details of an item in a plan with a long history: what is left out is told, and what was laid out once is kept. */
import { describe, expect, it } from 'vitest';
import type { ItemId, Revision } from '../../shared/plan.js';
import type { Effect, RunId } from '../../shared/run.js';
import type { Call } from '../../tui/core/message.js';
import { detailView } from '../../tui/core/popups/detail.js';
import { answerTo, type Person, sizeOf } from './core-support.js';
import { openTalk } from './core-talk.js';
import { runOf } from './simulated-daemon.js';

/** A person with the details of `t1` open, who is answered by hand. */
function openDetail(key: string): { person: Person; asked: Call[] } {
  const { person } = openTalk(undefined, { size: sizeOf(100, 43) });
  person.press(key);
  return { person, asked: [...person.calls()] };
}

const only = (calls: readonly Call[], method: Call['method']): Call => {
  const [call, ...more] = calls.filter((one) => one.method === method);
  if (call === undefined || more.length > 0) throw new Error(`${more.length + 1} calls of ${method}`);
  return call;
};

const revision = (version: number, changed: readonly string[] = []): Revision => ({
  ...{ version, at: '2026-03-01T09:00:00.000Z', author: 'runner', statusOnly: true, added: [], removed: [] },
  changed: changed as ItemId[],
});
const page = (from: number, count: number, touching: ReadonlySet<number> = new Set()): Revision[] =>
  Array.from({ length: count }, (_, i) => revision(from - i, touching.has(from - i) ? ['t1'] : ['t5']));

const effect = (n: number, part: Partial<Effect> = {}): Effect => ({
  ...{ id: `e_${n}` as Effect['id'], runId: 'r_1' as RunId, name: 'write_file', args: `file ${n}`, class: 'local_write' },
  ...{ repeatable: true, state: 'done', startedAt: '2026-03-01T09:00:00.000Z' },
  ...part,
});

/** The tab of what was done, with these. */
function openEffects(effects: readonly Effect[]): Person {
  const { person, asked } = openDetail('Space');
  const run = runOf({ itemId: 't1' as ItemId });
  person.take(answerTo(only(asked, 'run.list'), 'run.list', { runs: [run], nextCursor: null }));
  person.take(answerTo(only(person.calls(), 'run.effects'), 'run.effects', { effects: [...effects] }));
  person.press('Right Right');
  return person;
}

const rowsOf = ({ state }: Person) => {
  if (state.popup?.kind !== 'detail') throw new Error('the details are not open');
  return detailView(state.popup, state).rows;
};

describe('the changes of an item', () => {
  it('are found on a further page of the history', () => {
    const { person, asked } = openDetail('D');
    const first = only(asked, 'plan.history');
    person.take(answerTo(first, 'plan.history', { revisions: page(2_000, 200), nextCursor: '1801' }));
    expect(person.text()).not.toContain('as it was made');
    const second = only(person.calls(), 'plan.history');
    expect(second.params).toMatchObject({ sessionId: 's_1', cursor: '1801' });
    person.take(answerTo(second, 'plan.history', { revisions: page(1_800, 200, new Set([1_700])), nextCursor: null }));
    expect(person.calls()).toMatchObject([{ method: 'plan.diff', params: { from: 1_699, to: 1_700 } }]);
    expect(person.text()).toContain('version 1700');
    expect(person.text()).not.toContain('not shown');
  });

  it('are not denied where the reading stops', () => {
    const { person, asked } = openDetail('D');
    let call: Call | undefined = only(asked, 'plan.history');
    let pages = 0;
    for (; call?.method === 'plan.history' && pages < 50; pages += 1) {
      const from = 100_000 - pages * 10;
      person.take(answerTo(call, 'plan.history', { revisions: page(from, 10), nextCursor: `${from - 9}` }));
      call = person.calls().find(({ method }) => method === 'plan.history');
    }
    expect(pages).toBeLessThan(50);
    expect(person.text()).not.toContain('as it was made');
    expect(person.text()).toContain('Older ones are not shown');
  });

  it('are as many as one can read, and it is said that there are more', () => {
    const { person, asked } = openDetail('D');
    const versions = new Set(Array.from({ length: 150 }, (_, i) => 200 - i));
    person.take(answerTo(only(asked, 'plan.history'), 'plan.history', { revisions: page(200, 150, versions), nextCursor: '51' }));
    const calls = person.calls();
    expect(calls.every(({ method }) => method === 'plan.diff')).toBe(true);
    expect(calls.length).toBeLessThanOrEqual(50);
    person.press('End');
    expect(person.text()).toContain('Older ones are not shown');
  });

  it('that cannot be read are told as such', () => {
    const { person, asked } = openDetail('D');
    const answer = { revisions: page(6, 5, new Set([6, 4])), nextCursor: null };
    person.take(answerTo(only(asked, 'plan.history'), 'plan.history', answer));
    const [diff, other] = person.calls();
    if (diff?.method !== 'plan.diff' || other?.method !== 'plan.diff') throw new Error('it did not ask for them');
    const error = { kind: 'not_found', message: 'There is no version 6.', hint: null, currentVersion: null } as const;
    person.take({ type: 'refused', call: diff, error });
    const text = person.text();
    expect(text.split('There is no version 6.')).toHaveLength(2);
    expect(text.split('Reading.')).toHaveLength(2);
    person.take(answerTo(other, 'plan.diff', { added: [], removed: [], changed: [] }));
    expect(person.text()).not.toContain('Reading.');
  });

  it('take no page that was asked for by details that were left', () => {
    const { person, asked } = openDetail('D');
    const first = only(asked, 'plan.history');
    person.take(answerTo(first, 'plan.history', { revisions: page(2_000, 10), nextCursor: '1991' }));
    const late = only(person.calls(), 'plan.history');
    person.press('Esc D');
    const again = only(person.calls(), 'plan.history');
    person.take(answerTo(late, 'plan.history', { revisions: page(1_990, 10, new Set([1_985])), nextCursor: null }));
    expect(person.text()).toContain('Reading.');
    person.take(answerTo(again, 'plan.history', { revisions: page(2_000, 10, new Set([1_995])), nextCursor: '1991' }));
    expect(person.text()).toContain('version 1995');
    expect(person.text()).not.toContain('version 1985');
  });
});

describe('what could not be read of an item', () => {
  it('is told in its tab, and in no other', () => {
    const { person, asked } = openDetail('Space');
    const error = { kind: 'internal_error', message: 'The disk is gone.', hint: null, currentVersion: null } as const;
    person.take({ type: 'refused', call: only(asked, 'run.receipts'), error });
    expect(person.text()).not.toContain('The disk is gone.');
    person.press('v');
    expect(person.text()).toContain('The disk is gone.');
    expect(person.text()).not.toContain('Reading.');
  });
});

describe('the runs of an item', () => {
  const runs = Array.from({ length: 50 }, (_, i) => runOf({ id: `r_${100 - i}` as RunId, itemId: 't1' as ItemId }));

  it('that are not shown are spoken of, and so is what they did', () => {
    const { person, asked } = openDetail('Space');
    person.take(answerTo(only(asked, 'run.list'), 'run.list', { runs: [...runs], nextCursor: '50' }));
    for (const call of person.calls())
      if (call.method === 'run.effects') {
        const effects = [effect(1, { id: `e_${call.params.runId}` as Effect['id'], runId: call.params.runId as RunId })];
        person.take(answerTo(call, 'run.effects', { effects }));
      }
    person.press('Right Right End');
    expect(person.text()).toContain('Older ones are not shown');
    person.press('Right End');
    expect(person.text()).toContain('Older ones are not shown');
  });

  it('tell each call once, whichever of them goes on with another', () => {
    const { person, asked } = openDetail('Space');
    person.take(answerTo(only(asked, 'run.list'), 'run.list', { runs: runs.slice(0, 3), nextCursor: null }));
    const earlier = effect(1, { id: 'e_old' as Effect['id'], runId: 'r_98' as RunId, args: 'the old file' });
    for (const call of person.calls())
      if (call.method === 'run.effects') person.take(answerTo(call, 'run.effects', { effects: [earlier] }));
    person.press('Right Right');
    expect(person.text().split('the old file')).toHaveLength(2);
  });
});

describe('what was done for an item', () => {
  it('tells the beginning of a long call, and how much more there is', () => {
    const person = openEffects([effect(1, { args: `begin ${'x'.repeat(10_994)}` })]);
    expect(person.text()).toContain('begin');
    expect(person.text()).toContain('… 9,000 more characters');
    expect(rowsOf(person).length).toBeLessThan(40);
  });

  it('never cuts a character in two', () => {
    const person = openEffects([effect(1, { args: `${'x'.repeat(1_999)}😀${'y'.repeat(500)}` })]);
    expect(
      rowsOf(person)
        .flatMap(({ spans }) => spans.map(({ text }) => text))
        .join(''),
    ).not.toContain('ud83d');
  });

  it('is laid out once for a width', () => {
    const person = openEffects(Array.from({ length: 40 }, (_, i) => effect(i)));
    const before = rowsOf(person);
    person.press('Down');
    const after = rowsOf(person);
    expect(after.length).toBe(before.length);
    // All but the row of the tabs.
    expect(after.slice(2).every((row, i) => row === before[i + 2])).toBe(true);
    person.take({ type: 'resized', size: sizeOf(60, 24) });
    expect(rowsOf(person).slice(2)).not.toEqual(before.slice(2));
  });
});
