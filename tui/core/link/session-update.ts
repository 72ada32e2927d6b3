/** The session that is shown, as the daemon tells of it: a snapshot, then changes by version; on a gap a new snapshot. */
import type { InboxEntry } from '../../../shared/mission.js';
import type { Item, SessionId } from '../../../shared/plan.js';
import type { Run } from '../../../shared/run.js';
import { outputLeftOut, type RunOutput, type SessionChanged, type Snapshot } from '../../../shared/session.js';
import { appendOutput, closeAll, emptyConversation, endRun, newBlock, startRun } from '../conversation/conversation.js';
import { arrive, pump } from '../plan/edit-queue.js';
import { call } from '../message.js';
import { keepCursor } from '../plan/plan-cursor.js';
import { changePlan, listedItem, planOf } from '../plan/plan-model.js';
import { askRevised } from '../conversation/revised.js';
import { firstEntry, isNews, openInbox } from '../popups/inbox.js';
import { missPart, readRun, runsKept, runsRead } from '../conversation/reading.js';
import { type Next, next, noEdits, patchSession, type SessionView, type State, tell, andThen, withSession } from '../state.js';
import { isOpen, nextLeaf } from '../../../shared/plan-tree.js';
import { wordOf } from '../glyphs.js';
import { endBlocks, runHead } from '../conversation/transcript.js';

const looking = { for: 'view' } as const;

/** Shows another session: its snapshot is asked for. */
export function openSession(state: State, sessionId: SessionId): Next {
  const leaving =
    state.session === null || state.session.session.id === sessionId
      ? []
      : [call('session.unwatch', { sessionId: state.session.session.id }, looking)];
  const kept = state.session?.session.id === sessionId ? state.session : null;
  return next({ ...state, wanted: sessionId, session: kept }, ...leaving, call('session.watch', { sessionId }, looking));
}

/** There is no session to show: what there is to begin with is found out. */
export function lookAround(state: State): Next {
  const looked = { ...state, isLookedUp: true };
  return state.daemon?.provider ? next(looked) : next(looked, { type: 'findServers' });
}

export function takeSnapshot(state: State, snapshot: Snapshot): Next {
  const { session, planRun, liveness, run, inbox } = snapshot;
  if (state.wanted !== session.id) return next(state);
  const plan = planOf(snapshot.items, session.planVersion);
  const old = state.session?.session.id === session.id ? state.session : null;
  const isUnderWay = run !== null && run.finishedAt === null;
  // What was missed of the plan is told as well.
  const told = old?.isResyncing === true ? old.revised.told : session.planVersion;
  const view: SessionView = {
    session,
    planRun,
    liveness,
    livenessAt: state.now,
    livenessAskedAt: state.now,
    run: workOf(run),
    runs: old?.runs ?? [],
    runsAskedAt: old?.runsAskedAt ?? 0,
    steps: old?.steps ?? [],
    inbox: openEntries(inbox),
    plan,
    planView: old ? keepCursor(old.plan, plan, old.planView) : firstLook(plan, planRun.currentItemId),
    conversation: old?.conversation ?? emptyConversation,
    conversationView: old?.conversationView ?? { top: null, cursor: null, turned: new Set() },
    earlier: old?.earlier ?? [],
    reads: old?.reads ?? [],
    reading: null,
    unlisted: old?.unlisted,
    isListing: false,
    // What it streamed before this moment was not heard.
    partlyHeard: new Map([...(old?.partlyHeard ?? []), ...(isUnderWay ? [[run.id, run.usage.turns] as const] : [])]),
    edits: old ? { ...old.edits, awaiting: 0 } : noEdits,
    revised: { told, asking: 'no' },
    isResyncing: false,
  };
  const shown: State = { ...state, session: view, isLookedUp: true, leftBecause: null };
  const readRuns = call('run.list', { sessionId: session.id, limit: runsRead }, looking);
  const shownWith = next(arrive(shown), readRuns, ...(isUnderWay ? askForSteps(run) : []));
  const revised = andThen(shownWith, (now) =>
    told < session.planVersion && old ? askRevised(old, now, [...plan.items.values()], []) : next(now),
  );
  return andThen(revised, pump);
}

function firstLook(plan: SessionView['plan'], current: SessionView['planView']['cursor']): SessionView['planView'] {
  return {
    cursor: current ?? nextLeaf(plan.tree)?.id ?? plan.listed[0]?.id ?? null,
    cursorRow: 4,
    folded: new Set(),
    search: '',
  };
}

