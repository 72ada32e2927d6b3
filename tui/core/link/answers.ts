/** What the daemon answered, and what it refused. */
import type { MethodName } from '../../../shared/contract.js';
import type { Revision, SessionId } from '../../../shared/plan.js';
import { addBlock, linesOf, newBlock } from '../conversation/conversation.js';
import { edited, editRefused, enqueue, isFree, stopUndo, takeBack } from '../plan/edit-queue.js';
import type { Intent } from '../plan/edits.js';
import { remember } from '../conversation/chat-line.js';
import { editorOf, emptyEditor } from '../text/line-editor.js';
import { type Answered, call, type Call, type Msg, type Purpose, reasonOf } from '../message.js';
import { ask } from '../popups/confirm.js';
import { explainPopup } from '../popups/explain.js';
import {
  detailRefused,
  isOfDetail,
  takeDiff,
  takeEffects,
  takeHistory,
  takeItemRuns,
  takeReceipts,
} from '../popups/detail-reading.js';
import { takeTree, treeRefused } from '../popups/missions.js';
import { reportRefused, takeReport } from '../popups/report.js';
import { isOfRevisions, revisionsRefused, takeRevisionDiff, takeRevisions } from '../popups/revision-reading.js';
import { sessionsRefused, takeSessions } from '../popups/sessions.js';
import { missRevised, takeRevised } from '../conversation/revised.js';
import {
  failEarlierRuns,
  missPart,
  readRun,
  refreshRuns,
  skipTranscript,
  takeEarlierRuns,
  takeRuns,
  takeTranscript,
} from '../conversation/reading.js';
import { lookAround, openSession, takeSnapshot } from './session-update.js';
import { type Next, next, patchSession, type PromptKind, type State, tell, withSession } from '../state.js';
import { countOf } from '../text/text.js';

export function answered(state: State, answer: Answered): Next {
  const { purpose } = answer;
  if (purpose.for === 'edit') return edited(state, answer);
  const { session } = state;
  if (!isOfShown(state, answer.method, answer.params)) {
    const isCut = purpose.for === 'run' && purpose.andThen !== undefined;
    return next(isCut ? tell(state, 'The run was cancelled. Its plan was not cleared, because you left it.', 'warn') : state);
  }
  switch (answer.method) {
    case 'session.list': {
      if (purpose.for === 'popup') return takeSessions(state, answer);
      const [newest] = answer.result.sessions;
      return newest ? openSession(state, newest.id) : lookAround(state);
    }
    case 'session.watch':
      return takeSnapshot(state, answer.result);
    case 'session.create':
      return created(state, answer.result.id);
    case 'run.list':
      if (purpose.for === 'popup') return takeItemRuns(state, answer);
      if (purpose.for === 'earlier') return takeEarlierRuns(state, answer.params.cursor, answer.result);
      return purpose.for === 'runs' ? refreshRuns(state, answer.result.runs) : takeRuns(state, answer.result);
    case 'run.transcript':
      return takeTranscript(state, answer.params.runId, answer.result.messages);
    case 'run.steps':
      return next(withSession(state, (view) => (view.run?.id === answer.params.runId ? { steps: answer.result.steps } : {})));
    case 'run.get': {
      const { liveness, ...planRun } = answer.result;
      return next(patchSession(state, { planRun, liveness, livenessAt: state.now }));
    }
    case 'run.explain': {
      const { result } = answer;
      if (session === null) return next(state);
      if (!result.wouldStart) return next(tell(state, result.reason, 'warn'));
      const popup = explainPopup(result, session.session.id);
      if (popup === null) return next(state, call('run.start', { sessionId: session.session.id }, { for: 'run' }));
      if (!isFree(state)) return next(tell(state, 'There is something to know before it runs: r shows it.', 'warn'));
      return next({ ...state, popup });
    }
    case 'run.receipts':
      return next(takeReceipts(state, answer));
    case 'run.effects':
      return next(takeEffects(state, answer));
    case 'plan.history':
      if (purpose.for === 'undo') return undoWith(state, answer.result.revisions, purpose);
      if (purpose.for === 'revised') return takeRevised(state, answer.result.revisions);
      return state.popup?.kind === 'revisions' ? next(takeRevisions(state, answer)) : takeHistory(state, answer);
    case 'plan.diff':
      return next(state.popup?.kind === 'revisions' ? takeRevisionDiff(state, answer) : takeDiff(state, answer));
    case 'plan.draft':
      return next(drafted(state, answer.params.text ?? ''));
    case 'mission.tree':
      return takeTree(state, answer);
    case 'report.summary':
      return next(takeReport(state, answer));
    case 'chat.send':
      return said(state, purpose, answer);
    case 'run.retry':
      return next(isAskedBy(state, 'guidance') ? { ...state, prompt: null } : state);
    case 'inbox.answer':
    case 'inbox.ack':
      return next(withoutDraft(state, answer.params.id));
    case 'run.cancel':
      return purpose.for === 'run' && purpose.andThen ? enqueue(state, purpose.andThen) : next(state);
    // Their effect is told to every watcher.
    default:
      return next(state);
  }
}

