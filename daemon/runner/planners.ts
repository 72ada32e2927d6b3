/**
 * Resident planners. Each session that has one has a durable queue of what its planner has not seen; when that is not empty and
 * no turn of it is under way, one is begun with all of it. What a run was shown goes with its end, in one transaction, so that
 * a crash loses nothing and repeats nothing. A mission is looked at after each of its changes: it always has an owner, or a
 * reason with a date.
 */
import pLimit from 'p-limit';
import { ok, type Result } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import { usedUp } from '../agent/budget.js';
import { briefOf } from '../agent/planner-prompts.js';
import { nonceOf } from '../agent/untrusted.js';
import type { Clock } from '../clock.js';
import { isUrgent } from '../domain/planner-notes.js';
import { standstillOf } from '../domain/planner-verdict.js';
import { decide } from '../domain/run-transition.js';
import type { RunLimits, RunRef, RunState } from '../domain/run-state.js';
import type { LeafOutcome } from '../executors/executor.js';
import type { Provider } from '../providers/provider.js';
import type { PlannerQueue } from '../store/queries.js';
import type { Once, SessionRecord, Store } from '../store/store.js';
import type { ActiveRuns } from './active-runs.js';
import type { CarryOut } from './chat-run.js';
import type { MissionControl } from './mission-control.js';
import { noModelReason } from './no-model.js';
import { diesAlways, maxDeaths } from './deaths.js';
import { doneIn, endingOf, endOf, hasWorkingChildren, heldEntry } from './planner-ends.js';
import type { Publisher } from './publisher.js';
import { keyUsed, type SessionStates } from './session-states.js';

export interface PlannerParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly active: ActiveRuns;
  readonly publisher: Publisher;
  readonly provider: Provider;
  readonly missions: MissionControl;
  readonly carryOut: CarryOut;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly limits: RunLimits;
  readonly onBug: (error: unknown, sessionId: SessionId) => void;
}

export interface Planners {
  /** Looks what is due for a session and begins it. `byPerson`: what held its planner is tried once more. */
  tend(sessionId: SessionId, byPerson?: boolean): Promise<void>;
  /** Whether a session has a resident planner that can be woken now. */
  hears(session: SessionRecord): Promise<boolean>;
  /** A word for the planner of a session; gives the run that will answer it. */
  send(session: SessionRecord, kind: 'message' | 'draft', text: string, once: Once | null): Promise<Result<RunId>>;
  /** A planner run that waited has all of its answers. False when the run is none of a resident planner. */
  wake(sessionId: SessionId, runId: RunId): Promise<boolean>;
  /** Stops the run under way; what it was shown is shown to the next one. */
  interrupt(sessionId: SessionId, as: 'interrupted' | 'cancelled'): Promise<void>;
  /** Takes up what was under way when the daemon died, and looks after every mission that has not ended. */
  recover(): Promise<void>;
  stop(): void;
  /** Resolves when no planner run is carried out. */
  idle(): Promise<void>;
}

/** Until a session is looked at again after a bug. */
const afterBugMs = 10_000;

