import { describe, expect, it } from 'vitest';
import type { ItemId } from '../../shared/plan.js';
import type { Message, Run, RunId } from '../../shared/run.js';
import type { Call } from '../../tui/core/message.js';
import { transcriptBlocks } from '../../tui/core/conversation/transcript.js';
import { answerTo, sizeOf } from './core-support.js';
import { openTalk } from './core-talk.js';
import * as samples from './screen-samples.js';
import { stage, type Staged, snapshotOfScene, streamWork } from './screen-script.js';
import { runOf } from './simulated-daemon.js';
import { listedOf } from './tui-support.js';

const message = (kind: Message['kind'], content: string, part: Partial<Message> = {}): Message => ({
  ...{ kind, role: 'assistant', content, at: '2026-03-01T09:00:00.000Z' },
  ...part,
});
const shown = (run: Run, messages: readonly Message[]): string[] =>
  transcriptBlocks(run, messages, listedOf(samples.plan)[3] ?? null).map(
    ({ kind, head, lines }) => `${kind}${head === '' ? '' : ` ${head}`}${lines.length === 0 ? '' : `: ${lines.join(' | ')}`}`,
  );
const leaf = runOf({ itemId: 't4' as ItemId, status: 'completed', finishedAt: '2026-03-01T09:01:00.000Z' });

describe('a stored run', () => {
  it('is told from its heading to what it came to', () => {
    const messages = [
      message('system', 'You are'),
      message('plan_state', 'Goal'),
      message('plan_prompt', 'Do 2.2\nwith care'),
      message('assistant', 'I see.', { toolCalls: [{ id: 'c1', name: 'shell', arguments: '{"command":"ls\\n-l"}' }] }),
      message('tool', 'a.ts\nb.ts\n', { toolCallId: 'c1' }),
      message('notice', 'Cut off.'),
      message('chat', 'Hurry'),
      message('assistant', '  ', {
        toolCalls: [{ id: 'c2', name: 'mission_report', arguments: '{"kind":"result","summary":"Done."}' }],
      }),
    ];
    expect(shown(leaf, messages)).toEqual([
      'run 2.2 Stream rows',
      'prompt what the model was told: Do 2.2 | with care',
      'text: I see.',
      'tool shell ls -l: a.ts | b.ts',
      'notice: Cut off.',
      'you: Hurry',
      'notice: result: Done.',
      'end active',
    ]);
  });

  it('shows calls whose arguments nobody can read', () => {
    const calls = ['{"path', 'null', '"x"', '{"lines": 3}'].map((text, i) => ({
      id: `c${i}`,
      name: 'read_file',
      arguments: text,
    }));
    expect(shown(leaf, [message('assistant', '', { toolCalls: calls })]).slice(1, -1)).toEqual([
      'tool read_file {"path',
      'tool read_file null',
      'tool read_file "x"',
      'tool read_file {"lines": 3}',
    ]);
  });

  it('says why it stopped', () => {
    for (const status of ['blocked', 'failed', 'cancelled', 'interrupted'] as const)
      expect(shown({ ...leaf, status, error: 'No key.\nSet one.' }, []).at(-1)).toBe(`end ${status}: No key. | Set one.`);
    for (const status of ['running', 'waiting'] as const)
      expect(shown({ ...leaf, status, finishedAt: null }, [])).toHaveLength(1);
  });

  it('of a command shows the command', () => {
    const item = listedOf(samples.plan).find(({ id }) => id === 't10') ?? null;
    const [, tool] = transcriptBlocks({ ...leaf, summary: 'built\nall' }, [], item);
    expect(tool).toMatchObject({ kind: 'tool', head: 'shell npm run docs', lines: ['built', 'all'], open: false });
  });
});

const linesIn = ({ person }: Staged): string => person.text();
const countIn = (staged: Staged, words: string): number => linesIn(staged).split(words).length - 1;

