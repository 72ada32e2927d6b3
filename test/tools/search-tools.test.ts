import { symlinkSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeToolBench, type ToolBench } from './tool-support.js';

let { call, put, inWorkspace }: ToolBench = makeToolBench();

beforeEach(() => {
  ({ call, put, inWorkspace } = makeToolBench());
});

describe('list, glob and grep', () => {
  beforeEach(() => {
    put('.gitignore', 'dist/\n*.log\n!keep.log\n');
    put('src/a.ts', 'const one = 1;\nconst two = 2;\n');
    put('src/deep/b.ts', 'const One = 1;\r\n');
    put('src/deep/.gitignore', '!b.log\nsecret.ts\n');
    put('src/deep/b.log', 'const one\n');
    put('src/deep/secret.ts', 'const one\n');
    put('dist/c.ts', 'const one\n');
    put('x.log', 'const one\n');
    put('keep.log', 'const one\n');
    put('.git/HEAD', 'const one\n');
    put('app/(group)/p+q.ts', '\n');
  });

  test('list shows folders and links', async () => {
    symlinkSync('src', inWorkspace('link'));
    expect((await call('list', {})).content.split('\n')).toEqual([
      '.git/',
      '.gitignore',
      'app/',
      'dist/',
      'keep.log',
      'link -> src',
      'src/',
      'x.log',
    ]);
    expect((await call('list', { path: 'src/deep' })).content).toContain('b.ts');
    expect((await call('list', { path: 'src/a.ts' })).ok).toBe(false);
    expect((await call('list', { path: 'none' })).content).toBe('none is not there.');
  });

  test('glob leaves out what git ignores, by the nearest rule', async () => {
    expect((await call('glob', { pattern: '**/*' })).content.split('\n')).toEqual([
      '.gitignore',
      'app/(group)/p+q.ts',
      'keep.log',
      'src/a.ts',
      'src/deep/.gitignore',
      'src/deep/b.log',
      'src/deep/b.ts',
    ]);
    expect((await call('glob', { pattern: '*.ts', path: 'src' })).content).toBe('src/a.ts');
    expect((await call('glob', { pattern: '{src,none}/**/b.ts' })).content).toBe('src/deep/b.ts');
    expect((await call('glob', { pattern: 'app/(group)/p+q.*' })).content).toBe('app/(group)/p+q.ts');
    expect((await call('glob', { pattern: '*.none' })).content).toBe('(no file matches)');
  });

  test('glob looks into an ignored folder that is asked for by name', async () => {
    expect((await call('glob', { pattern: '*', path: 'dist' })).content).toBe('dist/c.ts');
  });

  test('glob refuses patterns that take for ever', async () => {
    put('a'.repeat(200), '');
    expect((await call('glob', { pattern: '*a*a*a*a*a*a*a*a*b' })).content).toContain('too costly');
    expect((await call('glob', { pattern: '(a+)+(a+)+b' })).content).toBe('(no file matches)');
    put('.gitignore', '*a*a*a*a*a*a*a*a*a*b\n');
    expect((await call('glob', { pattern: 'src/*.ts' })).content).toBe('src/a.ts');
  });

  test('grep finds lines, in the files asked for', async () => {
    expect((await call('grep', { pattern: '^const (one|two)' })).content.split('\n').sort()).toEqual([
      'keep.log:1: const one',
      'src/a.ts:1: const one = 1;',
      'src/a.ts:2: const two = 2;',
      'src/deep/b.log:1: const one',
    ]);
    expect((await call('grep', { pattern: '(?i)const one', glob: '*.ts' })).content.split('\n').sort()).toEqual([
      'src/a.ts:1: const one = 1;',
      'src/deep/b.ts:1: const One = 1;',
    ]);
    expect((await call('grep', { pattern: 'one', path: 'src/a.ts' })).content).toBe('src/a.ts:1: const one = 1;');
    expect((await call('grep', { pattern: 'nowhere' })).content).toBe('(no line matches)');
    expect((await call('grep', { pattern: '(' })).content).toContain('no regular expression');
    expect((await call('grep', { pattern: 'x', path: 'none' })).content).toBe('none is not there.');
  });

  test('grep leaves out files that the policy denies', async () => {
    const result = await call('grep', { pattern: 'const one' }, { mayRead: (path) => !path.startsWith('src/') });
    expect(result.content).toBe('keep.log:1: const one');
  });

  test('grep is bounded, in lines and in their length', async () => {
    put('many.txt', 'match\n'.repeat(5_000));
    put('wide.txt', `${'x'.repeat(50_000)}needle${'x'.repeat(50_000)}`);
    const many = await call('grep', { pattern: 'match' });
    expect(many.content).toContain('more than 500 lines match');
    expect(many.content.length).toBeLessThanOrEqual(30_200);
    const wide = await call('grep', { pattern: 'needle' });
    expect(wide.content).toMatch(/^wide.txt:1: …x+needlex+…$/);
    expect(wide.content.length).toBeLessThan(300);
  });

  test('grep gives up on a pattern that takes for ever when its caller does, with the daemon still alive', async () => {
    put('slow.txt', `${'a'.repeat(60)}!\n`);
    const stop = new AbortController();
    const running = call('grep', { pattern: '^(a+)+$', path: 'slow.txt' }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    expect((await running).content).toContain('stopped from outside');
  });
});
