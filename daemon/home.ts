/** The folder of the daemon: made with mode 0700, refused when somebody else could write to it. */
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import envPaths from 'env-paths';
import { ok, refuse, type Result } from '../shared/errors.js';
import { type HomeFiles, homeFiles } from '../shared/paths.js';

export function filesOf(cairnHome: string | undefined): HomeFiles {
  return homeFiles(cairnHome, envPaths('cairn', { suffix: '' }));
}

/** Makes the folders. The home may be a link of the user's own; what it leads to must be theirs. */
export function prepareHome(files: HomeFiles): Result<void> {
  for (const folder of [files.home, files.logs, files.outputs]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const facts = statSync(folder);
      if (process.getuid && facts.uid !== process.getuid()) {
        return refuse('invalid_state', `${folder} belongs to another user.`, { hint: 'Set CAIRN_HOME to a folder of your own.' });
      }
      if ((facts.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    } catch (error) {
      return refuse('invalid_state', `${folder} cannot be used: ${(error as Error).message}`, {
        hint: 'Set CAIRN_HOME to a folder that you can write to.',
      });
    }
  }
  return ok(undefined);
}

/** The token of the TCP port: made once, readable by its owner only. */
export function readToken(path: string): string {
  try {
    if (lstatSync(path).isFile()) {
      const token = readFileSync(path, 'utf8').trim();
      chmodSync(path, 0o600);
      if (/^[0-9a-f]{64}$/.test(token)) return token;
    }
  } catch {
    // Not there yet.
  }
  const token = randomBytes(32).toString('hex');
  writeWhole(path, `${token}\n`);
  return token;
}

/** Writes a file so that a reader sees the old one or the new one, whole. Mode 0600. */
export function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