describe('what was only partly heard', () => {
  const words: readonly Message[] = [
    message(
      'assistant',
      'The rows are collected before they are written, which is why memory grows. I turn the array into a generator.',
      {
        toolCalls: [{ id: 'c9', name: 'shell', arguments: '{"command":"sed -n 1,80p src/rows.ts"}' }],
      },
    ),
  ];
  const transcriptOf = (call: Call, messages: readonly Message[]) =>
    answerTo(call, 'run.transcript', { messages: [...messages] });

  it('is read when its turn ends, and shown once', () => {
    const staged = stage({ size: sizeOf(200, 60) });
    staged.stream('text', 'which is why memory grows. I turn the array into a generator.');
    staged.stream('tool', 'sed -n 1,80p src/rows.ts', 'shell');
    staged.stream('tool_output', 'line 1\nline 2\n', 'shell');
    staged.tell({ run: { ...samples.working, usage: { ...samples.working.usage, turns: 3 } } });
    const asked = staged.person.calls().find(({ method }) => method === 'run.transcript');
    if (asked === undefined) throw new Error('it was not read');
    staged.person.take(transcriptOf(asked, words));
    expect(countIn(staged, 'which is why memory grows')).toBe(1);
    expect(countIn(staged, 'sed -n 1,80p')).toBe(1);
    expect(countIn(staged, 'line 2')).toBe(1);
  });

  it('stays where one reads it, unfolded as it was', () => {
    const staged = stage({ size: sizeOf(80, 24) });
    const long = Array.from({ length: 60 }, (_, i) => `line ${i}\n`).join('');
    staged.stream('text', 'I look.');
    staged.stream('tool', 'sed -n 1,80p src/rows.ts', 'shell');
    staged.stream('tool_output', long, 'shell');
    staged.stream('notice', 'It goes on.');
    staged.person.press('Tab k Enter PgUp');
    const before = staged.person.screen();
    expect(before.join('\n')).toContain('line 30');
    staged.tell({ run: { ...samples.working, usage: { ...samples.working.usage, turns: 3 } } });
    const asked = staged.person.calls().find(({ method }) => method === 'run.transcript');
    if (asked === undefined) throw new Error('it was not read');
    const result = message('tool', long, { role: 'tool', toolCallId: 'c9' });
    staged.person.take(transcriptOf(asked, [...words, result, message('notice', 'It goes on.')]));
    expect(staged.person.screen().slice(2, 20)).toEqual(before.slice(2, 20));
  });

  it('shows all the same when it cannot be read', () => {
    const staged = stage({ size: sizeOf(80, 24) });
    staged.person.press('Tab');
    staged.stream('text', 'I look.');
    staged.tell({ run: { ...samples.working, usage: { ...samples.working.usage, turns: 3 } } });
    const asked = staged.person.calls().find(({ method }) => method === 'run.transcript');
    if (asked === undefined) throw new Error('it was not read');
    staged.person.take({
      type: 'refused',
      call: asked,
      error: { kind: 'not_found', message: 'gone', hint: null, currentVersion: null },
    });
    expect(linesIn(staged)).toContain('I look.');
    expect(staged.person.session.reading).toBeNull();
  });
});

describe('runs of before', () => {
  const many = Array.from({ length: 10 }, (_, i) =>
    runOf({ id: `r_${20 - i}` as RunId, kind: 'chat', status: 'completed', finishedAt: '2026-03-01T09:00:00.000Z' }),
  );

  /** A session whose runs are `many`; their words are read as far as `limit` calls allow. */
  function openMany(limit: number): { staged: Staged; waiting: Call[] } {
    const staged = stage({ size: sizeOf(80, 24) }, { run: null, items: samples.plan });
    staged.person.take({
      type: 'changed',
      change: { sessionId: staged.person.session.session.id, seq: 9, snapshot: snapshotOfScene({ run: null }) },
    });
    let waiting = [...staged.person.calls()];
    let read = 0;
    const step = (): void => {
      const call = waiting.shift();
      if (call?.method === 'run.list') staged.person.take(answerTo(call, 'run.list', { runs: many, nextCursor: null }));
      else if (call?.method === 'run.transcript')
        staged.person.take(answerTo(call, 'run.transcript', { messages: [message('chat', `Words of ${call.params.runId}`)] }));
      read += call?.method === 'run.transcript' ? 1 : 0;
      waiting = [...waiting, ...staged.person.calls()];
    };
    while (waiting.length > 0 && (read < limit || waiting[0]?.method === 'run.list')) step();
    return { staged, waiting };
  }

  const heard = (staged: Staged): string[] =>
    staged.person.session.conversation.blocks.filter(({ kind }) => kind === 'you').map(({ runId }) => runId ?? '');

  it('come newest first, each in front of the one after it, and further ones when one scrolls up to them', () => {
    const { staged } = openMany(20);
    expect(heard(staged)).toEqual(['r_15', 'r_16', 'r_17', 'r_18', 'r_19', 'r_20']);
    staged.person.press('Tab Home');
    expect(staged.person.calls()).toMatchObject([{ method: 'run.transcript', params: { runId: 'r_14' } }]);
  });

  it('are not forgotten when a new snapshot comes while they are read', () => {
    const { staged, waiting } = openMany(2);
    expect(heard(staged)).toHaveLength(2);
    const { id } = staged.person.session.session;
    staged.person.take({ type: 'changed', change: { sessionId: id, seq: 12, snapshot: snapshotOfScene({ run: null }) } });
    for (let calls = [...waiting, ...staged.person.calls()]; calls.length > 0; calls = [...staged.person.calls()]) {
      for (const call of calls) {
        if (call.method === 'run.list') staged.person.take(answerTo(call, 'run.list', { runs: many, nextCursor: null }));
        if (call.method === 'run.transcript')
          staged.person.take(answerTo(call, 'run.transcript', { messages: [message('chat', `Words of ${call.params.runId}`)] }));
      }
    }
    expect(heard(staged)).toEqual(['r_15', 'r_16', 'r_17', 'r_18', 'r_19', 'r_20']);
  });
});

