/** Which files changed between two moments, so that a run that waited can be told. By time and size, not by content. */
import { glob } from 'tinyglobby';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Relative path → `mtime:size`. */
export type FileSnapshot = ReadonlyMap<string, string>;

/** Of a large workspace only this many files are looked at, and only so many named. */
const filesLimit = 20_000;
const namedLimit = 30;

export async function snapshotFiles(workspace: string): Promise<FileSnapshot> {
  const paths = await glob('**', {
    cwd: workspace,
    dot: true,
    ignore: ['**/.git/**', '**/node_modules/**'],
    followSymbolicLinks: false,
    onlyFiles: true,
  });
  const files = new Map<string, string>();
  for (const path of paths.slice(0, filesLimit)) {
    const facts = await stat(join(workspace, path)).catch(() => null);
    if (facts) files.set(path, `${facts.mtimeMs}:${facts.size}`);
  }
  return files;
}

/** Paths that are new, gone or different, at most 30 and a count of the rest. */
export function changedFiles(before: FileSnapshot, after: FileSnapshot): string[] {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort();
  const rest = changed.length - namedLimit;
  return rest > 0 ? [...changed.slice(0, namedLimit), `and ${rest} more`] : changed;
}
