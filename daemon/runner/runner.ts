/**
 * Drives a session: begins its current leaf, has it carried out, runs its checks, and turns each outcome into an event
 * for the state machine. It decides nothing itself, and remembers nothing that is not in the checkpoint.
 */
import { unreachable } from '../../shared/errors.js';
import { itemAt } from '../../shared/plan-tree.js';
import { placesOf } from '../domain/plan.js';
import type { Item, ItemId, SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import { decide } from '../domain/run-transition.js';
import type { RunEvent, RunLimits, RunRef, RunState } from '../domain/run-state.js';
import type { Executor, LeafJob, LeafOutcome } from '../executors/executor.js';
import type { Dispatcher } from '../store/dispatcher.js';
import type { SessionRecord, Store } from '../store/store.js';
import type { ActiveRun, ActiveRuns } from './active-runs.js';
import type { CheckRunner } from './checks.js';
import { filesChanged } from '../agent/prompts.js';
import { changedFiles, type FileSnapshot } from '../workspace/file-snapshot.js';
import { describeChange } from './leaf-change.js';
import type { SessionStates } from './session-states.js';
import type { WorkspaceLock } from './workspace-lock.js';

export interface RunnerParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly dispatcher: Dispatcher;
  readonly active: ActiveRuns;
  readonly executorFor: (item: Item) => Executor;
  readonly checks: CheckRunner;
  readonly lock: WorkspaceLock;
  /** True when a run of this leaf may write in its workspace. */
  readonly writes: (session: SessionRecord, item: Item) => boolean;
  readonly snapshotFiles: (workspace: string) => Promise<FileSnapshot>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly limits: RunLimits;
  /** Wakes the session at that time of the clock, in milliseconds. */
  readonly wakeAt: (sessionId: SessionId, at: number) => void;
  readonly onBug: (error: unknown, sessionId: SessionId) => void;
}

const stuckRetryMs = 10_000;

type Leaf = RunState & { readonly run: NonNullable<RunState['run']> };

