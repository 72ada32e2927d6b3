/**
 * When the wait for a mission is over. The durable events are heard one by one, in order, so that nothing between two looks is
 * missed; where they cannot tell whether a planner will go on, the tree of missions is looked at. A leaf's result ends nothing.
 */
import type { CairnEvent } from '../../../shared/event.js';
import { unreachable } from '../../../shared/errors.js';
import type { MissionNode, Outcome, PlannerMode } from '../../../shared/mission.js';
import type { SessionId } from '../../../shared/plan.js';
import type { PlanRunStatus } from '../../../shared/run.js';
import { dataOf } from './event-data.js';

export interface MissionWait {
  readonly sessionId: SessionId;
  readonly mode: PlannerMode;
  /** The sequence of the last event that was heard: an earlier one is not heard again. */
  readonly cursor: number;
  /** As the events have told it so far. */
  readonly status: PlanRunStatus;
  /** Whether somebody may be needed: only the state of the planner can tell. */
  readonly lookDue: boolean;
}

export type Ending =
  | { readonly type: 'outcome'; readonly outcome: Outcome }
  | { readonly type: 'deleted' }
  | { readonly type: 'needs_person'; readonly status: PlanRunStatus }
  | { readonly type: 'timed_out' }
  | { readonly type: 'interrupted'; readonly signal: number };

/** From the moment at which it is fired; `cursor` is a sequence before that. */
export const startWait = (sessionId: SessionId, mode: PlannerMode, cursor: number): MissionWait => ({
  sessionId,
  mode,
  cursor,
  status: 'idle',
  lookDue: false,
});

export interface Heard {
  readonly wait: MissionWait;
  readonly ending: Ending | null;
}

/** Takes the next event, of whatever session: a mission below may be what this one waits for. */
export function hear(wait: MissionWait, event: CairnEvent): Heard {
  if (event.seq <= wait.cursor) return { wait, ending: null };
  const next = { ...wait, cursor: event.seq };
  if (event.sessionId !== wait.sessionId) return goOn(next, mayStop(event));
  const ended = dataOf(event, 'session.outcome');
  if (ended !== null) return { wait: next, ending: { type: 'outcome', outcome: ended.outcome } };
  if (event.type === 'session.deleted') return { wait: next, ending: { type: 'deleted' } };
  const status = dataOf(event, 'plan_run.changed')?.status;
  // Whoever waits alone was needed, even if somebody has answered since.
  if (status !== undefined && wait.mode === 'never' && stopsAlone(status)) {
    return { wait: { ...next, status }, ending: { type: 'needs_person', status } };
  }
  return goOn(status === undefined ? next : { ...next, status }, mayStop(event));
}

/** While the plan runs, nothing of the planner stops it. */
function goOn(wait: MissionWait, isHint: boolean): Heard {
  const works = wait.status === 'running' || wait.status === 'pausing';
  return { wait: { ...wait, lookDue: !works && (wait.lookDue || isHint) }, ending: null };
}

/** Whether a session may have come to rest by this. */
function mayStop(event: CairnEvent): boolean {
  switch (event.type) {
    case 'plan_run.changed':
    case 'inbox.opened':
    case 'session.outcome':
    case 'session.deleted':
      return true;
    case 'run.completed':
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
    case 'run.interrupted':
      return dataOf(event, event.type)?.kind === 'planner';
    default:
      return false;
  }
}

/** A plan that failed with nobody to plan anew is not waited for: the runtime ends its mission as derailed. */
const stopsAlone = (status: PlanRunStatus): boolean =>
  status === 'blocked' || status === 'waiting' || status === 'paused' || status === 'cancelled';

/** What a look at the mission and those below it says; null when it goes on by itself. */
export function judgeTree({ sessionId }: Pick<MissionWait, 'sessionId'>, nodes: readonly MissionNode[]): Ending | null {
  const node = nodes.find((each) => each.sessionId === sessionId);
  if (node === undefined) return { type: 'deleted' };
  return needsPerson(node, nodes) ? { type: 'needs_person', status: node.status } : null;
}

function needsPerson(node: MissionNode, nodes: readonly MissionNode[]): boolean {
  const { status, planner, outcome } = node;
  if (outcome !== null || planner.state === 'due' || planner.state === 'running') return false;
  const isPlannerStopped = planner.state === 'waiting' || planner.state === 'held';
  switch (status) {
    case 'running':
    case 'pausing':
      return false;
    case 'waiting':
    case 'paused':
    case 'cancelled':
      return true;
    case 'blocked':
    case 'failed':
      if (planner.mode === 'never') return status === 'blocked' || isPlannerStopped;
      // The end of a mission below wakes the planner.
      return isPlannerStopped || !nodes.some((each) => each.parentId === node.sessionId && goesOn(each, nodes));
    case 'idle':
    case 'completed':
      // Without a planner that is stopped, the runtime starts or ends it in a moment.
      return isPlannerStopped;
    default:
      return unreachable(status);
  }
}

const goesOn = (node: MissionNode, nodes: readonly MissionNode[]): boolean =>
  node.isMission && node.outcome === null && !needsPerson(node, nodes);
