/** Edits on their way: one after the other, each worked out against the plan as it then is. */
import { unreachable } from '../../../shared/errors.js';
import type { Item } from '../../../shared/plan.js';
import { type Intent, type Target, type UndoEntry, undoOf, workOut } from './edits.js';
import { keepText, textOf } from './kept-texts.js';
import { type Answered, call, type Call, reasonOf, type Refused } from '../message.js';
import { emptyEditor } from '../text/line-editor.js';
import { listedItem } from './plan-model.js';
import { askClear, askClose, askRemove, askRestore, askWhichText, underWay } from './questions.js';
import {
  type Edit,
  type Edits,
  type SentEdit,
  type Next,
  next,
  patchSession,
  type SessionView,
  type State,
  tell,
  andThen,
} from '../state.js';
import { countOf } from '../text/text.js';

/** Meeting another version again and again means that something changes faster than a person can. */
const triesLimit = 5;
const undoLimit = 100;

const targetOf = (view: SessionView): Target => ({
  sessionId: view.session.id,
  goal: view.session.goal,
  plan: view.plan,
  running: underWay(view),
});
const withEdits = (state: State, view: SessionView, patch: Partial<Edits>): State =>
  patchSession(state, { edits: { ...view.edits, ...patch } });

export function enqueue(state: State, intents: readonly Intent[], isUndo = false): Next {
  const { session } = state;
  if (session === null) return next(state);
  return pump(withEdits(state, session, { queue: [...session.edits.queue, ...editsOf(intents, isUndo)] }));
}

const editsOf = (intents: readonly Intent[], isUndo: boolean, undoes: UndoEntry | null = null): Edit[] =>
  intents.map((intent) => ({ intent, isUndo, undoes, tries: 0 }));

/** Sends the next edit, if none is under way and the plan has come to where the last one left it. */
export function pump(state: State): Next {
  const { session, link } = state;
  if (session === null || link.state !== 'open') return next(state);
  const { queue, current, awaiting } = session.edits;
  if (current !== null || session.plan.version < awaiting) return next(state);
  const before = targetOf(session);
  const index = queue.findIndex(({ intent }) => !isForLater(state, intent, before));
  const edit = queue[index];
  if (edit === undefined) return next(queue.length > 0 ? tellOfQuestion(state) : state);
  const rest = queue.toSpliced(index, 1);
  const worked = workOut(edit.intent, before);
  const dropped = withEdits(state, session, { queue: rest });
  switch (worked.outcome) {
    case 'call':
      return next(withEdits(state, session, { queue: rest, current: { ...edit, before } }), worked.call);
    case 'nothing':
      return pump(useUp(closePrompt(dropped, edit.intent), edit));
    case 'gone':
      return andThen(fail(dropped, edit, 'The item is gone: somebody removed it meanwhile.'), pump);
    case 'conflict':
      return pump(meetConflict(dropped, edit.intent, worked.theirs));
    case 'changed':
      return pump(askAgain(dropped, session, edit.intent));
    case 'undo':
      return takeLastBack(dropped, { ...edit, intent: { kind: 'undo' }, before });
    default:
      return unreachable(worked);
  }
}

/** It needs an answer of a person who is in a popup or writes something else: asked now, it would take keys not meant for it. */
function isForLater(state: State, intent: Intent, target: Target): boolean {
  if (isFree(state) || isAskedBy(state, intent)) return false;
  const { outcome } = workOut(intent, target);
  return outcome === 'conflict' || outcome === 'changed';
}

/** A question would take no key that was meant for something else. */
export const isFree = ({ popup, prompt, focus }: State): boolean => popup === null && prompt === null && focus !== 'line';

/** Whoever writes in the line is told that there is something to decide; nothing is put over what they write. */
const tellOfQuestion = (state: State): State =>
  state.focus === 'line' && state.popup === null && state.prompt === null
    ? tell(state, 'There is something to decide about the plan: Esc shows it.', 'warn')
    : state;

/** What waited for the person to be free is asked now. */
export const askWhenFree = (before: State, step: Next): Next => {
  return !isFree(before) && isFree(step.state) ? andThen(step, pump) : step;
};

/** An edit of a session that was left meanwhile is answered to nobody. */
const isOf = ({ session }: SessionView, params: object): boolean => 'sessionId' in params && params.sessionId === session.id;

