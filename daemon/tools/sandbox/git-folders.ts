/**
 * What of git's own files a confined command may write. Configuration and hooks are carried out by any later git, outside
 * of the sandbox, so they are read-only, and the folders that hold them cannot be moved away for others to take their place.
 *
 * A writable workspace cannot be closed altogether: a command can make a repository of its own in it, or a new file
 * `.git/commondir`, by which git takes its configuration from elsewhere. The daemon's own git calls carry out neither.
 */
import { lstat, readFile, readdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { liesIn } from './mounts.js';

export interface GuardedPath {
  /** Absolute. */
  readonly path: string;
  /** False: it is not there, and must not be made. */
  readonly exists: boolean;
  readonly isFolder: boolean;
}

export interface GitFolders {
  /** Folders outside of the workspace that commits in it have to write: those of a linked worktree. */
  readonly writable: readonly string[];
  /** Folders whose content may be changed, and which stay where they are. */
  readonly pinned: readonly string[];
  readonly readOnly: readonly GuardedPath[];
}

/** Submodules and worktrees are as many as a project has; a bound keeps a hostile one from taking long. */
const mostFolders = 200;
/** `modules/a/b/c`: a submodule's name may hold slashes. */
const deepestName = 6;

export async function findGitFolders(workspace: string): Promise<GitFolders> {
  const link = join(workspace, '.git');
  // A link is followed where it stays in the workspace; elsewhere nothing can be written anyway.
  const git = await realpath(link).catch(() => link);
  if (git !== link && !liesIn(git, workspace)) return { writable: [], pinned: [], readOnly: [] };
  const found = await find(git);
  if (found?.isFolder === true) return { writable: [], ...(await guardRepository(git, found.device)) };
  if (found === null) return { writable: [], pinned: [], readOnly: [] };
  const file = { path: git, exists: true, isFolder: false };
  const inside = await folderInside(git, workspace);
  if (inside !== null) {
    const { pinned, readOnly } = await guardRepository(inside.path, inside.device);
    return { writable: [], pinned, readOnly: [...readOnly, file] };
  }
  const linked = await linkedFolder(git, workspace);
  const common = linked === null ? null : await commonFolder(linked);
  const place = common === null ? null : await find(common);
  if (common === null || place === null) return { writable: [], pinned: [], readOnly: [file] };
  const { pinned, readOnly } = await guardRepository(common, place.device);
  return { writable: [common], pinned, readOnly: [...readOnly, file] };
}

/** The repository that a `.git` file points to, when that lies in the workspace as well (`--separate-git-dir`). */
async function folderInside(file: string, workspace: string): Promise<{ path: string; device: number } | null> {
  const path = await targetOf(file, workspace);
  if (path === null || !liesIn(path, workspace)) return null;
  const found = await find(path);
  return found?.isFolder === true && (await find(join(path, 'HEAD'))) !== null ? { path, device: found.device } : null;
}

async function targetOf(file: string, workspace: string): Promise<string | null> {
  const target = /^gitdir: (.+)$/m.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]?.trim();
  return target === undefined ? null : realpath(isAbsolute(target) ? target : resolve(workspace, target)).catch(() => null);
}

/** The folder that a `.git` file points to, when it is a worktree of a repository that points back to it. */
async function linkedFolder(file: string, workspace: string): Promise<string | null> {
  const folder = await targetOf(file, workspace);
  if (folder === null) return null;
  // A file that a stranger's repository brings could point anywhere; only a true worktree is pointed back from.
  const back = (await readFile(join(folder, 'gitdir'), 'utf8').catch(() => '')).trim();
  return back !== '' && (await realpath(back).catch(() => null)) === (await realpath(file).catch(() => '')) ? folder : null;
}

/** The repository that a worktree's folder belongs to: git keeps that folder in it. */
async function commonFolder(linked: string): Promise<string | null> {
  const text = (await readFile(join(linked, 'commondir'), 'utf8').catch(() => '')).trim();
  const common = await realpath(resolve(linked, text)).catch(() => null);
  return common !== null && dirname(linked) === join(common, 'worktrees') ? common : null;
}

interface Guarded {
  readonly pinned: string[];
  readonly readOnly: GuardedPath[];
}

/** Of a repository's folder, with its worktrees and the submodules in it. Nothing on another file system: see `find`. */
async function guardRepository(git: string, device: number, left = { count: mostFolders }): Promise<Guarded> {
  const guarded: Guarded = { pinned: [git], readOnly: [] };
  const hooks = await find(join(git, 'hooks'));
  if (hooks === null || hooks.device === device) {
    guarded.readOnly.push({ path: join(git, 'hooks'), exists: hooks !== null, isFolder: true });
  }
  await guardFiles(guarded, git, device, ['config', 'config.worktree', 'commondir']);
  for (const worktree of await foldersIn(join(git, 'worktrees'), device)) {
    if (left.count-- <= 0) break;
    guarded.pinned.push(join(git, 'worktrees'), worktree);
    await guardFiles(guarded, worktree, device, ['config.worktree', 'commondir']);
  }
  await guardModules(guarded, join(git, 'modules'), device, left, deepestName);
  return guarded;
}

async function guardModules(
  guarded: Guarded,
  folder: string,
  device: number,
  left: { count: number },
  deeper: number,
): Promise<void> {
  for (const each of await foldersIn(folder, device)) {
    if (left.count-- <= 0) return;
    guarded.pinned.push(folder, each);
    if (await find(join(each, 'HEAD'))) {
      const { pinned, readOnly } = await guardRepository(each, device, left);
      guarded.pinned.push(...pinned);
      guarded.readOnly.push(...readOnly);
    } else if (deeper > 0) {
      await guardModules(guarded, each, device, left, deeper - 1);
    }
  }
}

/** Those that exist: a missing one cannot be kept from being made without making it. */
async function guardFiles(guarded: Guarded, folder: string, device: number, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    const found = await find(path);
    if (found?.isFolder === false && found.device === device) guarded.readOnly.push({ path, exists: true, isFolder: false });
  }
}

async function foldersIn(folder: string, device: number): Promise<string[]> {
  const place = await find(folder);
  if (place?.isFolder !== true || place.device !== device) return [];
  const entries = await readdir(folder).catch(() => []);
  const paths = entries.map((name) => join(folder, name));
  const found = await Promise.all(paths.map(find));
  return paths.filter((_, at) => found[at]?.isFolder === true && found[at].device === device);
}

/**
 * What is really at a path. A link is not followed and nothing is guarded behind one: a mount would go to wherever it
 * leads. Neither is what has been mounted there from another file system, which cannot be moved away as it is.
 */
async function find(path: string): Promise<{ readonly isFolder: boolean | null; readonly device: number } | null> {
  const facts = await lstat(path).catch(() => null);
  if (facts === null) return null;
  return {
    isFolder: facts.isDirectory() ? true : facts.isFile() ? false : null,
    device: facts.isSymbolicLink() ? -1 : facts.dev,
  };
}
