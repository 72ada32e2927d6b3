/**
 * One daemon for each home: a lock of the operating system that dies with the process, so that kill -9 leaves nothing to
 * clean up. SQLite takes it (an exclusive transaction on a file of its own), because Node has no file locks.
 */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
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
    db = new Database(path, { timeout: 0 });
    chmodSync(path, 0o600);
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return refuse('invalid_state', heldBy(pidFile));
    return refuse('invalid_state', `The lock ${path} cannot be taken: ${(error as Error).message}`, {
      hint: 'The home must be a folder on a local disk that you can write to.',
    });
  }
  const held = db;
  writeFileSync(pidFile, String(pid), { mode: 0o600 });
  return ok({ release: () => held.close() });
}

function heldBy(pidFile: string): string {
  let pid = '';
  try {
    pid = readFileSync(pidFile, 'utf8').trim();
  } catch {
    // It has the lock and is about to write its pid.
  }
  return `A daemon${pid ? ` (pid ${pid})` : ''} is running on this home already.`;
}
