/** What the daemon answered, and what it refused. */
import type { Revision } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { Session } from '../../shared/session.js';
import { addBlock, linesOf, newBlock } from './conversation.js';
import { edited, editRefused, enqueue, takeBack } from './edit-queue.js';
import type { Intent, UndoEntry } from './edits.js';
import { editorOf } from './line-editor.js';
import { type Answered, call, type Call, type Msg, type Purpose } from './message.js';
import { ask } from './popups/confirm.js';
import { explainPopup } from './popups/explain.js';
import type { DetailPopup } from './popups/popup.js';
import { refreshRuns, skipTranscript, takeRuns, takeTranscript } from './reading.js';
import { openSession, takeSnapshot } from './session-update.js';
import { type Next, next, patchSession, type State, tell, withSession } from './state.js';
import { countOf } from './text.js';

export function answered(state: State, answer: Answered): Next {
  const { purpose } = answer;
  if (purpose.for === 'edit') return edited(state, answer);
  const { session } = state;
  const isOurs = !('sessionId' in answer.params) || session === null || answer.params.sessionId === session.session.id;
  switch (answer.method) {
    case 'session.list': {
      if (purpose.for === 'popup') return next(withSessions(state, answer.result.sessions));
      const [newest] = answer.result.sessions;
      return newest ? openSession(state, newest.id) : lookAround(state);
    }
    case 'session.watch':
      return takeSnapshot(state, answer.result);
    case 'session.create':
      return openSession({ ...state, prompt: null, focus: 'plan', tab: 'plan' }, answer.result.id);
    case 'run.list':
      if (!isOurs) return next(state);
      if (purpose.for === 'popup')
        return readEffects(
          withDetail(state, (popup) => (popup.itemId === answer.params.itemId ? { runs: answer.result.runs } : {})),
          answer.result.runs.map(({ id }) => id),
        );
      return purpose.for === 'runs' ? refreshRuns(state, answer.result.runs) : takeRuns(state, answer.result.runs);
    case 'run.transcript':
      return takeTranscript(state, answer.params.runId, answer.result.messages);
    case 'run.steps':
      return next(withSession(state, (view) => (view.run?.id === answer.params.runId ? { steps: answer.result.steps } : {})));
    case 'run.get': {
      const { liveness, ...planRun } = answer.result;
      return next(isOurs ? patchSession(state, { planRun, liveness, livenessAt: state.now }) : state);
    }
    case 'run.explain': {
      const { result } = answer;
      if (!isOurs || session === null) return next(state);
      if (!result.wouldStart) return next(tell(state, result.reason, 'warn'));
      const popup = explainPopup(result, session.session.id);
      return popup === null
        ? next(state, call('run.start', { sessionId: session.session.id }, { for: 'run' }))
        : next({ ...state, popup });
    }
    case 'run.receipts':
      return next(
        withDetail(state, (popup) => (popup.itemId === answer.params.itemId ? { receipts: answer.result.receipts } : {})),
      );
    case 'run.effects':
      return next(withDetail(state, (popup) => ({ effects: [...(popup.effects ?? []), ...answer.result.effects] })));
    case 'plan.history':
      if (purpose.for === 'undo') return undoWith(state, answer.result.revisions, purpose.entry);
      return readChanges(state, answer.result.revisions);
    case 'plan.diff':
      return next(withDetail(state, (popup) => withChange(popup, answer.params.to, answer.result)));
    case 'chat.send':
      return next(said(state, purpose, answer));
    case 'run.retry':
      return next({ ...state, prompt: null });
    case 'inbox.answer':
    case 'inbox.ack':
      return next(state);
    case 'run.cancel':
      return purpose.for === 'run' && purpose.andThen ? enqueue(state, purpose.andThen) : next(state);
    // Their effect is told to every watcher.
    default:
      return next(state);
  }
}

/** The folder has no session: what there is to begin with is found out. */
function lookAround(state: State): Next {
  const looked = { ...state, isLookedUp: true };
  return state.daemon?.provider ? next(looked) : next(looked, { type: 'findServers' });
}

function withSessions(state: State, sessions: readonly Session[]): State {
  return state.popup?.kind === 'sessions' ? { ...state, popup: { ...state.popup, sessions } } : state;
}

function withDetail(state: State, change: (popup: DetailPopup) => Partial<DetailPopup>): State {
  const { popup } = state;
  return popup?.kind === 'detail' ? { ...state, popup: { ...popup, ...change(popup) } } : state;
}

const effectsOfRuns = 10;

/** The tool calls of the newest runs of the item. */
function readEffects(state: State, runIds: readonly RunId[]): Next {
  if (state.popup?.kind !== 'detail') return next(state);
  const cmds = runIds.slice(0, effectsOfRuns).map((runId) => call('run.effects', { runId }, { for: 'popup' }));
  return next(cmds.length === 0 ? withDetail(state, () => ({ effects: [] })) : state, ...cmds);
}

const changesShown = 25;

