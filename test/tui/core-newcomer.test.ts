import { describe, expect, it } from 'vitest';
import type { ItemId } from '../../shared/plan.js';
import type { Message, Run, RunId } from '../../shared/run.js';
import type { RunOutput } from '../../shared/session.js';
import {
  appendOutput,
  type Conversation,
  emptyConversation,
  newBlock,
  addBlock,
  replaceRuns,
} from '../../tui/core/conversation/conversation.js';
import { transcriptBlocks } from '../../tui/core/conversation/transcript.js';
import { sizeOf } from './core-support.js';
import { openTalk, threeTasks } from './core-talk.js';
import { listedOf, planRunOf } from './tui-support.js';

const [one, two] = ['r_1', 'r_2'] as [RunId, RunId];

const say = (runId: RunId, stream: RunOutput['stream'], text: string, tool?: string): RunOutput => ({
  sessionId: 's_1' as RunOutput['sessionId'],
  runId,
  itemId: null,
  stream,
  text,
  ...(tool === undefined ? {} : { tool }),
});
const hear = (outputs: readonly RunOutput[], from: Conversation = emptyConversation): Conversation =>
  outputs.reduce((heard, output) => appendOutput(heard, output, ''), from);
const textsOf = ({ blocks }: Conversation): string[] =>
  blocks.map(({ kind, lines, rest }) => `${kind}: ${[...lines, rest].join('|')}`);

describe('what is heard', () => {
  it('of two answers at once stays apart', () => {
    const heard = hear([say(one, 'text', 'const '), say(two, 'text', 'Good '), say(one, 'text', 'x'), say(two, 'text', 'day')]);
    expect(textsOf(heard)).toEqual(['text: const x', 'text: Good day']);
  });

  it('is not cut in two by a word of the person', () => {
    const begun = hear([say(one, 'text', 'I think ')]);
    const told = addBlock(begun, newBlock('you', { runId: one, lines: ['Hurry'] }));
    expect(textsOf(hear([say(one, 'text', 'slowly')], told))).toEqual(['text: I think slowly', 'you: Hurry|']);
  });

  it('of a long output shows its command once', () => {
    const output = Array.from({ length: 1_200 }, (_, i) => `${i}\n`).join('');
    const { blocks } = hear([say(one, 'tool', 'seq 1200', 'shell'), say(one, 'tool_output', output, 'shell')]);
    expect(blocks.length).toBeGreaterThan(1);
    expect(blocks.filter(({ isContinued }) => isContinued !== true)).toHaveLength(1);
  });

  it('of a call that was cut off is not there again behind its transcript', () => {
    const heard = hear([say(one, 'tool', 'sleep 30', 'shell')]);
    const stored = [newBlock('tool', { runId: one, head: 'shell sleep 30', lines: ['outcome unknown'] })];
    expect(textsOf(replaceRuns(heard, new Set([one]), stored, 'end'))).toEqual(['tool: outcome unknown|']);
  });
});

describe('a report that the daemon refused', () => {
  it('is no result', () => {
    const item = listedOf(threeTasks)[0];
    if (item === undefined) throw new Error('no item');
    const run = { id: one, itemId: item.id, kind: 'leaf', attempt: 1, status: 'running', finishedAt: null } as Run;
    const at = '2026-03-01T10:00:00.000Z';
    const call = { id: 'c', name: 'mission_report', arguments: '{"kind":"result","summary":"It is done."}' };
    const asked: Message = { kind: 'assistant', role: 'assistant', content: '', toolCalls: [call], at };
    const blocksWith = (content: string) =>
      transcriptBlocks(run, [asked, { kind: 'tool', role: 'tool', content, toolCallId: 'c', at }], item).map(
        ({ kind, lines }) => [kind, ...lines],
      );
    expect(blocksWith('Filed as result.')).toContainEqual(['notice', 'result: It is done.']);
    expect(blocksWith('Unrecognized key: "text"')).toContainEqual(['tool', 'Unrecognized key: "text"']);
  });
});

