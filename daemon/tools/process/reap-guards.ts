/**
 * Makes sure that nothing of an earlier command is left. A process is only ever killed when it is shown to be ours: by
 * the guard's own command line, by the marker in its environment, or by sharing a group with one of these. A pid alone
 * proves nothing: it may have been given to a stranger since.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../clock.js';
import { guardName, markerVariable } from './guard-script.js';
import { listProcesses, type ProcessEntry } from './process-table.js';

/** A guard as it registered itself: a file named by its pid that holds its marker. */
export interface Registration {
  readonly pid: number;
  readonly marker: string;
}

export interface ReapedGuard {
  /** The guard's pid, which was also the id of its process group. */
  readonly guard: number;
  /** What had to be killed, because the guard had not done it by itself. */
  readonly killed: readonly number[];
  /** What could not be killed in time (uninterruptible, or not permitted). */
  readonly left: readonly number[];
}

const pollMs = 20;
const killDeadlineMs = 5_000;

/** Where guards register: `HOME/run/guards`. */
export function guardFolder(home: string): string {
  return join(home, 'run', 'guards');
}

/**
 * Called once at the start of the daemon, before recovery: waits until the guards of a dead daemon and all that they ran
 * are gone, and kills what is still there after `patienceMs`. Registrations are removed, except of what could not be
 * killed. Gives one entry for each guard that had not gone by itself.
 */
export async function reapGuards(home: string, clock: Clock, patienceMs = 2_000): Promise<readonly ReapedGuard[]> {
  const registrations = await readRegistrations(guardFolder(home));
  const reaped = await Promise.all(registrations.map((registration) => reapGuard(registration, clock, patienceMs)));
  for (const { guard, left } of reaped) {
    if (left.length === 0) await removeRegistration(home, guard);
  }
  return reaped.filter(({ killed, left }) => killed.length > 0 || left.length > 0);
}

/** Waits `patienceMs` for a guard and its command to be gone, then kills what is left of them. */
export async function reapGuard(registration: Registration, clock: Clock, patienceMs: number): Promise<ReapedGuard> {
  const start = clock.monotonic();
  const killed = new Set<number>();
  for (;;) {
    const left = remains(await listProcesses(), registration).map((entry) => entry.pid);
    const elapsed = clock.monotonic() - start;
    if (left.length === 0 || elapsed > patienceMs + killDeadlineMs) {
      return { guard: registration.pid, killed: [...killed], left };
    }
    if (elapsed >= patienceMs) {
      for (const pid of left) if (kill(pid)) killed.add(pid);
    }
    // A timer that keeps the process alive: at start there may be nothing else yet that does.
    await pause(pollMs);
  }
}

export async function removeRegistration(home: string, pid: number): Promise<void> {
  await rm(join(guardFolder(home), String(pid)), { force: true });
}

async function readRegistrations(folder: string): Promise<readonly Registration[]> {
  const names = await readdir(folder).catch(() => []);
  const read = names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(async (name) => {
      const marker = (await readFile(join(folder, name), 'utf8').catch(() => '')).trim();
      return { pid: Number(name), marker };
    });
  return Promise.all(read);
}

function remains(processes: readonly ProcessEntry[], { pid, marker }: Registration): readonly ProcessEntry[] {
  // A guard that died while it wrote its registration never ran anything.
  if (marker === '') return [];
  const isMarked = (entry: ProcessEntry): boolean => entry.environment.includes(`${markerVariable}=${marker}`);
  const isGuard = (entry: ProcessEntry): boolean =>
    entry.pid === pid && entry.commandLine.includes(guardName) && entry.commandLine.includes(marker);
  const isOurGroup = processes.some((entry) => entry.group === pid && (isGuard(entry) || isMarked(entry)));
  return processes.filter(
    (entry) => entry.pid !== process.pid && ((isOurGroup && entry.group === pid) || isMarked(entry) || isGuard(entry)),
  );
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
