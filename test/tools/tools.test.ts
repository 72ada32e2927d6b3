import { describe, expect, test } from 'vitest';
import { defaultShellTimeoutMs, shellTool } from '../../daemon/tools/shell.js';
import { searchFiles } from '../../daemon/tools/search-worker.js';
import { builtinTools, parseArguments, toolSchema } from '../../daemon/tools/tools.js';
import type { CommandRequest, CommandResult, ToolContext } from '../../daemon/tools/tool.js';
import { makeFolder } from './command-support.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const byName = (name: string) => {
  const tool = builtinTools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
};

describe('the built-in tools', () => {
  test('have the classes and the promises about repeating that policies and recovery rely on', () => {
    const facts = builtinTools.map((tool) => [tool.name, tool.class, tool.repeatable, tool.writes]);
    expect(facts).toEqual([
      ['read', 'safe', true, false],
      ['write', 'local_write', false, true],
      ['edit', 'local_write', false, true],
      ['list', 'safe', true, false],
      ['glob', 'safe', true, false],
      ['grep', 'safe', true, false],
      ['shell', 'code_execution', false, true],
    ]);
  });

  test('are described to a provider by plain JSON Schema', () => {
    expect(toolSchema(byName('edit')).parameters).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' }, old: { type: 'string' }, new: { type: 'string' }, all: { type: 'boolean' } },
      required: ['path', 'old', 'new'],
      additionalProperties: false,
    });
    for (const tool of builtinTools) expect(JSON.stringify(toolSchema(tool))).not.toContain('$schema');
  });

  test('say what a policy judges', () => {
    expect(byName('write').subject({ path: 'a', content: '' })).toEqual({ path: 'a' });
    expect(byName('list').subject({})).toEqual({ path: '.' });
    expect(byName('shell').subject({ command: 'ls' })).toEqual({ command: 'ls', hosts: [] });
  });
});

describe('the arguments of a call', () => {
  test('are parsed, and no text counts as none', () => {
    expect(parseArguments(byName('read'), '{"path": "a", "offset": 3}')).toEqual({ ok: true, value: { path: 'a', offset: 3 } });
    expect(parseArguments(byName('list'), '')).toEqual({ ok: true, value: {} });
  });

  test.each([
    ['read', '{"path": ', 'not valid JSON'],
    ['read', '{}', 'path: '],
    ['read', '[]', 'expected object'],
    ['read', '{"path": "a", "offset": 0}', 'offset: '],
    ['read', '{"path": "a", "lines": 3}', 'lines'],
    ['edit', '{"path": "a", "old": "", "new": "b"}', 'old: '],
    ['shell', '{"command": "ls", "timeoutMs": 9999999}', 'timeoutMs: '],
  ])('of %s that are wrong (%s) say why', (tool, text, why) => {
    const parsed = parseArguments(byName(tool), text);
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed.ok ? '' : parsed.error).toContain(why);
    expect(parsed.ok ? '' : parsed.error).toContain(`${tool} was not called`);
  });
});

describe('shell', () => {
  const run = async (result: Partial<CommandResult>, args: { command: string; timeoutMs?: number } = { command: 'make' }) => {
    const requests: CommandRequest[] = [];
    const context: ToolContext = {
      workspace: '/workspace',
      outputFolder: '/outputs',
      signal: new AbortController().signal,
      onOutput: () => undefined,
      commands: {
        run: async (request) => {
          requests.push(request);
          return { exitCode: null, ended: 'exited', output: 'out', outputHash: '', durationMs: 1, ...result };
        },
      },
    };
    return { result: await shellTool.run(args, context), requests };
  };

  test('runs in the workspace within its time limit', async () => {
    const { requests } = await run({ exitCode: 0 });
    expect(requests).toMatchObject([{ command: 'make', cwd: '/workspace', timeoutMs: defaultShellTimeoutMs }]);
    expect((await run({ exitCode: 0 }, { command: 'make', timeoutMs: 5 })).requests).toMatchObject([{ timeoutMs: 5 }]);
  });

  test('tells the exit code, and what is unknown when it was killed', async () => {
    expect((await run({ exitCode: 0 })).result).toEqual({ ok: true, content: 'out\n[exit code 0]' });
    expect((await run({ exitCode: 2, output: '' })).result).toEqual({ ok: false, content: '[exit code 2]' });
    expect((await run({ ended: 'not_started', output: 'no folder' })).result).toEqual({ ok: false, content: 'no folder\n' });
    for (const ended of ['timed_out', 'aborted', 'signalled'] as const) {
      const { result } = await run({ ended });
      expect(result).toMatchObject({ ok: false, unknown: true });
      expect(result.content).toContain('outcome unknown');
    }
  });
});

describe('a search', () => {
  test('is ended at its time limit, with what was found until then', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'quick'), 'aaa\n');
    writeFileSync(join(folder, 'slow'), `${'a'.repeat(60)}!\n`);
    const found = await searchFiles({
      files: [join(folder, 'quick'), join(folder, 'slow')],
      expression: /^(a+)+$/,
      mostMatches: 10,
      largestFile: 1_000,
      timeLimitMs: 400,
      signal: new AbortController().signal,
    });
    expect(found).toMatchObject({ ended: 'timed_out', matches: [{ line: 1, text: 'aaa' }] });
  });
});
