/** The wait for one run that a command has begun, by its events. */
import type { Client } from '../shared/client.js';
import { RpcError } from '../shared/errors.js';
import type { SessionId } from '../shared/plan.js';
import type { Run, RunId } from '../shared/run.js';
import type { Cli } from './cli.js';
import { hearRun, type RunWait, startRunWait } from './core/missions/run-wait.js';
import { followEvents } from './follow-events.js';

/**
 * The run as it is at its end, or as soon as it waits for a person; null when its session was deleted. `after`: the sequence of
 * an event before it began.
 */
export async function waitForRun(
  cli: Cli,
  { sessionId, runId, after }: { readonly sessionId: SessionId; readonly runId: RunId; readonly after: number },
): Promise<Run | null> {
  let wait = startRunWait(runId, after);
  let ended = false;
  const { run } = await followEvents(cli, { after, sessionId }, async (client, events) => {
    for (const event of events) {
      if (!ended) ({ wait, ended } = hearRun(wait, event));
    }
    if (!ended && !wait.isCut && !wait.asks) return null;
    const found = await look(client, sessionId, wait);
    wait = found.wait;
    return ended || found.rests ? found : null;
  });
  return run;
}

interface Look {
  readonly wait: RunWait;
  readonly run: Run | null;
  /** Nothing of it goes on by itself. */
  readonly rests: boolean;
}

async function look(client: Client, sessionId: SessionId, wait: RunWait): Promise<Look> {
  const runs = await runsOf(client, sessionId);
  if (runs === null) return { wait, run: null, rests: true };
  // A daemon may have died more than once meanwhile.
  let run = runs.find(({ id }) => id === wait.runId);
  for (let cut = run; cut?.status === 'interrupted'; run = cut ?? run) {
    const { id } = cut;
    cut = runs.find(({ resumes }) => resumes === id);
  }
  const runId = run?.id ?? wait.runId;
  return {
    wait: { ...wait, runId, isCut: false, asks: false },
    run: run ?? null,
    rests: run !== undefined && run.status !== 'running',
  };
}

/** Null when the session is gone. */
async function runsOf(client: Client, sessionId: SessionId): Promise<readonly Run[] | null> {
  try {
    return (await client.call('run.list', { sessionId, limit: 1_000 })).runs;
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'not_found') return null;
    throw error;
  }
}
