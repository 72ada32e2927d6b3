/** Opens and replaces regular files, and only these: a pipe or a device in a workspace must not hang the daemon. */
import { constants } from 'node:fs';
import { access, lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Result } from '../../shared/errors.js';
import { ok } from '../../shared/errors.js';

export type FileResult<T> = Result<T, string>;

/** Opens a file for reading; the path must be resolved already, and a link put there since is not followed. */
export async function openFile(path: string, shown: string): Promise<FileResult<FileHandle>> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stat = await handle.stat();
  if (stat.isFile()) return ok(handle);
  await handle.close();
  return { ok: false, error: stat.isDirectory() ? `${shown} is a folder: use list.` : `${shown} is not a regular file.` };
}

/** A zero byte near the start is how git and grep tell a binary file, too. */
export function looksBinary(start: Uint8Array): boolean {
  return start.subarray(0, 8_000).includes(0);
}

/** The mode of a file that may be replaced, null when there is none, or why it may not. */
export async function modeForReplacing(path: string, shown: string): Promise<FileResult<number | null>> {
  const stat = await lstat(path).catch(() => null);
  if (stat === null) return ok(null);
  if (stat.isDirectory()) return { ok: false, error: `${shown} is a folder.` };
  if (!stat.isFile()) return { ok: false, error: `${shown} is not a regular file.` };
  const isWritable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
  return isWritable ? ok(stat.mode & 0o7777) : { ok: false, error: `${shown} is read-only.` };
}

let temporaryCount = 0;

/**
 * Puts `content` at `path` so that a reader, and a crash at any moment, sees the old file or the new one and nothing
 * between: written beside it, flushed, renamed over it. `mode` null: that of any new file. Makes missing folders.
 */
export async function replaceFile(path: string, content: string, mode: number | null): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  temporaryCount += 1;
  const temporary = join(folder, `.cairn-write-${process.pid}-${temporaryCount}`);
  try {
    const handle = await open(temporary, 'wx', 0o666);
    try {
      if (mode !== null) await handle.chmod(mode);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(folder);
}

/** So that the new name survives a power cut; some file systems cannot, and then it is as safe as it gets. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
