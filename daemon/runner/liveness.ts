/** Whether a session lives, said honestly: from its checkpoint and from what this process is doing for it. */
import type { Liveness } from '../../shared/run.js';
import { unreachable } from '../../shared/errors.js';
import type { RunState } from '../domain/run-state.js';
import type { Activity } from './active-runs.js';

export interface LivenessInput {
  readonly state: RunState;
  readonly activity: Activity | null;
  /** What its planner does. */
  readonly plans: Activity | null;
  /** Title of what a waiting run waits for. */
  readonly waitingFor: string | null;
  /** Who holds the workspace, when the session has to wait for it. */
  readonly workspaceHolder: string | null;
  readonly now: number;
  /** Without progress for longer than this, a run is called stalled. Milliseconds. */
  readonly stalledAfterMs: number;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 1000))} s`;

export function livenessOf(input: LivenessInput): Liveness {
  const lives = livenessOfRun(input);
  const { plans, now } = input;
  // Between two leaves it is the planner that works.
  if (plans === null || lives.state !== 'idle') return lives;
  const silent = now - plans.lastProgressAt;
  const cause = `the planner: ${plans.what} (${seconds(now - plans.since)})`;
  const lastProgressAt = iso(plans.lastProgressAt);
  if (silent > input.stalledAfterMs)
    return { state: 'stalled', cause: `${cause}, nothing for ${seconds(silent)}`, lastProgressAt };
  return { state: 'working', cause, lastProgressAt };
}

function livenessOfRun(input: LivenessInput): Liveness {
  const { state, activity, now } = input;
  const { status, lastError, retryAt } = state.checkpoint;
  const lastProgressAt = activity ? iso(activity.lastProgressAt) : null;
  switch (status) {
    case 'running':
      if (activity !== null) {
        const silent = now - activity.lastProgressAt;
        const stalled = silent > input.stalledAfterMs;
        if (activity.looping !== null) return { state: 'looping', cause: activity.looping, lastProgressAt };
        const cause = `${activity.what} (${seconds(now - activity.since)})`;
        return stalled
          ? { state: 'stalled', cause: `${cause}, nothing for ${seconds(silent)}`, lastProgressAt }
          : { state: 'working', cause, lastProgressAt };
      }
      if (retryAt !== null && retryAt > now) {
        return { state: 'waiting', cause: `next try in ${seconds(retryAt - now)}: ${lastError ?? ''}`, lastProgressAt };
      }
      if (input.workspaceHolder !== null && input.workspaceHolder !== state.sessionId) {
        return { state: 'waiting', cause: `for the workspace, used by ${input.workspaceHolder}`, lastProgressAt };
      }
      return { state: 'waiting', cause: 'for a free slot', lastProgressAt };
    case 'waiting':
      return {
        state: 'waiting',
        cause: `${input.waitingFor ?? 'for an answer'}${state.checkpoint.control === 'pause' ? ' (pauses after the answer)' : ''}`,
        lastProgressAt,
      };
    case 'paused':
      return { state: state.checkpoint.resume ? 'interrupted' : 'idle', cause: 'paused', lastProgressAt };
    case 'blocked':
    case 'failed':
      return { state: 'idle', cause: `${status}: ${lastError ?? ''}`, lastProgressAt };
    case 'idle':
    case 'completed':
    case 'cancelled':
      return { state: 'idle', cause: status, lastProgressAt };
    default:
      return unreachable(status);
  }
}
