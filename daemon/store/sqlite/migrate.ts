/** Numbered migrations: a new file is made whole or not at all, an old one is copied before it is changed. */
import { closeSync, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { applicationId } from './inspect-file.js';

/** Files hold what people work on: for their owner only. SQLite gives the log and the index the mode of the database. */
const privateMode = 0o600;

/** Makes a database under another name and puts it in place when it is complete. */
export function createDatabase(path: string, migrations: readonly string[]): void {
  const draft = `${path}.new`;
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(draft + suffix, { force: true });
  closeSync(openSync(draft, 'wx', privateMode));
  const db = new Database(draft);
  try {
    // A leaf touches a dozen pages with a few bytes in each: what a commit costs is mostly their size.
    db.pragma('page_size = 2048');
    // Nobody knows of the draft yet: it is brought to the disk once, when it is whole.
    db.pragma('synchronous = OFF');
    db.pragma('journal_mode = MEMORY');
    db.pragma(`application_id = ${applicationId}`);
    applyMigrations(db, migrations);
    db.pragma('journal_mode = WAL');
  } finally {
    db.close();
  }
  syncFile(draft);
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** True when the database is older than the migrations. */
export function isOld(db: Database.Database, migrations: readonly string[]): boolean {
  return versionOf(db) < migrations.length;
}

/**
 * Brings an old database up to date: copies it to `<path>.before-v<N>`, then applies what is missing in one transaction.
 * Throws when either fails; the database is then as it was.
 */
export function upgradeDatabase(db: Database.Database, migrations: readonly string[]): void {
  db.pragma('wal_checkpoint(TRUNCATE)');
  backUp(db.name, `${db.name}.before-v${migrations.length}`);
  applyMigrations(db, migrations);
  // The header in the file is what the next start looks at first.
  db.pragma('wal_checkpoint(TRUNCATE)');
}

const versionOf = (db: Database.Database): number => db.pragma('user_version', { simple: true }) as number;

function applyMigrations(db: Database.Database, migrations: readonly string[]): void {
  // Off while tables are made anew (it cannot be switched inside a transaction); what they refer to is checked at the end.
  db.pragma('foreign_keys = OFF');
  db.transaction(() => {
    for (const sql of migrations.slice(versionOf(db))) db.exec(sql);
    const dangling = db.pragma('foreign_key_check') as unknown[];
    if (dangling.length > 0) throw new Error(`${dangling.length} rows would refer to nothing after the migration`);
    db.pragma(`user_version = ${migrations.length}`);
  }).exclusive();
  db.pragma('foreign_keys = ON');
}

function backUp(path: string, copy: string): void {
  const draft = `${copy}.new`;
  rmSync(draft, { force: true });
  closeSync(openSync(draft, 'wx', privateMode));
  copyFileSync(path, draft);
  syncFile(draft);
  renameSync(draft, copy);
  syncFolder(dirname(copy));
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  fsyncSync(file);
  closeSync(file);
}
