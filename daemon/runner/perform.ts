/** Carries out what a decision asks for, after it is committed: one function for each effect of the runner. */
import { unreachable } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';
import type { Clock } from '../clock.js';
import type { RunEffect } from '../domain/run-state.js';
import type { Dispatcher } from '../store/dispatcher.js';
import type { ActiveRuns } from './active-runs.js';

export interface Performer {
  perform(sessionId: SessionId, effects: readonly RunEffect[]): void;
  /** Drops the timers. */
  stop(): void;
}

/** `tend`: looks what is due for a session's planner. */
export function createPerformer(
  dispatcher: Dispatcher,
  active: ActiveRuns,
  clock: Clock,
  tend: (sessionId: SessionId) => void,
): Performer {
  const timers = new Map<SessionId, () => void>();

  function wake(sessionId: SessionId, at: number | null): void {
    timers.get(sessionId)?.();
    timers.delete(sessionId);
    const delay = at === null ? 0 : at - clock.now();
    if (delay <= 0) dispatcher.wake(sessionId);
    else
      timers.set(
        sessionId,
        clock.after(delay, () => {
          timers.delete(sessionId);
          dispatcher.wake(sessionId);
        }),
      );
  }

  return {
    perform(sessionId, effects) {
      for (const effect of effects) {
        switch (effect.type) {
          case 'wake':
            wake(sessionId, effect.at);
            break;
          case 'abort_run':
            active.abort(effect.runId);
            break;
          case 'tend':
            tend(sessionId);
            break;
          default:
            unreachable(effect);
        }
      }
    },
    stop() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
