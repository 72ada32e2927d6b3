/** Editing: by the id under the cursor, whatever stands where meanwhile. */
import { unreachable } from '../../../shared/errors.js';
import type { ItemId } from '../../../shared/plan.js';
import { enqueue } from '../plan/edit-queue.js';
import { type Status, subtree } from '../plan/edits.js';
import { type EditAction, isItemEdit } from '../keymap.js';
import { editorOf, emptyEditor } from '../text/line-editor.js';
import { whatHelps, whyNot } from '../link/link-words.js';
import { listedItem } from '../plan/plan-model.js';
import { askClose, askRemove, underWay } from '../plan/questions.js';
import { type Next, next, patchSession, type PromptKind, type SessionView, type State, tell } from '../state.js';
import { focusPane } from './act-move.js';

export function openPrompt(state: State, about: PromptKind, text: string): State {
  return { ...state, prompt: { about, editor: text === '' ? emptyEditor : editorOf(text), error: null, isSent: false } };
}

export function actEdit(state: State, action: EditAction): Next {
  const { session, link } = state;
  if (session === null) return next(state);
  if (link.state !== 'open') return next(tell(state, `${whyNot(link)}: the plan cannot be changed.${whatHelps(link)}`, 'warn'));
  if (!isItemEdit(action)) {
    switch (action) {
      case 'goal':
        return next(openPrompt(state, { kind: 'goal', base: session.session.goal }, session.session.goal));
      case 'draft':
        return next(askDraft(state, session));
      case 'undo':
        return enqueue(state, [{ kind: 'undo' }]);
      case 'addTask':
        return next(openPrompt(focusPane(state, 'plan'), { kind: 'add', parentId: null, afterId: taskUnderCursor(session) }, ''));
      default:
        return unreachable(action);
    }
  }
  const item = listedItem(session.plan, session.planView.cursor);
  if (item === null) return next(tell(state, 'There is no item here. a adds a task.'));
  const status = (to: Status): Next =>
    subtree(session.plan, item.id).some(({ id }) => id === underWay(session))
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
      return next(state, {
        type: 'editText',
        sessionId: session.session.id,
        itemId: item.id,
        base: item.detail ?? '',
        text: item.detail ?? '',
      });
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
      return next({ ...state, popup: askRemove(session, item) });
    default:
      return unreachable(action);
  }
}

/** What the planner is to do is written in the line; words that stand there already are taken for it. */
function askDraft(state: State, { session }: SessionView): State {
  if (session.outcome !== null) return tell(state, `The mission has ended: ${session.outcome}. Its plan stays as it is.`);
  if (state.daemon?.provider === null) return tell(state, 'There is no model to draft it. ? says what is configured.', 'warn');
  return openPrompt(state, { kind: 'draft' }, state.chat.editor.text);
}

/** The task that the cursor is on or in. */
function taskUnderCursor({ plan, planView }: SessionView): ItemId | null {
  const item = planView.cursor === null ? undefined : plan.items.get(planView.cursor);
  return item === undefined ? (plan.tree.at(-1)?.item.id ?? null) : (item.parentId ?? item.id);
}
