/**
 * One daemon for each home: a lock of the operating system that dies with the process, so that kill -9 leaves nothing to
 * clean up. SQLite takes it (an exclusive transaction on a file of its own), because Node has no file locks.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ok, refuse, type Result } from '../shared/errors.js';

export interface HomeLock {
  release(): void;
}

/** Takes the lock of a home, or refuses with the pid of the daemon that has it. `path`: the lock file. */
export function takeLock(path: string, pid: number): Result<HomeLock> {
  const pidFile = `${path}.pid`;
  let db: Database.Database | null = null;
  try {
    const held = new Database(path, { timeout: 0 });
    db = held;
    chmodSync(path, 0o600);
    held.pragma('journal_mode = MEMORY');
    held.exec('BEGIN EXCLUSIVE');
    rmSync(pidFile, { force: true });
    writeFileSync(pidFile, String(pid), { mode: 0o600 });
    return ok({
      release: () => {
        rmSync(pidFile, { force: true });
        held.close();
      },
    });
  } catch (error) {
    db?.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return refuse('invalid_state', heldBy(pidFile));
    return refuse('invalid_state', `The lock ${path} cannot be taken: ${(error as Error).message}`, {
      hint: 'The home must be a folder on a local disk that you can write to.',
    });
  }
}

function heldBy(pidFile: string): string {
  const pid = readPid(pidFile);
  return `A daemon${pid === null ? '' : ` (pid ${pid})`} is running on this home already.`;
}

/** Null when the holder has not written it yet: none there, or that of a daemon that was killed. */
function readPid(pidFile: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8'));
    return process.kill(pid, 0) ? pid : null;
  } catch {
    return null;
  }
}
