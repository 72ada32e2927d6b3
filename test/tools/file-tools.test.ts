import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ToolResult } from '../../daemon/tools/tool.js';
import { makeToolBench, type ToolBench } from './tool-support.js';

let { context, call, put, inWorkspace }: ToolBench = makeToolBench();

beforeEach(() => {
  ({ context, call, put, inWorkspace } = makeToolBench());
});

describe('read', () => {
  test('gives a text as it is, and pages a long one so that nothing is lost or doubled', async () => {
    put('short.txt', '\tone\r\n\ntwo ä😀\n');
    expect((await call('read', { path: 'short.txt' })).content).toBe('\tone\r\n\ntwo ä😀');
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`);
    put('long.txt', `${lines.join('\n')}\n`);
    const seen: string[] = [];
    let offset: number | undefined = 1;
    while (offset !== undefined) {
      const { content }: ToolResult = await call('read', { path: 'long.txt', offset, limit: 4_000 });
      expect(content.length).toBeLessThanOrEqual(30_000);
      const [, next]: (string | undefined)[] = /read on with offset (\d+)\]$/.exec(content) ?? [];
      const body = content.split('\n');
      if (next !== undefined) body.pop();
      seen.push(...body);
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(lines);
  });

  test('takes an offset and a limit', async () => {
    put('a.txt', 'one\ntwo\nthree\nfour');
    expect((await call('read', { path: 'a.txt', offset: 2, limit: 2 })).content).toBe(
      'two\nthree\n[lines 2 to 3 of a.txt; more follows: read on with offset 4]',
    );
    expect((await call('read', { path: 'a.txt', offset: 4 })).content).toBe('four');
    expect((await call('read', { path: 'a.txt', offset: 9 })).content).toContain('no line 9');
  });

  test('cuts a line that is too long for a result', async () => {
    put('wide.txt', `${'x'.repeat(100_000)}\nnext\n`);
    const { content } = await call('read', { path: 'wide.txt' });
    expect(content.length).toBeLessThanOrEqual(30_000);
    expect(content).toContain('go on with offset 2');
    expect((await call('read', { path: 'wide.txt', offset: 2 })).content).toBe('next');
  });

  test('says what cannot be read as text', async () => {
    put('empty', '');
    put('binary', Buffer.from([1, 0, 2]));
    put('folder/x', '');
    execFileSync('mkfifo', [inWorkspace('pipe')]);
    expect(await call('read', { path: 'empty' })).toEqual({ ok: true, content: '(empty is empty)' });
    expect((await call('read', { path: 'binary' })).content).toBe('binary is a binary file of 3 bytes.');
    expect((await call('read', { path: 'folder' })).content).toContain('is a folder');
    expect((await call('read', { path: 'pipe' })).content).toContain('not a regular file');
    expect((await call('read', { path: 'none' })).content).toBe('none is not there.');
  });
});

describe('write', () => {
  test('makes folders, replaces atomically and keeps the mode', async () => {
    expect(await call('write', { path: 'a/b/c.txt', content: 'one' })).toEqual({
      ok: true,
      content: 'Created a/b/c.txt (3 bytes).',
    });
    chmodSync(inWorkspace('a/b/c.txt'), 0o750);
    const before = statSync(inWorkspace('a/b/c.txt')).ino;
    expect((await call('write', { path: 'a/b/c.txt', content: 'two' })).content).toBe('Replaced a/b/c.txt (3 bytes).');
    expect(readFileSync(inWorkspace('a/b/c.txt'), 'utf8')).toBe('two');
    expect(statSync(inWorkspace('a/b/c.txt')).mode & 0o777).toBe(0o750);
    expect(statSync(inWorkspace('a/b/c.txt')).ino).not.toBe(before);
    expect(readdirSync(inWorkspace('a/b'))).toEqual(['c.txt']);
  });

  test('refuses folders, pipes and a file where a folder is expected, and leaves nothing behind', async () => {
    put('file', 'x');
    mkdirSync(inWorkspace('folder'));
    execFileSync('mkfifo', [inWorkspace('pipe')]);
    expect((await call('write', { path: 'folder', content: '' })).content).toBe('folder is a folder.');
    expect((await call('write', { path: 'pipe', content: '' })).content).toContain('not a regular file');
    expect((await call('write', { path: 'file/x', content: '' })).ok).toBe(false);
    expect((await call('write', { path: 'n'.repeat(300), content: '' })).content).toContain('too long');
    expect(readdirSync(context.workspace).sort()).toEqual(['file', 'folder', 'pipe']);
  });

  test('does nothing once the call is stopped', async () => {
    const signal = AbortSignal.abort();
    const result = await call('write', { path: 'a', content: 'x' }, { signal });
    expect(result.ok).toBe(false);
    expect(result.unknown).toBeUndefined();
    expect(existsSync(inWorkspace('a'))).toBe(false);
  });
});

describe('edit', () => {
  test('replaces one place, or all when told so', async () => {
    put('a.txt', 'one $& two\nthree\none\n');
    expect((await call('edit', { path: 'a.txt', old: 'three', new: "$& $1 $'" })).content).toContain('at line 2');
    expect(readFileSync(inWorkspace('a.txt'), 'utf8')).toBe("one $& two\n$& $1 $'\none\n");
    expect((await call('edit', { path: 'a.txt', old: 'one', new: '1', all: true })).content).toContain('2 replaced');
    expect(readFileSync(inWorkspace('a.txt'), 'utf8')).toBe("1 $& two\n$& $1 $'\n1\n");
  });

  test('refuses what is not unique, and says where it is', async () => {
    put('a.txt', 'x\ny\nx\n');
    const result = await call('edit', { path: 'a.txt', old: 'x', new: 'z' });
    expect(result.ok).toBe(false);
    expect(result.content).toContain('2 times');
    expect(result.content).toContain('lines 1, 3');
    expect(readFileSync(inWorkspace('a.txt'), 'utf8')).toBe('x\ny\nx\n');
  });

  test('refuses what is absent, and shows what is nearest', async () => {
    put('a.ts', 'function one() {\n    return computeTotal(1);\n}\n\nfunction two() {}\n');
    const spaced = await call('edit', { path: 'a.ts', old: 'function one() {\n  return computeTotal(1);\n}', new: '' });
    expect(spaced.content).toContain('other white space it is at line 1');
    expect(spaced.content).toContain('2:     return computeTotal(1);');
    const similar = await call('edit', { path: 'a.ts', old: 'return computeTotals(2);', new: '' });
    expect(similar.content).toContain('nearest is at line 2');
    const strange = await call('edit', { path: 'a.ts', old: 'zzzz qqqq', new: '' });
    expect(strange.content).toContain('Nothing like it');
  });

  test('keeps CRLF, byte order marks and the mode', async () => {
    const file = put('a.txt', '\ufeffone\r\ntwo\r\nthree\r\n');
    chmodSync(file, 0o700);
    expect((await call('edit', { path: 'a.txt', old: 'one\ntwo', new: '1\n2\n2a' })).ok).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('\ufeff1\r\n2\r\n2a\r\nthree\r\n');
    expect(statSync(file).mode & 0o777).toBe(0o700);
  });

  test('refuses files that are no UTF-8 text, are not there, or would not change', async () => {
    put('latin', Buffer.from([0x61, 0xe4, 0x62]));
    put('binary', Buffer.from([0x61, 0, 0x62]));
    put('a', 'a');
    expect((await call('edit', { path: 'latin', old: 'a', new: 'x' })).content).toContain('not UTF-8');
    expect((await call('edit', { path: 'binary', old: 'a', new: 'x' })).content).toContain('binary');
    expect((await call('edit', { path: 'none', old: 'a', new: 'x' })).content).toBe('none is not there.');
    expect((await call('edit', { path: 'a', old: 'a', new: 'a' })).content).toContain('nothing to change');
  });
});