/** An answer that arrived need not be kept any more. */
function withoutDraft(state: State, id: string): State {
  return { ...state, answers: new Map([...state.answers].filter(([entry]) => entry !== id)) };
}

/** Methods whose answer is for a session that is not shown (yet), or that look after it themselves. */
const anywhere: ReadonlySet<MethodName> = new Set([
  'session.watch',
  'session.unwatch',
  'session.list',
  'session.create',
  'chat.send',
  // Of a tree that stands above the session.
  'mission.tree',
]);

/** What was asked for a session that was left meanwhile is answered to nobody: ids are the same in every plan. */
function isOfShown({ session }: State, method: MethodName, params: object): boolean {
  if (anywhere.has(method) || !('sessionId' in params)) return true;
  return session !== null && params.sessionId === session.session.id;
}

/** The prompt that waits for an answer; the person may have left it, and be in another one. */
const isAskedBy = ({ prompt }: State, kind: PromptKind['kind']): boolean => prompt?.isSent === true && prompt.about.kind === kind;

/** A new session is shown, unless the person has gone on to write something in this one. */
function created(state: State, id: SessionId): Next {
  if (isAskedBy(state, 'newSession')) return openSession({ ...state, prompt: null }, id);
  return isFree(state) ? openSession(state, id) : next(tell(state, 'The new session is there: S shows it.', 'good'));
}

/** The planner has its order: what it does shows in the conversation. Words that stood in the line have been used. */
function drafted(state: State, text: string): State {
  const { chat } = state;
  const isUsed = text !== '' && chat.editor.text === text;
  const line = isUsed ? { ...chat, editor: emptyEditor, at: null, history: remember(chat.history, text) } : chat;
  const told = tell({ ...state, chat: line }, 'The planner has it: the conversation shows what it does.', 'good');
  return isAskedBy(state, 'draft') ? { ...told, prompt: null } : told;
}

/** Words that arrived: they stand in the conversation, and can be called back in the line. */
function said(state: State, purpose: Purpose, answer: Extract<Answered, { method: 'chat.send' }>): Next {
  if (purpose.for !== 'say') return next(state);
  const { chat } = state;
  const { text } = answer.params;
  const { runId } = answer.result;
  const saying = chat.saying.filter(({ key }) => key !== purpose.key);
  const heard: State = { ...state, chat: { ...chat, saying } };
  // The session may have been left meanwhile.
  if (heard.session?.session.id !== answer.params.sessionId) return next(heard);
  const added = withSession(heard, ({ conversation, run }) => ({
    conversation: addBlock(conversation, newBlock('you', { runId, itemId: run?.itemId ?? null, lines: linesOf(text) })),
  }));
  if (!purpose.isAgain) return next(added);
  const told = missPart(added, runId);
  // What was answered meanwhile is read; where the runs are not listed yet, with their list.
  const run = told.session?.runs.find(({ id }) => id === runId);
  return run === undefined ? next(told) : readRun(told, run);
}

/** Taking back by an earlier version takes back all that came after it: said before it is done. */
function undoWith(state: State, revisions: readonly Revision[], { entry, seen }: Extract<Purpose, { for: 'undo' }>): Next {
  const { session } = state;
  if (session === null) return next(state);
  const mine = entry?.after ?? revisions.find(({ author }) => author === 'person')?.version;
  if (mine === undefined) return stopUndo(tell(state, 'There is nothing to take back.'));
  const later = revisions.filter(({ version }) => version > mine);
  const all: readonly Intent[] = entry?.back ?? [{ kind: 'revert', version: mine - 1, seen }];
  const back = all.map((intent) => (intent.kind === 'revert' ? { ...intent, seen } : intent));
  if (entry !== null && later.length === 0) return takeBack(state, back, entry);
  if (!isFree(state)) return stopUndo(tell(state, 'There is something to know before it is taken back: u shows it.', 'warn'));
  const revision = revisions.find(({ version }) => version === mine);
  const what = entry?.what ?? describe(revision);
  const popup = ask(
    'Take it back?',
    [
      { text: `The last change of a person: ${what}.`, tone: 'strong' },
      ...(later.length > 0
        ? [{ text: `${countOf(later.length, 'later change')} of others would be taken back with it.`, tone: 'warn' as const }]
        : []),
      { text: 'Done work stays done.', tone: 'dim' },
    ],
    { key: 'y', label: 'Take it back', does: { type: 'intents', intents: back, takesBack: entry } },
  );
  return stopUndo({ ...state, popup });
}

