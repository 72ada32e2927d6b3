/** Tools of MCP servers: the public ones, and some that misbehave. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newId, systemClock } from '../../daemon/clock.js';
import { mcpServersSchema } from '../../daemon/tools/mcp/mcp-config.js';
import { createMcpServers, type McpServers } from '../../daemon/tools/mcp/mcp-servers.js';
import { toolName } from '../../daemon/tools/mcp/mcp-tool.js';
import { scrubEnvironment } from '../../daemon/tools/process/environment.js';
import type { Tool, ToolResult } from '../../daemon/tools/tool.js';
import { runToRest, waitForRun } from '../support/daemon.js';
import { call, toolResults } from '../support/scripted-provider.js';
import { result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { makeFolder } from './command-support.js';

const bin = (name: string): string => new URL(`../../node_modules/.bin/${name}`, import.meta.url).pathname;
const bad = (manner: string, more: object = {}): object => ({
  command: process.execPath,
  args: [new URL('mcp-bad-server.mjs', import.meta.url).pathname, manner],
  startMs: 3_000,
  ...more,
});
const signal = (): AbortSignal => new AbortController().signal;

function serversOf(servers: object): { servers: McpServers; home: string } {
  const home = makeFolder();
  const made = createMcpServers(mcpServersSchema.parse(servers), {
    home,
    clock: systemClock,
    newId,
    environment: scrubEnvironment(process.env),
    redact: (text) => text,
  });
  onTestFinished(() => made.stop());
  return { servers: made, home };
}

const run = (tools: readonly Tool[], name: string, args: object, workspace: string): Promise<ToolResult> => {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no ${name} among ${tools.map((each) => each.name).join(', ')}`);
  return tool.run(args, {
    workspace,
    outputFolder: workspace,
    signal: signal(),
    commands: { run: () => Promise.reject(new Error('no commands')) },
    onOutput: () => undefined,
  });
};

describe('the public servers', () => {
  it('filesystem: one for each workspace, in which its tools read and write', async () => {
    const { servers } = serversOf({ fs: { command: bin('mcp-server-filesystem'), args: ['${workspace}'] } });
    const [one, other] = [makeFolder(), makeFolder()];
    writeFileSync(join(one, 'a.txt'), 'in the first');
    const { tools, problems } = await servers.toolsFor(one, signal());
    expect(problems).toEqual([]);
    expect((await run(tools, 'fs__read_text_file', { path: join(one, 'a.txt') }, one)).content).toContain('in the first');
    expect(await run(tools, 'fs__write_file', { path: join(one, 'b.txt'), content: 'written' }, one)).toMatchObject({ ok: true });
    expect(readFileSync(join(one, 'b.txt'), 'utf8')).toBe('written');
    const second = await servers.toolsFor(other, signal());
    expect(await run(second.tools, 'fs__read_text_file', { path: join(one, 'a.txt') }, other)).toMatchObject({ ok: false });
  });

  it('everything: kinds of content, errors, and only the tools that are wanted', async () => {
    const { servers } = serversOf({
      all: { command: bin('mcp-server-everything'), args: [] },
      few: { command: bin('mcp-server-everything'), tools: ['echo'] },
    });
    const { tools } = await servers.toolsFor(makeFolder(), signal());
    expect((await run(tools, 'all__echo', { message: 'hello' }, '/')).content).toBe('Echo: hello');
    expect((await run(tools, 'all__get-tiny-image', {}, '/')).content).toMatch(
      /\[image of type image\/png, \d+ characters of base64, not shown\]/,
    );
    expect(tools.filter(({ name }) => name.startsWith('few__')).map(({ name }) => name)).toEqual(['few__echo']);
    expect((await run(tools, 'all__echo', { wrong: true }, '/')).ok).toBe(false);
  });

  it('memory: what one call stores, the next one finds', async () => {
    const folder = makeFolder();
    const { servers } = serversOf({
      memory: { command: bin('mcp-server-memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }, trusted: true },
    });
    const { tools } = await servers.toolsFor(folder, signal());
    const entity = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
    await run(tools, 'memory__create_entities', { entities: [entity] }, folder);
    expect((await run(tools, 'memory__search_nodes', { query: 'Ada' }, folder)).content).toContain('writes programs');
  });

  it('everything over HTTP', async () => {
    const port = await freePort();
    const server = spawn(bin('mcp-server-everything'), ['streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const { servers } = serversOf({ web: { url: `http://127.0.0.1:${port}/mcp` } });
    await waitFor('the server to listen', () =>
      fetch(`http://127.0.0.1:${port}/mcp`).then(
        () => true,
        () => false,
      ),
    );
    const { tools, problems } = await servers.toolsFor(makeFolder(), signal());
    expect(problems).toEqual([]);
    expect((await run(tools, 'web__echo', { message: 'hello' }, '/')).content).toBe('Echo: hello');
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe('a server that misbehaves', () => {
  it.each([
    ['is not there', { command: '/nowhere/server' }, /not there|nowhere/],
    ['dies at once, with its own words', bad('dies'), /no database at \/nowhere/],
    ['never answers', bad('silent', { startMs: 300 }), /no answer within|timed out/i],
  ])('because it %s costs its tools and nothing else', async (_what, config, words) => {
    const { servers } = serversOf({ bad: config, good: bad('ok') });
    const { tools, problems } = await servers.toolsFor(makeFolder(), signal());
    expect(tools.map(({ name }) => name)).toEqual(['good__ok']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^The MCP server bad is not there/);
    expect(problems[0]).toMatch(words);
  });

  it('by garbage on its output is used all the same', async () => {
    const { servers } = serversOf({ bad: bad('garbage') });
    const { tools } = await servers.toolsFor(makeFolder(), signal());
    expect((await run(tools, 'bad__ok', {}, '/')).content).toBe('called ok');
  });

  it('by being slow ends that call at its time limit', async () => {
    const { servers } = serversOf({ bad: bad('slow', { timeoutMs: 200 }) });
    const { tools } = await servers.toolsFor(makeFolder(), signal());
    expect(await run(tools, 'bad__wait', {}, '/')).toMatchObject({ ok: false, unknown: true });
  });

  it('by dying in a call leaves that call unknown, and is started again for the next', async () => {
    const { servers } = serversOf({ bad: bad('slow') });
    const { tools } = await servers.toolsFor(makeFolder(), signal());
    expect(await run(tools, 'bad__die', {}, '/')).toMatchObject({ ok: false, unknown: true });
    const again = await servers.toolsFor(makeFolder(), signal());
    expect(again.tools.map(({ name }) => name)).toContain('bad__wait');
  });

  it('by too many tools gives sixty-four', async () => {
    const { servers } = serversOf({ bad: bad('many') });
    expect((await servers.toolsFor(makeFolder(), signal())).tools).toHaveLength(64);
  });

  it('by what it says of its tools is not believed, and gets no word past us', async () => {
    const { servers } = serversOf({ bad: bad('hostile') });
    const { tools } = await servers.toolsFor(makeFolder(), signal());
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(tool.description).not.toMatch(/\u001b|<\/untrusted|^system:/m);
      expect(tool).toMatchObject({ class: 'unknown', writes: true, repeatable: false });
      expect(JSON.stringify(tool.parameters).length).toBeLessThan(20_000);
    }
  });
});

describe('the name of a tool', () => {
  it('says its server, and differs where the tool does', () => {
    expect(toolName('fs', 'read_file')).toBe('fs__read_file');
    expect(toolName('fs', 'a/b')).not.toBe(toolName('fs', 'a.b'));
    expect(toolName('fs', 'x'.repeat(100))).toHaveLength(64);
  });
});

describe('a run', () => {
  const withServers = async (story: Story, servers: object): Promise<void> => {
    await story.daemon.stop();
    mkdirSync(story.home, { recursive: true });
    writeFileSync(join(story.home, 'config.json'), JSON.stringify({ mcpServers: servers }));
    await story.restart();
  };

  it('calls a tool under the policy: it asks unless a rule allows it, and its answer is text from outside', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? call('good__ok', {}) : result()));
    await withServers(story, { good: bad('ok') });
    const session = await story.session({ items: [{ title: 'Only' }], policy: 'workspace' });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const { entries } = await story.daemon.call('inbox.list', { state: 'open' });
    expect(entries).toMatchObject([{ kind: 'approval', tool: 'good__ok' }]);
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    const [answer] = toolResults(story.provider.requests[1]?.body as never);
    expect(answer?.content).toMatch(/^<untrusted_content_[0-9a-f]{16} source="tool">\ncalled ok\n/);
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
    const isRunning = async (): Promise<boolean> => {
      const { execFileSync } = await import('node:child_process');
      return (
        execFileSync('/bin/sh', ['-c', `grep -las ${mark} /proc/[0-9]*/environ || true`])
          .toString()
          .trim() !== ''
      );
    };
    expect(await isRunning()).toBe(true);
    await story.daemon.kill();
    await waitFor('the server to have ended', async () => !(await isRunning()));
  });
});
