/** Answers to what waits for a person: each entry once, from anybody, or by its deadline. */
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { InboxEntry } from '../../shared/mission.js';
import type { SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import { decide } from '../domain/run-transition.js';
import type { RunLimits } from '../domain/run-state.js';
import type { Store } from '../store/store.js';
import type { Deadlines } from './deadlines.js';
import type { Publisher } from './publisher.js';
import type { SessionStates } from './session-states.js';

export interface AnswerParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly publisher: Publisher;
  readonly deadlines: Pick<Deadlines, 'forget'>;
  readonly clock: Clock;
  readonly limits: RunLimits;
  /** A budget that was used up gets as much again. */
  readonly raiseBudget: (sessionId: SessionId, what: string) => Promise<void>;
  /** Lets a chat that waited go on. False when the run is no chat. */
  readonly wakeChat: (sessionId: SessionId, runId: RunId) => Promise<boolean>;
}

export interface Answers {
  answer(id: string, answer: string): Promise<Result<InboxEntry>>;
  acknowledge(id: string): Promise<Result<InboxEntry>>;
  /** Somebody raised the budget otherwise: whoever waits to hear about it goes on. */
  budgetRaised(sessionId: SessionId): Promise<void>;
  /** Applies an entry's default; nothing when it has an answer already. */
  expire(id: string): Promise<void>;
  /** Lets a waiting run go on when nothing that it asked is open any more. */
  settle(sessionId: SessionId, runId: RunId): Promise<void>;
}

export function createAnswers(parts: AnswerParts): Answers {
  const { store, states, publisher } = parts;

  async function settle(sessionId: SessionId, runId: RunId): Promise<void> {
    const entries = await store.inboxOfRun(runId);
    if (entries.some((entry) => entry.state === 'open' && takesAnswer(entry))) return;
    if (await parts.wakeChat(sessionId, runId)) return;
    const input = { now: parts.clock.now(), limits: parts.limits, author: 'person', explanation: null } as const;
    await states.change(sessionId, (state) => decide(state, [{ type: 'answered', runId }], input));
  }

  async function close(entry: InboxEntry, answer: string, state: 'answered' | 'expired'): Promise<Result<InboxEntry>> {
    const closed = await store.answerInbox(entry.id, answer, state);
    if (closed === null) return alreadyClosed(entry.id, (await store.inboxEntry(entry.id))?.state ?? 'gone');
    parts.deadlines.forget(entry.id);
    if (answer === 'always') {
      for (const { tool, subject } of await store.approvalCalls(entry.id))
        await store.grantAlways(entry.sessionId, tool, subject);
    }
    if (entry.kind === 'budget' && answer === 'allow') await parts.raiseBudget(entry.sessionId, entry.detail);
    publisher.committed({ sessionId: entry.sessionId, events: closed.events, inbox: [closed.entry] });
    if (entry.runId !== null) await settle(entry.sessionId, entry.runId);
    return ok(closed.entry);
  }

  return {
    settle,
    async answer(id, answer) {
      const entry = await store.inboxEntry(id);
      if (entry === null) return noEntry(id);
      if (!takesAnswer(entry)) {
        return refuse('invalid_state', `A ${entry.kind} takes no answer.`, {
          hint: 'Acknowledge it with inbox.ack; go on with run.retry or run.start.',
        });
      }
      if (entry.state !== 'open') return alreadyClosed(id, entry.state);
      if (entry.kind !== 'question' && !entry.options.includes(answer)) {
        return refuse(
          'invalid_params',
          `${entry.kind === 'budget' ? 'A budget' : 'An approval'} is answered with ${entry.options.join(', ')}.`,
          {
            issues: [{ path: 'answer', message: `one of ${entry.options.join(', ')}` }],
          },
        );
      }
      return close(entry, answer, 'answered');
    },
    async acknowledge(id) {
      const entry = await store.inboxEntry(id);
      if (entry === null) return noEntry(id);
      if (takesAnswer(entry)) {
        return refuse('invalid_state', `A ${entry.kind} needs an answer.`, { hint: 'Use inbox.answer.' });
      }
      const acked = await store.ackInbox(id);
      if (acked === null) return alreadyClosed(id, entry.state);
      publisher.committed({ sessionId: entry.sessionId, events: acked.events, inbox: [acked.entry] });
      return ok(acked.entry);
    },
    async budgetRaised(sessionId) {
      const { rows } = await store.inbox({ sessionId, state: 'open' }, { limit: 100, cursor: null });
      // The list of a session has what is asked below it, too; their budgets are their own.
      const own = rows.filter((entry) => entry.kind === 'budget' && entry.sessionId === sessionId);
      for (const { id, runId, options } of own) {
        const closed = options.length > 0 ? await store.answerInbox(id, 'allow', 'answered') : await store.ackInbox(id);
        if (closed === null) continue;
        parts.deadlines.forget(id);
        publisher.committed({ sessionId, events: closed.events, inbox: [closed.entry] });
        if (runId !== null) await settle(sessionId, runId);
      }
    },
    async expire(id) {
      const entry = await store.inboxEntry(id);
      if (entry?.state === 'open') await close(entry, entry.default ?? 'deny', 'expired');
    },
  };
}

/** A budget that asks waits for its answer; one that blocked is only told. */
const takesAnswer = ({ kind, options }: InboxEntry): boolean =>
  kind === 'approval' || kind === 'question' || (kind === 'budget' && options.length > 0);

const noEntry = (id: string): Result<never> =>
  refuse('not_found', `There is no inbox entry ${id}.`, { hint: 'List them with inbox.list (`cairn inbox`).' });

const alreadyClosed = (id: string, state: string): Result<never> =>
  refuse('invalid_state', `The entry ${id} is ${state}: it takes no further answer.`);
