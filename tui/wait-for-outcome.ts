/** The wait of `cairn fire --wait`: follows a mission by its events to its outcome, or until it needs a person. */
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../shared/client.js';
import { RpcError, unreachable } from '../shared/errors.js';
import type { CairnEvent } from '../shared/event.js';
import type { Session } from '../shared/session.js';
import { type Cli, exitCodes } from './cli.js';
import { connectIfRunning } from './connect.js';
import type { EndFacts } from './core/missions/ending-lines.js';
import { type Ending, hear, judgeTree, type MissionWait, startWait } from './core/missions/mission-wait.js';
import { type Details, progressLines, wantsItems, wantsReason } from './core/missions/progress-lines.js';
import { plain } from './core/style.js';
import { followEvents } from './follow-events.js';

export interface WaitOptions {
  /** The sequence of an event before the mission was fired. */
  readonly after: number;
  /** Undefined waits for ever. */
  readonly timeoutMs: number | undefined;
  /** Whether progress is told on standard error. */
  readonly tells: boolean;
}

export interface Waited {
  readonly ending: Ending;
  readonly facts: EndFacts;
}

/**
 * Between the two looks that must agree that somebody is needed: at the end of a planner's turn the daemon may be about to
 * wake it once more.
 */
const settleMs = 200;
/** A daemon that does not answer holds up nobody whose time is over. */
const lastLookMs = 2_000;
/** The longest that a timer can be set to; longer ones would be due at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Ctrl-C ends as the shell has it: 128 and the number of the signal. */
export function exitCodeOf(ending: Ending): number {
  switch (ending.type) {
    case 'outcome':
      return ending.outcome === 'landed' ? exitCodes.done : exitCodes.failed;
    case 'deleted':
      return exitCodes.failed;
    case 'needs_person':
      return exitCodes.needsPerson;
    case 'timed_out':
      return exitCodes.timedOut;
    case 'interrupted':
      return 128 + ending.signal;
    default:
      return unreachable(ending);
  }
}

/** Ctrl-C and a timeout end the wait, never the mission. */
export async function waitForOutcome(cli: Cli, session: Session, options: WaitOptions): Promise<Waited> {
  const over = new AbortController();
  const outside = endFromOutside(options.timeoutMs);
  const followed = followMission(cli, session, options, over.signal);
  try {
    return await Promise.race([followed, outside.ending.then((ending) => lastLook(cli, session, ending))]);
  } finally {
    outside.dispose();
    over.abort();
    // What is cut off fails, and nobody waits for it any more.
    followed.catch(() => undefined);
  }
}

function endFromOutside(timeoutMs: number | undefined): { readonly ending: Promise<Ending>; dispose(): void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let dispose = (): void => undefined;
  const ending = new Promise<Ending>((resolve) => {
    const interrupt = (name: NodeJS.Signals): void => resolve({ type: 'interrupted', signal: constants.signals[name] });
    for (const name of signals) process.once(name, interrupt);
    const timeOut = (): void => resolve({ type: 'timed_out' });
    const timer = timeoutMs === undefined ? undefined : setTimeout(timeOut, Math.min(timeoutMs, longestTimerMs));
    dispose = () => {
      clearTimeout(timer);
      for (const name of signals) process.off(name, interrupt);
    };
  });
  return { ending, dispose: () => dispose() };
}

function followMission(cli: Cli, session: Session, options: WaitOptions, signal: AbortSignal): Promise<Waited> {
  let wait: MissionWait = startWait(session.id, session.planner.mode, options.after);
  let ending: Ending | null = null;
  // Of all sessions: what happens to the missions below this one decides whether it goes on.
  return followEvents(cli, { after: options.after, signal }, async (client, events) => {
    const heard: CairnEvent[] = [];
    for (const event of events) {
      if (ending !== null || event.seq <= wait.cursor) continue;
      ({ wait, ending } = hear(wait, event));
      if (event.sessionId === session.id) heard.push(event);
    }
    if (options.tells) await tell(cli, client, session, heard);
    if (ending === null && wait.lookDue) {
      ending = await lookTwice(client, wait);
      wait = { ...wait, lookDue: false };
    }
    return ending === null ? null : { ending, facts: await factsOf(client, session, ending) };
  });
}

async function lookTwice(client: Client, wait: MissionWait): Promise<Ending | null> {
  if ((await look(client, wait)) === null) return null;
  await delay(settleMs);
  return look(client, wait);
}

async function look(client: Client, wait: MissionWait): Promise<Ending | null> {
  const tree = await unlessDeleted(client.call('mission.tree', { sessionId: wait.sessionId }));
  return judgeTree(wait, tree?.nodes ?? []);
}

/** Null when the session is gone. */
async function unlessDeleted<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'not_found') return null;
    throw error;
  }
}

async function tell(cli: Cli, client: Client, { id: sessionId }: Session, events: readonly CairnEvent[]): Promise<void> {
  const [plan, planRun] = await Promise.all([
    events.some(wantsItems) ? unlessDeleted(client.call('plan.get', { sessionId })) : null,
    events.some(wantsReason) ? unlessDeleted(client.call('run.get', { sessionId })) : null,
  ]);
  const details: Details = { items: plan?.items ?? [], planRun };
  const view = process.stderr.isTTY ? cli.view : { ...cli.view, paint: plain };
  for (const event of events) for (const line of progressLines(event, details, view)) cli.note(line);
}

async function factsOf(client: Client, session: Session, ending: Ending): Promise<EndFacts> {
  if (ending.type === 'deleted') return { session, planRun: null, entries: [] };
  const { id: sessionId } = session;
  const [now, planRun, inbox] = await Promise.all([
    unlessDeleted(client.call('session.get', { sessionId })),
    unlessDeleted(client.call('run.get', { sessionId })),
    client.call('inbox.list', { sessionId, state: 'open', limit: 100 }),
  ]);
  return { session: now ?? session, planRun, entries: inbox.entries };
}

/** The mission as it is when the time is over, or as it was fired when nobody answers. */
async function lastLook(cli: Cli, session: Session, ending: Ending): Promise<Waited> {
  const asFired = { ending, facts: { session, planRun: null, entries: [] } };
  // Who pressed Ctrl-C wants to be gone.
  if (ending.type !== 'timed_out') return asFired;
  const signal = AbortSignal.timeout(lastLookMs);
  const client = await connectIfRunning(cli.files, signal);
  if (client === null) return asFired;
  const tooLate = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
  const now = factsOf(client, session, ending).catch(() => null);
  const facts = await Promise.race([now, tooLate]);
  client.close();
  return facts === null ? asFired : { ending, facts };
}
