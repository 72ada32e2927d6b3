/**
 * Figures of the spine, as ratios in one run: `npm run bench`. Nothing here is asserted: numbers depend on the machine,
 * ratios much less.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { estimateTokenCount } from 'tokenx';
import { planPrompt } from '../daemon/agent/prompts.js';
import { createApp } from '../daemon/app.js';
import { newId, systemClock } from '../daemon/clock.js';
import { addItem } from '../daemon/domain/plan-edit.js';
import { emptyPlan } from '../daemon/domain/plan.js';
import { PlanDraft } from '../daemon/domain/plan-draft.js';
import { defaultRunLimits } from '../daemon/domain/run-state.js';
import type { Executor } from '../daemon/executors/executor.js';
import { openSqliteStore } from '../daemon/store/sqlite/open-store.js';
import type { CairnEvent } from '../shared/event.js';
import { unwrap } from '../shared/errors.js';
import type { Item, SessionId } from '../shared/plan.js';
import { callOver } from '../test/support/rpc.js';

const rows: [what: string, value: string, goal: string][] = [];
const note = (what: string, value: string, goal: string): void => void rows.push([what, value, goal]);
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** The least that a checkpoint costs: one row in one durable transaction on the same disk. Transactions a second. */
function rawRate(folder: string): number {
  const db = new Database(join(folder, 'raw.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  const insert = db.prepare('INSERT INTO t (text) VALUES (?)');
  const commit = db.transaction(() => insert.run('x'.repeat(200)));
  for (let i = 0; i < 500; i++) commit.immediate();
  const count = 4_000;
  const start = performance.now();
  for (let i = 0; i < count; i++) commit.immediate();
  const rate = (count / (performance.now() - start)) * 1000;
  db.close();
  return rate;
}

const doNothing: Executor = {
  execute: () => Promise.resolve({ type: 'claimed', summary: 'nothing', accepted: false, reported: true }),
};

/** Runs sessions of so many leaves each, one after the other, with an executor that does nothing. Milliseconds a leaf. */
async function leafCost(folder: string, sessions: number, leaves: number): Promise<number> {
  const opened = await openSqliteStore(join(folder, `leaves-${sessions}-${leaves}-${newId('b')}.db`), {
    clock: systemClock.now,
    newId,
    redact: (text) => text,
  });
  const store = unwrap(opened);
  let completed = (): void => undefined;
  const isCompleted = (event: CairnEvent): boolean => event.type === 'plan_run.changed' && event.data.status === 'completed';
  const app = createApp({
    store,
    publisher: {
      committed: ({ events }) => {
        if (events.some(isCompleted)) completed();
      },
      output: () => undefined,
    },
    provider: { describe: () => null, complete: () => Promise.reject(new Error('no model in a benchmark')) },
    redactor: { redact: (text) => text, stream: () => ({ write: (text) => text, end: () => '' }) },
    isRedacted: () => false,
    commands: { run: () => Promise.reject(new Error('no command in a benchmark')) },
    tools: [],
    toolSchema: () => ({ name: '', description: '', parameters: {} }),
    parseArguments: () => ({ ok: true, value: {} }),
    isOffered: () => true,
    profiles: {},
    canonicalPath: (_workspace, path) => Promise.resolve(path),
    judge: () => ({ action: 'allow', deadlineSeconds: 0, onDeadline: 'deny' }),
    classify: () => ({ class: 'unknown', hosts: [] }),
    confinementOf: () => null,
    moreTools: () => Promise.resolve({ tools: [], problems: [] }),
    settingsFor: () =>
      Promise.resolve({ planning: null, maxTurns: 90, leafBudget: null, contextTokens: null, confinement: null }),
    timeoutFor: () => Promise.resolve(1_000),
    contextWindow: () => 128_000,
    onSteps: () => undefined,
    treeHash: () => Promise.resolve(null),
    reapGuards: () => Promise.resolve(),
    policyFor: () => Promise.resolve({ ok: true, value: { default: 'allow', rules: [] } }),
    clock: systemClock,
    random: Math.random,
    newId,
    onBug: (error) => {
      throw error;
    },
    executor: doNothing,
    settings: {
      outputs: folder,
      defaultWorkspace: folder,
      parallelSessions: 1,
      parallelCalls: 4,
      workspaceLock: true,
      limits: defaultRunLimits,
      guards: { hintAfter: 3, blockAfter: 6, noProgressTurns: 8 },
      stalledAfterMs: 60_000,
      planning: false,
    },
  });
  await app.start();
  const ids: SessionId[] = [];
  for (let i = 0; i < sessions; i++) {
    const fill = (draft: PlanDraft) => {
      draft.rebuild(planOf(leaves).tree);
      draft.setGoal('Measure');
      return { ok: true, value: undefined } as const;
    };
    ids.push(unwrap(await app.commands.create({ workspace: folder }, fill, 'person', null)));
  }
  const start = performance.now();
  for (const id of ids) {
    const end = new Promise<void>((resolve) => (completed = resolve));
    unwrap(await app.commands.start(id, { reset: false, planning: undefined, budget: undefined, once: null }));
    await end;
  }
  const ms = performance.now() - start;
  await app.stop(0);
  await store.close();
  return ms / (sessions * leaves);
}

const plans = new Map<number, ReturnType<typeof makePlan>>();
function planOf(leaves: number) {
  const known = plans.get(leaves) ?? makePlan(leaves);
  plans.set(leaves, known);
  return known;
}

function makePlan(leaves: number) {
  const draft = new PlanDraft(emptyPlan);
  const text = (i: number) => ({
    title: `Leaf number ${String(i + 1).padStart(5, '0')} of the plan`,
    detail: 'What is to be done here.',
  });
  const blank = unwrap(addItem(draft, text(0), 'person'));
  const items = Array.from({ length: leaves }, (_, i): Item => ({
    ...blank,
    ...text(i),
    id: `t${i + 1}` as Item['id'],
    position: (i + 1) * 1024,
  }));
  const whole = new PlanDraft(emptyPlan);
  whole.setGoal('Measure');
  whole.rebuild(items.map((item) => ({ item, children: [] })));
  const done = whole.finish('person', null);
  if (done === null) throw new Error('an empty plan');
  return done.plan;
}

function promptTokens(leaves: number): number {
  const plan = planOf(leaves);
  const item = plan.tree[Math.floor(leaves / 2)]?.item as Item;
  return estimateTokenCount(planPrompt({ plan, item, attempt: 1, handovers: [], order: {} }));
}

async function bareStart(): Promise<number> {
  const start = performance.now();
  await promisify(execFile)(process.execPath, ['-e', '0']);
  return performance.now() - start;
}

/** From spawn to the first answer on the socket, in milliseconds; and resident memory of the idle daemon, in MB. */
async function daemonStart(folder: string, measureMemory: boolean): Promise<{ ms: number; megabytes: number }> {
  const home = await mkdtemp(join(folder, 'home-'));
  const socket = join(home, 'daemon.sock');
  const start = performance.now();
  const child = spawn(process.execPath, ['dist/daemon.js'], {
    env: { PATH: process.env.PATH, HOME: home, CAIRN_HOME: home, CAIRN_PORT: '0' },
    stdio: 'ignore',
  });
  for (;;) {
    const status = await callOver(socket, 'daemon.status', {}).catch(() => null);
    if (status !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const ms = performance.now() - start;
  let megabytes = 0;
  if (measureMemory) {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
  }
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
  return { ms, megabytes };
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-'));
  try {
    await leafCost(folder, 20, 10);
    const ratios: number[] = [];
    const costs: [number, number][] = [];
    for (let round = 0; round < 5; round++) {
      const raw = rawRate(await mkdtemp(join(folder, 'raw-')));
      const large = await leafCost(folder, 1, 10_000);
      const small = await leafCost(folder, 300, 10);
      const middle = await leafCost(folder, 6, 500);
      ratios.push(1000 / middle / raw);
      costs.push([small, large]);
      console.log(
        `round ${round + 1}: raw ${raw.toFixed(0)}/s, leaves ${(1000 / middle).toFixed(0)}/s, µs a leaf in 10: ${(small * 1000).toFixed(0)}, in 10,000: ${(large * 1000).toFixed(0)}`,
      );
    }
    note('checkpointed leaves/s over raw transactions/s', median(ratios).toFixed(2), '≥ 0.35');
    note('a leaf in a plan of 10,000 over one in a plan of 10', median(costs.map(([s, l]) => l / s)).toFixed(2), '≤ 1.3');
    note('plan-prompt tokens, 10,000 items over 10', (promptTokens(10_000) / promptTokens(10)).toFixed(3), '≤ 1.05');
    const bare: number[] = [];
    const ready: number[] = [];
    for (let i = 0; i < 15; i++) {
      bare.push(await bareStart());
      ready.push((await daemonStart(folder, false)).ms);
    }
    note(
      'daemon ready over bare node start',
      `${(median(ready) / median(bare)).toFixed(2)} (${median(ready).toFixed(0)} ms / ${median(bare).toFixed(0)} ms)`,
      '≤ 3',
    );
    note('idle memory', `${(await daemonStart(folder, true)).megabytes.toFixed(0)} MB`, '< 90 MB');
    console.table(rows.map(([what, value, goal]) => ({ what, value, goal })));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
