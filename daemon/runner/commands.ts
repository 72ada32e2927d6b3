/** The port through which the outside changes sessions: handlers parse, call one of these, and answer. */
import type { Budget, InboxEntry, Outcome } from '../../shared/mission.js';
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { Author, ItemChange, SessionId } from '../../shared/plan.js';
import type { Explanation, Liveness, PlanRun, RunId } from '../../shared/run.js';
import type { Plan } from '../domain/plan.js';
import type { PlanDraft } from '../domain/plan-draft.js';
import type { RunState } from '../domain/run-state.js';
import type { Once } from '../store/store.js';
import type { SessionOrder } from './session-maker.js';

export interface EditRequest<T> {
  readonly sessionId: SessionId;
  readonly expectedVersion: number | undefined;
  readonly author: Author;
  readonly explanation: string | null;
  readonly once: Once | null;
  /** Edits the draft, or refuses; a refused draft is thrown away. Must be pure. */
  apply(draft: PlanDraft, state: RunState): Result<T>;
}

export interface EditAnswer<T> {
  readonly value: T;
  readonly plan: Plan;
  /** What changed, sections settled by it included; empty when nothing did. */
  readonly changes: readonly ItemChange[];
}

export interface SessionCommands {
  /** What of `session.create` and `mission.fire` is not the plan; that is written by `fill`. */
  create(
    order: SessionOrder,
    fill: (draft: PlanDraft) => Result<void>,
    author: Author,
    once: Once | null,
  ): Promise<Result<SessionId>>;
  rename(sessionId: SessionId, title: string): Promise<Result<void>>;
  delete(sessionId: SessionId): Promise<Result<void>>;
  edit<T>(request: EditRequest<T>): Promise<Result<EditAnswer<T>>>;
  start(
    sessionId: SessionId,
    options: { reset: boolean; planning: boolean | undefined; budget: Budget | undefined; once: Once | null },
  ): Promise<Result<PlanRun>>;
  pause(sessionId: SessionId, now: boolean): Promise<Result<PlanRun>>;
  cancel(sessionId: SessionId): Promise<Result<PlanRun>>;
  retry(sessionId: SessionId, guidance: string | null): Promise<Result<PlanRun>>;
  explain(sessionId: SessionId): Promise<Result<Explanation>>;
  liveness(sessionId: SessionId): Promise<Liveness>;
  /** Ends the chats that are under way or wait; gives how many. */
  cancelChats(sessionId: SessionId): Promise<Result<number>>;
  chat(sessionId: SessionId, text: string, once: Once | null): Promise<Result<RunId>>;
  draft(sessionId: SessionId, text: string | undefined, once: Once | null): Promise<Result<RunId>>;
  /** Ends a mission, once; the same outcome again changes nothing. */
  finish(sessionId: SessionId, outcome: Outcome, reason: string): Promise<Result<void>>;
  answer(id: string, answer: string): Promise<Result<InboxEntry>>;
  acknowledge(id: string): Promise<Result<InboxEntry>>;
}

/** What every command and handler answers for a session that is not there. */
export function notFound(sessionId: SessionId): Result<never> {
  return refuse('not_found', `There is no session ${sessionId}.`, { hint: 'List them with session.list (`cairn list`).' });
}

/** Refuses an edit of a mission that has ended, and one that was made for another version. */
export function mayEdit(state: RunState, expectedVersion: number | undefined): Result<void> {
  if (state.outcome !== null) {
    return refuse('invalid_state', `The mission has ended (${state.outcome}): its plan takes no change.`);
  }
  const { version } = state.plan;
  if (expectedVersion !== undefined && expectedVersion !== version) {
    return refuse('version_conflict', `The plan is at version ${version}, not ${expectedVersion}.`, {
      currentVersion: version,
      hint: 'Read the plan again, look at what changed, and repeat with the current version.',
    });
  }
  return ok(undefined);
}
