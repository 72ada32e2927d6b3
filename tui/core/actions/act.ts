/** What an action does: by key, from the menu or by a click alike. */
import { unreachable } from '../../../shared/errors.js';
import { actEdit } from './act-edit.js';
import { actLook } from './act-look.js';
import { actMove } from './act-move.js';
import { actRun } from './act-run.js';
import { type Action, isEdit, isLook, isMove, isRun } from '../keymap.js';
import { type Next, next, type State, tell } from '../state.js';

export function act(state: State, action: Action): Next {
  if (isMove(action)) return actMove(state, action);
  if (isRun(action)) return actRun(state, action);
  if (isEdit(action)) return actEdit(state, action);
  if (isLook(action)) return actLook(state, action);
  switch (action) {
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
