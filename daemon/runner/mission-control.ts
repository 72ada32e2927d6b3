/** The end of missions from outside, and what an end or a cancel means for the missions below. */
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { Outcome } from '../../shared/mission.js';
import type { SessionId } from '../../shared/plan.js';
import type { PlanRun } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import { cleanText } from '../domain/plan-text.js';
import { decide } from '../domain/run-transition.js';
import type { RunEvent, RunLimits } from '../domain/run-state.js';
import type { Store } from '../store/store.js';
import type { ActiveRuns } from './active-runs.js';
import { hasWorkingChildren } from './planner-ends.js';
import type { Changed, SessionStates } from './session-states.js';

export interface MissionControl {
  finish(sessionId: SessionId, outcome: Outcome, reason: string): Promise<Result<void>>;
  /** Missions below one that has ended end with it. */
  endBelow(sessionId: SessionId, outcome: Outcome): Promise<void>;
  /** Cancels a session and every mission below it; `cancelOne` cancels one. */
  cancel(sessionId: SessionId, cancelOne: (id: SessionId) => Promise<Result<PlanRun>>): Promise<Result<PlanRun>>;
  /** A mission that is to be deleted ends first, when nothing of it is under way. */
  endDeleted(sessionId: SessionId): Promise<Result<void>>;
}

export interface ControlParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly active: ActiveRuns;
  readonly clock: Clock;
  readonly limits: RunLimits;
  /** Stops the planner's run of a cancelled session; what it was shown is shown again when that is started. */
  readonly interrupt: (sessionId: SessionId) => Promise<void>;
}

export function createMissionControl(parts: ControlParts): MissionControl {
  const { store, states, active } = parts;

  async function finish(sessionId: SessionId, outcome: Outcome, reason: string): Promise<Result<void>> {
    const { openRun } = await store.planner(sessionId);
    if (outcome === 'landed' && (await hasWorkingChildren(store, sessionId))) {
      return refuse('invalid_state', 'It cannot land: missions below it still work.', {
        hint: 'Wait for them, or finish them first.',
      });
    }
    const changed = await apply(sessionId, { type: 'finish', outcome, reason });
    if (!changed.ok) return changed;
    if (changed.value.stored && openRun !== null) active.abort(openRun.id);
    return ok(undefined);
  }

  function apply(sessionId: SessionId, event: RunEvent): Promise<Result<Changed>> {
    const input = { now: parts.clock.now(), limits: parts.limits, author: 'runner', explanation: null } as const;
    return states.change(sessionId, (state) => decide(state, [event], input));
  }

  return {
    async finish(sessionId, outcome, reason) {
      const words = cleanText('note', reason);
      return words.ok ? finish(sessionId, outcome, words.value.trim()) : words;
    },

    async endBelow(sessionId, outcome) {
      for (const { id, isMission } of await store.openChildren(sessionId)) {
        if (isMission) await finish(id, 'derailed', `The mission above it has ended (${outcome}).`);
        else await apply(id, { type: 'cancel' });
      }
    },

    async cancel(sessionId, cancelOne) {
      // Those below first: should the daemon die between two of them, the one that was asked for still shows that it runs.
      const cancelBelow = async (id: SessionId): Promise<void> => {
        for (const { id: child } of await store.openChildren(id)) {
          await cancelBelow(child);
          await cancelOne(child);
          await parts.interrupt(child);
        }
      };
      await cancelBelow(sessionId);
      const cancelled = await cancelOne(sessionId);
      if (!cancelled.ok) return cancelled;
      await parts.interrupt(sessionId);
      // Its planner may have fired one more meanwhile.
      await cancelBelow(sessionId);
      return cancelled;
    },

    async endDeleted(sessionId) {
      const session = await store.session(sessionId);
      const state = await states.read(sessionId);
      if (session === null || state === null || !session.isMission || session.outcome !== null) return ok(undefined);
      const { status } = state.checkpoint;
      if (status === 'running' || status === 'waiting') return ok(undefined);
      return finish(sessionId, 'derailed', 'A person has deleted the mission.');
    },
  };
}
