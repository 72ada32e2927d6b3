/** Reading the revisions of the plan: page by page as one goes down, and what the one that is opened changed. */
import type { MethodName } from '../../../shared/contract.js';
import type { Revision } from '../../../shared/plan.js';
import { type Answered, call, type Call } from '../message.js';
import { type Next, next, type State } from '../state.js';
import type { ReadDiff, RevisionsPopup } from './popup.js';

type AnswerTo<M extends Answered['method']> = Extract<Answered, { method: M }>;

const purpose = { for: 'popup' } as const;
const pageLength = 200;

export const emptyRevisions: RevisionsPopup = {
  kind: 'revisions',
  revisions: null,
  chosen: null,
  reading: { cursor: null },
  unread: null,
  error: null,
  open: null,
};

/** A page of them, from the newest (null) or from where the page before ended; those in which only statuses changed are left out. */
export function readRevisions({ session }: State, cursor: string | null): Call[] {
  if (session === null) return [];
  const params = { sessionId: session.session.id, statusOnly: false as const, limit: pageLength };
  return [call('plan.history', { ...params, ...(cursor === null ? {} : { cursor }) }, purpose)];
}

/** What a revision changed, against the plan before it. */
export function readRevision({ session }: State, version: number): Call[] {
  if (session === null) return [];
  return [call('plan.diff', { sessionId: session.session.id, from: version - 1, to: version }, purpose)];
}

/** The next page, unless one is on its way or there is none. */
export function readOlder(state: State, popup: RevisionsPopup): Next {
  const { unread, reading } = popup;
  if (unread === null || reading !== null) return next({ ...state, popup });
  return next({ ...state, popup: { ...popup, reading: { cursor: unread } } }, ...readRevisions(state, unread));
}

/** A page has come. It may be for a popup that was left. */
export function takeRevisions(state: State, { params, result }: AnswerTo<'plan.history'>): State {
  const { popup } = state;
  if (popup?.kind !== 'revisions' || !isAwaited(popup, params.cursor)) return state;
  const revisions = merge(popup.revisions ?? [], result.revisions);
  return { ...state, popup: { ...popup, revisions, reading: null, unread: result.nextCursor, error: null } };
}

/** The newest ones, read while the popup is open, come on top of it. */
export function mergeRevisions(state: State, newest: readonly Revision[]): State {
  const { popup } = state;
  if (popup?.kind !== 'revisions' || popup.revisions === null) return state;
  return { ...state, popup: { ...popup, revisions: merge(popup.revisions, newest) } };
}

/** Each once, newest first. */
function merge(known: readonly Revision[], more: readonly Revision[]): readonly Revision[] {
  const byVersion = new Map([...known, ...more].map((revision) => [revision.version, revision]));
  return [...byVersion.values()].sort((one, other) => other.version - one.version);
}

const isAwaited = ({ reading }: RevisionsPopup, cursor: string | undefined): boolean =>
  reading !== null && reading.cursor === (cursor ?? null);

export const takeRevisionDiff = (state: State, { params, result }: AnswerTo<'plan.diff'>): State =>
  withDiff(state, params.to, { state: 'read', diff: result });

function withDiff(state: State, version: number, diff: ReadDiff): State {
  const { popup } = state;
  if (popup?.kind !== 'revisions' || popup.open?.version !== version || popup.open.diff.state === 'read') return state;
  return { ...state, popup: { ...popup, open: { ...popup.open, diff } } };
}

const readMethods: ReadonlySet<MethodName> = new Set(['plan.history', 'plan.diff']);

/** What is read for the revisions while they are shown. */
export const isOfRevisions = ({ popup }: State, { method }: Call): boolean =>
  popup?.kind === 'revisions' && readMethods.has(method);

/** What could not be read is told where it would stand. */
export function revisionsRefused(state: State, { method, params }: Call, reason: string): State {
  const { popup } = state;
  if (popup?.kind !== 'revisions') return state;
  if (method === 'plan.diff') return withDiff(state, params.to, { state: 'refused', reason });
  if (method !== 'plan.history' || !isAwaited(popup, params.cursor)) return state;
  return { ...state, popup: { ...popup, reading: null, error: reason } };
}

/** Of how many items it tells, and why it was made. */
export const countsOf = ({ added, removed, changed, explanation }: Revision) => ({
  added: added.length,
  removed: removed.length,
  changed: changed.length,
  explanation,
});