export function createPlanners(parts: PlannerParts): Planners {
  const { store, states, publisher, clock, limits } = parts;
  const underWay = new Set<Promise<void>>();
  const queues = new Map<SessionId, ReturnType<typeof pLimit>>();
  const timers = new Map<SessionId, () => void>();
  let stopped = false;

  /** One look at a time for each session. */
  async function tend(sessionId: SessionId, byPerson = false): Promise<void> {
    if (stopped) return;
    try {
      await one(sessionId, () => look(sessionId, byPerson));
    } catch (error) {
      parts.onBug(error, sessionId);
      lookAgain(sessionId, clock.now() + afterBugMs);
    }
  }

  async function one<T>(sessionId: SessionId, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(sessionId) ?? pLimit(1);
    queues.set(sessionId, queue);
    try {
      return await queue(work);
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(sessionId);
    }
  }

  function lookAgain(sessionId: SessionId, at: number): void {
    timers.get(sessionId)?.();
    timers.set(
      sessionId,
      clock.after(Math.max(0, at - clock.now()), () => {
        timers.delete(sessionId);
        void tend(sessionId);
      }),
    );
  }

  async function look(sessionId: SessionId, byPerson: boolean): Promise<void> {
    const session = await store.session(sessionId);
    if (session === null) return;
    // What it reports, and its end, are for whoever plans above it.
    if (session.parentId !== null) void tend(session.parentId);
    if (session.outcome !== null) return parts.missions.endBelow(sessionId, session.outcome);
    if (session.planner === 'never' && !session.isMission) return;
    let state = await states.read(sessionId);
    if (state === null || isKept(state)) return;
    if (session.isMission && state.checkpoint.status === 'idle') {
      await apply(sessionId, [{ type: 'due' }]);
      state = (await states.read(sessionId)) ?? state;
    }
    if (session.planner === 'never') return endAlone(session, state);
    if (byPerson) await store.keepPlanner(sessionId, { failures: 0, retryAt: null, unmoved: 0, blocker: null, returns: 0 });
    const queue = await store.planner(sessionId);
    if (queue.openRun !== null) return;
    const ending = session.isMission ? await endingOf(parts, state, queue) : null;
    if (ending !== null) {
      await parts.missions.finish(sessionId, ending.outcome, ending.reason);
      return;
    }
    if (!queue.notes.some((note) => note.urgent)) {
      if (session.isMission) await lookAtRest(session, state);
      return;
    }
    if (queue.failures >= limits.tries) return;
    if (queue.retryAt !== null && queue.retryAt > clock.now()) lookAgain(sessionId, queue.retryAt);
    else await begin(session, state, queue);
  }

  /** Nothing waits for the planner: the mission is at its end, works, or stands still and somebody has to say so. */
  async function lookAtRest(session: SessionRecord, state: RunState): Promise<void> {
    const hasChildren = await hasWorkingChildren(store, session.id);
    if (state.checkpoint.status === 'completed' && !hasChildren) {
      await parts.missions.finish(session.id, 'landed', 'Every item of the plan is done or skipped.');
      return;
    }
    const still = standstillOf(state);
    if (still !== null && !hasChildren) await apply(session.id, [{ type: 'told', kind: 'unmoved', text: still.words }]);
  }

  /** A mission without a planner ends by itself. */
  async function endAlone(session: SessionRecord, { checkpoint }: RunState): Promise<void> {
    const { status, lastError } = checkpoint;
    if (status === 'failed') await parts.missions.finish(session.id, 'derailed', `The work failed for good: ${lastError ?? ''}`);
    if (status !== 'completed' || (await hasWorkingChildren(store, session.id))) return;
    await parts.missions.finish(session.id, 'landed', 'Every item of the plan is done or skipped.');
  }

  async function apply(sessionId: SessionId, events: Parameters<typeof decide>[1]): Promise<void> {
    const input = { now: clock.now(), limits, author: 'runner', explanation: null } as const;
    await states.change(sessionId, (state) => decide(state, events, input));
  }

  async function begin(session: SessionRecord, state: RunState, queue: PlannerQueue): Promise<void> {
    const { id } = session;
    const reason = await hindrance(session);
    if (reason !== null) {
      if (queue.held === reason) return;
      publisher.committed({ sessionId: id, ...(await store.holdPlanner(id, reason, heldEntry(reason))) });
      return;
    }
    const runId = queue.nextRun ?? (parts.newId('r') as RunId);
    const { brief, words } = briefOf(queue.notes, `${clock.iso().slice(0, 16).replace('T', ' ')} UTC`, nonceOf(`brief:${runId}`));
    const notes = queue.notes.map(({ no }) => no);
    const events = await store.beginPlanner({ id: runId, sessionId: id, resumes: queue.lastRunId, brief, words, notes });
    // Somebody else was first: whatever they did looks again.
    if (events === null) return;
    if (session.isMission && standstillOf(state) !== null && !(await hasWorkingChildren(store, id))) {
      const progress = doneIn(state);
      await store.keepPlanner(id, { returns: progress === queue.progress ? queue.returns + 1 : 1, progress });
    }
    publisher.committed({ sessionId: id, events });
    carryOut(session, runId);
  }

  /** Why its planner cannot be woken now; null when it can. */
  async function hindrance(session: SessionRecord): Promise<string | null> {
    if (parts.provider.describe() === null) return noModelReason;
    const gone = await usedUp(store, session, null, null);
    return gone === null ? null : `budget used up: ${gone.budget}. Raise it and start again.`;
  }

  function carryOut(session: SessionRecord, runId: RunId): void {
    const run = parts
      .carryOut(session, { runId }, 'planner', (ref, outcome) => finish(session, ref, outcome))
      .catch((error: unknown) => {
        parts.onBug(error, session.id);
        return end(session, runId, { type: 'failed', error: `a bug in Cairn, see its log: ${String(error)}`, retryable: true });
      })
      .catch((error: unknown) => parts.onBug(error, session.id))
      .finally(() => underWay.delete(run));
    underWay.add(run);
  }

  async function finish(session: SessionRecord, ref: RunRef, outcome: LeafOutcome): Promise<void> {
    if (outcome.type === 'suspended') {
      const waiting = await store.suspendChat(ref, session.id, outcome.entries);
      if (waiting !== null) publisher.committed({ sessionId: session.id, ...waiting });
    } else await end(session, ref.runId, outcome);
  }

  async function end(session: SessionRecord, runId: RunId, outcome: Exclude<LeafOutcome, { type: 'suspended' }>): Promise<void> {
    const { id } = session;
    const state = await states.read(id);
    // Stopped with the daemon, it stays open and is taken up at the next start; stopped otherwise, it has ended already.
    if (outcome.type === 'stopped' || state === null) return;
    const queue = await store.planner(id);
    const ended = await store.endPlanner({
      runId,
      sessionId: id,
      ...(await endOf(parts, session, state, queue, runId, outcome)),
    });
    if (ended !== null) publisher.committed({ sessionId: id, ...ended });
    await tend(id);
  }

  async function interrupt(sessionId: SessionId, as: 'interrupted' | 'cancelled'): Promise<void> {
    const { openRun } = await store.planner(sessionId);
    const session = await store.session(sessionId);
    if (openRun === null || session === null || session.planner === 'never') return;
    const ended = await store.endPlanner({
      runId: openRun.id,
      sessionId,
      status: as,
      error: null,
      keep: {},
      note: null,
      entry: null,
    });
    parts.active.abort(openRun.id);
    await parts.active.ended(openRun.id);
    if (ended !== null) publisher.committed({ sessionId, ...ended });
  }

  return {
    tend,

    async hears(session) {
      if (session.planner === 'never' || session.outcome !== null) return false;
      const state = await states.read(session.id);
      return state !== null && !isKept(state) && (await hindrance(session)) === null;
    },

    async send(session, kind, text, once) {
      const note = { kind, text, itemId: null, urgent: isUrgent(kind, session.planner) } as const;
      // The next run is shown it, whether it begins now or after the one under way.
      const runId = await one(session.id, async () => {
        const { nextRun } = await store.planner(session.id);
        const id = nextRun ?? (parts.newId('r') as RunId);
        if (nextRun === null) await store.keepPlanner(session.id, { nextRun: id });
        return (await store.addNote(session.id, note, once === null ? null : { once, ref: id })) ? id : null;
      });
      if (runId === null) return keyUsed();
      await tend(session.id, true);
      return ok(runId);
    },

    async wake(sessionId, runId) {
      const run = await store.run(runId);
      const session = await store.session(sessionId);
      if (run?.kind !== 'planner' || session === null || run.sessionId !== sessionId || session.planner === 'never') return false;
      const state = await states.read(sessionId);
      // A person holds it: the answer is there when its next turn asks for it.
      if (state !== null && isKept(state)) await interrupt(sessionId, 'interrupted');
      else if (await store.wakeChat(runId)) carryOut(session, runId);
      return true;
    },

    interrupt,

    async recover() {
      for (const run of await store.openChats()) {
        const session = await store.session(run.sessionId);
        if (run.kind !== 'planner' || session === null || session.planner === 'never') continue;
        if (run.status === 'waiting' && (await store.inboxOfRun(run.id)).some((entry) => entry.state === 'open')) continue;
        if (await diesAlways(store, run)) {
          await end(session, run.id, {
            type: 'failed',
            error: `the daemon died ${maxDeaths} times in this turn`,
            retryable: true,
          });
          continue;
        }
        const id = parts.newId('r') as RunId;
        const events = await store.resumePlanner({ id, sessionId: session.id, resumes: run.id });
        // A person holds it, or it has ended.
        if (events === null) {
          await interrupt(session.id, 'interrupted');
          continue;
        }
        publisher.committed({ sessionId: session.id, events });
        carryOut(session, id);
      }
      for (const id of await store.sessionsToTend()) await tend(id);
    },

    stop() {
      stopped = true;
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },

    async idle() {
      await Promise.all(underWay);
    },
  };
}

/** A person keeps it: nothing of it is woken until they start it again. */
const isKept = ({ checkpoint: { status, control } }: RunState): boolean =>
  status === 'paused' || status === 'cancelled' || control === 'pause';
