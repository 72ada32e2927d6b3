/**
 * Looks at a database file before anything opens it for writing, and says why it is left alone. Nothing here writes.
 * Source of the header's layout: https://sqlite.org/fileformat2.html, section 1.3.
 */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { ok, refuse, type Result } from '../../../shared/errors.js';

/** `PRAGMA application_id` of our files: "Cair" in ASCII. */
export const applicationId = 0x43616972;

const headerBytes = 100;
const magic = 'SQLite format 3\0';
const elsewhere = 'Move it away, or set CAIRN_HOME to another folder.';

/** `new`: nothing is there (or an empty file), so a database may be made. */
type FileState = 'new' | 'ours';

/**
 * Refuses (`invalid_state`) a file that is not a database of Cairn, is damaged, was written by a newer version, or cannot
 * be read and written. `latest` is the newest schema that this version knows.
 */
export function inspectFile(path: string, latest: number): Result<FileState> {
  const size = sizeOf(path);
  if (!size.ok) return size;
  const logSize = sizeOf(`${path}-wal`);
  if (!logSize.ok) return logSize;
  const hasLog = (logSize.value ?? 0) > 0;
  if (size.value === null || size.value === 0) {
    if (!hasLog) return ok('new');
    return refusal(
      `${path} is missing or empty, but its log ${path}-wal is there.`,
      `Put the database back beside its log. ${elsewhere}`,
    );
  }
  const header = readHeader(path);
  if (!header.ok) return header;
  const foreign = header.value.toString('latin1', 0, magic.length) !== magic || header.value.readUInt32BE(68) !== applicationId;
  if (foreign) return refusal(`${path} is not a database of Cairn.`, elsewhere);
  const writable = checkWritable(path);
  if (!writable.ok) return writable;
  const version = hasLog ? versionWithLog(path) : ok(header.value.readUInt32BE(60));
  if (!version.ok) return version;
  if (version.value > latest) {
    return refusal(
      `${path} was written by a newer version of Cairn (schema ${version.value}; this version knows ${latest}).`,
      'Install the newer version again, or set CAIRN_HOME to another folder.',
    );
  }
  return ok('ours');
}

/** Says what is wrong with a database, and that it was left as it is. */
export function refusal(what: string, hint: string): Result<never> {
  return refuse('invalid_state', `${what} It was not touched. ${hint}`, { hint });
}

/** A refusal for an error of the file system or of SQLite. */
export function damaged(path: string, error: unknown): Result<never> {
  const code = (error as { code?: string }).code ?? 'unknown error';
  const reason = `${code}: ${(error as Error).message}`;
  if (code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED') {
    return refusal(`${path} is in use by another program (${reason}).`, 'Close that program and start again.');
  }
  return refusal(
    `${path} cannot be opened; it may be damaged (${reason}).`,
    `Put a copy of it back (${path}.before-v* are copies made before an upgrade), or set CAIRN_HOME to another folder.`,
  );
}

/** Bytes of a file; null when there is none. */
function sizeOf(path: string): Result<number | null> {
  try {
    const found = statSync(path);
    return found.isFile() ? ok(found.size) : refusal(`${path} is not a file.`, elsewhere);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? ok(null) : unreadable(path, error);
  }
}

function readHeader(path: string): Result<Buffer> {
  try {
    const file = openSync(path, 'r');
    try {
      const header = Buffer.alloc(headerBytes);
      readSync(file, header, 0, headerBytes, 0);
      return ok(header);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return unreadable(path, error);
  }
}

/** The mode is looked at as well as the access, which a privileged user always has. */
function checkWritable(path: string): Result<void> {
  const hint = `Make it writable (chmod u+w), or set CAIRN_HOME to another folder.`;
  try {
    if ((statSync(path).mode & 0o200) === 0) return refusal(`${path} is read-only.`, hint);
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return ok(undefined);
  } catch (error) {
    return refusal(`${path} cannot be written (${(error as Error).message}).`, hint);
  }
}

/**
 * The version that counts when a log is there: the header in the file may be older. Read without writing; the schema too,
 * since closing a damaged file that was opened for writing would still write the log back into it.
 */
function versionWithLog(path: string): Result<number> {
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true });
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
      return ok(db.pragma('user_version', { simple: true }) as number);
    } finally {
      db.close();
    }
  } catch (error) {
    return damaged(path, error);
  }
}

const unreadable = (path: string, error: unknown): Result<never> =>
  refusal(
    `${path} cannot be read (${(error as Error).message}).`,
    'Give your user access to it, or set CAIRN_HOME to another folder.',
  );
