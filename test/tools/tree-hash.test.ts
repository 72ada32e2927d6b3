import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { treeHash } from '../../daemon/workspace/tree-hash.js';
import { makeFolder } from './command-support.js';

function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_OPTIONAL_LOCKS: '0' };
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

function makeRepository(...initOptions: string[]): string {
  const folder = makeFolder();
  git(folder, 'init', '-q', ...initOptions);
  writeFileSync(join(folder, 'kept.txt'), 'kept\n');
  writeFileSync(join(folder, 'other.txt'), 'other\n');
  writeFileSync(join(folder, '.gitignore'), 'ignored.txt\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  return folder;
}

/** The tree that git itself makes of everything in a folder; this one does change the index. */
function treeByGit(folder: string): string {
  git(folder, 'add', '-A');
  return git(folder, 'write-tree');
}

function fingerprint(folder: string): unknown {
  const index = join(folder, '.git', 'index');
  const files = readdirSync(join(folder, '.git'), { recursive: true, encoding: 'utf8' }).sort();
  return {
    files,
    index: createHash('sha256').update(readFileSync(index)).digest('hex'),
    indexTime: statSync(index).mtimeMs,
    status: git(folder, 'status', '--porcelain'),
    stash: git(folder, 'stash', 'list'),
  };
}

describe('the tree that a check saw', () => {
  test('is that of git: changed, new, deleted and executable files as they are on disk', async () => {
    const folder = makeRepository();
    writeFileSync(join(folder, 'kept.txt'), 'changed\n');
    rmSync(join(folder, 'other.txt'));
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', 'new file\n.txt'), 'new\n');
    writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(folder, 'run.sh'), 0o755);
    const hash = await treeHash(folder);
    expect(hash).toBe(treeByGit(folder));
  });

  test('changes with every content and not with what is ignored', async () => {
    const folder = makeRepository();
    const clean = await treeHash(folder);
    writeFileSync(join(folder, 'ignored.txt'), 'anything');
    expect(await treeHash(folder)).toBe(clean);
    writeFileSync(join(folder, 'untracked.txt'), 'one');
    const first = await treeHash(folder);
    writeFileSync(join(folder, 'untracked.txt'), 'two');
    expect(new Set([clean, first, await treeHash(folder)]).size).toBe(3);
    rmSync(join(folder, 'untracked.txt'));
    expect(await treeHash(folder)).toBe(clean);
  });

  test('is not fooled by a change of the same size in the same moment, or by entries assumed unchanged', async () => {
    const folder = makeRepository();
    const clean = await treeHash(folder);
    const { atime, mtime } = statSync(join(folder, 'kept.txt'));
    writeFileSync(join(folder, 'kept.txt'), 'tpek\n');
    utimesSync(join(folder, 'kept.txt'), atime, mtime);
    expect(await treeHash(folder)).not.toBe(clean);
    git(folder, 'update-index', '--assume-unchanged', 'other.txt');
    const before = await treeHash(folder);
    writeFileSync(join(folder, 'other.txt'), 'something longer\n');
    expect(await treeHash(folder)).not.toBe(before);
  });

  test('covers the whole repository when the workspace is a folder in it, and a repository without commits', async () => {
    const folder = makeRepository();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', 'a'), 'a');
    const whole = await treeHash(folder);
    expect(whole).toMatch(/^[0-9a-f]{40}$/);
    expect(await treeHash(join(folder, 'sub'))).toBe(whole);
    const empty = makeFolder();
    git(empty, 'init', '-q');
    writeFileSync(join(empty, 'a'), 'a');
    expect(await treeHash(empty)).toBe(treeByGit(empty));
  });

  test('works in worktrees, with merge conflicts, with nested repositories and with SHA-256', async () => {
    const folder = makeRepository();
    git(folder, 'checkout', '-qb', 'side');
    writeFileSync(join(folder, 'kept.txt'), 'side\n');
    git(folder, 'commit', '-qam', 'side');
    git(folder, 'checkout', '-q', '-');
    writeFileSync(join(folder, 'kept.txt'), 'main\n');
    git(folder, 'commit', '-qam', 'main');
    expect(() => git(folder, 'merge', 'side')).toThrow();
    mkdirSync(join(folder, 'nested'));
    git(join(folder, 'nested'), 'init', '-q');
    const hash = await treeHash(folder);
    rmSync(join(folder, 'nested'), { recursive: true });
    expect(hash).toBe(treeByGit(folder));

    const worktree = join(makeFolder(), 'tree');
    git(folder, 'worktree', 'add', '-q', worktree, 'side');
    writeFileSync(join(worktree, 'more'), 'more');
    expect(await treeHash(worktree)).toBe(treeByGit(worktree));

    const long = makeRepository('--object-format=sha256');
    expect(await treeHash(long)).toBe(treeByGit(long));
  });
});

describe('the repository', () => {
  test('is left exactly as it was, index, objects and stash included', async () => {
    const folder = makeRepository();
    writeFileSync(join(folder, 'kept.txt'), 'changed\n');
    writeFileSync(join(folder, 'staged.txt'), 'staged\n');
    git(folder, 'add', 'staged.txt');
    writeFileSync(join(folder, 'untracked.txt'), 'untracked\n');
    const before = fingerprint(folder);
    expect(await treeHash(folder)).toMatch(/^[0-9a-f]{40}$/);
    expect(fingerprint(folder)).toEqual(before);
  });

  test('has nothing of what it configures carried out', async () => {
    const folder = makeRepository();
    const trap = join(folder, '.git', 'trap');
    writeFileSync(trap, `#!/bin/sh\ntouch "${folder}/sprung"\ncat\n`);
    chmodSync(trap, 0o755);
    git(folder, 'config', 'filter.evil.clean', trap);
    git(folder, 'config', 'filter.evil.process', trap);
    git(folder, 'config', 'filter.evil.required', 'true');
    git(folder, 'config', 'core.fsmonitor', trap);
    git(folder, 'config', 'diff.evil.textconv', trap);
    mkdirSync(join(folder, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(folder, '.git', 'hooks', 'post-index-change'), readFileSync(trap), { mode: 0o755 });
    writeFileSync(join(folder, '.gitattributes'), '* filter=evil diff=evil\n');
    writeFileSync(join(folder, 'kept.txt'), 'changed\n');
    expect(await treeHash(folder)).toMatch(/^[0-9a-f]{40}$/);
    expect(existsSync(join(folder, 'sprung'))).toBe(false);
  });
});

describe('there is no tree', () => {
  test('outside of a repository, in a folder that is not there, or when the time is up', async () => {
    expect(await treeHash(makeFolder())).toBeNull();
    expect(await treeHash(join(makeFolder(), 'none'))).toBeNull();
    const folder = makeRepository();
    expect(await treeHash(folder, { signal: AbortSignal.abort() })).toBeNull();
  });

  test('where the configuration claims a folder elsewhere', async () => {
    const folder = makeRepository();
    git(folder, 'config', 'core.worktree', makeFolder());
    expect(await treeHash(folder)).toBeNull();
  });
});
