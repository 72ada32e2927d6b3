import { lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { locate, policyPath } from '../../daemon/tools/paths.js';
import { makeFolder } from './command-support.js';
import { makeToolBench, type ToolBench } from './tool-support.js';

let { context, call, put, inWorkspace }: ToolBench = makeToolBench();
let outside = '';

beforeEach(() => {
  ({ context, call, put, inWorkspace } = makeToolBench());
  outside = makeFolder();
  writeFileSync(join(outside, 'secret.txt'), 'secret\n');
});

describe('file tools stay inside the workspace', () => {
  test.each(['../x', 'sub/../../x', '/etc/passwd', '/'])('%s is refused for reading and writing', async (path) => {
    for (const [tool, args] of [
      ['read', { path }],
      ['write', { path, content: '' }],
      ['edit', { path, old: 'a', new: 'b' }],
      ['list', { path }],
      ['glob', { path, pattern: '*' }],
      ['grep', { path, pattern: 'a' }],
    ] as const) {
      const result = await call(tool, args);
      expect(result.ok).toBe(false);
      expect(result.content).toContain('outside of the workspace');
    }
  });

  test('links that lead out are refused, in the middle and at the end, also when they lead nowhere yet', async () => {
    symlinkSync(outside, inWorkspace('folder'));
    symlinkSync(join(outside, 'secret.txt'), inWorkspace('file'));
    symlinkSync(join(outside, 'not-yet.txt'), inWorkspace('dangling'));
    symlinkSync('dangling', inWorkspace('chain'));
    for (const path of ['folder/secret.txt', 'folder/new.txt', 'file', 'dangling', 'chain']) {
      expect((await call('read', { path })).content).toContain('outside of the workspace');
      expect((await call('write', { path, content: 'x' })).content).toContain('outside of the workspace');
    }
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret\n');
  });

  test('a search does not leave by a link either', async () => {
    symlinkSync(outside, inWorkspace('folder'));
    put('real.txt', 'secret here\n');
    expect((await call('glob', { pattern: '**/*.txt' })).content).toBe('real.txt');
    expect((await call('glob', { pattern: 'folder/*' })).content).toBe('(no file matches)');
    expect((await call('grep', { pattern: 'secret' })).content).toBe('real.txt:1: secret here');
    expect((await call('glob', { pattern: '../*' })).ok).toBe(false);
    expect((await call('glob', { pattern: '{a,..}/*' })).ok).toBe(false);
    expect((await call('glob', { pattern: '.{.,x}/**' })).content).toBe('(no file matches)');
  });

  test('links inside are followed, and written to where they lead', async () => {
    put('real/a.txt', 'one\n');
    symlinkSync('real', inWorkspace('alias'));
    symlinkSync('real/a.txt', inWorkspace('link.txt'));
    expect((await call('read', { path: 'alias/a.txt' })).content).toBe('one');
    expect(await call('write', { path: 'link.txt', content: 'two\n' })).toMatchObject({ ok: true });
    expect(readFileSync(inWorkspace('real/a.txt'), 'utf8')).toBe('two\n');
    expect(lstatSync(inWorkspace('link.txt')).isSymbolicLink()).toBe(true);
  });

  test('links in a circle and senseless paths are refused in words', async () => {
    symlinkSync('b', inWorkspace('a'));
    symlinkSync('a', inWorkspace('b'));
    expect((await call('read', { path: 'a' })).content).toContain('too many symbolic links');
    expect((await call('read', { path: '' })).content).toContain('empty');
    expect((await call('read', { path: 'a\0b' })).content).toContain('NUL');
    expect((await call('read', { path: 'x/'.repeat(5_000) })).content).toContain('longer than');
  });

  test('kept outputs may be read and searched, not written', async () => {
    mkdirSync(context.outputFolder, { recursive: true });
    const path = join(context.outputFolder, 'o.txt');
    writeFileSync(path, 'kept\n');
    expect((await call('read', { path })).content).toBe('kept');
    expect((await call('grep', { path, pattern: 'k' })).content).toBe(`${path}:1: kept`);
    expect((await call('grep', { path: context.outputFolder, pattern: 'k' })).content).toBe(`${path}:1: kept`);
    expect((await call('write', { path, content: '' })).ok).toBe(false);
    expect((await call('read', { path: join(context.outputFolder, '..', 'token') })).ok).toBe(false);
  });

  test('what belongs to git is not written, by whatever name', async () => {
    mkdirSync(inWorkspace('.git/hooks'), { recursive: true });
    writeFileSync(inWorkspace('.git/config'), '[core]\n');
    symlinkSync('.git/config', inWorkspace('innocent'));
    mkdirSync(inWorkspace('elsewhere'));
    for (const path of [
      '.git/config',
      '.git/hooks/pre-commit',
      '.GIT/config',
      'innocent',
      'elsewhere/.git',
      './x/../.git/config',
    ]) {
      expect((await call('write', { path, content: 'evil' })).content).toContain('belongs to git');
      expect((await call('edit', { path, old: '[core]', new: 'evil' })).content).toContain('belongs to git');
    }
    expect((await call('read', { path: '.git/config' })).content).toBe('[core]');
    expect((await call('write', { path: '.gitignore', content: 'x\n' })).ok).toBe(true);
  });

  test('a policy judges where a path really is', async () => {
    put('.env', 'A=1\n');
    symlinkSync('.env', inWorkspace('harmless.txt'));
    for (const path of ['.env', './a/../.env', inWorkspace('.env'), 'harmless.txt']) {
      expect(await policyPath(context.workspace, path)).toBe('.env');
    }
    expect(await policyPath(context.workspace, '.')).toBe('.');
    expect(await policyPath(context.workspace, '../x')).toMatch(/^\/.*\/x$/);
    expect(await locate(context, 'new/deep/file', 'write')).toMatchObject({ ok: true, shown: 'new/deep/file' });
  });
});