export function createRunner(parts: RunnerParts): (sessionId: SessionId, signal: AbortSignal) => Promise<void> {
  const { store, states, dispatcher, active, checks, lock, clock } = parts;
  /** What the workspace held when a run began to wait. In memory only: after a restart nothing is told. */
  const leftBehind = new Map<SessionId, { readonly runId: RunId; readonly files: FileSnapshot }>();
  const nextRunId = (): RunId => parts.newId('r') as RunId;

  async function apply(sessionId: SessionId, events: readonly RunEvent[]) {
    const input = { now: clock.now(), limits: parts.limits, author: 'runner', explanation: null } as const;
    const changed = await states.change(sessionId, (state) => decide(state, events, input));
    return changed.ok ? changed.value.decision : null;
  }

  async function drive(sessionId: SessionId, stop: AbortSignal): Promise<void> {
    const session = await store.session(sessionId);
    let state = session && (await states.claim(sessionId));
    if (!session || !state) return;
    let release: (() => void) | null = null;
    try {
      while (!stop.aborted && state !== null && state.checkpoint.status === 'running') {
        const { retryAt, currentItemId } = state.checkpoint;
        if (retryAt !== null && retryAt > clock.now()) {
          // Also when a timer came early, or the clock was set back: somebody must come again.
          parts.wakeAt(sessionId, retryAt);
          return;
        }
        const item = currentItemId === null ? undefined : itemOf(state, currentItemId);
        if (item === undefined) return;
        if (release === null && parts.writes(session, item)) {
          release = lock.take(session.workspace, sessionId, () => dispatcher.wake(sessionId));
          if (release === null) return;
        }
        if (!isUnderWay(state)) {
          // A run that was told to stop may still be ending: two must never work on one transcript.
          if (state.run !== null) await active.ended(state.run.id);
          const decision = await apply(sessionId, [{ type: 'begin', runId: nextRunId() }]);
          state = decision?.state ?? null;
          continue;
        }
        const goesOn = await carryOut(session, state, stop, release !== null);
        if (!goesOn) return;
        state = await states.read(sessionId);
      }
    } finally {
      release?.();
    }
  }

  /** One leaf run (or its checks) to its outcome. False when the session gives its slot up. */
  async function carryOut(session: SessionRecord, state: Leaf, stop: AbortSignal, locked: boolean): Promise<boolean> {
    const { run } = state;
    const item = itemOf(state, run.itemId) as Item;
    const handle = active.open(run.id, session.id, run.itemId);
    let event: RunEvent | null;
    try {
      // It may have been ended before there was a handle to stop it by.
      const now = await states.read(session.id);
      if (now === null || !isUnderWay(now) || now.run.id !== run.id) return true;
      await tellOfChangedFiles(session, state);
      event = await outcomeOf(session, state, item, handle, stop);
      if (event?.type === 'asked' && locked) {
        leftBehind.set(session.id, { runId: run.id, files: await parts.snapshotFiles(session.workspace) });
      }
    } catch (error) {
      parts.onBug(error, session.id);
      event = bugEvent(error, item, run);
    } finally {
      handle.close();
    }
    if (event === null) {
      if (stop.aborted) await apply(session.id, [{ type: 'owner_stops' }]);
      return !stop.aborted && !(await isStuck(session.id, run.id));
    }
    const keep = !dispatcher.contended() && !(locked && lock.contended(session.workspace));
    // The next leaf begins in the transaction that closes this one, unless somebody else waits for the slot.
    const closes = event.type === 'claimed' || event.type === 'checks_passed';
    const next: RunEvent[] = keep && closes && !stop.aborted ? [{ type: 'begin', runId: nextRunId() }] : [];
    const decision = await apply(session.id, [event, ...next]);
    if (decision === null) return false;
    if (decision.continueRun === 'leaf_changed') await showLeaf(session.id, state, item);
    if (!keep) dispatcher.wake(session.id);
    return keep || decision.continueRun !== null;
  }

  /** A run that stopped although nobody ended it (the store refused it): it is looked at later, not at once for ever. */
  async function isStuck(sessionId: SessionId, runId: RunId): Promise<boolean> {
    const now = await states.read(sessionId);
    const stuck = now !== null && isUnderWay(now) && now.run.id === runId;
    if (stuck) parts.wakeAt(sessionId, clock.now() + stuckRetryMs);
    return stuck;
  }

  async function outcomeOf(
    session: SessionRecord,
    state: Leaf,
    item: Item,
    handle: ActiveRun,
    drain: AbortSignal,
  ): Promise<RunEvent | null> {
    const { run } = state;
    const ref: RunRef = { runId: run.id, epoch: run.epoch, attempt: run.attempt };
    if (run.claim !== null) return checks.run({ session, item, ref }, handle, handle.signal);
    const job: LeafJob = { session, item, ref, resumes: run.resumes, notice: state.checkpoint.notice, drain };
    return eventOf(await parts.executorFor(item).execute(job, handle, handle.signal), ref);
  }

  /** A run that waited gave its workspace up meanwhile. */
  async function tellOfChangedFiles(session: SessionRecord, { run }: Leaf): Promise<void> {
    const before = leftBehind.get(session.id);
    leftBehind.delete(session.id);
    if (before?.runId !== run.id) return;
    const changed = changedFiles(before.files, await parts.snapshotFiles(session.workspace));
    if (changed.length === 0) return;
    const ref = { runId: run.id, epoch: run.epoch, attempt: run.attempt };
    await store.appendMessages(ref, [{ kind: 'notice', role: 'system', content: filesChanged(changed) }]);
  }

  /** A bug ends the try visibly. A command may have been carried out: only a person starts it again. */
  function bugEvent(error: unknown, item: Item, run: Leaf['run']): RunEvent {
    const ref: RunRef = { runId: run.id, epoch: run.epoch, attempt: run.attempt };
    const words = `a bug in Cairn, see its log: ${error instanceof Error ? error.message : String(error)}`;
    return { type: 'run_failed', ref, error: words, retryable: item.command === undefined, jitter: parts.random() };
  }

  function eventOf(outcome: LeafOutcome, ref: RunRef): RunEvent | null {
    const jitter = parts.random();
    switch (outcome.type) {
      case 'claimed':
        return { type: 'claimed', ref, summary: outcome.summary, accepted: outcome.accepted, reported: outcome.reported };
      case 'blocked':
        return { type: 'reported_blocked', ref, reason: outcome.reason, reported: outcome.reported };
      case 'failed':
        return { type: 'run_failed', ref, error: outcome.error, retryable: outcome.retryable, jitter };
      case 'command_failed':
        return { type: 'command_failed', ref, error: outcome.error, jitter };
      case 'command_unknown':
        return { type: 'command_unknown', ref };
      case 'budget_exhausted':
        return { type: 'budget_exhausted', ref, budget: outcome.budget, remaining: outcome.remaining };
      case 'suspended':
        return { type: 'asked', ref, entries: outcome.entries };
      case 'stopped':
        return null;
      default:
        return unreachable(outcome);
    }
  }

  /** Invariant 13: the run is shown what changed in its leaf, and gets one more turn before its claim counts. */
  async function showLeaf(sessionId: SessionId, before: Leaf, shown: Item): Promise<void> {
    const now = await states.read(sessionId);
    const item = now && itemOf(now, before.run.itemId);
    if (!item) return;
    const ref = { runId: before.run.id, epoch: before.run.epoch, attempt: before.run.attempt };
    const content = describeChange(shown, item);
    if (await store.appendMessages(ref, [{ kind: 'notice', role: 'system', content }])) {
      await apply(sessionId, [{ type: 'leaf_shown', ref }]);
    }
  }

  return drive;
}

function isUnderWay(state: RunState): state is Leaf {
  return state.run !== null && state.run.status === 'running' && state.run.itemId === state.checkpoint.currentItemId;
}

function itemOf(state: RunState, id: ItemId): Item | undefined {
  const place = placesOf(state.plan.tree).get(id);
  return place && itemAt(state.plan.tree, place);
}
