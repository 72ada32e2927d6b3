import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, waitForRun } from '../support/daemon.js';
import { call, say } from '../support/scripted-provider.js';
import { result, tellStory } from '../support/story.js';

const neverAsked = (): never => {
  throw new Error('the model was asked');
};

describe('checks', () => {
  it('accept a leaf only when the daemon itself saw every one of them pass', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? call('write', { path: 'out.txt', content: 'x' }) : result(),
    );
    execFileSync('git', ['init', '-q'], { cwd: story.workspace });
    const session = await story.session({ items: [{ title: 'Only', verify: ['test -f out.txt', 'grep -q x out.txt'] }] });
    await runToRest(story.daemon, session.id, 'completed');
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    expect(items[0]).toMatchObject({ status: 'done', claimed: true, accepted: true });
    const { receipts } = await story.daemon.call('run.receipts', { sessionId: session.id, itemId: items[0]?.id ?? '' });
    expect(receipts.map((receipt) => [receipt.command, receipt.exitCode, receipt.attempt])).toEqual([
      ['test -f out.txt', 0, 1],
      ['grep -q x out.txt', 0, 1],
    ]);
    expect(receipts[0]?.treeHash).toMatch(/^[0-9a-f]{40}/);
  });

  it('send a claim back to the model with what they said, on the same conversation', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1) return say('Done, I think.');
      const told = body.messages.some(
        (message) => message.content?.includes('check failed') && message.content.includes('no such luck'),
      );
      return number === 2 && told ? call('write', { path: 'out.txt', content: 'x' }) : result();
    });
    const session = await story.session({
      items: [{ title: 'Only', verify: ['test -f out.txt || { echo no such luck; exit 3; }'] }],
    });
    const run = await runToRest(story.daemon, session.id, 'completed');
    expect(run.attempt).toBe(2);
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    const { receipts } = await story.daemon.call('run.receipts', { sessionId: session.id, itemId: items[0]?.id ?? '' });
    expect(receipts.map((receipt) => [receipt.attempt, receipt.exitCode, receipt.passed])).toEqual([
      [1, 3, false],
      [2, 0, true],
    ]);
    expect(story.provider.requests[1]?.body.messages.some((message) => message.content === 'Done, I think.')).toBe(true);
  });

  it('block a leaf after three tries, and never call it done', async () => {
    const story = await tellStory(() => say('It is done.'));
    const session = await story.session({ items: [{ title: 'Only', verify: ['echo nope; exit 1'] }] });
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.attempt).toBe(3);
    expect(run.lastError).toContain('nope');
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    expect(items[0]?.status).toBe('active');
  });
});

describe('leaves by command', () => {
  it('need no model: exit 0 is done, seen by the daemon', async () => {
    const story = await tellStory(neverAsked);
    const session = await story.session({ items: [{ title: 'Build', command: 'echo built > out.txt' }] });
    await runToRest(story.daemon, session.id, 'completed');
    expect(await readFile(join(story.workspace, 'out.txt'), 'utf8')).toBe('built\n');
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    expect(items[0]).toMatchObject({ status: 'done', accepted: true });
  });

  it('block with their exit code and the end of their output, and are not run again by themselves', async () => {
    const story = await tellStory(neverAsked);
    const session = await story.session({
      items: [{ title: 'Publish', command: 'echo tried >> tries.txt; echo it broke >&2; exit 7' }],
    });
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('exit code 7');
    expect(run.lastError).toContain('it broke');
    expect(await readFile(join(story.workspace, 'tries.txt'), 'utf8')).toBe('tried\n');
  });

  it('are tried again when they say that repeating is harmless', async () => {
    const story = await tellStory(neverAsked);
    const command = 'echo tried >> tries.txt; test $(wc -l < tries.txt) -ge 3';
    const session = await story.session({ items: [{ title: 'Fetch', command, repeatable: true }] });
    const run = await runToRest(story.daemon, session.id, 'completed');
    expect(run.attempt).toBe(3);
  });

  it('ask a person first unless the policy allows commands; the answer carries them out once', async () => {
    const story = await tellStory(neverAsked);
    const session = await story.session({ policy: 'ask', items: [{ title: 'Build', command: 'echo built >> out.txt' }] });
    await runToRest(story.daemon, session.id, 'waiting');
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id, state: 'open' });
    expect(entries).toMatchObject([{ kind: 'approval', tool: 'shell', detail: 'echo built >> out.txt', default: 'deny' }]);
    const id = entries[0]?.id ?? '';
    await story.daemon.call('inbox.answer', { id, answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    await expect(story.daemon.call('inbox.answer', { id, answer: 'deny' })).rejects.toMatchObject({ code: -32010 });
    expect(await readFile(join(story.workspace, 'out.txt'), 'utf8')).toBe('built\n');
  });
});
