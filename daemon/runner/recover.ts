/**
 * What start-up does with what was under way when the last daemon ended: every session that is not at rest gets exactly
 * one fate, before the first client is answered.
 */
import type { SessionId } from '../../shared/plan.js';
import type { Clock } from '../clock.js';
import { decide } from '../domain/run-transition.js';
import type { RunLimits } from '../domain/run-state.js';
import type { Store } from '../store/store.js';
import type { Answers } from './answers.js';
import type { Chats } from './chats.js';
import type { Deadlines } from './deadlines.js';
import type { Planners } from './planners.js';
import type { SessionStates } from './session-states.js';

export interface RecoverParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly answers: Answers;
  readonly chats: Chats;
  readonly planners: Planners;
  readonly deadlines: Deadlines;
  readonly clock: Clock;
  readonly limits: RunLimits;
  /** Ends what the dead daemon's commands left running. */
  readonly reapGuards: () => Promise<void>;
}

export async function recover(parts: RecoverParts): Promise<readonly SessionId[]> {
  await parts.reapGuards();
  const sessions = await parts.store.sessionsNotAtRest();
  for (const sessionId of sessions) await recoverSession(parts, sessionId);
  // Chats first: a deadline that passed wakes one, and it would be taken for one that the dead daemon carried out.
  await parts.chats.recover();
  await parts.planners.recover();
  await recoverDeadlines(parts);
  return sessions;
}

async function recoverSession({ store, states, answers, clock, limits }: RecoverParts, sessionId: SessionId): Promise<void> {
  const state = await states.claim(sessionId);
  if (state === null) return;
  const input = { now: clock.now(), limits, author: 'runner', explanation: null } as const;
  if (state.checkpoint.status === 'running') {
    await states.change(sessionId, (current) => decide(current, [{ type: 'owner_died' }], input));
  } else if (state.checkpoint.status === 'waiting' && state.run !== null) {
    // The daemon may have died between an answer and what follows from it.
    const open = (await store.inboxOfRun(state.run.id)).some((entry) => entry.state === 'open');
    if (!open) await answers.settle(sessionId, state.run.id);
  }
}

async function recoverDeadlines({ store, answers, deadlines, clock }: RecoverParts): Promise<void> {
  for (const { id, deadline } of await store.openDeadlines()) {
    if (Date.parse(deadline) <= clock.now()) await answers.expire(id);
    else deadlines.watch(id, deadline);
  }
}
