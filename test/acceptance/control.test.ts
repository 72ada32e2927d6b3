import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, statusesOf, waitForRun } from '../support/daemon.js';
import { call, hang, say, toolResults } from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory, commandsAsked } from '../support/story.js';
import { waitFor } from '../support/wait.js';

describe('pausing and cancelling', () => {
  it('pause lets the leaf finish and starts nothing new', async () => {
    const gate = createGate();
    const story = await tellStory(async () => {
      await gate.passed;
      return result();
    });
    const session = await story.session();
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first leaf', () => story.provider.requests.length === 1);
    expect((await story.daemon.call('run.pause', { sessionId: session.id })).status).toBe('pausing');
    gate.open();
    await waitForRun(story.daemon, session.id, 'paused');
    expect(await statusesOf(story.daemon, session.id)).toEqual({ First: 'done', Second: 'pending' });
    await runToRest(story.daemon, session.id, 'completed');
  });

  it('pause now cuts the turn off; start goes on with the same try', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? hang() : result()));
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    expect((await story.daemon.call('run.pause', { sessionId: session.id, now: true })).status).toBe('paused');
    const run = await runToRest(story.daemon, session.id, 'completed');
    expect([run.stepNo, run.attempt]).toEqual([1, 1]);
  });

  it('cancel aborts the command under way, puts the leaf back, and is final until start', async () => {
    const story = await tellStory((body) => {
      const told = JSON.stringify(body.messages).includes('Earlier runs of this item already did');
      return told || toolResults(body).length > 0
        ? result()
        : call('shell', { command: 'echo one >> out.txt; sleep 60; echo two >> out.txt' });
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    const out = (): Promise<string> => readFile(join(story.workspace, 'out.txt'), 'utf8').catch(() => '');
    await waitFor('the command to begin', async () => (await out()) === 'one\n');
    const run = await story.daemon.call('run.cancel', { sessionId: session.id });
    expect(run).toMatchObject({ status: 'cancelled', currentItemId: null });
    expect(await statusesOf(story.daemon, session.id)).toEqual({ Only: 'pending' });
    expect((await story.daemon.call('run.cancel', { sessionId: session.id })).status).toBe('cancelled');
    await runToRest(story.daemon, session.id, 'completed');
    expect(await out()).toBe('one\n');
  });

  it('refuses what makes no sense, and says what to do', async () => {
    const story = await tellStory(() => blocker('no'));
    const session = await story.session({ items: [] });
    const refusal = { code: -32010 };
    const at = { sessionId: session.id };
    await expect(story.daemon.call('run.start', at)).rejects.toMatchObject({
      ...refusal,
      data: { kind: 'invalid_state', hint: expect.stringContaining('add') },
    });
    await expect(story.daemon.call('run.pause', at)).rejects.toMatchObject(refusal);
    await expect(story.daemon.call('run.cancel', at)).rejects.toMatchObject(refusal);
    await expect(story.daemon.call('run.retry', at)).rejects.toMatchObject(refusal);
    await story.daemon.call('plan.addItem', { ...at, title: 'Only' });
    await runToRest(story.daemon, session.id, 'blocked');
    await expect(story.daemon.call('run.pause', at)).rejects.toMatchObject(refusal);
  });

  it('reset runs everything again, and is refused while it runs', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 3) await gate.passed;
      return result();
    });
    const session = await story.session();
    await runToRest(story.daemon, session.id, 'completed');
    await story.daemon.call('run.start', { sessionId: session.id, reset: true });
    await expect(story.daemon.call('run.start', { sessionId: session.id, reset: true })).rejects.toMatchObject({ code: -32010 });
    gate.open();
    const run = await waitForRun(story.daemon, session.id, 'completed');
    expect(run.stepNo).toBe(2);
    expect(story.provider.requests.length).toBe(4);
  });
});

