/** Editing: by the id under the cursor, whatever stands where meanwhile. */
import { unreachable } from '../../shared/errors.js';
import type { ItemId, ListedItem } from '../../shared/plan.js';
import { enqueue, takeBack } from './edit-queue.js';
import { type Status, subtree } from './edits.js';
import { editorOf, emptyEditor } from './line-editor.js';
import { whatHelps, whyNot } from './link-words.js';
import { call } from './message.js';
import { listedItem } from './plan-model.js';
import { ask } from './popups/confirm.js';
import { type Next, next, patchSession, type PromptKind, type SessionView, type State, tell } from './state.js';
import { focusPane } from './act-move.js';
import { countOf } from './text.js';

type EditAction =
  | 'addTask'
  | 'addSubtask'
  | 'editTitle'
  | 'editDetail'
  | 'markDone'
  | 'skip'
  | 'reopen'
  | 'remove'
  | 'moveUp'
  | 'moveDown'
  | 'goal'
  | 'undo';

export function openPrompt(state: State, about: PromptKind, text: string): State {
  return { ...state, prompt: { about, editor: text === '' ? emptyEditor : editorOf(text), error: null, isSent: false } };
}

export function actEdit(state: State, action: EditAction): Next {
  const { session, link } = state;
  if (session === null) return next(state);
  if (link.state !== 'open') return next(tell(state, `${whyNot(link)}: the plan cannot be changed.${whatHelps(link)}`, 'warn'));
  switch (action) {
    case 'goal':
      return next(openPrompt(state, { kind: 'goal', base: session.session.goal }, session.session.goal));
    case 'undo':
      return undo(state, session);
    case 'addTask':
      return next(openPrompt(focusPane(state, 'plan'), { kind: 'add', parentId: null, afterId: taskUnderCursor(session) }, ''));
    case 'addSubtask':
    case 'editTitle':
    case 'editDetail':
    case 'markDone':
    case 'skip':
    case 'reopen':
    case 'remove':
    case 'moveUp':
    case 'moveDown':
      break;
    default:
      return unreachable(action);
  }
  const item = listedItem(session.plan, session.planView.cursor);
  if (item === null) return next(tell(state, 'There is no item here. a adds a task.'));
  const status = (to: Status): Next =>
    isUnderWay(session, item.id)
      ? next({ ...state, popup: askClose(item, to) })
      : enqueue(state, [{ kind: 'status', itemId: item.id, status: to }]);
  switch (action) {
    case 'addSubtask': {
      const parentId = item.parentId ?? item.id;
      const afterId = item.parentId === null ? (subtree(session.plan, parentId).at(-1)?.id ?? null) : item.id;
      const unfolded = { ...session.planView, folded: new Set([...session.planView.folded].filter((id) => id !== parentId)) };
      const shown = patchSession(focusPane(state, 'plan'), { planView: unfolded });
      return next(openPrompt(shown, { kind: 'add', parentId, afterId: afterId === parentId ? null : afterId }, ''));
    }
    case 'editTitle':
      return next(openPrompt(focusPane(state, 'plan'), { kind: 'title', itemId: item.id, base: item.title }, item.title));
    case 'editDetail':
      return next(state, { type: 'editText', itemId: item.id, base: item.detail ?? '', text: item.detail ?? '' });
    case 'markDone':
      return status('done');
    case 'skip':
      return status('skipped');
    case 'reopen':
      return status('pending');
    case 'moveUp':
      return enqueue(state, [{ kind: 'move', itemId: item.id, by: -1 }]);
    case 'moveDown':
      return enqueue(state, [{ kind: 'move', itemId: item.id, by: 1 }]);
    case 'remove':
      return next({ ...state, popup: askRemove(session, item.id) });
    default:
      return unreachable(action);
  }
}

/** The task that the cursor is on or in. */
function taskUnderCursor({ plan, planView }: SessionView): ItemId | null {
  const item = planView.cursor === null ? undefined : plan.items.get(planView.cursor);
  return item === undefined ? (plan.tree.at(-1)?.item.id ?? null) : (item.parentId ?? item.id);
}

/** The item, or one of its subtasks, is being worked at. */
function isUnderWay({ plan, planRun }: SessionView, itemId: ItemId): boolean {
  const isRunning = planRun.status === 'running' || planRun.status === 'pausing' || planRun.status === 'waiting';
  return isRunning && subtree(plan, itemId).some(({ id }) => id === planRun.currentItemId);
}

/** Closing what runs cuts its run off, and that cannot be taken back. */
function askClose(item: ListedItem, to: Status): State['popup'] {
  const word = to === 'done' ? 'Mark it as done' : to === 'skipped' ? 'Skip it' : 'Put it back to pending';
  return ask(
    `${word}?`,
    [
      { text: `${item.number} ${item.title}`, tone: 'strong' },
      { text: 'It is running: its run is cancelled, and the plan goes on with the next item.', tone: 'warn' },
    ],
    { key: 'y', label: word, does: { type: 'intents', intents: [{ kind: 'status', itemId: item.id, status: to }] } },
  );
}

function askRemove(view: SessionView, itemId: ItemId): State['popup'] {
  const { plan } = view;
  const seen = subtree(plan, itemId);
  const item = listedItem(plan, itemId);
  if (item === null) return null;
  const more = seen.length - 1;
  return ask(
    'Remove it?',
    [
      { text: `${item.number} ${item.title}`, tone: 'strong' },
      ...(more > 0 ? [{ text: `and ${countOf(more, 'subtask')} of it`, tone: 'warn' as const }] : []),
      ...(isUnderWay(view, itemId) ? [{ text: 'It is running: its run is cancelled.', tone: 'warn' as const }] : []),
      { text: 'u brings it back.', tone: 'dim' },
    ],
    { key: 'y', label: 'Remove it', does: { type: 'intents', intents: [{ kind: 'remove', itemId, seen }] } },
  );
}

/** The last change of this client; without one, the last that is stored, after asking. */
function undo(state: State, view: SessionView): Next {
  const { undo: entries, current, queue } = view.edits;
  if (current !== null || queue.length > 0) return next(tell(state, 'The last change is still on its way.'));
  const entry = entries.at(-1) ?? null;
  const sessionId = view.session.id;
  if (entry === null || entry.back.some(({ kind }) => kind === 'revert')) {
    // A revert takes back all that came after as well: whether anything did is looked up first.
    return next(state, call('plan.history', { sessionId, statusOnly: false, limit: 50 }, { for: 'undo', entry }));
  }
  const rest = patchSession(state, { edits: { ...view.edits, undo: entries.slice(0, -1) } });
  return takeBack(tell(rest, `Taken back: ${entry.what}.`, 'good'), entry.back);
}