/** The revisions that touched the item; what each of them did is read. */
function readChanges(state: State, revisions: readonly Revision[]): Next {
  const { popup, session } = state;
  if (popup?.kind !== 'detail' || session === null) return next(state);
  const { itemId } = popup;
  const touching = revisions
    .filter(({ added, removed, changed }) => [added, removed, changed].some((ids) => ids.includes(itemId)))
    .slice(0, changesShown);
  const sessionId = session.session.id;
  return next(
    withDetail(state, () => ({ changes: touching.map((revision) => ({ revision, change: null })) })),
    ...touching.map(({ version }) => call('plan.diff', { sessionId, from: version - 1, to: version }, { for: 'popup' })),
  );
}

type Diff = Extract<Answered, { method: 'plan.diff' }>['result'];

function withChange(popup: DetailPopup, version: number, { added, removed, changed }: Diff): Partial<DetailPopup> {
  const { itemId } = popup;
  const made = added.find(({ id }) => id === itemId);
  const gone = removed.find(({ id }) => id === itemId);
  const change =
    changed.find(({ id }) => id === itemId) ??
    (made ? { id: itemId, before: null, after: made } : gone ? { id: itemId, before: gone, after: null } : null);
  if (popup.changes === null || change === null) return {};
  return { changes: popup.changes.map((one) => (one.revision.version === version ? { ...one, change } : one)) };
}

/** Words that arrived: they stand in the conversation, and can be called back in the line. */
function said(state: State, purpose: Purpose, answer: Extract<Answered, { method: 'chat.send' }>): State {
  if (purpose.for !== 'say') return state;
  const { chat } = state;
  const { text } = answer.params;
  const { runId } = answer.result;
  const saying = chat.saying.filter(({ key }) => key !== purpose.key);
  const told = withSession({ ...state, chat: { ...chat, saying } }, (view) => ({
    conversation: addBlock(view.conversation, newBlock('you', { runId, itemId: view.run?.itemId ?? null, lines: linesOf(text) })),
  }));
  return told;
}

/** Taking back by an earlier version takes back all that came after it: said before it is done. */
function undoWith(state: State, revisions: readonly Revision[], entry: UndoEntry | null): Next {
  const { session } = state;
  if (session === null) return next(state);
  const mine = entry?.after ?? revisions.find(({ author }) => author === 'person')?.version;
  if (mine === undefined) return next(tell(state, 'There is nothing to take back.'));
  const later = revisions.filter(({ version }) => version > mine);
  const back: readonly Intent[] = entry?.back ?? [{ kind: 'revert', version: mine - 1 }];
  const rest = patchSession(state, { edits: { ...session.edits, undo: session.edits.undo.slice(0, -1) } });
  if (entry !== null && later.length === 0) return takeBack(tell(rest, `Taken back: ${entry.what}.`, 'good'), back);
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
    { key: 'y', label: 'Take it back', does: { type: 'intents', intents: back } },
  );
  return next({ ...state, popup });
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

export function refused(state: State, { call: { purpose, method, params }, error }: Extract<Msg, { type: 'refused' }>): Next {
  const reason = error.hint === null ? error.message : `${error.message} ${error.hint}`;
  const isLost = error.kind === 'connection_lost';
  switch (purpose.for) {
    case 'edit':
      return editRefused(state, error);
    case 'say':
      return next(isLost ? state : putBack(state, purpose.key, reason));
    case 'prompt': {
      const { prompt } = state;
      return next(
        prompt === null
          ? tell(state, reason, 'bad')
          : {
              ...state,
              prompt: { ...prompt, isSent: false, error: isLost ? 'The connection was lost: Enter sends it again.' : reason },
            },
      );
    }
    case 'popup':
      return next(popupFailed(state, reason));
    case 'run':
    case 'undo':
      return next(
        tell(
          state,
          isLost ? 'The connection was lost: whether it was done shows when it is back.' : reason,
          isLost ? 'warn' : 'bad',
        ),
      );
    case 'runs':
      return next(state);
    case 'view':
      return viewRefused(state, method, params, error.kind, reason);
  }
}

function viewRefused(state: State, method: Call['method'], params: Call['params'], kind: string, reason: string): Next {
  if (kind === 'connection_lost') return next(state);
  if (method === 'run.transcript') return skipTranscript(state);
  if (method === 'session.watch' && 'sessionId' in params) {
    const gone = tell({ ...state, wanted: null, session: null, isLookedUp: true }, reason, 'bad');
    return lookAround(gone);
  }
  // Steps and liveness are asked for again by themselves.
  return method === 'run.steps' || method === 'run.get' || method === 'session.unwatch'
    ? next(state)
    : next(tell(state, reason, 'bad'));
}

function popupFailed(state: State, error: string): State {
  const { popup } = state;
  if (popup?.kind === 'inbox') return { ...state, popup: { ...popup, sent: null, error } };
  if (popup?.kind === 'detail' || popup?.kind === 'sessions') return { ...state, popup: { ...popup, error } };
  return tell(state, error, 'bad');
}

/** Words that were refused go back to where they were written. */
function putBack(state: State, key: string, reason: string): State {
  const { chat } = state;
  const words = chat.saying.find((one) => one.key === key);
  const saying = chat.saying.filter((one) => one.key !== key);
  const text = [words?.text ?? '', chat.editor.text].filter((part) => part !== '').join('\n');
  return tell({ ...state, chat: { ...chat, saying, editor: editorOf(text) }, focus: 'line' }, reason, 'bad');
}
