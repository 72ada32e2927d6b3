/** A planner that revises the plan while a person looks on: each revision is one line of the conversation. */
import type { Item, ItemId, Revision } from '../../../shared/plan.js';
import { call, type Call } from '../message.js';
import type { PlanModel } from '../plan/plan-model.js';
import { revisionWords } from '../missions/revision-words.js';
import { countsOf, mergeRevisions } from '../popups/revision-reading.js';
import { type Next, next, patchSession, type SessionView, type State, withSession } from '../state.js';
import { addBlock, newBlock } from './conversation.js';

/** Revisions that are told at once at most: of more the history tells. */
const toldAtOnce = 20;

/** Whether a change did more to the plan than a run does to the statuses of its items. */
function isReshaped(plan: PlanModel, items: readonly Item[], removed: readonly ItemId[]): boolean {
  return removed.length > 0 || items.some((item) => !isSameButStatus(item, plan.items.get(item.id)));
}

const byRun: ReadonlySet<string> = new Set(['status', 'claimed', 'accepted']);

function isSameButStatus(item: Item, before: Item | undefined): boolean {
  if (before === undefined) return false;
  const shapeOf = (one: Item): string => JSON.stringify(Object.entries(one).filter(([name]) => !byRun.has(name)));
  return shapeOf(item) === shapeOf(before);
}

/** Somebody other than a person may change the plan: its planner, or a model that talks. */
const mayBePlanned = ({ session, runs }: SessionView): boolean =>
  session.planner.state !== 'none' || runs.some(({ kind, finishedAt }) => kind !== 'leaf' && finishedAt === null);

/** The plan was changed, from what it is `before` on: who did it, and why, is asked for where it may have been a planner. */
export function askRevised(before: SessionView, state: State, items: readonly Item[], removed: readonly ItemId[]): Next {
  const { session, popup } = state;
  if (session === null || !isReshaped(before.plan, items, removed)) return next(state);
  if (!mayBePlanned(before) && !mayBePlanned(session) && popup?.kind !== 'revisions') return next(state);
  const { revised } = session;
  if (revised.asking !== 'no') return next(patchSession(state, { revised: { ...revised, asking: 'again' } }));
  return next(patchSession(state, { revised: { ...revised, asking: 'once' } }), readNewest(session));
}

const readNewest = ({ session }: SessionView): Call =>
  call('plan.history', { sessionId: session.id, statusOnly: false, limit: toldAtOnce }, { for: 'revised' });

/** The newest revisions have come (newest first): what a planner made of them and was not told yet is told. */
export function takeRevised(state: State, revisions: readonly Revision[]): Next {
  const { session } = state;
  if (session === null || session.revised.asking === 'no') return next(state);
  const { told, asking } = session.revised;
  const fresh = revisions.filter(({ version, author }) => version > told && author === 'planner').toReversed();
  const conversation = fresh.reduce(
    (blocks, revision) =>
      addBlock(blocks, newBlock('notice', { lines: [`plan revised ${revisionWords(countsOf(revision), state.glyphs)}`] })),
    session.conversation,
  );
  const shown = patchSession(mergeRevisions(state, revisions), {
    conversation,
    revised: { told: Math.max(told, revisions[0]?.version ?? 0), asking: asking === 'again' ? 'once' : 'no' },
  });
  return next(shown, ...(asking === 'again' ? [readNewest(session)] : []));
}

/** They could not be read: with the next change they are asked for again. */
export const missRevised = (state: State): State =>
  withSession(state, ({ revised }) => ({ revised: { ...revised, asking: 'no' } }));