describe('the conversation', () => {
  it('follows what comes, and stays where one has scrolled to', () => {
    const staged = stage({ size: sizeOf(80, 24) });
    streamWork(staged);
    expect(staged.person.session.conversationView.top).toBeNull();
    staged.person.press('Tab PgUp');
    const before = staged.person.screen().slice(2, 20);
    for (let i = 0; i < 50; i += 1) staged.stream('text', `more ${i}\n`);
    expect(staged.person.screen().slice(2, 20)).toEqual(before);
    staged.person.press('End');
    expect(staged.person.text()).toContain('more 49');
    staged.stream('text', 'and more\n');
    expect(staged.person.text()).toContain('and more');
  });

  it('scrolls through a block that is taller than the pane, up and down again', () => {
    const staged = stage({ size: sizeOf(40, 12) }, { run: null });
    staged.stream('text', Array.from({ length: 40 }, (_, i) => `row ${i}\n`).join(''));
    staged.person.press('Tab');
    const seen = new Set<string>();
    const look = (): void =>
      staged.person.screen().forEach((row) => /row \d+/.exec(row)?.[0] && seen.add(/row \d+/.exec(row)?.[0] ?? ''));
    look();
    for (let i = 0; i < 40; i += 1) {
      staged.person.press('k');
      look();
    }
    expect(seen.size).toBe(40);
    staged.person.press(Array.from({ length: 60 }, () => 'j').join(' '));
    expect(staged.person.text()).toContain('row 39');
    expect(staged.person.session.conversationView.top).toBeNull();
  });

  it('folds and unfolds the block under the cursor', () => {
    const staged = stage({ size: sizeOf(80, 24) });
    staged.stream('tool', 'seq 9', 'shell');
    staged.stream('tool_output', Array.from({ length: 9 }, (_, i) => `number ${i}\n`).join(''), 'shell');
    staged.person.press('Tab');
    expect(staged.person.text()).not.toContain('number 0');
    staged.person.press('Enter');
    expect(staged.person.text()).toContain('number 0');
    staged.person.press('Left');
    expect(staged.person.text()).not.toContain('number 0');
    staged.person.press('Right');
    expect(staged.person.text()).toContain('number 0');
  });

  it('tells the words of the person when they have arrived, in the session that they were for', () => {
    const talk = openTalk();
    talk.person.press('Tab Tab');
    talk.person.write('Hello');
    talk.person.press('Enter');
    expect(talk.person.text()).toContain('› Hello');
    const [call] = talk.open();
    if (call?.method !== 'chat.send') throw new Error('it was not sent');
    const elsewhere = { ...call, params: { ...call.params, sessionId: 's_other' } };
    talk.person.take(answerTo(elsewhere, 'chat.send', { runId: 'r_9' as RunId }));
    expect(talk.person.session.conversation.blocks).toEqual([]);
    expect(talk.person.state.chat.saying).toEqual([]);
  });

  it('sends words again to the session that they were for', () => {
    const talk = openTalk();
    talk.person.press('Tab Tab');
    talk.person.write('Hello');
    talk.person.press('Enter');
    talk.lose();
    talk.comeBack();
    expect(talk.open()).toMatchObject([
      { method: 'session.watch' },
      { method: 'chat.send', params: { sessionId: 's_1', text: 'Hello', idempotencyKey: 'c-1' } },
    ]);
    talk.settle();
    expect(talk.person.state.chat.saying).toEqual([]);
  });

  it('gives refused words back to the line, and takes the focus nowhere', () => {
    const talk = openTalk();
    talk.person.press('Tab Tab');
    talk.person.write('Hello');
    talk.person.press('Enter');
    talk.person.write('and then');
    talk.person.press('Tab');
    talk.refuse({ kind: 'no_model', message: 'No model is configured.' });
    expect(talk.person.state.chat.editor.text).toBe('Hello\nand then');
    expect(talk.person.state.notice?.text).toBe('No model is configured.');
    expect(talk.person.state.focus).toBe('plan');
  });
});