/** An edit was carried out. */
export function edited(state: State, answer: Answered): Next {
  const { session } = state;
  const edit = session?.edits.current;
  if (session === null || !edit || !isOf(session, answer.params)) return next(state);
  const result = answer.result as { version: number; changed: readonly Item[]; removed: readonly string[]; item?: Item };
  const didSomething = result.changed.length > 0 || result.removed.length > 0 || edit.intent.kind === 'goal';
  const entry = edit.isUndo || !didSomething ? null : undoOf(edit.intent, edit.before, result.version, result.item ?? null);
  const undo = entry === null ? session.edits.undo : [...session.edits.undo, entry].slice(-undoLimit);
  const cursorTo = edit.intent.kind === 'add' ? (result.item?.id ?? null) : session.edits.cursorTo;
  const settled = withEdits(state, session, { current: null, awaiting: result.version, undo, cursorTo });
  const done = edit.isUndo ? null : doneWords(edit.intent, result.removed.length, didSomething);
  const told = done === null ? settled : tell(settled, done, 'good');
  return pump(useUp(arrive(edit.intent.kind === 'add' ? told : closePrompt(told, edit.intent)), edit));
}

/** What is said of an edit that may have done much; null where it shows by itself. */
function doneWords(intent: Intent, removed: number, didSomething: boolean): string | null {
  if (intent.kind === 'clear' || intent.kind === 'remove') return `${countOf(removed, 'item')} removed. u takes it back.`;
  if (intent.kind !== 'restore') return null;
  return didSomething
    ? `The plan is again what it was at version ${intent.version}. u takes it back.`
    : `The plan is what it was at version ${intent.version}: nothing had to be changed.`;
}

/** A new item has come: the cursor goes to it, and the next one can be written below it. */
export function arrive(state: State): State {
  const { session, prompt } = state;
  const id = session?.edits.cursorTo ?? null;
  if (session === null || id === null) return state;
  const isThere = session.plan.items.has(id);
  // It may have gone again in the same breath.
  if (!isThere && session.plan.version < session.edits.awaiting) return state;
  const planView = isThere ? { ...session.planView, cursor: id } : session.planView;
  const there = withEdits(patchSession(state, { planView }), session, { cursorTo: null });
  if (prompt?.about.kind !== 'add' || !prompt.isSent) return there;
  const about = isThere ? { ...prompt.about, afterId: id } : prompt.about;
  return { ...there, prompt: { about, editor: emptyEditor, error: null, isSent: false } };
}

/** An edit was refused, or nobody knows whether it was carried out. */
export function editRefused(state: State, params: Call['params'], error: Refused): Next {
  const { session } = state;
  const current = session?.edits.current;
  if (session === null || !current || !isOf(session, params)) return next(state);
  const { before: _before, ...edit } = current;
  const { queue } = session.edits;
  if (error.kind === 'version_conflict' && edit.tries < triesLimit) {
    const again = { ...edit, tries: edit.tries + 1 };
    return pump(withEdits(state, session, { current: null, queue: [again, ...queue], awaiting: error.currentVersion ?? 0 }));
  }
  if (error.kind === 'connection_lost') {
    // Worked out anew it finds out whether it was done, except for a step up or down, and for an earlier shape of the plan.
    const { kind } = edit.intent;
    if (kind !== 'move' && kind !== 'revert' && kind !== 'restore')
      return next(withEdits(state, session, { current: null, queue: [edit, ...queue] }));
    return next(
      tell(
        withEdits(state, session, { current: null }),
        `The connection was lost: look whether it was ${kind === 'move' ? 'moved' : 'taken back'}.`,
        'warn',
      ),
    );
  }
  return andThen(fail(withEdits(state, session, { current: null }), edit, reasonOf(error)), pump);
}

/** The prompt that asked for an intent, while it waits for the answer. */
function isAskedBy({ prompt }: State, intent: Intent): boolean {
  if (prompt === null || !prompt.isSent) return false;
  const { about } = prompt;
  if (about.kind === 'title') return intent.kind === 'title' && intent.itemId === about.itemId;
  return about.kind === intent.kind;
}

function closePrompt(state: State, intent: Intent): State {
  return isAskedBy(state, intent) ? { ...state, prompt: null } : state;
}

