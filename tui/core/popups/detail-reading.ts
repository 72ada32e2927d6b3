/** Reading what the details of an item show: when they open, and page by page as far as it is shown. */
import type { MethodName } from '../../../shared/contract.js';
import type { Revision } from '../../../shared/plan.js';
import type { Effect, Run } from '../../../shared/run.js';
import { type Answered, call, type Call } from '../message.js';
import { type Next, next, type State } from '../state.js';
import type { DetailPopup, DetailTab, ItemRevision, ReadChange } from './popup.js';

type AnswerTo<M extends Answered['method']> = Extract<Answered, { method: M }>;

const purpose = { for: 'popup' } as const;
/** Rows of one answer: what a page costs is bounded by it. */
const runsRead = 50;
const effectsOfRuns = 10;
const revisionsRead = 1_000;
/** A leaf that runs makes two or three revisions, so these reach over thousands of leaves. */
const pagesRead = 10;
/** What each of them changed is a call of its own. */
const changesShown = 50;

/** What the popup shows is asked for when it opens. */
export function readDetail({ session }: State, { itemId }: DetailPopup): Call[] {
  if (session === null) return [];
  const sessionId = session.session.id;
  return [
    call('run.receipts', { sessionId, itemId }, purpose),
    call('run.list', { sessionId, itemId, limit: runsRead }, purpose),
    call('plan.history', { sessionId, limit: revisionsRead }, purpose),
  ];
}

function withDetail(state: State, change: (popup: DetailPopup) => Partial<DetailPopup>): State {
  const { popup } = state;
  return popup?.kind === 'detail' ? { ...state, popup: { ...popup, ...change(popup) } } : state;
}

const cutIn = ({ cut }: DetailPopup, ...tabs: readonly DetailTab[]): ReadonlySet<DetailTab> => new Set([...cut, ...tabs]);

export function takeReceipts(state: State, { params, result }: AnswerTo<'run.receipts'>): State {
  return withDetail(state, ({ itemId }) => (itemId === params.itemId ? { receipts: result.receipts } : {}));
}

/** The runs of the item have come; the tool calls of the newest of them are read. */
export function takeItemRuns(state: State, { params, result: { runs, nextCursor } }: AnswerTo<'run.list'>): Next {
  const { popup } = state;
  if (popup?.kind !== 'detail' || popup.itemId !== params.itemId || popup.runs !== null) return next(state);
  const read = runs.slice(0, effectsOfRuns);
  const cut = cutIn(
    popup,
    ...(nextCursor === null ? [] : (['runs', 'effects'] as const)),
    ...(runs.length > read.length ? (['effects'] as const) : []),
  );
  const shown: DetailPopup = { ...popup, runs, cut, ...(runs.length === 0 ? { effects: [] } : {}) };
  return next({ ...state, popup: shown }, ...read.map(({ id }) => call('run.effects', { runId: id }, purpose)));
}

/** Each call once: a run that goes on with another one has the calls of both. */
export function takeEffects(state: State, { params, result }: AnswerTo<'run.effects'>): State {
  return withDetail(state, ({ runs, effects }) => {
    if (!isOfItem(runs, params.runId)) return {};
    const known = new Set(effects?.map(({ id }) => id));
    const more = result.effects.filter(({ id }: Effect) => !known.has(id));
    return effects !== null && more.length === 0 ? {} : { effects: [...(effects ?? []), ...more] };
  });
}

/** An answer may be for a popup that was left. */
const isOfItem = (runs: readonly Run[] | null, runId: string): boolean => runs?.some(({ id }) => id === runId) === true;

/** A page of the history has come: the revisions of it that touched the item are shown, and what each of them did is read. */
export function takeHistory(state: State, { params, result: { revisions, nextCursor } }: AnswerTo<'plan.history'>): Next {
  const { popup } = state;
  if (popup?.kind !== 'detail' || popup.history === null || popup.history.cursor !== (params.cursor ?? null)) return next(state);
  const { sessionId } = params;
  const before = popup.changes ?? [];
  const all = revisions.filter((revision) => isTouched(revision, popup));
  const touching = all.slice(0, changesShown - before.length);
  const isFull = before.length + touching.length >= changesShown;
  const goesOn = nextCursor !== null && !isFull && popup.history.page < pagesRead;
  const isCut = all.length > touching.length || (nextCursor !== null && !goesOn);
  const shown: DetailPopup = {
    ...popup,
    changes: [...before, ...touching.map((revision): ItemRevision => ({ revision, change: { state: 'reading' } }))],
    history: goesOn ? { cursor: nextCursor, page: popup.history.page + 1 } : null,
    cut: isCut ? cutIn(popup, 'changes') : popup.cut,
  };
  return next(
    { ...state, popup: shown },
    ...touching.map(({ version }) => call('plan.diff', { sessionId, from: version - 1, to: version }, purpose)),
    ...(goesOn ? [call('plan.history', { sessionId, limit: revisionsRead, cursor: nextCursor }, purpose)] : []),
  );
}

const isTouched = ({ added, removed, changed }: Revision, { itemId }: DetailPopup): boolean =>
  [added, removed, changed].some((ids) => ids.includes(itemId));

export function takeDiff(state: State, { params, result: { added, removed, changed } }: AnswerTo<'plan.diff'>): State {
  return withDetail(state, (popup) => {
    const { itemId } = popup;
    const made = added.find(({ id }) => id === itemId);
    const gone = removed.find(({ id }) => id === itemId);
    const change =
      changed.find(({ id }) => id === itemId) ??
      (made ? { id: itemId, before: null, after: made } : gone ? { id: itemId, before: gone, after: null } : null);
    return withChange(popup, params.to, { state: 'read', change });
  });
}

function withChange({ changes }: DetailPopup, version: number, change: ReadChange): Partial<DetailPopup> {
  const index = changes?.findIndex(({ revision }) => revision.version === version) ?? -1;
  const known = changes?.[index];
  if (changes === null || known === undefined || known.change.state === 'read') return {};
  return { changes: changes.with(index, { ...known, change }) };
}

const detailMethods: ReadonlySet<MethodName> = new Set(['run.receipts', 'run.list', 'run.effects', 'plan.history', 'plan.diff']);

/** What is read for the details: nobody misses it when they are left. */
export const isOfDetail = ({ method }: Call): boolean => detailMethods.has(method);

/** What could not be read is told where it would stand. */
export function detailRefused(state: State, { method, params }: Call, reason: string): State {
  return withDetail(state, (popup) => {
    const failed = (...tabs: readonly DetailTab[]): Partial<DetailPopup> => ({
      errors: new Map([...popup.errors, ...tabs.map((tab) => [tab, reason] as const)]),
    });
    switch (method) {
      case 'run.receipts':
        return params.itemId === popup.itemId ? failed('receipts') : {};
      case 'run.list':
        return params.itemId === popup.itemId ? failed('runs', 'effects') : {};
      case 'run.effects':
        return isOfItem(popup.runs, params.runId) ? failed('effects') : {};
      case 'plan.history':
        return (params.cursor ?? null) === popup.history?.cursor ? { ...failed('changes'), history: null } : {};
      case 'plan.diff':
        return withChange(popup, params.to, { state: 'refused', reason });
      // Nothing else is read for them.
      default:
        return {};
    }
  });
}
