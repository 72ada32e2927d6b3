/** Chat: a turn with no leaf, or a word to the leaf that runs. It closes no item and changes no checkpoint. */
import { ok, refuse, type Result, unreachable } from '../../shared/errors.js';
import { planLimits, type SessionId } from '../../shared/plan.js';
import { itemAt } from '../../shared/plan-tree.js';
import type { Run, RunId } from '../../shared/run.js';
import { placesOf } from '../domain/plan.js';
import type { RunRef, RunState } from '../domain/run-state.js';
import type { LeafOutcome } from '../executors/executor.js';
import type { Provider } from '../providers/provider.js';
import type { Once, SessionRecord, Store } from '../store/store.js';
import type { ActiveRuns } from './active-runs.js';
import type { CarryOut } from './chat-run.js';
import { draftRequest } from '../agent/planner-prompts.js';
import { mayEdit, notFound } from './commands.js';
import { diesAlways, maxDeaths } from './deaths.js';
import { noModelReason } from './no-model.js';
import type { Planners } from './planners.js';
import type { Publisher } from './publisher.js';
import { keyUsed, type SessionStates } from './session-states.js';

export interface ChatParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly active: ActiveRuns;
  readonly carryOut: CarryOut;
  readonly planners: Planners;
  readonly publisher: Publisher;
  readonly provider: Provider;
  readonly newId: (prefix: string) => string;
  readonly onBug: (error: unknown, sessionId: SessionId) => void;
}

export interface Chats {
  send(sessionId: SessionId, text: string, once: Once | null): Promise<Result<RunId>>;
  /** Has the plan made, or refined as the text says. */
  draft(sessionId: SessionId, text: string | undefined, once: Once | null): Promise<Result<RunId>>;
  /** A chat that waited has all of its answers. False when the run is no chat. */
  wake(sessionId: SessionId, runId: RunId): Promise<boolean>;
  /** Ends the chats of a session that are under way or wait; gives how many. */
  cancel(sessionId: SessionId): Promise<number>;
  /** Takes up the chats that were under way when the daemon died, on their transcripts. */
  recover(): Promise<void>;
  /** Resolves when no chat turn is under way. */
  idle(): Promise<void>;
}