describe('the screen', () => {
  it('goes on telling of the running item while one chats beside it', () => {
    const talk = openTalk();
    talk.person.press('r');
    talk.settle();
    const { run, planRun } = talk.person.session;
    if (run === null) throw new Error('nothing runs');
    const chat: Run = { ...run, id: two, kind: 'chat', itemId: null };
    talk.person.take(...talk.daemon.change({ run: chat, planRun: { ...planRun, lastRunId: run.id } }));
    talk.person.take(...talk.daemon.change({ run: { ...chat, status: 'completed', finishedAt: run.startedAt } }));
    expect(talk.person.session.run?.id).toBe(run.id);
    expect(talk.person.text()).toMatch(/running .* \d:\d\d/);
  });

  it('forgets the half of a sentence that the daemon died on, when the run is read anew', () => {
    const talk = openTalk();
    talk.person.press('r');
    talk.settle();
    talk.person.take(...talk.daemon.stream('text', 'I look at'));
    expect(talk.person.text()).toContain('I look at');
    talk.lose();
    expect(talk.person.text()).toContain('I look at');
    talk.comeBack();
    talk.settle();
    talk.person.take(...talk.daemon.stream('text', 'Another thought'));
    expect(talk.person.text()).toContain('Another thought');
    expect(talk.person.text()).not.toContain('I look at');
  });

  it('lets a word go after a while, and the hints come back', () => {
    const talk = openTalk();
    talk.person.press('p');
    expect(talk.person.text()).toContain('It does not run');
    talk.person.take({ type: 'ticked', now: talk.person.state.now + 7_000 });
    expect(talk.person.text()).not.toContain('It does not run');
    expect(talk.person.text()).toContain('r run');
  });

  it('keeps the count of what is done at every width', () => {
    for (const columns of [40, 60, 80, 100, 104, 120, 200]) {
      const talk = openTalk(undefined, { size: sizeOf(columns, 24) });
      talk.person.press('d');
      talk.settle();
      talk.person.press('j j j s');
      talk.settle();
      expect(talk.person.screen()[1], `at ${columns}`).toContain('1/3');
    }
  });

  it('tries a command again without asking for a word that nobody would hear', () => {
    const talk = openTalk(threeTasks.map((item) => (item.id === 't1' ? { ...item, command: 'make' } : item)));
    talk.person.take(
      ...talk.daemon.change({ planRun: planRunOf({ status: 'blocked', currentItemId: 't1', lastError: 'exit code 2' }) }),
    );
    talk.person.press('R');
    expect(talk.person.state.prompt).toBeNull();
    expect(talk.open().map(({ method }) => method)).toContain('run.retry');
  });

  it('keeps the mark of a blocked item while its title is changed', () => {
    const talk = openTalk();
    talk.person.take(...talk.daemon.change({ planRun: planRunOf({ status: 'blocked', currentItemId: 't1', lastError: 'No.' }) }));
    talk.person.press('e');
    expect(talk.person.text()).toContain('✗ 1 Read');
  });

  it('shows what an item came to, in its details', () => {
    const talk = openTalk();
    talk.person.press('Space');
    const { popup } = talk.person.state;
    if (popup?.kind !== 'detail') throw new Error('no details');
    const run = { id: one, itemId: 't1' as ItemId, status: 'completed', summary: 'Read all of it.' } as Run;
    const call = talk.open().find(({ method }) => method === 'run.list');
    if (call?.method !== 'run.list') throw new Error('the runs were not asked for');
    talk.person.take({
      type: 'answered',
      method: 'run.list',
      params: call.params,
      purpose: call.purpose,
      result: { runs: [run], nextCursor: null },
    });
    expect(talk.person.text()).toMatch(/Result\s[\s\S]*Read all of it\./);
  });
});
