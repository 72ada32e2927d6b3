/** The folder of the daemon: of mode 0700, and refused when somebody else has a hand in it. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { ok, refuse, type Result } from '../shared/errors.js';
import { type HomeFiles, homeFiles } from '../shared/paths.js';
import { attempt } from './attempt.js';

export function filesOf(cairnHome: string | undefined): HomeFiles {
  return homeFiles(cairnHome ? resolve(cairnHome) : undefined, envPaths('cairn', { suffix: '' }));
}

/** Makes the folders. The home may be a link of the user's own; what it leads to, and what is in it, must be theirs. */
export function prepareHome(files: HomeFiles): Result<void> {
  for (const folder of [files.home, files.logs, files.outputs]) {
    const prepared = attempt(folder, () => prepareFolder(folder, files));
    if (!prepared.ok) return prepared;
  }
  return ok(undefined);
}

/** Node's own recursive form never ends where a file system refuses new folders with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

function prepareFolder(folder: string, files: HomeFiles): Result<void> {
  makeFolder(folder);
  const facts = statSync(folder);
  const names = readdirSync(folder);
  const foreign = isOwn(facts) ? names.map((name) => join(folder, name)).find((path) => !isOwn(lstatSync(path, gone))) : folder;
  if (foreign !== undefined) {
    return refuse('invalid_state', `${foreign} belongs to another user.`, { hint: 'Set CAIRN_HOME to a folder of your own.' });
  }
  if ((facts.mode & 0o777) === 0o700) return ok(undefined);
  // A slip like CAIRN_HOME=/tmp must not close a folder that others use.
  const isOpen = (facts.mode & 0o077) !== 0;
  if (folder === files.home && isOpen && names.length > 0 && !names.some((name) => isOurs(join(folder, name), files))) {
    return refuse('invalid_state', `${folder} is open to others and holds other files.`, {
      hint: 'Set CAIRN_HOME to a folder that is for Cairn alone.',
    });
  }
  chmodSync(folder, 0o700);
  return ok(undefined);
}

/** Temporary files of a running daemon go while one looks. */
const gone = { throwIfNoEntry: false } as const;

function isOwn(facts: Stats | undefined): boolean {
  return facts === undefined || process.getuid === undefined || facts.uid === process.getuid();
}

const isOurs = (path: string, files: HomeFiles): boolean => Object.values(files).includes(path);

/** The token of the TCP port: made once, readable by its owner only. */
export function readToken(path: string): Result<string> {
  return attempt(path, () => {
    if (lstatSync(path, gone)?.isFile() === true) {
      chmodSync(path, 0o600);
      const token = readFileSync(path, 'utf8').trim();
      if (/^[0-9a-f]{64}$/.test(token)) return ok(token);
    }
    const token = randomBytes(32).toString('hex');
    const written = writeWhole(path, `${token}\n`);
    return written.ok ? ok(token) : written;
  });
}

/** A file's text, null when there is none. */
export function readIfThere(path: string): Result<{ readonly text: string; readonly path: string } | null> {
  return attempt(path, () => {
    const isThere = statSync(path, gone) !== undefined;
    return ok(isThere ? { text: readFileSync(path, 'utf8'), path } : null);
  });
}

/** Writes a file so that a reader sees the old one or the new one, whole. Mode 0600. */
export function writeWhole(path: string, text: string): Result<void> {
  return attempt(path, () => {
    const temporary = `${path}.${process.pid}.new`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
    return ok(undefined);
  });
}
