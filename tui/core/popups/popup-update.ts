/** Keys and clicks in a popup. */
import { unreachable } from '../../../shared/errors.js';
import { act } from '../actions/act.js';
import { enqueue, takeBack } from '../plan/edit-queue.js';
import type { SessionId } from '../../../shared/plan.js';
import type { Key } from '../input/input.js';
import { confirmKey, confirmView } from './confirm.js';
import { detailKey, toTab } from './detail.js';
import { explainView } from './explain.js';
import { helpKey } from './help.js';
import { answersTo, entryOf, inboxKey } from './inbox.js';
import { menuKey } from './menu.js';
import { missionsKey } from './missions.js';
import type { Does } from './popup.js';
import { reportButton, reportKey } from './report.js';
import { revisionButton, revisionPressed, revisionsKey } from './revisions.js';
import { matching, sessionsKey } from './sessions.js';
import { openSession } from '../link/session-update.js';
import { pointAt } from '../actions/act-move.js';
import { type Next, next, type State } from '../state.js';
import type { Press } from '../press.js';
import { type Call, call } from '../message.js';
import { askCancel, askCancelPlan } from '../plan/questions.js';

const closed = (state: State): State => ({ ...state, popup: null });

export const popupKey = (state: State, key: Key): Next => keepAnswer(state, takeKey(state, key));

/** An answer that was begun is there again when its entry is looked at again. */
function keepAnswer({ popup: before, session }: State, step: Next): Next {
  const { popup, answers } = step.state;
  if (before?.kind !== 'inbox' || before.entry === null || session?.inbox.some(({ id }) => id === before.entry) !== true)
    return step;
  const { editor } = popup?.kind === 'inbox' && popup.entry === before.entry ? popup : before;
  if (answers.get(before.entry)?.text === editor.text || (editor.text === '' && !answers.has(before.entry))) return step;
  return { ...step, state: { ...step.state, answers: new Map(answers).set(before.entry, editor) } };
}

function takeKey(state: State, key: Key): Next {
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
      return after !== null && 'id' in after ? goTo(state, after.id) : next({ ...state, popup: after });
    }
    case 'revisions':
      return revisionsKey(popup, key, state);
    case 'report':
      return afterReport(state, reportKey(popup, key, state));
    case 'missions': {
      const after = missionsKey(popup, key, state);
      return after !== null && 'sessionId' in after ? goTo(state, after.sessionId) : next({ ...state, popup: after });
    }
    default:
      return unreachable(popup);
  }
}

const afterReport = (state: State, after: Next | 'inbox'): Next => (after === 'inbox' ? act(closed(state), 'inbox') : after);

/** Another session, once the edits of this one have arrived. */
function goTo(state: State, sessionId: SessionId): Next {
  const { popup, session } = state;
  const isSending = session !== null && (session.edits.current !== null || session.edits.queue.length > 0);
  if (!isSending || (popup?.kind !== 'sessions' && popup?.kind !== 'missions')) return openSession(closed(state), sessionId);
  return next({ ...state, popup: { ...popup, error: 'Your last edits are still on their way. Enter tries again.' } });
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
    case 'cancel':
      return cancel(state, does);
    case 'intents':
      return does.takesBack === undefined ? enqueue(state, does.intents) : takeBack(state, does.intents, does.takesBack);
    case 'editDetail':
      if (state.session === null) return next(state);
      return next(state, {
        type: 'editText',
        sessionId: state.session.session.id,
        itemId: does.itemId,
        base: does.base,
        text: does.text,
      });
    default:
      return unreachable(does);
  }
}

/** Only what the person saw is cancelled: what runs by now may be another item. */
function cancel(state: State, { seen, clears }: Extract<Does, { type: 'cancel' }>): Next {
  const { session } = state;
  if (session === null) return next(state);
  if (session.planRun.currentItemId !== seen) {
    return next({ ...state, popup: clears === null ? askCancel(session, true) : askCancelPlan(session, true) });
  }
  const purpose = { for: 'run', ...(clears === null ? {} : { andThen: [clears] }) } as const;
  return next(state, call('run.cancel', { sessionId: session.session.id }, purpose));
}

/** A click in the popup: a line of its list, or a button. */
export function popupPressed(state: State, press: Extract<Press, { on: 'line' | 'button' | 'menu' }>): Next {
  const { popup } = state;
  if (press.on === 'menu') return popup?.kind === 'menu' ? act(pointAt(closed(state), popup.itemId), press.action) : next(state);
  const { index } = press;
  switch (popup?.kind) {
    case 'confirm':
    case 'explain': {
      const choice = popup.choices[index];
      return choice === undefined ? next(state) : carryOut(closed(state), choice.does);
    }
    case 'menu':
      return next(state);
    case 'detail':
      return next({ ...state, popup: toTab(popup, index) });
    case 'inbox': {
      const entry = entryOf(popup, state);
      const given = entry === null || popup.sent === entry.id ? undefined : answersTo(entry)[index];
      return given === undefined ? next(state) : answer(state, given.call);
    }
    case 'sessions': {
      const session = matching(popup)[index];
      return session === undefined ? next(state) : goTo(state, session.id);
    }
    case 'missions': {
      const node = popup.nodes?.[index];
      if (node === undefined) return next(state);
      const isThere = node.sessionId === popup.chosen;
      return isThere ? goTo(state, node.sessionId) : next({ ...state, popup: { ...popup, chosen: node.sessionId } });
    }
    case 'revisions':
      return press.on === 'line' ? revisionPressed(popup, index, state) : revisionButton(popup, index, state);
    case 'report':
      return press.on === 'button' ? afterReport(state, reportButton(popup, index, state)) : next(state);
    case 'help':
    case undefined:
      return next(state);
    default:
      return unreachable(popup);
  }
}
