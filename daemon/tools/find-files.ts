/** Finds files by a glob pattern, without what git ignores, without following links, and within bounds. */
import { type Dirent, type readdir, realpath } from 'node:fs';
import { readdir as readFolder, realpath as resolvePath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { glob, type FileSystemAdapter } from 'tinyglobby';
import { isCheapGlob } from './cheap-glob.js';
import { createIgnoreRules } from './ignore-rules.js';

export type FoundFiles =
  | {
      readonly ok: true;
      /** Absolute, sorted. */
      readonly files: readonly string[];
      /** False when the search ended at one of its bounds. */
      readonly complete: boolean;
    }
  | { readonly ok: false; readonly error: string };

const timeLimitMs = 20_000;
const mostEntries = 300_000;

/**
 * Files below `folder` (absolute, resolved) that match `pattern`: `*` within a name, `**` across folders,
 * `?`, `[…]` and `{a,b}`; everything else stands for itself. When the folder itself is ignored, it was asked for by name,
 * and nothing in it is left out.
 */
export async function findFiles(workspace: string, folder: string, pattern: string, signal: AbortSignal): Promise<FoundFiles> {
  if (pattern.startsWith('/') || /(^|[/{,])\.\.([/},]|$)/.test(pattern)) {
    return { ok: false, error: 'The pattern must be relative and without `..`: give the folder as `path`.' };
  }
  if (!isCheapGlob(pattern)) {
    return { ok: false, error: 'The pattern is too costly: use at most 3 `*` in one name, and 4 `**`.' };
  }
  const bounds = new AbortController();
  const stop = AbortSignal.any([signal, bounds.signal, AbortSignal.timeout(timeLimitMs)]);
  const countEntries = createCounter(mostEntries, () => bounds.abort());
  const fs = await createFileSystem(workspace, folder, countEntries);
  const files = await glob(literalExceptWildcards(pattern), {
    cwd: folder,
    absolute: true,
    dot: true,
    expandDirectories: false,
    extglob: false,
    followSymbolicLinks: false,
    fs,
    signal: stop,
  });
  return { ok: true, files: files.sort(), complete: !stop.aborted };
}

/** Parentheses, `|`, `+` and a leading `!` have a meaning for the matcher, and make expressions that backtrack. */
function literalExceptWildcards(pattern: string): string {
  return pattern.replace(/(?<!\\)[()|+]/g, '\\$&').replace(/^!/, '\\!');
}

function createCounter(limit: number, atLimit: () => void): (entries: number) => void {
  let total = 0;
  return (entries) => {
    total += entries;
    if (total > limit) atLimit();
  };
}

function isInside(outer: string, folder: string): boolean {
  return folder === outer || folder.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Reading a folder leaves out `.git`, links and what is ignored, so that the search never goes there. */
async function createFileSystem(
  workspace: string,
  folder: string,
  countEntries: (entries: number) => void,
): Promise<FileSystemAdapter> {
  // The folder of kept outputs is in no workspace.
  const rules = createIgnoreRules(isInside(workspace, folder) ? workspace : folder);
  const ignores = !isInside(workspace, folder) || folder === workspace || !(await rules.isIgnored(folder, true));

  async function readKept(path: string): Promise<Dirent[]> {
    const real = await resolvePath(path);
    // A pattern may begin with the name of a link, or be put together by braces to lead upwards.
    if (join(path, '.') !== real || !isInside(folder, real)) return [];
    const entries = await readFolder(real, { withFileTypes: true });
    countEntries(entries.length);
    const kept = await Promise.all(
      entries.map(async (entry) => {
        if (entry.name === '.git' || !(entry.isFile() || entry.isDirectory())) return false;
        return !ignores || !(await rules.isIgnored(join(real, entry.name), entry.isDirectory()));
      }),
    );
    return entries.filter((_, index) => kept[index]);
  }

  const readKeptFolder = (path: string, _: unknown, done: (error: Error | null, entries: Dirent[]) => void): void => {
    void readKept(path.replace(/(.)\/$/, '$1')).then(
      (entries) => done(null, entries),
      (error: unknown) => done(error as Error, []),
    );
  };
  return { readdir: readKeptFolder as unknown as typeof readdir, realpath };
}