/** What was typed stays where it was typed, with the reason beside it; what was written elsewhere is kept in a file. */
function fail(state: State, edit: Edit, reason: string): Next {
  const { prompt } = state;
  const { intent } = edit;
  if (prompt !== null && isAskedBy(state, intent)) return next({ ...state, prompt: { ...prompt, isSent: false, error: reason } });
  if (edit.undoes !== null) return next(giveUp(state, edit.undoes, reason));
  const text = textOf(intent);
  return text === null || edit.isUndo ? next(tell(state, reason, 'bad')) : next(state, keepText(text, reason));
}

/** An entry is used up, and told, when all that takes it back was carried out. */
function useUp(state: State, { undoes }: Edit): State {
  const { session } = state;
  if (session === null || undoes === null || session.edits.queue.some((edit) => edit.undoes === undoes)) return state;
  const undo = session.edits.undo.filter((entry) => entry !== undoes);
  return tell(withEdits(state, session, { undo }), `Taken back: ${undoes.what}.`, 'good');
}

/** What cannot be taken back is said, and stands in the way of nothing before it. */
function giveUp(state: State, entry: UndoEntry, reason: string): State {
  const { session } = state;
  if (session === null) return state;
  const undo = session.edits.undo.filter((one) => one !== entry);
  const queue = session.edits.queue.filter(({ undoes }) => undoes !== entry);
  return tell(withEdits(state, session, { undo, queue }), `Not taken back: ${entry.what}. ${reason}`, 'bad');
}

/** Both texts are shown; nothing is overwritten that the person has not seen. */
function meetConflict(state: State, intent: Intent, theirs: string): State {
  const { prompt } = state;
  if (prompt !== null && isAskedBy(state, intent) && (prompt.about.kind === 'title' || prompt.about.kind === 'goal')) {
    const error = `Changed meanwhile to "${theirs}": Enter puts yours in its place, Esc leaves theirs.`;
    return { ...state, prompt: { ...prompt, about: { ...prompt.about, base: theirs }, isSent: false, error } };
  }
  if (intent.kind !== 'title' && intent.kind !== 'detail' && intent.kind !== 'goal') return state;
  return { ...state, popup: askWhichText(intent, theirs) };
}

/** What was said yes to is no longer what would happen. */
function askAgain(state: State, view: SessionView, intent: Intent): State {
  if (intent.kind === 'clear') return { ...state, popup: askClear(view) };
  if (intent.kind === 'restore') return { ...state, popup: askRestore(view, intent.version, true) };
  const item = 'itemId' in intent ? listedItem(view.plan, intent.itemId) : null;
  if (item === null) return state;
  if (intent.kind === 'remove') return { ...state, popup: askRemove(view, item, true) };
  return intent.kind === 'status' ? { ...state, popup: askClose(item, intent.status, true) } : state;
}

/** The last change of this client; without one, the last that is stored, after asking. */
function takeLastBack(state: State, edit: SentEdit): Next {
  const { session } = state;
  if (session === null) return next(state);
  const entry = session.edits.undo.at(-1) ?? null;
  if (entry !== null && entry.back.every(({ kind }) => kind !== 'revert')) return takeBack(state, entry.back, entry);
  // A revert takes back all that came after as well: whether anything did is looked up first, and further edits wait for it.
  const params = { sessionId: session.session.id, statusOnly: false, limit: 50 } as const;
  return next(
    withEdits(state, session, { current: edit }),
    call('plan.history', params, { for: 'undo', entry, seen: session.plan.version }),
  );
}

/** What was looked up takes nothing back by itself; what was to be taken back after it stays as well. */
export function stopUndo(state: State): Next {
  const { session } = state;
  if (session === null || session.edits.current?.intent.kind !== 'undo') return next(state);
  const queue = session.edits.queue.filter(({ intent }) => intent.kind !== 'undo');
  return pump(withEdits(state, session, { queue, current: null }));
}

/** Takes back an edit by others, before what waits. `entry`: null when it is none of this client's. */
export function takeBack(state: State, intents: readonly Intent[], entry: UndoEntry | null): Next {
  const { session } = state;
  if (session === null) return next(state);
  const { current, queue } = session.edits;
  const isLookedUp = current?.intent.kind === 'undo';
  const after = { queue: [...editsOf(intents, true, entry), ...queue], current: isLookedUp ? null : current };
  return pump(withEdits(state, session, after));
}
