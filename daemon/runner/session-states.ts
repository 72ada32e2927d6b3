/**
 * The states of sessions in memory, each changed by one command at a time. The store stays the truth: a state is kept
 * only while this daemon is the owner, and a commit that somebody else forestalled loads again and decides anew.
 */
import pLimit from 'p-limit';
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';
import type { Decision, RunEffect, RunState } from '../domain/run-state.js';
import type { CallEnd, Once, Store } from '../store/store.js';
import { notFound } from './commands.js';
import type { Publisher } from './publisher.js';

/** Sessions at rest that stay in memory; more are loaded when they are needed. */
const kept = 256;
const decideTries = 5;

export interface Changed {
  readonly decision: Decision;
  /** False when nothing had to be stored. */
  readonly stored: boolean;
}

export class SessionStates {
  readonly #states = new Map<SessionId, RunState>();
  readonly #queues = new Map<SessionId, { limit: ReturnType<typeof pLimit>; users: number }>();
  readonly #claimed = new Set<SessionId>();

  constructor(
    private readonly store: Store,
    private readonly publisher: Publisher,
    private readonly perform: (sessionId: SessionId, effects: readonly RunEffect[]) => void,
  ) {}

  /** One at a time for each session, in the order of the calls. */
  async exclusively<T>(sessionId: SessionId, work: () => Promise<T>): Promise<T> {
    let queue = this.#queues.get(sessionId);
    if (queue === undefined) {
      queue = { limit: pLimit(1), users: 0 };
      this.#queues.set(sessionId, queue);
    }
    queue.users += 1;
    try {
      return await queue.limit(work);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) this.#queues.delete(sessionId);
    }
  }

  /** The state as it is now; null for a session that is not there. */
  async read(sessionId: SessionId): Promise<RunState | null> {
    return this.#states.get(sessionId) ?? (await this.#load(sessionId));
  }

  /** Makes this daemon the owner, once: commits of an older owner are refused from now on. */
  async claim(sessionId: SessionId): Promise<RunState | null> {
    if (this.#claimed.has(sessionId)) return this.read(sessionId);
    return this.exclusively(sessionId, async () => {
      if (this.#claimed.has(sessionId)) return this.read(sessionId);
      const state = await this.store.claim(sessionId);
      if (state === null) return null;
      this.#claimed.add(sessionId);
      this.#keep(sessionId, state);
      return state;
    });
  }

  /**
   * Decides on the current state, commits, publishes, and then performs what follows from it. `endOf`: the result of the
   * call that asks for it, committed with it; a refusal for its sake has a `reason` (`unseen`, `not_current`) in its data.
   */
  change(
    sessionId: SessionId,
    decide: (state: RunState) => Result<Decision>,
    once: Once | null = null,
    endOf: ((decision: Decision) => CallEnd) | null = null,
  ): Promise<Result<Changed>> {
    return this.exclusively(sessionId, () => this.#change(sessionId, decide, once, endOf));
  }

  /** Does something to a session in the store that its state must know of, with no command in between. */
  alongside<T>(sessionId: SessionId, work: () => Promise<T>, note: (state: RunState, result: T) => RunState): Promise<T> {
    return this.exclusively(sessionId, async () => {
      const result = await work();
      const state = this.#states.get(sessionId);
      if (state !== undefined) this.#keep(sessionId, note(state, result));
      return result;
    });
  }

  forget(sessionId: SessionId): void {
    this.#states.delete(sessionId);
    this.#claimed.delete(sessionId);
  }

  async #change(
    sessionId: SessionId,
    decide: (state: RunState) => Result<Decision>,
    once: Once | null,
    endOf: ((decision: Decision) => CallEnd) | null,
  ): Promise<Result<Changed>> {
    for (let tries = 0; tries < decideTries; tries++) {
      const state = await this.read(sessionId);
      if (state === null) return notFound(sessionId);
      const decided = decide(state);
      if (!decided.ok) return decided;
      const decision = decided.value;
      if (isEmpty(decision) && once === null && endOf === null) {
        // Nothing to store is not nothing to do: a session found running after a restart only has to be woken.
        this.perform(sessionId, decision.effects);
        return ok({ decision, stored: false });
      }
      const committed = await this.store.commit(decision, once, endOf?.(decision));
      if (!committed.ok) {
        const { reason } = committed;
        if (reason === 'key_used') return keyUsed();
        if (reason === 'not_current') return refuse('invalid_state', 'The run has ended.', { reason });
        if (reason === 'unseen') return refuse('version_conflict', 'The plan has changed since it was last seen.', { reason });
        this.#states.delete(sessionId);
        continue;
      }
      this.#keep(sessionId, decision.state);
      this.publisher.committed({
        sessionId,
        events: committed.events,
        inbox: committed.inbox,
        ...(decision.plan ? { plan: { fromVersion: decision.expected.version, items: decision.plan.items } } : {}),
      });
      this.perform(sessionId, decision.effects);
      return ok({ decision, stored: true });
    }
    return refuse('version_conflict', 'The session kept changing while this was decided. Read it again and repeat.');
  }

  async #load(sessionId: SessionId): Promise<RunState | null> {
    const state = await this.store.loadState(sessionId);
    if (state !== null) this.#keep(sessionId, state);
    return state;
  }

  /** Most recently used last; the oldest that nobody works on goes when there are too many. */
  #keep(sessionId: SessionId, state: RunState): void {
    this.#states.delete(sessionId);
    this.#states.set(sessionId, state);
    if (this.#states.size <= kept) return;
    for (const id of this.#states.keys()) {
      if (this.#queues.has(id)) continue;
      this.#states.delete(id);
      return;
    }
  }
}

/** Two calls with the same key at once: the other one was carried out. */
export function keyUsed(): Result<never> {
  return refuse('invalid_state', 'Another call with this idempotencyKey was carried out at the same moment.', {
    hint: 'Repeat the call with the same key to get what that one made.',
  });
}

function isEmpty(decision: Decision): boolean {
  return (
    decision.plan === null &&
    decision.checkpoint === null &&
    decision.finished === null &&
    decision.runs.length + decision.inbox.length + decision.withdraw.length + decision.events.length + decision.notes.length === 0
  );
}
