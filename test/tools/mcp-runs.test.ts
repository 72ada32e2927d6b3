/** Runs that have the tools of MCP servers, in a whole daemon. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PolicyInput } from '../../shared/mission.js';
import { newId } from '../../daemon/clock.js';
import { runToRest, waitForRun } from '../support/daemon.js';
import { call, toolResults } from '../support/scripted-provider.js';
import { result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { bad } from './mcp-support.js';

async function withServers(story: Story, servers: object): Promise<void> {
  await story.daemon.stop();
  mkdirSync(story.home, { recursive: true });
  writeFileSync(join(story.home, 'config.json'), JSON.stringify({ mcpServers: servers }));
  await story.restart();
}

describe('a run', () => {
  it('calls a tool under the policy: it asks with its arguments, and its answer is text from outside', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? call('good__ok', { table: 'users' }) : result()));
    await withServers(story, { good: bad('ok') });
    const session = await story.session({ items: [{ title: 'Only' }], policy: 'workspace' });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    expect(entries).toMatchObject([{ kind: 'approval', tool: 'good__ok', detail: '{"table":"users"}' }]);
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    const [answer] = toolResults(story.provider.requests[1]?.body as never);
    expect(answer?.content).toMatch(/^<untrusted_content_[0-9a-f]{16} source="tool">\ncalled ok \{"table":"users"\}\n/);
  });

  it('asks again for other arguments after an “always”', async () => {
    const story = await tellStory((_body, number) => {
      if (number <= 2) return call('good__ok', { table: 'users' });
      return number === 3 ? call('good__ok', { table: 'orders' }) : result();
    });
    await withServers(story, { good: bad('ok') });
    const session = await story.session({ items: [{ title: 'Only' }], policy: 'workspace' });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const first = await story.daemon.call('inbox.list', { state: 'open' });
    await story.daemon.call('inbox.answer', { id: first.entries[0]?.id ?? '', answer: 'always' });
    const second = await waitFor('the next question', async () => {
      const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
      return entries.length > 0 && entries;
    });
    expect(second).toMatchObject([{ tool: 'good__ok', detail: '{"table":"orders"}' }]);
    expect(story.provider.requests).toHaveLength(3);
  });

  it('is not even shown the tools that its policy denies', async () => {
    const story = await tellStory(() => result());
    await withServers(story, { good: bad('ok'), other: bad('ok') });
    const policy: PolicyInput = { default: 'allow', rules: [{ tool: 'good__*', action: 'deny' }] };
    const session = await story.session({ items: [{ title: 'Only' }], policy });
    await runToRest(story.daemon, session.id, 'completed');
    const shown = story.provider.requests[0]?.body.tools?.map((tool) => tool.function.name);
    expect(shown).toContain('other__ok');
    expect(shown).not.toContain('good__ok');
  });

  it('goes on without a server that is dead, and says so where people look', async () => {
    const story = await tellStory(() => result());
    await withServers(story, { dead: { command: '/nowhere/server' } });
    const session = await story.session({ items: [{ title: 'Only' }] });
    const watcher = await story.daemon.watch();
    await watcher.call('session.watch', { sessionId: session.id });
    await runToRest(story.daemon, session.id, 'completed');
    await waitFor('the word about it', () => JSON.stringify(watcher.notes).includes('The MCP server dead is not there'));
  });

  it('leaves nothing running after kill -9', async () => {
    const story = await tellStory(() => result());
    const mark = newId('mark');
    await withServers(story, { good: { ...bad('ok'), env: { MARK_OF_THIS_TEST: mark } } });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'completed');
    const isRunning = (): boolean =>
      execFileSync('/bin/sh', ['-c', `grep -las ${mark} /proc/[0-9]*/environ || true`])
        .toString()
        .trim() !== '';
    expect(isRunning()).toBe(true);
    await story.daemon.kill();
    await waitFor('the server to have ended', () => !isRunning());
  });
});