describe('editing while it runs', () => {
  it('closing or removing the running leaf cancels its run and goes on with the next', async () => {
    const story = await tellStory((_body, number) => (number <= 2 ? hang() : result()));
    const session = await story.session({ items: [{ title: 'First' }, { title: 'Second' }, { title: 'Third' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    await waitFor('the first leaf', () => story.provider.requests.length === 1);
    await story.daemon.call('plan.setStatus', { sessionId: session.id, itemId: items[0]?.id ?? '', status: 'skipped' });
    await waitFor('the second leaf', () => story.provider.requests.length === 2);
    await story.daemon.call('plan.removeItem', { sessionId: session.id, itemId: items[1]?.id ?? '' });
    await waitForRun(story.daemon, session.id, 'completed');
    expect(await statusesOf(story.daemon, session.id)).toEqual({ First: 'skipped', Third: 'done' });
  });

  it('an edit of the running leaf is shown to the model before its claim counts', async () => {
    const gate = createGate();
    const story = await tellStory(async (body, number) => {
      if (number === 1) await gate.passed;
      return number === 1 || JSON.stringify(body.messages).includes('in French')
        ? result(`turn ${number}`)
        : say('BLOCKED: not shown');
    });
    const session = await story.session({ items: [{ title: 'Write it' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    await story.daemon.call('plan.updateItem', {
      sessionId: session.id,
      itemId: items[0]?.id ?? '',
      title: 'Write it in French',
    });
    gate.open();
    await waitForRun(story.daemon, session.id, 'completed');
    expect(story.provider.requests.length).toBe(2);
    expect(JSON.stringify(story.provider.requests[0]?.body)).not.toContain('in French');
  });

  it('a word from a person reaches the running leaf before its claim counts', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 1) await gate.passed;
      return result(`turn ${number}`);
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    const { lastRunId } = await story.daemon.call('run.get', { sessionId: session.id });
    expect(await story.daemon.call('chat.send', { sessionId: session.id, text: 'Use tabs, please.' })).toEqual({
      runId: lastRunId,
    });
    gate.open();
    await waitForRun(story.daemon, session.id, 'completed');
    expect(story.provider.requests.length).toBe(2);
    expect(story.provider.requests[1]?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'Use tabs, please.' });
  });

  it('two clients that edit at once both get what they did, or are told that they were late', async () => {
    const story = await tellStory(() => result());
    const session = await story.session();
    const at = { sessionId: session.id };
    const [one, two] = [await story.daemon.watch(), await story.daemon.watch()];
    await Promise.all([one.call('session.watch', at), two.call('session.watch', at)]);
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? one : two).call('plan.addItem', { ...at, title: `Item ${i}`, index: 0 }),
      ),
    );
    expect(new Set(added.map((answer) => answer.version)).size).toBe(20);
    const { version, items } = await story.daemon.call('plan.get', at);
    expect(items).toHaveLength(22);
    const first = items[0]?.id ?? '';
    await one.call('plan.updateItem', { ...at, itemId: first, title: 'Mine', expectedVersion: version });
    await expect(
      two.call('plan.updateItem', { ...at, itemId: first, title: 'No, mine', expectedVersion: version }),
    ).rejects.toMatchObject({
      code: -32009,
      data: { kind: 'version_conflict', currentVersion: version + 1 },
    });
    const told = await waitFor('both to be told of the last version', () => {
      const versions = [one, two].map(
        (client) =>
          client.notes.findLast((note) => 'session' in note.params)?.params.session as { planVersion: number } | undefined,
      );
      return versions.every((session_) => session_?.planVersion === version + 1) ? versions : undefined;
    });
    expect(told).toHaveLength(2);
  });

  it('a chat closes no item and does not touch the checkpoint', async () => {
    const story = await tellStory(() => say('Everything is finished! All items are done.'));
    const session = await story.session();
    const before = await story.daemon.call('run.get', { sessionId: session.id });
    const { runId } = await story.daemon.call('chat.send', { sessionId: session.id, text: 'How is it going?' });
    await waitFor('the answer', async () =>
      (await story.daemon.call('run.list', { sessionId: session.id })).runs.find((run) => run.status === 'completed'),
    );
    const { messages } = await story.daemon.call('run.transcript', { runId });
    expect(messages.map((message: { kind: string }) => message.kind)).toEqual(['chat', 'assistant']);
    expect(await statusesOf(story.daemon, session.id)).toEqual({ First: 'pending', Second: 'pending' });
    expect(await story.daemon.call('run.get', { sessionId: session.id })).toEqual(before);
  });
});

describe('asking a person', () => {
  it('a denied call is a result that the model reads, not the end of the run', async () => {
    const story = await tellStory((body) => {
      const told = toolResults(body).at(-1)?.content;
      return told === undefined
        ? call('shell', { command: 'rm -rf build' })
        : told.includes('said no')
          ? result('did it without')
          : say('BLOCKED: what?');
    });
    const session = await story.session({ policy: commandsAsked, items: [{ title: 'Only' }] });
    const watcher = await story.daemon.watch();
    await watcher.call('session.watch', { sessionId: session.id });
    const heard = (): unknown[] => watcher.notes.filter(({ method }) => method === 'run.output').map(({ params }) => params.text);
    await runToRest(story.daemon, session.id, 'waiting');
    const { liveness } = await story.daemon.call('run.get', { sessionId: session.id });
    expect(liveness).toMatchObject({ state: 'waiting', cause: expect.stringContaining('rm -rf build') });
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'deny' });
    await waitForRun(story.daemon, session.id, 'completed');
    // Whoever looks on sees what was refused, as the model does.
    await waitFor('the refusal to be told', () => heard().some((said) => String(said).includes('said no')), { describe: heard });
    expect(heard()).toContainEqual(expect.stringContaining('rm -rf build'));
  });

  it('a deadline that passes applies the default, which denies', async () => {
    const policy = { default: 'allow' as const, rules: [{ tool: 'shell', action: 'ask' as const, deadline: 1 }] };
    const story = await tellStory((body) =>
      toolResults(body).at(-1)?.content.includes('Nobody answered') ? result() : call('shell', { command: 'ls' }),
    );
    const session = await story.session({ policy, items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'completed');
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id });
    expect(entries.map((entry) => [entry.state, entry.answer])).toEqual([['expired', 'deny']]);
  });

  it('always covers exactly this command, for this session only', async () => {
    const script = (body: Parameters<typeof toolResults>[0]) =>
      toolResults(body).length < 2 ? call('shell', { command: 'echo again' }) : result();
    const story = await tellStory(script);
    const session = await story.session({ policy: commandsAsked, items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'waiting');
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'always' });
    await waitForRun(story.daemon, session.id, 'completed');
    const other = await story.session({ policy: commandsAsked, items: [{ title: 'Only' }] });
    await runToRest(story.daemon, other.id, 'waiting');
  });

  it('a waiting session frees its slot and its workspace for the others', async () => {
    const story = await tellStory(
      (body) =>
        body.messages.some((message) => message.content?.includes('Ask me')) ? call('shell', { command: 'ls' }) : result(),
      { CAIRN_PARALLEL_SESSIONS: '1' },
    );
    const waiting = await story.session({ policy: commandsAsked, items: [{ title: 'Ask me' }] });
    await runToRest(story.daemon, waiting.id, 'waiting');
    const other = await story.session();
    await runToRest(story.daemon, other.id, 'completed');
  });

  it('a policy that denies a tool takes it from the model and refuses it at the call', async () => {
    const story = await tellStory((body) => {
      const told = toolResults(body).at(-1)?.content;
      return told === undefined
        ? call('write', { path: 'a.txt', content: 'x' })
        : told.includes('no tool write')
          ? result()
          : say('BLOCKED: it let me');
    });
    const session = await story.session({ policy: 'readonly', items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'completed');
    expect(story.provider.requests[0]?.body.tools?.map((tool) => tool.function.name)).not.toContain('write');
  });
});

describe('a budget', () => {
  it('that is used up ends a chat as failed, never as answered', async () => {
    const story = await tellStory(() => call('list', {}));
    const session = await story.session({ policy: { default: 'allow', budget: { turns: 1 } }, items: [{ title: 'Only' }] });
    const { runId } = await story.daemon.call('chat.send', { sessionId: session.id, text: 'Look around.' });
    const ended = await waitFor('the chat to end', async () => {
      const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
      return runs.find((run) => run.id === runId && run.status !== 'running');
    });
    expect(ended).toMatchObject({ status: 'failed', error: 'budget used up: 1 turns' });
  });

  it.each([
    ['turns', { turns: 2 }],
    ['tool calls', { toolCalls: 2 }],
    ['tokens', { tokens: 25 }],
  ])('of %s that is used up blocks the leaf before the next turn, and says so', async (name, budget) => {
    const story = await tellStory(() => call('list', {}));
    const session = await story.session({ policy: { default: 'allow', budget }, items: [{ title: 'Only' }] });
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain(`budget used up: ${Object.values(budget)[0]} ${name}`);
    expect(story.provider.requests.length).toBe(2);
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id, state: 'open' });
    expect(entries.map(({ kind }) => kind)).toEqual(['budget']);
  });
});
