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
  const view: SessionView = {
    session,
    planRun,
    liveness,
    livenessAt: state.now,
    livenessAskedAt: state.now,
    run,
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
    isResyncing: false,
  };
  const shown: State = { ...state, session: view, isLookedUp: true, leftBecause: null };
  const readRuns = call('run.list', { sessionId: session.id, limit: runsRead }, looking);
  return andThen(next(arrive(shown), readRuns, ...(isUnderWay ? askForSteps(run) : [])), pump);
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
  return andThen(followed, pump);
}

/** The run that the plan is at; a chat beside it is not what runs. */
function shownRun(view: SessionView, { run, planRun = view.planRun }: SessionChanged): Run | null {
  const isBeside = run?.kind === 'chat' && view.run !== null && view.run.id === planRun.lastRunId;
  return run === undefined || isBeside ? view.run : run;
}

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
  const fresh = now.find(({ id, kind }) => !known.has(id) && kind !== 'outcome');
  if (fresh && state.popup?.kind !== 'inbox') return tell(state, `Waiting for you: ${fresh.title} (i)`, 'warn');
  if (now.length === 0 && state.popup?.kind === 'inbox' && state.popup.sent !== null)
    return tell({ ...state, popup: null }, 'Answered.', 'good');
  return state;
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
  if (session.partlyHeard.has(run.id) || isOfOther(session, run)) return readRun(state, run);
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

/** Streamed output, as it comes. */
export function takeOutput(state: State, output: RunOutput): Next {
  const isCut = output.stream === 'notice' && output.text === outputLeftOut;
  const isHere = state.session?.session.id === output.sessionId;
  return next(
    withSession(isCut && isHere ? missPart(state, output.runId) : state, (view) => {
      if (view.session.id !== output.sessionId) return {};
      const item = listedItem(view.plan, output.itemId);
      const kind = view.run?.id === output.runId ? view.run.kind : output.itemId === null ? 'chat' : 'leaf';
      const attempt = view.run?.id === output.runId ? view.run.attempt : view.planRun.attempt;
      const conversation = appendOutput(view.conversation, output, runHead({ kind, attempt }, item));
      return { conversation };
    }),
    ...(isHere && output.stream === 'tool' && output.tool === 'plan'
      ? [call('run.steps', { runId: output.runId }, looking)]
      : []),
  );
}
