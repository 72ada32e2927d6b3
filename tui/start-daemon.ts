/** Starts a daemon that outlives this process. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HomeFiles } from '../shared/paths.js';
import { programFolder } from './program-folder.js';

const outputBytes = 256 * 1024;

/** Beside this program, where the build puts it. */
export const daemonProgram = (): string => join(programFolder, 'daemon.js');

export interface StartedDaemon {
  readonly pid: number | undefined;
  /** The file with what it says before it has a log. */
  readonly output: string;
  /** Its first words are read, or of no more use: they go where they were kept apart. */
  answered(): void;
  /** What it said, once it has ended; null while it runs. */
  lastWords(): string | null;
}

export function startDaemon(files: HomeFiles, environment: NodeJS.ProcessEnv): StartedDaemon {
  // Whether a home can be made is the daemon's to find out; until it is there, its words go to a folder of their own.
  const apart = existsSync(files.logs) ? null : mkdtempSync(join(tmpdir(), 'cairn-start-'));
  const path = join(apart ?? files.logs, 'daemon.out');
  // Appended to: two commands may start one at the same moment, and each must find what its own has said.
  const output = openSync(path, 'a', 0o600);
  if (fstatSync(output).size > outputBytes) ftruncateSync(output);
  const before = fstatSync(output).size;
  const child = spawn(process.execPath, [daemonProgram()], {
    detached: true,
    stdio: ['ignore', output, output],
    env: environment,
  });
  closeSync(output);
  child.unref();
  let ended = false;
  let failure = '';
  child.once('exit', () => (ended = true));
  child.once('error', ({ message }) => {
    ended = true;
    failure = message;
  });
  return {
    pid: child.pid,
    output: path,
    answered: () => {
      if (apart !== null) rmSync(apart, { recursive: true, force: true });
    },
    lastWords: () => (ended ? failure || readFileSync(path).subarray(before).toString().trim() : null),
  };
}
