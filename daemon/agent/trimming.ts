/**
 * Decides what of a request that is too long is left out, in the order of `agent.md`: old large results, then the oldest
 * groups, then all but the newest. System prompt, digest, steps and task are not even looked at. Pure.
 */
import type { TrimState } from '../store/store.js';
import { flatten, messagesOf, type Arranged, type Group } from './context.js';
import { tokensOf } from './tokens.js';

export interface TrimPlan {
  readonly stage: 1 | 2 | 3;
  readonly state: TrimState;
  /** What goes, oldest first. */
  readonly dropped: readonly Group[];
}

export interface TrimInput {
  readonly arranged: Arranged;
  readonly state: TrimState;
  /** Tokens of what is sent besides messages: the tools. */
  readonly toolTokens: number;
  /** Tokens that the request may have. */
  readonly limit: number;
}

/** Results that are left as they are, counted from the newest. */
const newestResults = 4;
/** Down to this part of the limit, so that not every turn has to trim (and to break the provider's cache) again. */
const target = 0.7;
/** Survival keeps what fits in this part of the limit: the limit itself has just been proved wrong. */
const survivalTarget = 0.5;

const costOf = (group: Group, state: TrimState): number =>
  messagesOf(group, state).reduce((sum, message) => sum + tokensOf(message), 0);

export function tokensOfContext(arranged: Arranged, state: TrimState, toolTokens: number): number {
  return flatten(arranged, state).reduce((sum, message) => sum + tokensOf(message), toolTokens);
}

/** Null when the request fits, or when nothing can be left out. */
export function planTrim(input: TrimInput): TrimPlan | null {
  const { arranged, state, toolTokens, limit } = input;
  if (tokensOfContext(arranged, state, toolTokens) <= limit) return null;
  const elided = { ...state, resultsTo: Math.max(state.resultsTo, oldResultsTo(arranged)) };
  const isNew = elided.resultsTo > state.resultsTo;
  if (isNew && tokensOfContext(arranged, elided, toolTokens) <= limit) return { stage: 1, state: elided, dropped: [] };
  const plan = dropOldest(input, elided, limit * target, 2);
  if (plan.dropped.length > 0) return plan;
  return isNew ? { stage: 1, state: elided, dropped: [] } : null;
}

/** The provider itself said that the context is too long. Null when only what is never dropped is left. */
export function planSurvival(input: TrimInput): TrimPlan | null {
  const newest = input.arranged.transcript.at(-1)?.messages.at(-1)?.seq ?? 0;
  const elided = { ...input.state, resultsTo: Math.max(input.state.resultsTo, oldResultsTo(input.arranged), 1) };
  const plan = dropOldest(input, elided, input.limit * survivalTarget, 3);
  if (plan.dropped.length > 0) return plan;
  // Only the newest group is left: what is large in it goes as well.
  const state = { ...plan.state, resultsTo: Math.max(plan.state.resultsTo, newest) };
  const tokens = (of: TrimState): number => tokensOfContext(input.arranged, of, input.toolTokens);
  return tokens(state) < tokens(input.state) ? { ...plan, state } : null;
}

/**
 * Leaves the oldest groups out until the rest fits. The model's last turn stays, with its results and all that was said since:
 * what it has not seen yet is never what goes.
 */
function dropOldest({ arranged, toolTokens }: TrimInput, state: TrimState, limit: number, stage: 2 | 3): TrimPlan {
  const groups = [...arranged.conversation, ...arranged.transcript];
  let tokens = tokensOfContext(arranged, state, toolTokens);
  const lastTurn = groups.findLastIndex(({ from, messages }) => from === 'transcript' && messages[0]?.kind === 'assistant');
  const most = lastTurn < 0 ? groups.length - 1 : lastTurn;
  let count = 0;
  let droppedTo = state.droppedTo;
  // A word that came between a call and its results goes with them: it is below the mark as well.
  const goesAlong = (group: Group | undefined): boolean =>
    group?.from === 'transcript' && group.messages.every(({ seq }) => seq <= droppedTo);
  while (count < most && (tokens > limit || goesAlong(groups[count]))) {
    const group = groups[count++] as Group;
    tokens -= costOf(group, state);
    if (group.from === 'transcript') droppedTo = Math.max(droppedTo, ...group.messages.map(({ seq }) => seq));
  }
  const dropped = groups.slice(0, count);
  return {
    stage,
    dropped,
    state: {
      ...state,
      droppedTo,
      conversationDropped: state.conversationDropped + countConversation(arranged, count),
    },
  };
}

/** Messages of the conversation that go with its first `count` groups; results that were never stored are none. */
function countConversation({ conversation, earlier }: Arranged, count: number): number {
  const firstLeft = conversation[count]?.messages[0];
  return firstLeft === undefined ? earlier.length : earlier.indexOf(firstLeft);
}

/** The `seq` up to which results are old; 1 when only the conversation before the run has any. */
function oldResultsTo({ transcript, conversation }: Arranged): number {
  const results = transcript.flatMap(({ messages }) => messages.filter(({ kind }) => kind === 'tool'));
  const newestOld = results[results.length - newestResults - 1];
  if (newestOld !== undefined) return newestOld.seq;
  return conversation.some(({ messages }) => messages.length > 1) ? 1 : 0;
}