const openEntries = (entries: readonly InboxEntry[]): InboxEntry[] => entries.filter((entry) => entry.state === 'open');

export function takeChange(state: State, change: SessionChanged): Next {
  const view = state.session;
  if (view?.session.id !== change.sessionId || view.isResyncing) return next(state);
  if (change.deleted)
    return lookAround(
      tell({ ...state, session: null, wanted: null, popup: null, prompt: null, leftBecause: deleted }, deleted, 'warn'),
    );
  if (change.snapshot) return takeSnapshot(state, change.snapshot);
  if (change.fromVersion !== undefined && change.fromVersion !== view.plan.version) {
    return next(patchSession(state, { isResyncing: true }), call('session.watch', { sessionId: change.sessionId }, looking));
  }
  const version = change.fromVersion === undefined ? view.plan.version : change.fromVersion + 1;
  const plan = changePlan(view.plan, change.items ?? [], change.removed ?? [], version);
  const told: SessionView = {
    ...view,
    session: change.session ?? view.session,
    planRun: change.planRun ?? view.planRun,
    ...(change.liveness ? { liveness: change.liveness, livenessAt: state.now } : {}),
    run: shownRun(view, change),
    runs: change.run ? withRun(view.runs, change.run) : view.runs,
    steps: shownRun(view, change)?.id === view.run?.id ? view.steps : [],
    conversation: change.run ? endTurn(view, change.run) : view.conversation,
    plan,
    planView: plan === view.plan ? view.planView : keepCursor(view.plan, plan, view.planView),
    inbox: change.inbox ? mergeInbox(view.inbox, change.inbox) : view.inbox,
  };
  const shown = change.items === undefined ? told : tellClosed(view, told, change.items);
  const changed = arrive(tellInbox({ ...state, session: shown }, view.inbox, shown.inbox));
  const followed = change.run ? followRun(changed, change.run) : next(changed);
  const revised = andThen(followed, (now) => askRevised(view, now, change.items ?? [], change.removed ?? []));
  return andThen(revised, pump);
}

/** The run that the plan is at; a chat beside it is not what runs, and a planner never is. */
function shownRun(view: SessionView, { run, planRun = view.planRun }: SessionChanged): Run | null {
  const isBeside = run?.kind === 'chat' && view.run !== null && view.run.id === planRun.lastRunId;
  return run === undefined || isBeside ? view.run : (workOf(run) ?? view.run);
}

const workOf = (run: Run | null): Run | null => (run?.kind === 'planner' ? null : run);

/** What the model says in its next turn is said anew. */
function endTurn({ conversation, runs }: SessionView, { id, usage }: Run): SessionView['conversation'] {
  const known = runs.find((run) => run.id === id)?.usage.turns ?? 0;
  return usage.turns > known ? closeAll(conversation, id, 'text') : conversation;
}

const deleted = 'The session was deleted.';

function withRun(runs: readonly Run[], run: Run): readonly Run[] {
  const index = runs.findIndex(({ id }) => id === run.id);
  return index < 0 ? [run, ...runs].slice(0, runsKept) : runs.with(index, run);
}

function mergeInbox(known: readonly InboxEntry[], changed: readonly InboxEntry[]): readonly InboxEntry[] {
  const ids = new Set(changed.map(({ id }) => id));
  return [...openEntries(changed), ...known.filter(({ id }) => !ids.has(id))];
}

/** What begins to wait for the person is said; when the last one was answered, the inbox closes. */
function tellInbox(state: State, before: readonly InboxEntry[], now: readonly InboxEntry[]): State {
  if (before === now) return state;
  const known = new Set(before.map(({ id }) => id));
  const fresh = now.filter(({ id }) => !known.has(id));
  const [asked] = fresh.filter((entry) => !isNews(entry));
  const ended = fresh.find(({ kind }) => kind === 'outcome');
  if (asked && state.popup?.kind !== 'inbox') return tell(state, `Waiting for you: ${asked.title} (i)`, 'warn');
  if (ended && state.popup === null) return tell(state, `${ended.title} (i)`);
  const seen = nextNews(state, before, now);
  if (seen !== null) return seen;
  if (now.length === 0 && state.popup?.kind === 'inbox' && state.popup.sent !== null)
    return tell({ ...state, popup: null }, 'Answered.', 'good');
  return state;
}

/**
 * What was only to be seen was seen: the next of its kind comes in its place, so that one key goes through them all. What asks
 * never comes by itself: a key that was meant for another entry would answer it.
 */
