/** Keys and clicks in a popup. */
import { unreachable } from '../../shared/errors.js';
import { act } from './act.js';
import { enqueue } from './edit-queue.js';
import type { Key } from './input.js';
import { openPrompt } from './act-edit.js';
import { confirmKey, confirmView } from './popups/confirm.js';
import { detailKey, toTab } from './popups/detail.js';
import { explainView } from './popups/explain.js';
import { helpKey } from './popups/help.js';
import { answersTo, entryOf, inboxKey } from './popups/inbox.js';
import { menuActions, menuKey } from './popups/menu.js';
import type { Does } from './popups/popup.js';
import { matching, sessionsKey } from './popups/sessions.js';
import { openSession } from './session-update.js';
import { pointAt } from './act-move.js';
import { type Next, next, type State } from './state.js';
import type { Press } from './press.js';
import type { Call } from './message.js';

const closed = (state: State): State => ({ ...state, popup: null });

export function popupKey(state: State, key: Key): Next {
  const { popup } = state;
  if (popup === null) return next(state);
  switch (popup.kind) {
    case 'confirm': {
      const after = confirmKey(popup, key, confirmView(popup, state), state);
      return 'kind' in after ? next({ ...state, popup: after }) : carryOut(closed(state), after);
    }
    case 'explain': {
      const after = confirmKey(popup, key, explainView(popup, state), state);
      return 'kind' in after ? next({ ...state, popup: after }) : carryOut(closed(state), after);
    }
    case 'menu': {
      const after = menuKey(popup, key, state);
      // The item may have moved, but it is this one that the menu is for.
      return typeof after === 'string' ? act(pointAt(closed(state), popup.itemId), after) : next({ ...state, popup: after });
    }
    case 'detail':
      return next({ ...state, popup: detailKey(popup, key, state) });
    case 'help':
      return next({ ...state, popup: helpKey(popup, key, state) });
    case 'inbox': {
      const after = inboxKey(popup, key, state);
      return after !== null && 'type' in after ? answer(state, after) : next({ ...state, popup: after });
    }
    case 'sessions': {
      const after = sessionsKey(popup, key);
      return after !== null && 'id' in after ? openSession(closed(state), after.id) : next({ ...state, popup: after });
    }
    default:
      return unreachable(popup);
  }
}

function answer(state: State, call: Call): Next {
  const { popup } = state;
  if (popup?.kind !== 'inbox') return next(state);
  return next({ ...state, popup: { ...popup, sent: popup.entry, error: null } }, call);
}

function carryOut(state: State, does: Does): Next {
  switch (does.type) {
    case 'nothing':
      return next(state);
    case 'call':
      return next(state, does.call);
    case 'intents':
      return enqueue(state, does.intents);
    case 'prompt':
      return next(openPrompt(state, does.about, does.text));
    case 'editDetail':
      return next(state, { type: 'editText', itemId: does.itemId, base: does.base, text: does.text });
    default:
      return unreachable(does);
  }
}

/** A click in the popup: a line of its list, or a button. */
export function popupPressed(state: State, press: Extract<Press, { on: 'line' | 'button' }>): Next {
  const { popup } = state;
  const { index } = press;
  switch (popup?.kind) {
    case 'confirm':
    case 'explain': {
      const choice = popup.choices[index];
      return choice === undefined ? next(state) : carryOut(closed(state), choice.does);
    }
    case 'menu': {
      const action = menuActions(popup, state)[index];
      return action === undefined ? next(state) : act(pointAt(closed(state), popup.itemId), action);
    }
    case 'detail':
      return next({ ...state, popup: toTab(popup, index) });
    case 'inbox': {
      const entry = entryOf(popup, state);
      const given = entry === null || popup.sent === entry.id ? undefined : answersTo(entry)[index];
      return given === undefined ? next(state) : answer(state, given.call);
    }
    case 'sessions': {
      const session = matching(popup)[index];
      return session === undefined ? next(state) : openSession(closed(state), session.id);
    }
    case 'help':
    case undefined:
      return next(state);
    default:
      return unreachable(popup);
  }
}
