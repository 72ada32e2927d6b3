/** What the pure views are shown in tests, and the program as a person calls it. */
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { buildTree, countLeaves, listTree } from '../../shared/plan-tree.js';
import { type Item, itemSchema, type ListedItem } from '../../shared/plan.js';
import { type PlanRun, planRunSchema } from '../../shared/run.js';
import { type Session, type Snapshot, snapshotSchema } from '../../shared/session.js';
import { glyphsFor } from '../../tui/core/glyphs.js';
import { coloured, plain } from '../../tui/core/style.js';
import type { ViewOptions } from '../../tui/core/lines/tree-view.js';
import { plainEnvironment, tempPlaces } from '../support/daemon.js';
import { type Ended, runProgram } from '../support/program.js';
import { waitFor } from '../support/wait.js';

export const wide: ViewOptions = { width: 80, glyphs: glyphsFor('de_DE.UTF-8'), paint: plain };
export const narrow: ViewOptions = { ...wide, width: 40 };
export const ascii: ViewOptions = { ...wide, glyphs: glyphsFor('C') };
export const colours: ViewOptions = { ...wide, paint: coloured };

const at = '2026-03-01T10:00:00.000Z';
const noUsage = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 };

type ItemPart = Omit<Partial<Item>, 'id' | 'parentId'> & { id: string; parentId?: string };

export const itemOf = (part: ItemPart): Item =>
  itemSchema.parse({
    parentId: null,
    position: 0,
    title: part.id,
    status: 'pending',
    priority: 'medium',
    acceptance: [],
    executor: 'model',
    ...part,
  });

export const askForSample = itemOf({ id: 't6', position: 3, title: 'Ask for a sample', status: 'skipped' });

/** A plan with every mark in it: claimed, accepted, skipped, running, open. */
export const everyMark: readonly Item[] = [
  itemOf({ id: 't1', position: 1, title: 'Read the current exporter', status: 'done', claimed: true, accepted: true }),
  itemOf({ id: 't2', position: 2, title: 'Write the CSV writer' }),
  itemOf({ id: 't3', parentId: 't2', position: 1, title: 'Quote fields', status: 'done', claimed: true }),
  itemOf({ id: 't4', parentId: 't2', position: 2, title: 'Stream rows', status: 'active' }),
  itemOf({ id: 't5', parentId: 't2', position: 3, title: 'Handle the byte order mark' }),
  askForSample,
];

export const planRunOf = (
  part: Omit<Partial<PlanRun>, 'currentItemId' | 'lastRunId'> & { currentItemId?: string | null } = {},
): PlanRun =>
  planRunSchema.parse({
    sessionId: 's_1',
    status: 'running',
    currentItemId: 't4',
    lastRunId: 'r_1',
    lastError: null,
    stepNo: 3,
    attempt: 1,
    epoch: 1,
    updatedAt: at,
    ...part,
  });

export const listedOf = (items: readonly Item[]): ListedItem[] => listTree(buildTree(items));

export function sessionOf(items: readonly Item[], planVersion: number): Session {
  return snapshotOf(items, { planVersion }).session;
}

export function snapshotOf(
  items: readonly Item[] = everyMark,
  { planRun = planRunOf(), planVersion = 1 }: { planRun?: PlanRun; planVersion?: number } = {},
): Snapshot {
  const counts = countLeaves(buildTree(items));
  return snapshotSchema.parse({
    seq: planVersion,
    session: {
      id: 's_1',
      title: 'Export',
      goal: 'Ship the export',
      workspace: '/repo',
      profile: 'worker',
      status: planRun.status,
      outcome: null,
      parentId: null,
      planVersion,
      counts,
      usage: noUsage,
      createdAt: at,
      updatedAt: at,
    },
    planRun,
    liveness: { state: 'working', cause: 'shell npm test (12 s)', lastProgressAt: at },
    items: listedOf(items),
    run: null,
    inbox: [],
  });
}

export const cairnFile = join(import.meta.dirname, '../../dist/cairn.js');

export interface Place {
  readonly home: string;
  readonly workspace: string;
}

/** `cairn ARGS` in the workspace, with a home of its own. */
export function cairn(
  { home, workspace }: Place,
  args: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<Ended> {
  return runProgram([cairnFile, ...args], { cwd: workspace, input, env: cairnEnvironment(home, env) });
}

/** `cairn ARGS` that goes on while the test looks at it. */
export function begin(place: Place, args: readonly string[]) {
  const child = spawn(process.execPath, [cairnFile, ...args], { cwd: place.workspace, env: cairnEnvironment(place.home) });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  let stdout = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    ended,
    said: () => said,
    stdout: () => stdout,
    toSay: (text: string) => waitFor(`it to say "${text}"`, () => said.includes(text), { describe: () => said }),
  };
}

export const cairnEnvironment = (home: string, more: Record<string, string> = {}): NodeJS.ProcessEnv =>
  plainEnvironment({ CAIRN_HOME: home, CAIRN_PORT: '0', LC_ALL: 'C.UTF-8', ...more });

/** A home and a workspace; the daemon that commands start there ends with the test. */
export async function newPlace(homeName = 'home'): Promise<Place> {
  const { home: plain, workspace } = await tempPlaces();
  const home = join(dirname(plain), homeName);
  onTestFinished(async () => {
    const pid = await readFile(join(home, 'daemon.json'), 'utf8').then(
      (text) => (JSON.parse(text) as { pid: number }).pid,
      () => null,
    );
    if (pid !== null) endIfRunning(pid);
    for (const late of await daemonsOf(home)) endIfRunning(late);
  });
  return { home, workspace };
}

/** Of many commands at once each may have started a daemon; one that comes late would find the home free again. */
async function daemonsOf(home: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const owned = await Promise.all(
    pids.map((pid) =>
      readFile(`/proc/${pid}/environ`, 'latin1').then(
        (text) => text.split('\0').includes(`CAIRN_HOME=${home}`),
        () => false,
      ),
    ),
  );
  return pids.filter((pid, i) => owned[i] === true && pid !== process.pid);
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** The data of a `--json` answer; fails when the envelope has another name or the data another shape. */
export function dataOf<S extends z.ZodType>(ended: Ended, name: string, shape: S): z.infer<S> {
  if (ended.code !== 0) throw new Error(`exit code ${ended.code ?? 'none'}: ${ended.stderr}`);
  const envelope = z.strictObject({ schema: z.literal(`cairn.${name}/v1`), data: z.unknown() });
  return shape.parse(envelope.parse(JSON.parse(ended.stdout)).data);
}
