/** Windows and races that a review of the runner found: each showed a lost plan, word or permission once. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, statusesOf, waitForRun } from '../support/daemon.js';
import { call, say, type ScriptedRequest } from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory, commandsAsked } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const sees = (body: ScriptedRequest, words: string): boolean =>
  body.messages.some((message) => message.content?.includes(words) === true);
const times = (body: ScriptedRequest, words: string): number =>
  body.messages.filter((message) => message.content?.includes(words) === true).length;

describe('nothing stays running with nobody driving it', () => {
  it('the next try waits for its delay', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? say('') : result()), { CAIRN_BACKOFF_MS: '1600' });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'completed');
    const [first, second] = story.provider.requests.map((request) => request.at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(700);
  });

  it('a daemon that died between two tries takes the next one up', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? say('') : result()), { CAIRN_BACKOFF_MS: '3000' });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first try to fail', async () =>
      (await story.daemon.call('run.list', { sessionId: session.id })).runs.some((run) => run.status === 'failed'),
    );
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
  });

  it('a session that was waiting for a slot when the daemon died gets one', async () => {
    const gate = createGate();
    const story = await tellStory(
      async (body) => {
        if (sees(body, 'Your item: 1 Long')) await gate.passed;
        return result();
      },
      { CAIRN_PARALLEL_SESSIONS: '1' },
    );
    const long = await story.session({ items: [{ title: 'Long' }] });
    const other = await story.session({ items: [{ title: 'Short' }] });
    await story.daemon.call('run.start', { sessionId: long.id });
    await waitFor('the slot to be taken', () => story.provider.requests.length === 1);
    await story.daemon.call('run.start', { sessionId: other.id });
    await story.daemon.kill();
    gate.open();
    await story.restart();
    await waitForRun(story.daemon, other.id, 'completed');
  });

  it('a bug in a run is a failed try with its reason, not a run without an end', async () => {
    const story = await tellStory(() => call('shell', { command: 'ls' }));
    // So far away that no date can say it.
    const policy = { default: 'allow' as const, rules: [{ tool: 'shell', action: 'ask' as const, deadline: 9e14 }] };
    const session = await story.session({ policy, items: [{ title: 'Only' }] });
    const run = await runToRest(story.daemon, session.id, 'failed');
    expect(run.lastError).toContain('Invalid time value');
  });

  it('a plan whose last open item is closed while it is paused between two items is completed', async () => {
    const gate = createGate();
    const story = await tellStory(async () => {
      await gate.passed;
      return result();
    });
    const session = await story.session();
    const at = { sessionId: session.id };
    await story.daemon.call('run.start', at);
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    await story.daemon.call('run.pause', at);
    gate.open();
    await waitForRun(story.daemon, session.id, 'paused');
    const { items } = await story.daemon.call('plan.get', at);
    await story.daemon.call('plan.setStatus', { ...at, itemId: items[1]?.id ?? '', status: 'done' });
    await waitForRun(story.daemon, session.id, 'completed');
  });
});

describe('words of a person', () => {
  it('do not keep an item without a model from closing', async () => {
    const story = await tellStory(() => result());
    const session = await story.session({ items: [{ title: 'Build', command: 'touch begun; sleep 1' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the command', async () =>
      readFile(join(story.workspace, 'begun')).then(
        () => true,
        () => false,
      ),
    );
    await story.daemon.call('chat.send', { sessionId: session.id, text: 'How far is it?' });
    await waitForRun(story.daemon, session.id, 'completed');
  });

  it('said to the running item are not taken by a chat that is still going on', async () => {
    const [chatGate, leafGate] = [createGate(), createGate()];
    const story = await tellStory(async (body) => {
      if (!sees(body, 'Your item:')) {
        if (!sees(body, 'Use tabs')) await chatGate.passed;
        return body.messages.some((message) => message.role === 'tool') ? say('Fine.') : call('list', {});
      }
      if (body.messages.at(-1)?.content?.startsWith('Goal:')) await leafGate.passed;
      return result(body.messages.at(-1)?.content ?? '');
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    const at = { sessionId: session.id };
    const chat = await story.daemon.call('chat.send', { ...at, text: 'What is here?' });
    await waitFor('the chat turn', () => story.provider.requests.length === 1);
    await story.daemon.call('run.start', at);
    await waitFor('the leaf turn', () => story.provider.requests.length === 2);
    const { runId } = await story.daemon.call('chat.send', { ...at, text: 'Use tabs, please.' });
    expect(runId).not.toBe(chat.runId);
    chatGate.open();
    await waitFor('the chat to end', async () =>
      (await story.daemon.call('run.list', at)).runs.some((run) => run.kind === 'chat' && run.status === 'completed'),
    );
    leafGate.open();
    await waitForRun(story.daemon, session.id, 'completed');
    const { messages } = await story.daemon.call('run.transcript', { runId });
    expect(messages.some((message: { content: string }) => message.content === 'Use tabs, please.')).toBe(true);
  });

  it('that arrive while the checks run reach the item before it closes', async () => {
    const story = await tellStory((body) => result(sees(body, 'Use tabs') ? 'with tabs' : 'with spaces'));
    const items = [{ title: 'Only', verify: ['touch begun; while [ ! -e go ]; do sleep 0.05; done'] }];
    const session = await story.session({ items });
    const at = { sessionId: session.id };
    await story.daemon.call('run.start', at);
    await waitFor('the check', async () =>
      readFile(join(story.workspace, 'begun')).then(
        () => true,
        () => false,
      ),
    );
    await story.daemon.call('chat.send', { ...at, text: 'Use tabs, please.' });
    await writeFile(join(story.workspace, 'go'), '');
    await waitForRun(story.daemon, session.id, 'completed');
    expect(story.provider.requests).toHaveLength(2);
  });

  it('that came with a retry are told once, also when the run is interrupted', async () => {
    const gate = createGate();
    const story = await tellStory(async (body, number) => {
      if (number === 1) return blocker('which one?');
      if (number === 2) return call('list', {});
      if (number === 3) await gate.passed;
      return result();
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    const at = { sessionId: session.id };
    await runToRest(story.daemon, session.id, 'blocked');
    await story.daemon.call('run.retry', { ...at, guidance: 'the second one' });
    await waitFor('the turn', () => story.provider.requests.length === 3);
    await story.daemon.call('run.pause', { ...at, now: true });
    gate.open();
    await runToRest(story.daemon, session.id, 'completed');
    const last = story.provider.requests.at(-1)?.body as ScriptedRequest;
    expect(times(last, 'the second one')).toBe(1);
  });
});

describe('an edit', () => {
  it('made while the item is paused is shown to its run before its claim counts', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 1) return call('list', {});
      if (number === 2) await gate.passed;
      return result();
    });
    const session = await story.session({ items: [{ title: 'Write it' }] });
    const at = { sessionId: session.id };
    await story.daemon.call('run.start', at);
    await waitFor('the second turn', () => story.provider.requests.length === 2);
    await story.daemon.call('run.pause', { ...at, now: true });
    gate.open();
    const { items } = await story.daemon.call('plan.get', at);
    await story.daemon.call('plan.updateItem', { ...at, itemId: items[0]?.id ?? '', title: 'Write it in French' });
    await runToRest(story.daemon, session.id, 'completed');
    const told = story.provider.requests.at(-1)?.body as ScriptedRequest;
    expect(sees(told, 'Write it in French')).toBe(true);
  });

  it('of a check is asked for anew: a yes to one command is none to another', async () => {
    const story = await tellStory(() => result());
    const session = await story.session({ policy: commandsAsked, items: [{ title: 'Only', verify: ['true'] }] });
    const at = { sessionId: session.id };
    await runToRest(story.daemon, session.id, 'waiting');
    const { items } = await story.daemon.call('plan.get', at);
    await story.daemon.call('plan.updateItem', { ...at, itemId: items[0]?.id ?? '', verify: ['touch never-allowed'] });
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    expect(entries[0]?.detail).toBe('true');
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitFor('the other to be asked for', async () =>
      (await story.daemon.call('inbox.list', { state: 'open' })).entries.some((e) => e.detail === 'touch never-allowed'),
    );
    expect(await statusesOf(story.daemon, session.id)).toEqual({ Only: 'active' });
  });
});

describe('calls of one turn', () => {
  it('keep their order when one of them has to be asked for', async () => {
    const policy = { default: 'allow' as const, rules: [{ tool: 'shell', action: 'ask' as const }] };
    const story = await tellStory((body) =>
      body.messages.some((message) => message.role === 'tool')
        ? result()
        : [call('shell', { command: 'echo shell > a.txt' }), call('write', { path: 'a.txt', content: 'written' })],
    );
    const session = await story.session({ policy, items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'waiting');
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    expect(await readFile(join(story.workspace, 'a.txt'), 'utf8')).toBe('written');
  });
});

describe('a secret', () => {
  it('in the command of an item is said to be missing: the rest of the command is not run without it', async () => {
    const story = await tellStory(() => result());
    const key = story.env.OPENAI_API_KEY ?? '';
    const session = await story.session({ items: [{ title: 'Publish', command: `touch ran; echo ${key}` }] });
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('held a secret');
    await expect(readFile(join(story.workspace, 'ran'))).rejects.toThrow('ENOENT');
  });

  it('in a call that a person allows does not keep it from being carried out', async () => {
    const story = await tellStory((body): ReturnType<typeof call> =>
      body.messages.some((message) => message.role === 'tool')
        ? result()
        : call('shell', { command: `printf ${story.env.OPENAI_API_KEY} | wc -c > length.txt` }),
    );
    const session = await story.session({ policy: commandsAsked, items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'waiting');
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    expect(entries[0]?.detail).not.toContain('sk-test');
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    expect((await readFile(join(story.workspace, 'length.txt'), 'utf8')).trim()).toBe('31');
  });
});
