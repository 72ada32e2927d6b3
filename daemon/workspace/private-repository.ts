/** What a private repository takes over from the person's one, by reading only. */
import { copyFile, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RepositoryPaths } from './tree-hash.js';

/** Objects are read from the repository's folder, and written only to the private one. */
export async function borrowObjects({ commonFolder }: RepositoryPaths, gitFolder: string): Promise<void> {
  const folder = join(gitFolder, 'objects', 'info');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'alternates'), `${quote(join(commonFolder, 'objects'))}\n`);
}

/**
 * A copy of the index spares reading every file again. Its time must not be later than the original's: git takes a file
 * for unchanged that is older than the index, and one changed in the same moment would be missed.
 */
export async function borrowIndex(paths: RepositoryPaths, gitFolder: string): Promise<void> {
  const names = await readdir(paths.gitFolder);
  for (const name of names.filter((each) => each === 'index' || each.startsWith('sharedindex.'))) {
    const original = join(paths.gitFolder, name);
    const copy = join(gitFolder, name);
    const { mtimeMs } = await stat(original);
    await copyFile(original, copy);
    const seconds = Math.floor(mtimeMs / 1000);
    await utimes(copy, seconds, seconds);
  }
}

/** Ignore rules outside of the tree: the repository's own and the person's global ones. */
export async function copyExcludes(paths: RepositoryPaths, gitFolder: string, configured: string | null): Promise<void> {
  const configFolder = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  const files = [configured ?? join(configFolder, 'git', 'ignore'), join(paths.commonFolder, 'info', 'exclude')];
  const texts = await Promise.all(files.map(readSmallFile));
  await mkdir(join(gitFolder, 'info'), { recursive: true });
  await writeFile(join(gitFolder, 'info', 'exclude'), texts.join('\n'));
}

async function readSmallFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true && found.size < 1024 * 1024 ? readFile(path, 'utf8') : '';
}

/** An entry that begins with a quote is read as a C string; any other one as it is. */
function quote(path: string): string {
  return path.startsWith('"') || path.includes('\n') ? JSON.stringify(path) : path;
}
