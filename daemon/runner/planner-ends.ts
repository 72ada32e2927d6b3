/** How a turn of a resident planner ends, and when its mission can only end. */
import { unreachable } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';
import { countLeaves } from '../../shared/plan-tree.js';
import type { RunId } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import type { NoteKind } from '../domain/planner-notes.js';
import { tellPerson } from '../domain/inbox-drafts.js';
import { judgeTurn, returnsLimit, standstillOf, unmovedLimit } from '../domain/planner-verdict.js';
import type { InboxDraft, RunLimits, RunState } from '../domain/run-state.js';
import type { LeafOutcome } from '../executors/executor.js';
import type { PlannerQueue } from '../store/queries.js';
import type { SessionRecord, Store } from '../store/store.js';

export interface EndParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: () => number;
  readonly limits: RunLimits;
}

/** Whether the mission can only end, and how. */
export async function endingOf({ store, limits }: EndParts, state: RunState, queue: PlannerQueue) {
  if (queue.failures >= limits.tries) {
    const last = queue.lastRunId === null ? null : await store.run(queue.lastRunId);
    return { outcome: 'derailed', reason: `The planner failed ${queue.failures} times: ${last?.error ?? ''}` } as const;
  }
  const still = standstillOf(state);
  if (still === null) return null;
  // What has come meanwhile may change its mind.
  if (queue.notes.some((note) => note.urgent && !note.told && !standing.has(note.kind))) return null;
  if (queue.unmoved >= unmovedLimit && queue.blocker === still.key) {
    return { outcome: 'stuck', reason: `The planner changed nothing ${queue.unmoved} times in a row. ${still.words}` } as const;
  }
  if (queue.returns >= returnsLimit && queue.progress === doneIn(state)) {
    const times = `It stood still ${queue.returns} times in a row with nothing done between`;
    return { outcome: 'stuck', reason: `${times}. ${still.words}` } as const;
  }
  return null;
}

/** Notes that tell of the very standstill. */
const standing = new Set<NoteKind>(['unmoved', 'blocked', 'failed']);

/** What counts as progress. */
export const doneIn = ({ plan }: RunState): number => countLeaves(plan.tree).done;

/** Missions right below that go on by themselves. */
export const hasWorkingChildren = async (store: Pick<Store, 'openChildren'>, id: SessionId): Promise<boolean> =>
  (await store.openChildren(id)).some(({ isMission, isCancelled }) => isMission && !isCancelled);

/** What is stored with the end of a planner run, and what follows from it. */
export async function endOf(
  { store, clock, limits, random }: EndParts,
  session: SessionRecord,
  state: RunState,
  queue: PlannerQueue,
  runId: RunId,
  outcome: Exclude<LeafOutcome, { type: 'suspended' | 'stopped' }>,
) {
  switch (outcome.type) {
    case 'failed':
    case 'command_failed': {
      const failures = queue.failures + 1;
      const isLast = failures >= limits.tries;
      const base = limits.backoffMs[Math.min(failures - 1, limits.backoffMs.length - 1)] ?? 0;
      const retryAt = isLast ? null : clock.now() + Math.round(base * (0.5 + random()));
      const held = isLast && !session.isMission ? `the planner failed ${failures} times: ${outcome.error}` : null;
      const entry = held === null ? null : heldEntry(held);
      return { status: 'failed', error: outcome.error, keep: { failures, retryAt, held }, note: null, entry } as const;
    }
    case 'budget_exhausted':
      return { status: 'interrupted', error: `budget used up: ${outcome.budget}`, keep: {}, note: null, entry: null } as const;
    case 'claimed':
    case 'blocked':
    case 'command_unknown': {
      const verdict = session.isMission
        ? judgeTurn({
            state,
            hasOpenChildren: await hasWorkingChildren(store, session.id),
            hasNews: queue.notes.some((note) => note.urgent),
            hasMoved: queue.movedRun === runId,
            unmoved: queue.unmoved,
            blocker: queue.blocker,
          })
        : { unmoved: 0, blocker: null, note: null };
      const { unmoved, blocker, note } = verdict;
      return {
        status: 'completed',
        error: null,
        keep: { failures: 0, retryAt: null, unmoved, blocker },
        note,
        entry: null,
      } as const;
    }
    default:
      return unreachable(outcome);
  }
}

/** Tells a person that the planner is not woken until they do something. */
export const heldEntry = (reason: string): InboxDraft =>
  tellPerson({
    kind: 'blocker',
    title: 'The planner cannot go on',
    detail: reason,
  });
