/** Starts a daemon that outlives this process. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HomeFiles } from '../shared/paths.js';

const outputBytes = 256 * 1024;

/** Beside this program, where the build puts it. */
export const daemonProgram = (): string => join(import.meta.dirname, 'daemon.js');

/** Where a daemon in the background writes what it has to say before it has a log. */
export const startOutput = (files: HomeFiles): string => join(files.logs, 'daemon.out');

export interface StartedDaemon {
  readonly pid: number | undefined;
  /** What it said, once it has ended; null while it runs. */
  lastWords(): string | null;
}

export function startDaemon(files: HomeFiles, environment: NodeJS.ProcessEnv): StartedDaemon {
  mkdirSync(files.logs, { recursive: true, mode: 0o700 });
  const path = startOutput(files);
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
  child.once('exit', () => (ended = true));
  child.once('error', () => (ended = true));
  return {
    pid: child.pid,
    lastWords: () => (ended ? readFileSync(path).subarray(before).toString().trim() : null),
  };
}
