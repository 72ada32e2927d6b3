/** Opens the store on a SQLite file: makes it, brings it up to date, or says why it is left alone. */
import { chmodSync, existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { ok, type Result, unreachable } from '../../../shared/errors.js';
import type { Store } from '../store.js';
import { connect, type StoreParts } from './connection.js';
import { damaged, inspectFile, refusal } from './inspect-file.js';
import { createDatabase, isOld, upgradeDatabase } from './migrate.js';
import { migrations as released } from './migrations/index.js';
import { forgetOldKeys } from './once-rows.js';
import { createSqliteStore } from './sqlite-store.js';

/** How long another program (a backup, a shell) may hold the database before a command fails. */
const busyMs = 5_000;
/** The log is written back after about 4 MB; after a command that needed more, it is cut to 16 MB. */
const logPages = 2_000;
const logBytes = 16 * 1024 * 1024;

/**
 * Opens (or makes) the database at `path`, in a folder that exists. Refuses with `invalid_state` what it cannot use, and
 * leaves it untouched: a newer, foreign, damaged, read-only or unreadable file. An older one is copied to
 * `<path>.before-v<N>` and migrated. One process at a time: the daemon's lock sees to that.
 */
export function openSqliteStore(
  path: string,
  parts: StoreParts,
  migrations: readonly string[] = released,
): Promise<Result<Store>> {
  return Promise.resolve(open(path, parts, migrations));
}

function open(path: string, parts: StoreParts, migrations: readonly string[]): Result<Store> {
  const found = inspectFile(path, migrations.length);
  if (!found.ok) return found;
  let db: Database.Database | null = null;
  let doing: 'make' | 'open' | 'upgrade' = 'open';
  try {
    if (found.value === 'new') {
      doing = 'make';
      createDatabase(path, migrations);
    }
    doing = 'open';
    db = new Database(path, { fileMustExist: true, timeout: busyMs });
    const mode = setUp(db);
    if (mode !== 'wal') {
      db.close();
      return refusal(
        `${path} is on a disk that SQLite cannot share a log on (${mode}).`,
        'Set CAIRN_HOME to a folder on a local disk.',
      );
    }
    if (isOld(db, migrations)) {
      doing = 'upgrade';
      upgradeDatabase(db, migrations);
      doing = 'open';
    }
    for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
    const cx = connect(db, parts);
    forgetOldKeys(cx);
    return ok(createSqliteStore(cx));
  } catch (error) {
    db?.close();
    return failure(path, doing, error);
  }
}

function failure(path: string, doing: 'make' | 'open' | 'upgrade', error: unknown): Result<never> {
  const reason = error instanceof Error ? error.message : String(error);
  switch (doing) {
    case 'make':
      return refusal(
        `${path} cannot be made (${reason}).`,
        'Free some space, or set CAIRN_HOME to a folder that you can write in.',
      );
    case 'open':
      return damaged(path, error);
    case 'upgrade':
      return refusal(
        `${path} could not be brought up to date (${reason}).`,
        'Free some space and start again, or go on with the version of Cairn that wrote it.',
      );
    default:
      return unreachable(doing);
  }
}

/** Sets the connection up; gives the journal mode that the disk allows. The schema is read first: a damaged file fails here. */
function setUp(db: Database.Database): string {
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  const mode = db.pragma('journal_mode = WAL', { simple: true }) as string;
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  db.pragma(`wal_autocheckpoint = ${logPages}`);
  db.pragma(`journal_size_limit = ${logBytes}`);
  return mode;
}