export function createChats(parts: ChatParts): Chats {
  const { store, states } = parts;
  const underWay = new Set<Promise<void>>();

  async function begin(
    session: SessionRecord,
    kind: 'chat' | 'planner',
    text: string,
    resumes: RunId | null,
    once: Once | null,
  ): Promise<Result<RunId>> {
    const id = parts.newId('r') as RunId;
    const events = await store.beginChat({ id, sessionId: session.id, kind, text, resumes }, once);
    if (events === null) return keyUsed();
    parts.publisher.committed({ sessionId: session.id, events });
    carryOut(session, id);
    return ok(id);
  }

  function carryOut(session: SessionRecord, runId: RunId): void {
    const turn = parts
      .carryOut(session, { runId }, 'chat', (ref, outcome) => finish(session.id, ref, outcome))
      .catch((error: unknown) => parts.onBug(error, session.id))
      .finally(() => underWay.delete(turn));
    underWay.add(turn);
  }

  async function finish(sessionId: SessionId, ref: RunRef, outcome: LeafOutcome): Promise<void> {
    // Stopped with the daemon: it stays open and is taken up at the next start.
    if (outcome.type === 'stopped') return;
    if (outcome.type === 'suspended') {
      const waiting = await store.suspendChat(ref, sessionId, outcome.entries);
      if (waiting !== null) parts.publisher.committed({ sessionId, ...waiting });
      return;
    }
    const error = errorOf(outcome);
    const events = await store.endChat(ref.runId, sessionId, error === null ? 'completed' : 'failed', error);
    parts.publisher.committed({ sessionId, events });
  }

  /** A resident planner's runs are the planner's; a draft in a session without one is a chat. */
  const isOwn = (run: Run, session: SessionRecord): boolean => run.kind === 'chat' || session.planner === 'never';

  const openChatsOf = async (session: SessionRecord): Promise<readonly Run[]> =>
    (await store.openChats()).filter((run) => run.sessionId === session.id && isOwn(run, session));

  const waits = async (run: Run): Promise<boolean> =>
    run.status === 'waiting' && (await store.inboxOfRun(run.id)).some((entry) => entry.state === 'open');

  return {
    async send(sessionId, text, once) {
      const fits = checkLength(text, planLimits.detail);
      if (!fits.ok) return fits;
      const session = await store.session(sessionId);
      const state = await states.read(sessionId);
      if (session === null || state === null) return notFound(sessionId);
      const running = runningLeaf(state);
      if (running !== null) {
        const steered = await steer(sessionId, text, once, running);
        // The run ended meanwhile: the words go to whoever is there now.
        return steered ?? this.send(sessionId, text, once);
      }
      if (parts.provider.describe() === null) return noModel();
      if (await parts.planners.hears(session)) return parts.planners.send(session, 'message', text, once);
      return begin(session, 'chat', text, null, once);
    },
    async draft(sessionId, text, once) {
      const fits = checkLength(text ?? '', longestDocument);
      if (!fits.ok) return fits;
      const session = await store.session(sessionId);
      const state = await states.read(sessionId);
      if (session === null || state === null) return notFound(sessionId);
      const allowed = mayEdit(state, undefined);
      if (!allowed.ok) return allowed;
      if (state.plan.goal === '' && state.plan.tree.length === 0 && (text ?? '').trim() === '') {
        return refuse('invalid_params', 'There is nothing to plan for: give the session a goal, or a text.', {
          issues: [{ path: 'text', message: 'a text, as the session has no goal' }],
        });
      }
      if (parts.provider.describe() === null) return noModel();
      const request = draftRequest(text, state.plan.tree.length > 0);
      if (await parts.planners.hears(session)) return parts.planners.send(session, 'draft', request, once);
      return begin(session, 'planner', request, null, once);
    },
    async wake(sessionId, runId) {
      const run = await store.run(runId);
      if (run === null || run.kind === 'leaf' || run.sessionId !== sessionId) return false;
      const session = await store.session(sessionId);
      if (session === null || !isOwn(run, session)) return false;
      if (await store.wakeChat(runId)) carryOut(session, runId);
      return true;
    },
    async cancel(sessionId) {
      const session = await store.session(sessionId);
      const chats = session === null ? [] : await openChatsOf(session);
      for (const { id } of chats) {
        parts.active.abort(id);
        await parts.active.ended(id);
        const events = await store.endChat(id, sessionId, 'cancelled', null);
        parts.publisher.committed({ sessionId, events, inbox: await store.inboxOfRun(id) });
      }
      return chats.length;
    },
    async recover() {
      for (const run of await store.openChats()) {
        const session = await store.session(run.sessionId);
        if (session === null || !isOwn(run, session) || (await waits(run))) continue;
        if (await diesAlways(store, run)) {
          const events = await store.endChat(run.id, run.sessionId, 'failed', `the daemon died ${maxDeaths} times in this chat`);
          parts.publisher.committed({ sessionId: run.sessionId, events });
          continue;
        }
        await begin(session, run.kind === 'planner' ? 'planner' : 'chat', '', run.id, null);
      }
    },
    async idle() {
      await Promise.all(underWay);
    },
  };

  /** Null when the run is no longer the one that words go to. */
  async function steer(sessionId: SessionId, text: string, once: Once | null, runId: RunId): Promise<Result<RunId> | null> {
    const added = await states.alongside(
      sessionId,
      async () => {
        const now = await states.read(sessionId);
        return now !== null && runningLeaf(now) === runId ? store.addSteering(sessionId, text, once, runId) : null;
      },
      (state, done) => (done === true ? { ...state, steering: state.steering + 1 } : state),
    );
    return added === null ? null : added ? ok(runId) : keyUsed();
  }
}

/** The leaf run that a word goes to: under way, or about to be tried again. A command hears no words: a chat answers them. */
function runningLeaf({ checkpoint, run, plan, ownership }: RunState): RunId | null {
  if (run === null || run.itemId !== checkpoint.currentItemId) return null;
  // The checks of a claim that `solo` made hear no words either.
  if (ownership.isSolo && run.claim !== null) return null;
  const place = placesOf(plan.tree).get(run.itemId);
  if (place !== undefined && itemAt(plan.tree, place)?.command !== undefined) return null;
  return checkpoint.status === 'running' || checkpoint.status === 'waiting' ? run.id : null;
}

/** A requirements document may be long; it is sent with every turn of the draft. Code points. */
const longestDocument = 100_000;

function checkLength(text: string, limit: number): Result<void> {
  const { length } = Array.from(text);
  if (length <= limit) return ok(undefined);
  return refuse('limit_exceeded', `The text has ${length} characters; at most ${limit} are taken.`, { hint: 'Shorten it.' });
}

function noModel(): Result<never> {
  return refuse('no_model', noModelReason);
}

/** Why a chat has no answer; null when it has one (a text that says BLOCKED is one, too). */
function errorOf(outcome: Exclude<LeafOutcome, { type: 'suspended' | 'stopped' }>): string | null {
  switch (outcome.type) {
    case 'failed':
    case 'command_failed':
      return outcome.error;
    case 'budget_exhausted':
      return `budget used up: ${outcome.budget}`;
    case 'claimed':
    case 'blocked':
    case 'command_unknown':
      return null;
    default:
      return unreachable(outcome);
  }
}
