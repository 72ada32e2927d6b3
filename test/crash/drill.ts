/**
 * The crash drill: a plan whose leaves append a line each, and a daemon that is killed with SIGKILL at random moments
 * until the plan has completed. Then everything is counted: lines, runs after a leaf was closed, processes left.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CairnEvent } from '../../shared/event.js';
import type { SessionId } from '../../shared/plan.js';
import { startScriptedProvider } from '../support/scripted-provider.js';
import { type Daemon, launchDaemon } from '../support/daemon-process.js';
import { waitFor } from '../support/wait.js';
import { appendingModel, lineOf } from './appending-model.js';

export interface DrillOptions {
  readonly home: string;
  readonly workspace: string;
  readonly leaves: number;
  readonly kills: number;
  /** The longest time that a daemon is left alive, in milliseconds. */
  readonly longestLifeMs: number;
  /** In [0, 1): where in its life a daemon is killed. */
  readonly random: () => number;
  readonly onKill?: (kills: number, done: number) => void;
}

export interface DrillReport {
  readonly kills: number;
  readonly leaves: number;
  /** Lines that are there more than once. */
  readonly doubled: readonly string[];
  readonly missing: readonly string[];
  /** Leaves of which a run began after they were closed. */
  readonly runAgain: readonly string[];
  /** Kills after which a process was still there two seconds later. */
  readonly orphans: readonly string[];
  readonly requests: number;
  /** Tool calls that were cut off and told to the model as unknown: the drill reached the dangerous moments. */
  readonly unknown: number;
  readonly gapsInEvents: number;
  readonly finalStatus: string;
}

export async function runDrill(options: DrillOptions): Promise<DrillReport> {
  const provider = await startScriptedProvider(appendingModel);
  try {
    return await drill(options, provider.baseUrl, () => provider.requests.length);
  } finally {
    await provider.close();
  }
}

async function drill(options: DrillOptions, baseUrl: string, requests: () => number): Promise<DrillReport> {
  const env = { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'sk-drill', CAIRN_MODEL: 'drill' };
  const names = Array.from({ length: options.leaves }, (_, i) => `leaf ${i + 1}`);
  const orphans: string[] = [];
  let daemon = await launchDaemon(options.home, { env });
  const session = await daemon.call('session.create', {
    goal: 'Append every line once',
    workspace: options.workspace,
    policy: 'full',
    items: names.map((title) => ({ title })),
  });
  await daemon.call('run.start', { sessionId: session.id });
  let kills = 0;
  while (kills < options.kills) {
    const life = options.random() * options.longestLifeMs;
    const status = await liveFor(daemon, session.id, life);
    await daemon.kill();
    kills += 1;
    orphans.push(...(await processesLeft(options.home)));
    daemon = await launchDaemon(options.home, { env });
    await startWhatGaveUp(daemon, session.id);
    const { counts } = await daemon.call('plan.get', { sessionId: session.id });
    options.onKill?.(kills, counts.done);
    if (status === 'completed') break;
  }
  const run = await waitFor(
    'the plan to complete',
    async () => {
      const current = await daemon.call('run.get', { sessionId: session.id });
      return ['completed', 'failed', 'blocked', 'cancelled', 'waiting'].includes(current.status) ? current : undefined;
    },
    { deadlineMs: 60_000 },
  );
  const events = await allEvents(daemon);
  const lines = (await readFile(join(options.workspace, 'lines.txt'), 'utf8')).split('\n').filter((line) => line !== '');
  const count = (line: string): number => lines.filter((other) => other === line).length;
  await daemon.stop();
  return {
    kills,
    leaves: options.leaves,
    doubled: names.filter((name) => count(lineOf(name)) > 1),
    missing: names.filter((name) => count(lineOf(name)) === 0),
    runAgain: runAgain(events),
    orphans,
    requests: requests(),
    unknown: events.filter((event) => event.type === 'effect.unknown').length,
    gapsInEvents: events.filter((event, i) => i > 0 && event.seq !== (events[i - 1] as CairnEvent).seq + 1).length,
    finalStatus: run.status,
  };
}

/** On a busy machine a daemon may die three times before a leaf gets anywhere; then the person who looks on starts it again. */
async function startWhatGaveUp(daemon: Daemon, sessionId: SessionId): Promise<void> {
  const { status, lastError } = await daemon.call('run.get', { sessionId });
  if (status === 'blocked' && lastError?.includes('the daemon died')) await daemon.call('run.start', { sessionId });
}

/** Lets a daemon work for a while; ends early when the plan has come to rest. */
async function liveFor(daemon: Daemon, sessionId: SessionId, ms: number): Promise<string> {
  const until = Date.now() + ms;
  let status = 'running';
  while (Date.now() < until && status !== 'completed') {
    await new Promise((resolve) => setTimeout(resolve, Math.min(10, Math.max(0, until - Date.now()))));
    status = await daemon.call('run.get', { sessionId }).then(
      (run) => run.status,
      () => status,
    );
  }
  return status;
}

async function allEvents(daemon: Daemon): Promise<CairnEvent[]> {
  const events: CairnEvent[] = [];
  for (let after = 0; ;) {
    const page = await daemon.call('event.list', { after, limit: 1000 });
    if (page.events.length === 0) return events;
    events.push(...page.events);
    after = page.nextCursor;
  }
}

/** Items of which a run started after they were done. */
function runAgain(events: readonly CairnEvent[]): string[] {
  const closed = new Set<unknown>();
  const again: string[] = [];
  for (const event of events) {
    if (event.type === 'item.changed' && event.data.to === 'done') closed.add(event.data.id);
    if (event.type === 'run.started' && closed.has(event.data.itemId)) again.push(String(event.data.itemId));
  }
  return again;
}

/** What is still running for this home two seconds after its daemon was killed: guards name the home in their arguments. */
async function processesLeft(home: string): Promise<string[]> {
  const look = async (): Promise<string[]> => {
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
    return stdout.split('\n').filter((line) => line.includes(home) && !line.includes('ps -eo'));
  };
  let left: string[] = [];
  await waitFor('the commands of the killed daemon to be gone', async () => (left = await look()).length === 0, {
    deadlineMs: 2_000,
  }).catch(() => undefined);
  return left;
}