function nextNews(state: State, before: readonly InboxEntry[], now: readonly InboxEntry[]): State | null {
  const { popup } = state;
  if (popup?.kind !== 'inbox' || popup.sent === null || now.some(({ id }) => id === popup.sent)) return null;
  const seen = before.find(({ id }) => id === popup.sent);
  const next = firstEntry(now);
  if (seen === undefined || next === null || !isNews(seen) || !isNews(next)) return null;
  return { ...state, popup: openInbox(next, state.answers) };
}

/** Only a model that has taken a turn can keep steps. */
const askForSteps = (run: Run) =>
  run.kind === 'leaf' && run.usage.turns > 0 ? [call('run.steps', { runId: run.id }, looking)] : [];

/** A run began, went on or ended. */
function followRun(state: State, run: Run): Next {
  const { session } = state;
  if (session === null) return next(state);
  const steps = run.finishedAt === null ? askForSteps(run) : [];
  if (run.finishedAt === null) {
    const missedAt = session.partlyHeard.get(run.id);
    const isNews = missedAt === undefined && isOfOther(session, run) && state.chat.saying.length === 0;
    if (isNews) return readRun(missPart(state, run.id), run);
    // A turn ended: now the store has what was missed of it.
    return missedAt !== undefined && run.usage.turns > missedAt
      ? andThen(next(state, ...steps), (now) => readRun(now, run))
      : next(state, ...steps);
  }
  // What woke a planner, what it was told and why it revised the plan is not streamed.
  const isRead = session.partlyHeard.has(run.id) || isOfOther(session, run) || run.kind === 'planner';
  if (isRead) return readRun(state, run);
  return next(withSession(state, (view) => ({ conversation: tellEnd(view, run) })));
}

/** Words that this client did not say are told by nobody: they are read. */
const isOfOther = ({ conversation }: SessionView, { id, kind }: Run): boolean =>
  kind === 'chat' && conversation.blocks.findLast((block) => block.kind === 'you' && block.runId === id) === undefined;

function tellEnd(view: SessionView, run: Run): SessionView['conversation'] {
  const item = listedItem(view.plan, run.itemId);
  const head = runHead(run, item);
  const isNew = view.conversation.blocks.findLast(({ runId }) => runId === run.id) === undefined;
  const started = isNew && head !== '' ? startRun(view.conversation, run.id, run.itemId, head) : view.conversation;
  return endBlocks(run, item).reduce((conversation, block) => endRun(conversation, run.id, block), closeAll(started, run.id));
}

/** Items that were closed: the daemon tells of the run that follows in the same breath, not of the one that ended. */
function tellClosed(before: SessionView, now: SessionView, items: readonly Item[]): SessionView {
  const conversation = items.reduce((blocks, item) => {
    if (isOpen(item.status) || before.plan.items.get(item.id)?.status === item.status) return blocks;
    const runId = blocks.blocks.findLast((block) => block.itemId === item.id && block.runId !== null)?.runId ?? null;
    const tone = item.status === 'done' ? 'good' : 'dim';
    return runId === null ? blocks : endRun(blocks, runId, newBlock('end', { runId, itemId: item.id, head: wordOf(item), tone }));
  }, now.conversation);
  return conversation === now.conversation ? now : { ...now, conversation };
}

/** Of a run of which nothing is known yet, what it says tells whether it works at an item. */
function kindOf({ run, runs, session }: SessionView, { runId, itemId }: RunOutput): Run['kind'] {
  const known = run?.id === runId ? run : runs.find(({ id }) => id === runId);
  if (known !== undefined) return known.kind;
  if (itemId !== null) return 'leaf';
  return session.planner.state === 'running' ? 'planner' : 'chat';
}

/** Streamed output, as it comes. */
export function takeOutput(state: State, output: RunOutput): Next {
  const isCut = output.stream === 'notice' && output.text === outputLeftOut;
  const isHere = state.session?.session.id === output.sessionId;
  return next(
    withSession(isCut && isHere ? missPart(state, output.runId) : state, (view) => {
      if (view.session.id !== output.sessionId) return {};
      const item = listedItem(view.plan, output.itemId);
      const kind = kindOf(view, output);
      const attempt = view.run?.id === output.runId ? view.run.attempt : view.planRun.attempt;
      const conversation = appendOutput(view.conversation, output, runHead({ kind, attempt }, item));
      return { conversation };
    }),
    ...(isHere && output.stream === 'tool' && output.tool === 'plan'
      ? [call('run.steps', { runId: output.runId }, looking)]
      : []),
  );
}
