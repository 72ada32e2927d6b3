/** Asking a person: several calls at once, in a chat, and across a crash. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PolicyInput } from '../../shared/mission.js';
import type { SessionId } from '../../shared/plan.js';
import { runToRest, waitForRun } from '../support/daemon.js';
import { call, say, type ScriptedRequest, toolResults } from '../support/scripted-provider.js';
import { blocker, createGate, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const oneItem = { items: [{ title: 'Only' }] };
const append = (word: string) => call('shell', { command: `echo ${word} >> said.txt` });
const said = (story: Story): string =>
  existsSync(join(story.workspace, 'said.txt')) ? readFileSync(join(story.workspace, 'said.txt'), 'utf8') : '';
const openEntries = async (story: Story) => (await story.daemon.call('inbox.list', { state: 'open' })).entries;

describe('several calls of one turn that ask', () => {
  it('are one entry, survive kill -9 before and after the answer, and are each done once', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? [append('one'), append('two'), append('three')] : result()));
    const session = await story.session({ ...oneItem, policy: 'ask' });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const [entry, ...others] = await openEntries(story);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ kind: 'approval', tool: 'shell', title: 'May these 3 calls run?' });
    expect(entry?.detail.split('\n')).toHaveLength(3);
    await story.daemon.kill();
    await story.restart();
    expect(await openEntries(story)).toMatchObject([{ id: entry?.id }]);
    await story.daemon.call('inbox.answer', { id: entry?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    expect(said(story)).toBe('one\ntwo\nthree\n');
  });

  it('are all denied by one no, which the model reads for each', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? [append('one'), append('two')] : result()));
    const session = await story.session({ ...oneItem, policy: 'ask' });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const [entry] = await openEntries(story);
    await story.daemon.call('inbox.answer', { id: entry?.id ?? '', answer: 'deny' });
    await waitForRun(story.daemon, session.id, 'completed');
    expect(
      toolResults(story.provider.requests[1]?.body as ScriptedRequest).filter(({ content }) =>
        content.includes('A person said no'),
      ),
    ).toHaveLength(2);
    expect(said(story)).toBe('');
  });

  it('are each granted by an always, and nothing else is', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? [append('one'), append('two')] : number === 2 ? append('two') : number === 3 ? append('three') : result(),
    );
    const session = await story.session({ ...oneItem, policy: 'ask' });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const [entry] = await openEntries(story);
    await story.daemon.call('inbox.answer', { id: entry?.id ?? '', answer: 'always' });
    await waitFor(
      'the third command to be asked for',
      async () => (await openEntries(story))[0]?.detail === 'echo three >> said.txt',
    );
    expect(said(story)).toBe('one\ntwo\ntwo\n');
  });
});

describe('a chat', () => {
  const chat = (story: Story, sessionId: SessionId, text: string) => story.daemon.call('chat.send', { sessionId, text });
  const statusOf = async (story: Story, sessionId: SessionId): Promise<string | undefined> =>
    (await story.daemon.call('run.list', { sessionId })).runs[0]?.status;

  it('of a worker session looks and plans and does nothing else, whatever its policy', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? call('write', { path: 'a.txt', content: 'x' }) : say('I only look.'),
    );
    const session = await story.session({ ...oneItem, policy: 'full' });
    await chat(story, session.id, 'Write a file');
    await waitFor('an answer', async () => (await statusOf(story, session.id)) === 'completed');
    expect((story.provider.requests[0]?.body.tools ?? []).map((tool) => tool.function.name).sort()).toEqual([
      'glob',
      'grep',
      'list',
      ...['ask_attention', 'expand', 'finish', 'fire', 'plan', 'report'].map((tool) => `mission_${tool}`),
      'read',
    ]);
    expect(existsSync(join(story.workspace, 'a.txt'))).toBe(false);
  });

  it('of a solo session works: it writes, keeps steps, and closes no item', async () => {
    const story = await tellStory((_body, number) =>
      number === 1
        ? [
            call('plan', { verb: 'create', steps: [{ id: 's1', title: 'Write' }] }),
            call('write', { path: 'a.txt', content: 'from the chat' }),
          ]
        : say('Written.'),
    );
    const session = await story.session({ ...oneItem, profile: 'solo' });
    const { runId } = await chat(story, session.id, 'Write a file');
    await waitFor('an answer', async () => (await statusOf(story, session.id)) === 'completed');
    expect(readFileSync(join(story.workspace, 'a.txt'), 'utf8')).toBe('from the chat');
    expect(await story.daemon.call('run.steps', { runId })).toMatchObject({ found: true, version: 1 });
    expect((await story.daemon.call('plan.get', { sessionId: session.id })).counts).toMatchObject({ pending: 1, done: 0 });
  });

  it('of a solo session waits for an answer, also across kill -9, and then goes on', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? append('allowed') : say('Done.')));
    const session = await story.session({ ...oneItem, profile: 'solo', policy: 'ask' });
    await chat(story, session.id, 'Say it');
    await waitFor('it to wait', async () => (await statusOf(story, session.id)) === 'waiting');
    expect((await story.daemon.call('run.get', { sessionId: session.id })).status).toBe('idle');
    const [entry] = await openEntries(story);
    await story.daemon.kill();
    await story.restart();
    expect(await statusOf(story, session.id)).toBe('waiting');
    await story.daemon.call('inbox.answer', { id: entry?.id ?? '', answer: 'allow' });
    await waitFor('an answer', async () => (await statusOf(story, session.id)) === 'completed');
    expect(said(story)).toBe('allowed\n');
  });

  it('can be cancelled with what it asked, and the plan is not touched', async () => {
    const story = await tellStory(() => append('never'));
    const session = await story.session({ ...oneItem, profile: 'solo', policy: 'ask' });
    await chat(story, session.id, 'Say it');
    await waitFor('it to wait', async () => (await openEntries(story)).length === 1);
    expect(await story.daemon.call('chat.cancel', { sessionId: session.id })).toEqual({ cancelled: 1 });
    expect(await statusOf(story, session.id)).toBe('cancelled');
    expect(await openEntries(story)).toEqual([]);
    expect(await story.daemon.call('chat.cancel', { sessionId: session.id })).toEqual({ cancelled: 0 });
  });

  it('waits for the folder while an item of another session writes in it', async () => {
    const gate = createGate();
    const story = await tellStory(async (body) => {
      if (body.messages.some(({ content }) => content === 'Now you')) return say('My turn came.');
      await gate.passed;
      return result();
    });
    const working = await story.session(oneItem);
    const session = await story.session({ ...oneItem, profile: 'solo' });
    await story.daemon.call('run.start', { sessionId: working.id });
    await waitFor('the item to work', () => story.provider.requests.length === 1);
    await chat(story, session.id, 'Now you');
    await waitFor('it to say what it waits for', async () =>
      JSON.stringify(await story.daemon.call('run.list', { sessionId: session.id })).includes('running'),
    );
    expect(story.provider.requests).toHaveLength(1);
    gate.open();
    await waitFor('an answer', async () => (await statusOf(story, session.id)) === 'completed');
  });
});

describe('a policy by class', () => {
  it('asks for what destroys and lets the rest be', async () => {
    const story = await tellStory((_body, number) =>
      number === 1
        ? call('shell', { command: 'touch a && ls' })
        : number === 2
          ? call('shell', { command: 'timeout 5 rm a' })
          : blocker('end'),
    );
    const policy: PolicyInput = {
      default: 'allow',
      rules: [{ tool: 'shell', when: { classAtLeast: 'destructive' }, action: 'ask' }],
    };
    const session = await story.session({ ...oneItem, policy });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    expect(existsSync(join(story.workspace, 'a'))).toBe(true);
    const { effects } = await story.daemon.call('run.effects', {
      runId: (await story.daemon.call('run.get', { sessionId: session.id })).lastRunId ?? '',
    });
    expect(effects).toMatchObject([{ class: 'local_write' }]);
  });

  it('never lets the machine be wiped, not even when everything is allowed', async () => {
    const story = await tellStory((body, number) =>
      number === 1
        ? call('shell', { command: 'sudo rm -rf / --no-preserve-root' })
        : toolResults(body).some(({ content }) => content.includes('denies shell'))
          ? result('refused')
          : blocker('it ran'),
    );
    const session = await story.session({ ...oneItem, policy: 'full' });
    await runToRest(story.daemon, session.id, 'completed');
  });
});

describe('the default policy', () => {
  it('asks nothing where a sandbox works: files inside are written, keys and the network are out of reach', async () => {
    const story = await tellStory((_body, number) =>
      number === 1
        ? call('shell', { command: 'echo in > inside.txt; echo out > /etc/outside.txt; cat "$HOME/.ssh/id"; ls -A /run | wc -l' })
        : result(),
    );
    const session = await story.daemon.call('session.create', { workspace: story.workspace, ...oneItem });
    await runToRest(story.daemon, session.id, 'completed');
    expect(existsSync(join(story.workspace, 'inside.txt'))).toBe(true);
    expect(existsSync('/etc/outside.txt')).toBe(false);
    expect((await story.daemon.call('daemon.status', {})).sandbox).toMatchObject({ kind: 'bubblewrap' });
  });
});

describe('a workspace around the daemon’s own folder', () => {
  it('gives its settings to nobody: not by a file tool, not by a search, not by a command', async () => {
    const story = await tellStory((_body, number) =>
      number === 1
        ? [
            call('write', { path: 'home/config.json', content: '{}' }),
            call('read', { path: 'home/token' }),
            call('grep', { pattern: 'cairn', path: '.' }),
            call('shell', { command: 'cat home/token; ls -A home | wc -l' }),
          ]
        : result(),
    );
    const session = await story.session({ ...oneItem, workspace: dirname(story.home), policy: 'workspace' });
    await runToRest(story.daemon, session.id, 'completed');
    const results = toolResults(story.provider.requests[1]?.body as ScriptedRequest).map(({ content }) => content);
    expect(results[0]).toContain('denies write');
    expect(results[1]).toContain('denies read');
    expect(results[2]).not.toContain('home/');
    expect(results[3]).toMatch(/^0$/m);
    expect(existsSync(join(story.home, 'config.json'))).toBe(false);
  });
});

describe('a budget that somebody waits for', () => {
  it('is raised by a start as well; a start that is refused changes none', async () => {
    const story = await tellStory((_body, number) =>
      number <= 2 ? call('write', { path: `f${number}`, content: 'x' }) : result(),
    );
    const policy: PolicyInput = { default: 'allow', rules: [], budget: { turns: 2, onExhausted: 'ask' } };
    const session = await story.session({ ...oneItem, policy });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    await story.daemon.call('run.start', { sessionId: session.id, budget: { turns: 9 } });
    await waitForRun(story.daemon, session.id, 'completed');
    expect(await openEntries(story)).toEqual([]);
    await expect(story.daemon.call('run.start', { sessionId: session.id, budget: { turns: 1 } })).rejects.toThrow(
      'Nothing is open',
    );
    expect((await story.daemon.call('session.get', { sessionId: session.id })).budget).toMatchObject({ turns: 9 });
  });

  it('of minutes counts the work of commands and checks', async () => {
    const story = await tellStory(() => result());
    const policy: PolicyInput = { default: 'allow', rules: [], budget: { minutes: 0.005 } };
    const session = await story.session({ items: [{ title: 'Command', command: 'sleep 0.4' }, { title: 'Model' }], policy });
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('0.005 minutes');
    expect(story.provider.requests).toHaveLength(0);
  });
});

describe('a chat whose question ran out while the daemon was down', () => {
  it('goes on once', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? append('never') : say('Not done.')));
    const policy: PolicyInput = { default: 'allow', rules: [{ tool: 'shell', action: 'ask', deadline: 1 }] };
    const session = await story.session({ ...oneItem, profile: 'solo', policy });
    await story.daemon.call('chat.send', { sessionId: session.id, text: 'Say it' });
    await waitFor('the question', async () => (await openEntries(story)).length === 1);
    const [entry] = await openEntries(story);
    await story.daemon.kill();
    await waitFor('its deadline', () => Date.parse(entry?.deadline ?? '') < Date.now());
    await story.restart();
    await waitFor(
      'an answer',
      async () => (await story.daemon.call('run.list', { sessionId: session.id })).runs[0]?.status === 'completed',
    );
    const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
    expect(runs.map(({ status }) => status)).toEqual(['completed']);
    expect(story.provider.requests).toHaveLength(2);
  });
});
