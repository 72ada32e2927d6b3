/**
 * Whether there is anything left to spend: asked before each turn, so that none is begun beyond it. A session's budget holds
 * for all below it, so its ancestors are asked as well.
 */
import type { Budget } from '../../shared/mission.js';
import type { ItemId } from '../../shared/plan.js';
import type { Clock } from '../clock.js';
import type { InboxDraft, RunRef } from '../domain/run-state.js';
import type { Spent } from '../store/queries.js';
import type { SessionRecord, Store } from '../store/store.js';

const msPerMinute = 60_000;

export interface UsedUp {
  /** For people: `200 turns`, and whose budget it is when it is not the session's own. */
  readonly budget: string;
  readonly onExhausted: 'block' | 'ask';
}

/** The first budget that is used up; null while there is something left of each. `leafBudget`: for all runs of one item. */
export async function usedUp(
  store: Pick<Store, 'spending'>,
  session: SessionRecord,
  itemId: ItemId | null,
  leafBudget: Budget | null,
): Promise<UsedUp | null> {
  const { chain, leaf } = await store.spending(session.id, itemId);
  for (const { sessionId, title, budget, spent } of chain) {
    const gone = budget && exceeded(budget, spent);
    if (gone) {
      const whose = sessionId === session.id ? '' : ` of the session “${title}” above it`;
      return { budget: `${gone}${whose}`, onExhausted: sessionId === session.id ? (budget.onExhausted ?? 'block') : 'block' };
    }
  }
  const gone = leafBudget && leaf && exceeded(leafBudget, leaf);
  return gone ? { budget: `${gone} for one item (leafBudget in the configuration)`, onExhausted: 'block' } : null;
}

/** The budget with as much again of each kind that is used up. */
export function raise(budget: Budget, spent: Spent): Budget {
  const raised = { ...budget };
  for (const { kind, used } of kindsOf(spent)) {
    const limit = budget[kind];
    // Somebody who waited for an answer may have been far beyond it.
    if (limit !== undefined && used >= limit) raised[kind] = limit * (Math.floor(used / limit) + 1);
  }
  return raised;
}

/** What is held against each kind of a budget. Without a price nothing is known of the cost, and nothing is invented. */
const kindsOf = ({ turns, toolCalls, tokens, costUsd, activeMs }: Spent) =>
  [
    { kind: 'turns', name: 'turns', used: turns },
    { kind: 'toolCalls', name: 'tool calls', used: toolCalls },
    { kind: 'tokens', name: 'tokens', used: tokens },
    { kind: 'costUsd', name: 'US dollars', used: costUsd ?? 0 },
    { kind: 'minutes', name: 'minutes', used: activeMs / msPerMinute },
  ] as const;

/** The kind of a budget that is used up, with its limit: `200 turns`. */
function exceeded(budget: Budget, spent: Spent): string | null {
  for (const { kind, name, used } of kindsOf(spent)) {
    const limit = budget[kind];
    if (limit !== undefined && used >= limit) return `${limit} ${name}`;
  }
  return null;
}

/** A person has this long to raise a budget that asks. */
const raiseDeadlineMs = 3_600_000;

/**
 * The question whether a budget is to be raised, for one that asks; null when it does not, or when the answer was no: then
 * the leaf is blocked.
 */
export async function askToRaise(
  store: Pick<Store, 'inboxOfRun'>,
  clock: Pick<Clock, 'now'>,
  run: { readonly ref: RunRef; readonly itemId: ItemId | null },
  { budget, onExhausted }: UsedUp,
): Promise<InboxDraft | null> {
  if (onExhausted === 'block') return null;
  const asked = (await store.inboxOfRun(run.ref.runId)).filter((entry) => entry.kind === 'budget' && entry.detail === budget);
  if (asked.some((entry) => entry.state !== 'open' && entry.answer !== 'allow')) return null;
  return {
    kind: 'budget',
    title: 'The budget is used up. Raise it by as much again?',
    detail: budget,
    itemId: run.itemId,
    runId: run.ref.runId,
    effectId: null,
    tool: null,
    options: ['allow', 'deny'],
    default: 'deny',
    deadline: new Date(clock.now() + raiseDeadlineMs).toISOString(),
  };
}
