/** The mouse: a click means what stands there; the wheel scrolls what it is over. */
import { unreachable } from '../../../shared/errors.js';
import { act } from '../actions/act.js';
import { focusPane, pointAt, scrollBy, scrollPlanBy, turnFold } from '../actions/act-move.js';
import type { Key, Mouse } from './input.js';
import { isInPlan } from '../layout.js';
import { popupKey, popupPressed } from '../popups/popup-update.js';
import type { Frame, Press, Region } from '../press.js';
import { type Next, next, patchSession, type State, andThen } from '../state.js';
import { widthOf } from '../text/text.js';
import { view } from '../view.js';

const wheelRows = 3;

export function mouseUsed(state: State, mouse: Mouse): Next {
  const region = regionAt(view(state), mouse);
  if (mouse.action === 'wheel-up' || mouse.action === 'wheel-down')
    return wheel(state, region, mouse.action === 'wheel-up' ? -1 : 1);
  if (mouse.action !== 'press' || mouse.button !== 'left') return next(state);
  const quiet = state.notice === null ? state : { ...state, notice: null };
  // A click beside a popup leaves it as Escape does.
  if (state.popup !== null && region?.id !== 'popup') return popupKey(quiet, keyOf('escape'));
  const press = region && pressAt(region, mouse);
  // Leaving asks first, and looks at whether it has.
  if (press?.on === 'action' && press.action === 'detach' && state.prompt === null) return act(state, 'detach');
  if (press) return pressed(quiet, press);
  const pane = region?.id === 'line' || region?.id === 'plan' || region?.id === 'conversation' ? region.id : null;
  return pressed(quiet, pane && { on: 'pane', pane });
}

function regionAt({ regions }: Frame, { x, y }: Mouse): Region | undefined {
  return regions.findLast(({ rect }) => x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height);
}

function pressAt({ rect, rows }: Region, mouse: Mouse): Press | null {
  const row = rows[mouse.y - rect.y];
  let x = rect.x;
  for (const span of row?.spans ?? []) {
    x += widthOf(span.text);
    if (mouse.x < x) return span.press ?? row?.press ?? null;
  }
  return row?.press ?? null;
}

function pressed(state: State, press: Press | null): Next {
  const { session } = state;
  // What is being written stays in sight, and has the keys.
  if (press === null || (state.prompt !== null && press.on !== 'line' && press.on !== 'button')) return next(state);
  switch (press.on) {
    case 'action':
      return act(state, press.action);
    case 'pane':
      return next(focusPane(state, press.pane));
    case 'item': {
      if (session === null) return next(state);
      const isThere = state.focus === 'plan' && session.planView.cursor === press.itemId;
      return isThere ? act(state, 'open') : next(pointAt(focusPane(state, 'plan'), press.itemId));
    }
    case 'block': {
      if (session === null) return next(state);
      const isThere = state.focus === 'conversation' && session.conversationView.cursor === press.block;
      const there = patchSession(focusPane(state, 'conversation'), {
        conversationView: { ...session.conversationView, cursor: press.block },
      });
      return next(isThere && there.session ? turnFold(there, there.session) : there);
    }
    case 'line':
    case 'menu':
    case 'button':
      return popupPressed(state, press);
    default:
      return unreachable(press);
  }
}

const keyOf = (name: string): Key => ({ type: 'key', name, ctrl: false, alt: false, shift: false, text: null });

function wheel(state: State, region: Region | undefined, by: 1 | -1): Next {
  if (state.popup !== null) {
    // In the inbox a step is another entry, which a wheel should not turn to.
    const isInbox = state.popup.kind === 'inbox';
    const key = keyOf(isInbox ? (by < 0 ? 'pageup' : 'pagedown') : by < 0 ? 'up' : 'down');
    return Array.from({ length: isInbox ? 1 : wheelRows }).reduce<Next>(
      (step) => andThen(step, (now) => popupKey(now, key)),
      next(state),
    );
  }
  if (region?.id === 'conversation') return scrollBy(state, by * wheelRows);
  // A title that is being written stays in sight.
  return next(region?.id === 'plan' && !isInPlan(state) ? scrollPlanBy(state, by * wheelRows) : state);
}
