/** Real folders and processes for the tests of commands. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { newId, systemClock } from '../../daemon/clock.js';
import type { Redactor } from '../../daemon/secrets/redactor.js';
import { createCommandRunner } from '../../daemon/tools/process/command-runner.js';
import { guardFolder } from '../../daemon/tools/process/reap-guards.js';
import { noSandbox, type Sandbox } from '../../daemon/tools/sandbox/sandbox.js';
import type { CommandRequest, CommandResult } from '../../daemon/tools/tool.js';

const openRedactor: Redactor = { redact: (text) => text, stream: () => ({ write: (text) => text, end: () => '' }) };

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder, removed after the tests of the file. */
export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-test-')));
  folders.push(folder);
  return folder;
}

export interface Bench {
  readonly home: string;
  readonly workspace: string;
  readonly outputFolder: string;
  run(command: string, request?: Partial<CommandRequest>): Promise<CommandResult>;
}

export function makeBench(
  options: { environment?: Record<string, string>; redactor?: Redactor; sandbox?: (home: string) => Sandbox } = {},
): Bench {
  const home = makeFolder();
  const workspace = makeFolder();
  const outputFolder = join(home, 'outputs');
  const runner = createCommandRunner({
    home,
    outputFolder,
    environment: { ...process.env, ...options.environment },
    clock: systemClock,
    newId,
    redactor: options.redactor ?? openRedactor,
    sandbox: options.sandbox?.(home) ?? noSandbox('not in this test'),
  });
  return {
    home,
    workspace,
    outputFolder,
    run: (command, request = {}) =>
      runner.run({
        command,
        cwd: workspace,
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        onOutput: () => undefined,
        ...request,
      }),
  };
}

/** Waits until `check` gives something, and fails with `what` when it does not in time. */
export async function waitFor<T>(what: string, check: () => T | null | undefined | false, deadlineMs = 10_000): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = check();
    if (value !== null && value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function registrations(home: string): readonly string[] {
  try {
    return readdirSync(guardFolder(home));
  } catch {
    return [];
  }
}

/** The pid that a command wrote into a file. */
export function readPid(path: string): number | null {
  try {
    return Number(readFileSync(path, 'utf8').trim()) || null;
  } catch {
    return null;
  }
}

/** False also for a zombie: it only waits to be collected. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    return process.platform !== 'linux';
  }
}