function describe(revision: Revision | undefined): string {
  if (revision === undefined) return 'an earlier one';
  const { added, removed, changed, version, explanation } = revision;
  const parts = [
    [added.length, 'added'],
    [removed.length, 'removed'],
    [changed.length, 'changed'],
  ] as const;
  const counted = parts.filter(([n]) => n > 0).map(([n, word]) => `${countOf(n, 'item')} ${word}`);
  return `version ${version}, ${explanation ?? counted.join(', ')}`;
}

export function refused(state: State, { call: asked, error }: Extract<Msg, { type: 'refused' }>): Next {
  const { purpose, method, params } = asked;
  const reason = reasonOf(error);
  const isLost = error.kind === 'connection_lost';
  if (purpose.for !== 'edit' && !isOfShown(state, method, params)) {
    // Only what the person asked for is worth telling elsewhere.
    return next(purpose.for === 'run' ? tell(state, `In the session that you left: ${reason}`, 'warn') : state);
  }
  switch (purpose.for) {
    case 'edit':
      return editRefused(state, params, error);
    case 'say':
      return next(isLost ? state : putBack(state, purpose.key, reason));
    case 'prompt': {
      const { prompt } = state;
      if (prompt === null || !isAskedBy(state, asksBy(method))) return next(tell(state, reason, 'bad'));
      const { key, ...other } = prompt;
      const told = isLost ? 'The connection was lost: Enter sends it again.' : reason;
      // What was refused was not done: sent again it is another one.
      return next({
        ...state,
        prompt: { ...other, isSent: false, error: told, ...(isLost && key !== undefined ? { key } : {}) },
      });
    }
    case 'popup':
      return next(popupFailed(state, asked, reason));
    case 'undo':
      return stopUndo(tell(state, isLost ? 'The connection was lost: nothing was taken back.' : reason, isLost ? 'warn' : 'bad'));
    case 'run':
      return next(
        tell(
          state,
          isLost ? 'The connection was lost: whether it was done shows when it is back.' : reason,
          isLost ? 'warn' : 'bad',
        ),
      );
    case 'runs':
      return next(state);
    case 'revised':
      return next(missRevised(state));
    case 'earlier':
      return next(failEarlierRuns(state, reason));
    case 'view':
      return viewRefused(state, method, params, error.kind, reason);
  }
}

/** The prompt whose answer a method carries. */
function asksBy(method: MethodName): PromptKind['kind'] {
  if (method === 'plan.draft') return 'draft';
  return method === 'run.retry' ? 'guidance' : 'newSession';
}

function viewRefused(state: State, method: Call['method'], params: Call['params'], kind: string, reason: string): Next {
  if (kind === 'connection_lost') return next(state);
  if (method === 'run.transcript') return 'runId' in params ? skipTranscript(state, params.runId) : next(state);
  if (method === 'session.watch') {
    if (!('sessionId' in params) || params.sessionId !== state.wanted) return next(state);
    if (kind !== 'not_found') return next(tell(patchSession(state, { isResyncing: false }), reason, 'bad'));
    const gone = tell({ ...state, wanted: null, session: null, isLookedUp: true, popup: null, prompt: null }, reason, 'bad');
    return lookAround(gone);
  }
  // Steps and liveness are asked for again by themselves.
  return method === 'run.steps' || method === 'run.get' || method === 'session.unwatch'
    ? next(state)
    : next(tell(state, reason, 'bad'));
}

/** Told in the popup that asked, if it is still there. */
function popupFailed(state: State, asked: Call, error: string): State {
  const { popup } = state;
  const { params } = asked;
  if (popup?.kind === 'inbox' && 'id' in params && params.id === popup.sent)
    return { ...state, popup: { ...popup, sent: null, error } };
  if (isOfRevisions(state, asked)) return revisionsRefused(state, asked, error);
  if (asked.method === 'mission.tree') return treeRefused(state, asked, error);
  if (asked.method === 'report.summary') return reportRefused(state, asked, error);
  if (isOfDetail(asked)) return detailRefused(state, asked, error);
  if (asked.method === 'session.list') return sessionsRefused(state, asked, error);
  return tell(state, error, 'bad');
}

/** Words that were refused go back to where they were written. */
function putBack(state: State, key: string, reason: string): State {
  const { chat } = state;
  const words = chat.saying.find((one) => one.key === key);
  const saying = chat.saying.filter((one) => one.key !== key);
  const text = [words?.text ?? '', chat.editor.text].filter((part) => part !== '').join('\n');
  return tell({ ...state, chat: { ...chat, saying, editor: editorOf(text) } }, reason, 'bad');
}
