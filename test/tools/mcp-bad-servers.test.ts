/** MCP servers that misbehave: each costs what it must, and no more. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boundedFetch } from '../../daemon/tools/mcp/bounded-fetch.js';
import { readTool } from '../../daemon/tools/read.js';
import { isAlive, makeFolder, registrations } from './command-support.js';
import { waitFor } from '../support/wait.js';
import { bad, makeMcpBench, namesOf, toolOf } from './mcp-support.js';

describe('a server that does not come up', () => {
  it.each([
    ['is not there', { command: '/nowhere/server' }, /nowhere\/server/],
    ['has a folder that is not there', bad('ok', { cwd: '/nowhere' }), /the folder to run it in is not there: \/nowhere$/],
    ['dies at once, with its own words', bad('dies'), /no database at \/nowhere$/],
    ['never answers', bad('silent', { startMs: 300 }), /no answer within 0.3 s$/],
    ['is too long a command', { command: 'true', args: ['x'.repeat(200_000)] }, /E2BIG/],
  ])('because it %s costs its tools and nothing else', async (_what, config, words) => {
    const bench = makeMcpBench({ bad: config, good: bad('ok') });
    const offer = await bench.offer();
    expect(namesOf(offer)).toEqual(['good__ok']);
    expect(offer.problems).toHaveLength(1);
    expect(offer.problems[0]).toMatch(/^The MCP server bad is not there, so its tools are missing: /);
    expect(offer.problems[0]).toMatch(words);
    expect(bench.servers.status()).toMatchObject([
      { name: 'bad', state: 'failed', tools: null, problems: offer.problems },
      { name: 'good', state: 'ready', tools: 1, problems: [] },
    ]);
  });

  it('over HTTP because it never answers costs its tools and nothing else', async () => {
    const url = await serve(() => undefined);
    const bench = makeMcpBench({ bad: { url, startMs: 300 }, good: bad('ok') });
    const offer = await bench.offer();
    expect(namesOf(offer)).toEqual(['good__ok']);
    expect(offer.problems[0]).toMatch(/no answer within 0.3 s$/);
  });

  it('is not waited for again by the next run', async () => {
    const counted = join(makeFolder(), 'starts');
    const command = { command: '/bin/sh', args: ['-c', `echo >>${counted}; exit 1`] };
    const bench = makeMcpBench({ bad: command });
    const first = await bench.offer();
    expect((await bench.offer()).problems).toEqual(first.problems);
    expect(execFileSync('wc', ['-l', counted]).toString()).toMatch(/^1 /);
  });

  it('shows no secret in what it said of its failure', async () => {
    const command = { command: '/bin/sh', args: ['-c', 'echo "cannot log in with hunter2-hunter2" >&2; exit 1'] };
    const bench = makeMcpBench({ bad: command }, (text) => text.replaceAll('hunter2-hunter2', '[redacted]'));
    expect((await bench.offer()).problems[0]).toMatch(/cannot log in with \[redacted\]$/);
  });

  it('does not count as dead when the run was stopped meanwhile, and the next run has it', async () => {
    const bench = makeMcpBench({ good: bad('ok') });
    const stopped = new AbortController();
    const asked = bench.servers.toolsFor(bench.workspace, stopped.signal);
    stopped.abort();
    expect(await asked).toEqual({ tools: [], problems: [] });
    expect(namesOf(await bench.offer())).toEqual(['good__ok']);
  });

  it('does not hold up the end of the daemon', async () => {
    const bench = makeMcpBench({ bad: bad('silent', { startMs: 60_000 }) });
    const asked = bench.offer();
    await waitFor('it to be started', () => registrations(bench.home).length === 1);
    await bench.servers.stop();
    expect((await asked).problems[0]).toMatch(/the daemon is stopping$/);
    expect(registrations(bench.home)).toEqual([]);
  });
});

describe('a server that fails in a call', () => {
  it('by being slow ends that call at its time limit: nobody knows what it did', async () => {
    const bench = makeMcpBench({ bad: bad('slow', { timeoutMs: 200 }) });
    const result = await bench.run(await bench.offer(), 'bad__wait');
    expect(result).toMatchObject({ ok: false, unknown: true });
    expect(result.content).toBe('The MCP server bad gave no answer to bad__wait: no answer within 0.2 s');
  });

  it('by hanging for good is ended, and started again at its next use', async () => {
    const bench = makeMcpBench({ bad: bad('slow', { timeoutMs: 200, startMs: 1_500 }) });
    const offer = await bench.offer();
    const [guard] = registrations(bench.home);
    expect(await bench.run(offer, 'bad__hang')).toMatchObject({ ok: false, unknown: true });
    await waitFor('it to have been ended', () => !registrations(bench.home).includes(guard ?? ''));
    expect(namesOf(await bench.offer())).toContain('bad__wait');
  });

  it('by dying leaves that call unknown, and is started again for the next call', async () => {
    const bench = makeMcpBench({ bad: bad('slow', { timeoutMs: 300 }) });
    const offer = await bench.offer();
    expect(await bench.run(offer, 'bad__die')).toMatchObject({ ok: false, unknown: true });
    expect((await bench.run(offer, 'bad__wait')).content).toMatch(/no answer within 0.3 s$/);
  });

  it('while the run is stopped leaves that call unknown', async () => {
    const bench = makeMcpBench({ bad: bad('slow') });
    const offer = await bench.offer();
    const stopped = new AbortController();
    const running = bench.run(offer, 'bad__wait', {}, { signal: stopped.signal });
    stopped.abort();
    expect(await running).toMatchObject({ ok: false, unknown: true, content: expect.stringMatching(/it was stopped$/) });
  });

  it('by saying no is believed: the call failed, and is not of unknown outcome', async () => {
    const bench = makeMcpBench({ bad: bad('talks') });
    const result = await bench.run(await bench.offer(), 'bad__error');
    expect(result).toEqual({
      ok: false,
      unknown: false,
      content: 'The MCP server bad refused bad__error: there is no such table',
    });
  });

  it('by ending right after its answer is heard', async () => {
    const bench = makeMcpBench({ bad: bad('talks') });
    expect(await bench.run(await bench.offer(), 'bad__lastWords')).toMatchObject({ ok: true, content: 'good-bye' });
  });

  it('by an answer without end is ended, before it fills the memory', async () => {
    const bench = makeMcpBench({ bad: bad('talks') });
    const offer = await bench.offer();
    expect(await bench.run(offer, 'bad__flood')).toMatchObject({ ok: false, unknown: true });
    expect((await bench.run(offer, 'bad__echo')).content).toBe('called echo {}');
  });

  it('over HTTP by an answer without end is cut off, while a long stream of short events is not', async () => {
    const url = await serve((request, response) => {
      const isEvents = request.url === '/events';
      response.setHeader('content-type', isEvents ? 'text/event-stream' : 'application/json');
      for (let count = 0; count < 100; count += 1) response.write(`data: ${'x'.repeat(100)}${isEvents ? '\n\n' : ''}`);
      response.end();
    });
    const events = await boundedFetch(`${url}events`, {}, 5_000);
    expect((await events.text()).length).toBeGreaterThan(10_000);
    await expect((await boundedFetch(url, {}, 5_000)).text()).rejects.toThrow();
  });
});

describe('what a server says', () => {
  it('beside its messages is passed over', async () => {
    const bench = makeMcpBench({ bad: bad('garbage') });
    expect((await bench.run(await bench.offer(), 'bad__ok', { a: 1 })).content).toBe('called ok {"a":1}');
  });

  it('at great length is kept where `read` pages it, without the secrets in it', async () => {
    const bench = makeMcpBench({ bad: bad('talks') }, (text) => text.replaceAll('line 10000', '[redacted]'));
    const { content } = await bench.run(await bench.offer(), 'bad__long');
    expect(content.length).toBeLessThanOrEqual(30_000);
    const [file = ''] = readdirSync(bench.outputFolder);
    const path = join(bench.outputFolder, file);
    expect(content).toContain(`the whole output is in ${path}, which \`read\` can page`);
    const context = { workspace: bench.workspace, outputFolder: bench.outputFolder, signal: new AbortController().signal };
    const page = await readTool.run({ path, offset: 10_000, limit: 3 }, { ...context, onOutput: () => undefined } as never);
    expect(page.content).toMatch(/^line 9999\n\[redacted\]\nline 10001\n/);
  });

  it('in other kinds than text is named, not shown', async () => {
    const bench = makeMcpBench({ bad: bad('talks') });
    const offer = await bench.offer();
    expect((await bench.run(offer, 'bad__odd')).content.split('\n')).toEqual([
      'words',
      '[image of type image/png, 3 bytes, not shown]',
      '[audio of type audio/wav, 6 bytes, not shown]',
      'a resource in words',
      '[resource file:///b, 3 bytes, not shown]',
      '[resource file:///c elsewhere]',
      '[content of a kind that is not known here]',
      '[content of a kind that is not known here]',
    ]);
    expect((await bench.run(offer, 'bad__structured')).content).toBe('{\n  "rows": 3\n}');
  });

  it('of its progress is shown as it comes', async () => {
    const bench = makeMcpBench({ bad: bad('talks') });
    const said: string[] = [];
    await bench.run(await bench.offer(), 'bad__progress', {}, { onOutput: (text) => void said.push(text) });
    expect(said).toEqual(['step 1\n', 'step 2\n', 'step 3\n']);
  });

  it('of new tools is heard', async () => {
    const bench = makeMcpBench({ bad: bad('talks') });
    const offer = await bench.offer();
    await bench.run(offer, 'bad__grow');
    expect(namesOf(await bench.offer())).toEqual([...namesOf(offer), 'bad__grown']);
  });
});

describe('the tools of a server', () => {
  it('are sixty-four at most, and those beyond are said', async () => {
    const bench = makeMcpBench({ bad: bad('many'), few: bad('many', { tools: ['tool199'] }) });
    const offer = await bench.offer();
    expect(namesOf(offer).filter((name) => name.startsWith('bad__'))).toHaveLength(64);
    expect(offer.problems).toEqual([expect.stringMatching(/^The MCP server bad has 200 tools, and 136 of them are not offered/)]);
    expect(namesOf(offer)).toContain('few__tool199');
  });

  it('are listed to an end, also by a server that has none', async () => {
    const bench = makeMcpBench({ bad: bad('endless', { tools: ['tool3'] }) });
    const offer = await bench.offer();
    expect(namesOf(offer)).toEqual(['bad__tool3']);
    expect(offer.problems[0]).toMatch(/^The MCP server bad goes on listing tools without an end/);
  });

  it('are not offered when they would fill the model’s context', async () => {
    const bench = makeMcpBench({ bad: bad('wordy') });
    const offer = await bench.offer();
    expect(JSON.stringify(offer.tools.map(({ parameters }) => parameters)).length).toBeLessThan(130_000);
    expect(offer.tools.length).toBeGreaterThan(0);
    expect(offer.problems[0]).toMatch(/^The MCP server bad has 20 tools, and \d+ of them are not offered/);
  });

  it('are offered without the one that is described badly', async () => {
    const bench = makeMcpBench({ bad: bad('careless') });
    const offer = await bench.offer();
    expect(namesOf(offer)).toEqual(['bad__fine', 'bad__list']);
    expect(toolOf(offer, 'bad__list').parameters).toEqual({ type: 'object', properties: {}, additionalProperties: true });
    expect(offer.problems).toEqual([
      'The MCP server bad describes 1 of its tools so badly that they are left out.',
      'The MCP server bad has tools of which any arguments are taken, because their schema is not fit to be sent (bad__list is not that of an object).',
    ]);
  });

  it('are not believed in what they say of themselves, and get no word past us', async () => {
    const bench = makeMcpBench({ bad: bad('hostile') });
    const offer = await bench.offer();
    expect(offer.tools).toHaveLength(5);
    for (const tool of offer.tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(tool.description.length).toBeLessThan(1_100);
      expect(tool.description).not.toMatch(/\u001b|<\/untrusted|\n/);
      expect(tool).toMatchObject({ class: 'unknown', writes: true, repeatable: false });
      expect(JSON.stringify(tool.parameters).length).toBeLessThan(17_000);
      expect(JSON.stringify(tool.parameters)).not.toContain('</untrusted');
    }
    expect(offer.problems.join('\n')).not.toMatch(/<\/untrusted/);
    expect(offer.problems[0]).toMatch(/bad__huge is longer than 16000 characters; bad__slier holds text that could pass/);
  });

  it('are believed where the configuration trusts their server', async () => {
    const bench = makeMcpBench({ good: bad('hints', { trusted: true }) });
    const facts = (await bench.offer()).tools.map((tool) => [tool.name, tool.class, tool.writes, tool.repeatable]);
    expect(facts).toEqual([
      ['good__look', 'safe', false, true],
      ['good__search', 'network_egress', false, true],
      ['good__put', 'local_write', true, true],
      ['good__wipe', 'destructive', true, false],
      ['good__silent', 'network_egress', true, false],
    ]);
  });
});

describe('the process of a server', () => {
  const facts = async (config: object) => {
    const bench = makeMcpBench({ bad: config });
    const { content } = await bench.run(await bench.offer(), 'bad__where');
    return { bench, where: JSON.parse(content) as { cwd: string; roots: unknown; env: Record<string, string> } };
  };

  it('that names the workspace has it as its folder and its root', async () => {
    const { bench, where } = await facts(bad('talks', { env: { PLACE: '${workspace}/sub' } }));
    expect(where).toMatchObject({
      cwd: bench.workspace,
      roots: [{ uri: `file://${bench.workspace}`, name: 'workspace' }],
      env: { PLACE: `${bench.workspace}/sub` },
    });
  });

  it('that does not is one for all workspaces, and belongs to none', async () => {
    const { bench, where } = await facts(bad('talks'));
    expect(where).toMatchObject({ cwd: process.env.HOME, roots: null });
    await bench.offer(makeFolder());
    expect(registrations(bench.home)).toHaveLength(1);
  });

  it('gets the scrubbed environment and what the configuration gives it', async () => {
    process.env.SOME_API_KEY = 'of-the-person';
    onTestFinished(() => {
      delete process.env.SOME_API_KEY;
    });
    const { where } = await facts(bad('talks', { env: { OTHER_API_KEY: 'of-the-server' } }));
    expect(where.env).toMatchObject({ OTHER_API_KEY: 'of-the-server', CI: 'true' });
    expect(where.env).not.toHaveProperty('SOME_API_KEY');
  });

  it('leaves nothing running when it is stopped, not even what has left its group', async () => {
    const bench = makeMcpBench({ bad: bad('talks') });
    const child = Number((await bench.run(await bench.offer(), 'bad__detach')).content);
    expect(isAlive(child)).toBe(true);
    await bench.servers.stop();
    expect(isAlive(child)).toBe(false);
    expect(registrations(bench.home)).toEqual([]);
  });
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
