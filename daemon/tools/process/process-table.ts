/** The processes of this machine, as far as they can be read: to find what a command has left behind. */
import { readdir, readFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface ProcessEntry {
  readonly pid: number;
  /** Id of its process group. */
  readonly group: number;
  readonly commandLine: string;
  /** `NAME=value` entries it was started with; empty when they may not be read. */
  readonly environment: string;
}

/** All living processes (zombies left out), from `/proc`, or from `ps` where there is none. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return listByPs();
  const entries = await Promise.all(pids.map(readEntry));
  return entries.filter((entry) => entry !== null);
}

async function readEntry(pid: string): Promise<ProcessEntry | null> {
  const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
  const [stat, commandLine, environment] = await Promise.all([read('stat'), read('cmdline'), read('environ')]);
  // The name in parentheses may itself hold spaces and parentheses, so fields are counted from the last one.
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || group === undefined) return null;
  return { pid: Number(pid), group: Number(group), commandLine, environment };
}

/** macOS: `-E` appends the environment to the command line, for processes that are not protected by the system. */
async function listByPs(): Promise<readonly ProcessEntry[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axEwwo', 'pid=,pgid=,command='], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, group, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || group === undefined || command === undefined) return [];
    return [{ pid: Number(pid), group: Number(group), commandLine: command, environment: command }];
  });
}
