/** What an action does: by key, from the menu or by a click alike. */
import { unreachable } from '../../shared/errors.js';
import { actEdit } from './act-edit.js';
import { actLook } from './act-look.js';
import { actMove } from './act-move.js';
import { actRun } from './act-run.js';
import type { Action } from './keymap.js';
import { type Next, next, type State, tell } from './state.js';

export function act(state: State, action: Action): Next {
  switch (action) {
    case 'nextPane':
    case 'previousPane':
    case 'up':
    case 'down':
    case 'pageUp':
    case 'pageDown':
    case 'first':
    case 'last':
    case 'fold':
    case 'unfold':
    case 'running':
    case 'togglePlan':
      return actMove(state, action);
    case 'run':
    case 'pause':
    case 'pauseNow':
    case 'cancelRun':
    case 'cancelPlan':
    case 'retry':
      return actRun(state, action);
    case 'addTask':
    case 'addSubtask':
    case 'editTitle':
    case 'editDetail':
    case 'markDone':
    case 'skip':
    case 'reopen':
    case 'remove':
    case 'moveUp':
    case 'moveDown':
    case 'goal':
    case 'undo':
      return actEdit(state, action);
    case 'open':
    case 'details':
    case 'diff':
    case 'receipts':
    case 'inbox':
    case 'search':
    case 'searchNext':
    case 'searchPrevious':
    case 'sessions':
    case 'newSession':
    case 'help':
      return actLook(state, action);
    case 'suspend':
      return next(state, { type: 'suspend' });
    case 'detach':
      return detach(state);
    case 'demo':
      return next(state, { type: 'leave', next: 'demo' });
    default:
      return unreachable(action);
  }
}

/** Leaves the screen. What is on its way to the daemon, or was not sent at all, is told first: once more leaves. */
export function detach(state: State): Next {
  const { chat, session, notice } = state;
  const isSending =
    chat.saying.length > 0 || (session !== null && (session.edits.current !== null || session.edits.queue.length > 0));
  const isWriting = chat.editor.text.trim() !== '' || chat.draft.text.trim() !== '';
  const warning = isSending ? sending : isWriting ? unsent : null;
  if (warning !== null && notice?.text !== warning) return next(tell(state, warning, 'warn'));
  return next(state, { type: 'leave', next: 'nothing' });
}

const sending = 'Not all you said has reached the daemon yet. Again to leave all the same.';
const unsent = 'The words in the line were not sent. Again to leave all the same.';
