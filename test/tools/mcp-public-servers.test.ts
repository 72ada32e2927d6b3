/** Tools of the public MCP servers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitFor } from '../support/wait.js';
import { makeFolder } from './command-support.js';
import { bin, makeMcpBench, namesOf } from './mcp-support.js';

describe('the public servers', () => {
  it('filesystem: one for each workspace, in which its tools read and write', async () => {
    const bench = makeMcpBench({ fs: { command: bin('mcp-server-filesystem'), args: ['${workspace}'] } });
    const [one, other] = [makeFolder(), makeFolder()];
    writeFileSync(join(one, 'a.txt'), 'in the first');
    const first = await bench.offer(one);
    expect(first.problems).toEqual([]);
    expect((await bench.run(first, 'fs__read_text_file', { path: join(one, 'a.txt') })).content).toContain('in the first');
    const written = await bench.run(first, 'fs__write_file', { path: join(one, 'b.txt'), content: 'written' });
    expect(written).toMatchObject({ ok: true });
    expect(readFileSync(join(one, 'b.txt'), 'utf8')).toBe('written');
    const second = await bench.offer(other);
    expect(await bench.run(second, 'fs__read_text_file', { path: join(one, 'a.txt') })).toMatchObject({ ok: false });
    expect(bench.servers.status()).toMatchObject([
      { name: 'fs', workspace: one, state: 'ready', tools: first.tools.length },
      { name: 'fs', workspace: other, state: 'ready' },
    ]);
  });

  it('filesystem: a folder that the configuration names stays the one it works in, whatever the workspace is', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'a.txt'), 'shared');
    const bench = makeMcpBench({ fs: { command: bin('mcp-server-filesystem'), args: [folder] } });
    const offer = await bench.offer();
    expect((await bench.run(offer, 'fs__read_text_file', { path: join(folder, 'a.txt') })).content).toContain('shared');
  });

  it('everything: kinds of content, errors, and only the tools that are wanted', async () => {
    const bench = makeMcpBench({
      all: { command: bin('mcp-server-everything') },
      few: { command: bin('mcp-server-everything'), tools: ['echo', 'nothing'] },
      off: { command: '/nowhere', enabled: false },
    });
    const offer = await bench.offer();
    expect((await bench.run(offer, 'all__echo', { message: 'hello' })).content).toBe('Echo: hello');
    const image = await bench.run(offer, 'all__get-tiny-image');
    expect(image.content).toMatch(/\[image of type image\/png, \d+ bytes, not shown\]/);
    expect((await bench.run(offer, 'all__echo', { wrong: true })).ok).toBe(false);
    expect(namesOf(offer).filter((name) => name.startsWith('few__'))).toEqual(['few__echo']);
    expect(offer.problems).toEqual(['The MCP server few has no tool nothing, which the configuration wants.']);
    expect(bench.servers.status().map(({ name, state }) => `${name} ${state}`)).toEqual(['all ready', 'few ready', 'off off']);
  });

  it('everything: a long operation tells how far it is', async () => {
    const bench = makeMcpBench({ all: { command: bin('mcp-server-everything') } });
    const said: string[] = [];
    const call = { duration: 0.2, steps: 2 };
    const changes = { onOutput: (text: string) => void said.push(text) };
    const result = await bench.run(await bench.offer(), 'all__trigger-long-running-operation', call, changes);
    expect(result.ok).toBe(true);
    expect(said).toContain('1 of 2\n');
  });

  it('memory: what one call stores, the next one finds', async () => {
    const env = { MEMORY_FILE_PATH: join(makeFolder(), 'memory.jsonl') };
    const bench = makeMcpBench({ memory: { command: bin('mcp-server-memory'), env, trusted: true } });
    const offer = await bench.offer();
    const entity = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
    await bench.run(offer, 'memory__create_entities', { entities: [entity] });
    expect((await bench.run(offer, 'memory__search_nodes', { query: 'Ada' })).content).toContain('writes programs');
  });

  it('everything over HTTP: its tools work, and go on after it was restarted', async () => {
    const port = await freePort();
    const first = await startOverHttp(port);
    const bench = makeMcpBench({ web: { url: `http://127.0.0.1:${port}/mcp` } });
    const offer = await bench.offer();
    expect(offer.problems).toEqual([]);
    expect((await bench.run(offer, 'web__echo', { message: 'hello' })).content).toBe('Echo: hello');
    first.kill('SIGKILL');
    await waitFor('it to be gone', () => first.signalCode !== null);
    await startOverHttp(port);
    expect((await bench.run(offer, 'web__echo', { message: 'again' })).content).toBe('Echo: again');
  });

  it('everything over HTTP: while it is down, a call says so, and that it was not carried out', async () => {
    const port = await freePort();
    const server = await startOverHttp(port);
    const bench = makeMcpBench({ web: { url: `http://127.0.0.1:${port}/mcp` } });
    const offer = await bench.offer();
    server.kill('SIGKILL');
    await waitFor('it to be gone', () => server.signalCode !== null);
    const result = await bench.run(offer, 'web__echo', { message: 'hello' });
    expect(result).toMatchObject({ ok: false, unknown: false });
    expect(result.content).toContain('ECONNREFUSED');
    const [problem] = (await bench.offer()).problems;
    expect(problem).toMatch(/^The MCP server web is not there, so its tools are missing: .*ECONNREFUSED/);
  });
});

async function startOverHttp(port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(bin('mcp-server-everything'), ['streamableHttp'], { env, stdio: 'ignore' });
  onTestFinished(() => void server.kill('SIGKILL'));
  await waitFor('the server to listen', () =>
    fetch(`http://127.0.0.1:${port}/mcp`).then(
      () => true,
      () => false,
    ),
  );
  return server;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
