/** A real daemon for one test, as its user has it; it ends with the test. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import type { PlanRun, PlanRunStatus } from '../../shared/run.js';
import { type Daemon, launchDaemon } from './daemon-process.js';
import { waitFor } from './wait.js';

export type { Daemon } from './daemon-process.js';
export { plainEnvironment } from './daemon-process.js';

/** A folder that is removed when the test ends. */
export async function tempFolder(name = 'cairn-test'): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `${name}-`)));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A home and a workspace for one test. */
export async function tempPlaces(): Promise<{ home: string; workspace: string }> {
  const root = await tempFolder();
  const places = { home: join(root, 'home'), workspace: join(root, 'work') };
  await mkdir(places.workspace);
  return places;
}

export async function startDaemon(home: string, options: Parameters<typeof launchDaemon>[1] = {}): Promise<Daemon> {
  const daemon = await launchDaemon(home, options);
  onTestFinished(() => daemon.kill());
  return {
    ...daemon,
    watch: async () => {
      const watcher = await daemon.watch();
      onTestFinished(() => watcher.close());
      return watcher;
    },
  };
}

/** Waits until the plan run of a session has one of these statuses. */
export async function waitForRun(daemon: Daemon, sessionId: SessionId, ...statuses: PlanRunStatus[]): Promise<PlanRun> {
  const get = (): Promise<PlanRun> => daemon.call('run.get', { sessionId });
  return waitFor(
    `the plan run to be ${statuses.join(' or ')}`,
    async () => {
      const run = await get();
      return statuses.includes(run.status) ? run : undefined;
    },
    { describe: get, deadlineMs: 15_000 },
  );
}

/** Starts a plan and waits until it comes to rest in one of these statuses. */
export async function runToRest(daemon: Daemon, sessionId: SessionId, ...statuses: PlanRunStatus[]): Promise<PlanRun> {
  await daemon.call('run.start', { sessionId });
  return waitForRun(daemon, sessionId, ...statuses);
}

export const statusesOf = async (daemon: Daemon, sessionId: SessionId): Promise<Record<string, string>> => {
  const { items } = await daemon.call('plan.get', { sessionId });
  return Object.fromEntries(items.map((item) => [item.title, item.status]));
};
