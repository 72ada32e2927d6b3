/** What keeps a mission from going on, and what follows from a turn of its planner that left it so. Pure. */
import { numberAt } from '../../shared/plan-tree.js';
import { placesOf } from './plan.js';
import type { PlannerNote } from './planner-notes.js';
import type { RunState } from './run-state.js';
import { digestText } from './text-digest.js';

/** Planner turns in a row that leave the same blocker as it was, until the mission is stuck. */
export const unmovedLimit = 3;
/** Times in a row that it is woken at a standstill with nothing done since, whatever it changes between, until the mission is stuck. */
export const returnsLimit = 6;

export interface Standstill {
  /** The same for the same blocker. */
  readonly key: string;
  /** For the planner and for people. */
  readonly words: string;
}

/**
 * Why nothing goes on by itself; null while something does, or while it is a person's to go on: what was paused or
 * cancelled, what waits for an answer, a budget that is used up (`resume`: it goes on with the same run when that is raised).
 */
export function standstillOf({ checkpoint, plan, ownership }: RunState): Standstill | null {
  const { status, currentItemId, lastError, resume } = checkpoint;
  switch (status) {
    case 'blocked':
    case 'failed': {
      if (resume) return null;
      const words = `${nameOf(currentItemId, plan)} is ${status}: ${lastError ?? ''}`;
      return { key: `${currentItemId ?? ''}:${digestText(lastError ?? '')}`, words };
    }
    case 'idle':
      if (plan.tree.length === 0) return { key: 'no plan', words: 'There is no plan yet.' };
      return ownership.isSolo ? { key: 'open', words: 'Items of the plan are open.' } : null;
    default:
      return null;
  }
}

function nameOf(id: RunState['checkpoint']['currentItemId'], plan: RunState['plan']): string {
  const place = id === null ? undefined : placesOf(plan.tree).get(id);
  const task = place && plan.tree[place.task];
  const item = place && (place.child < 0 ? task?.item : task?.children[place.child]);
  return place && item ? `${numberAt(place)} ${item.title} (${item.id})` : 'The current item';
}

export interface PlannerTurn {
  readonly state: RunState;
  /** Missions below it still work: their end will wake the planner. */
  readonly hasOpenChildren: boolean;
  /** Something else will wake it anyway. */
  readonly hasNews: boolean;
  /** Whether this turn changed the plan. */
  readonly hasMoved: boolean;
  /** Of the turns before: how many left which blocker. */
  readonly unmoved: number;
  readonly blocker: string | null;
}

export interface Verdict {
  readonly unmoved: number;
  readonly blocker: string | null;
  /** What wakes the planner once more; null when nothing has to. */
  readonly note: PlannerNote | null;
}

/** After a turn of the planner of a mission: whether the same thing still stands in the way, how often, and what it is told. */
export function judgeTurn(turn: PlannerTurn): Verdict {
  const still = standstillOf(turn.state);
  if (still === null || turn.hasOpenChildren || turn.hasMoved) return { unmoved: 0, blocker: null, note: null };
  const unmoved = turn.blocker === still.key ? turn.unmoved + 1 : 1;
  if (unmoved >= unmovedLimit || turn.hasNews) return { unmoved, blocker: still.key, note: null };
  const text =
    `${still.words}\nYour last turn changed nothing of it (${unmoved} of ${unmovedLimit}; then the mission ends as stuck). ` +
    'Change the plan, ask for attention, or finish.';
  return { unmoved, blocker: still.key, note: { kind: 'unmoved', text, itemId: null, urgent: true } };
}
