/** Moving: between the panes, within them, folding. */
import { unreachable } from '../../../shared/errors.js';
import { nextLeaf } from '../../../shared/plan-tree.js';
import type { ItemId } from '../../../shared/plan.js';
import { canFold } from '../conversation/block-rows.js';
import { chosenBlock, keepInSight, moveBlock, type Room, scrollConversation } from '../conversation/conversation-view.js';
import { isPaneMove, type MoveAction, type PaneMove } from '../keymap.js';
import { layoutOf } from '../layout.js';
import { rowsOfPlan } from '../panes/plan-pane.js';
import { cursorTo, cursorToEnd, moveCursor, scrollPlan } from '../plan/plan-cursor.js';
import { isSection } from '../plan/plan-model.js';
import { readEarlier } from '../conversation/reading.js';
import {
  type ConversationView,
  type Next,
  next,
  type Pane,
  patchSession,
  type PlanView,
  type SessionView,
  type State,
  tell,
} from '../state.js';

export function actMove(state: State, move: MoveAction): Next {
  if (!isPaneMove(move)) {
    switch (move) {
      case 'nextPane':
        return next(focusPane(state, neighbour(state, 1)));
      case 'previousPane':
        return next(focusPane(state, neighbour(state, -1)));
      case 'togglePlan':
        return next(togglePlan(state));
      case 'running':
        return next(toRunning(state));
      default:
        return unreachable(move);
    }
  }
  if (state.session === null) return next(state);
  return state.focus === 'conversation' ? moveInConversation(state, state.session, move) : moveInPlan(state, state.session, move);
}

const order: readonly Pane[] = ['plan', 'conversation', 'line'];

function neighbour(state: State, by: 1 | -1): Pane {
  const isHidden = layoutOf(state).isWide && !state.isPlanShown;
  const panes = isHidden ? order.filter((pane) => pane !== 'plan') : order;
  return panes[(panes.indexOf(state.focus) + by + panes.length) % panes.length] ?? 'line';
}

/** A pane that is not in sight comes into sight. */
export function focusPane(state: State, pane: Pane): State {
  if (pane === 'line') return { ...state, focus: 'line' };
  return { ...state, focus: pane, tab: pane, isPlanShown: pane === 'plan' ? true : state.isPlanShown };
}

function togglePlan(state: State): State {
  if (layoutOf(state).isWide) {
    const isPlanShown = !state.isPlanShown;
    const focus = !isPlanShown && state.focus === 'plan' ? 'conversation' : state.focus;
    return { ...state, isPlanShown, focus, tab: isPlanShown ? state.tab : 'conversation' };
  }
  const tab = state.tab === 'plan' ? 'conversation' : 'plan';
  return { ...state, tab, isPlanShown: tab === 'plan' || state.isPlanShown, focus: state.focus === 'line' ? 'line' : tab };
}

function toRunning(state: State): State {
  const { session } = state;
  if (session === null) return state;
  const id = session.planRun.currentItemId ?? nextLeaf(session.plan.tree)?.id ?? null;
  if (id === null) return tell(state, 'Nothing is open.');
  return pointAt(focusPane(state, 'plan'), id);
}

const planRoom = (state: State): { width: number; height: number } => layoutOf(state).plan ?? { width: 80, height: 10 };

/** The cursor on an item, unfolding what hides it. */
export function pointAt(state: State, id: ItemId): State {
  const { session } = state;
  const item = session?.plan.items.get(id);
  if (session === null || item === undefined) return state;
  const { parentId } = item;
  const folded = new Set([...session.planView.folded].filter((other) => other !== parentId));
  const view = {
    ...session,
    planView: { ...session.planView, folded: folded.size === session.planView.folded.size ? session.planView.folded : folded },
  };
  const { width, height } = planRoom(state);
  return patchSession(state, { planView: cursorTo(rowsOfPlan(view, null, width), view.planView, id, height) });
}

function moveInPlan(state: State, view: SessionView, move: PaneMove): Next {
  const { width, height } = planRoom(state);
  const rows = rowsOfPlan(view, state.prompt?.about ?? null, width);
  const to = (planView: PlanView): Next => next(patchSession(state, { planView }));
  const { planView, plan } = view;
  switch (move) {
    case 'up':
      return to(moveCursor(rows, planView, -1, height));
    case 'down':
      return to(moveCursor(rows, planView, 1, height));
    case 'pageUp':
      return to(moveCursor(rows, planView, -Math.max(1, height - 1), height));
    case 'pageDown':
      return to(moveCursor(rows, planView, Math.max(1, height - 1), height));
    case 'first':
      return to(cursorToEnd(rows, planView, 'first', height));
    case 'last':
      return to(cursorToEnd(rows, planView, 'last', height));
    case 'fold': {
      const item = planView.cursor === null ? undefined : plan.items.get(planView.cursor);
      if (item === undefined) return next(state);
      if (item.parentId !== null) return next(pointAt(state, item.parentId));
      return isSection(plan, item.id) ? to({ ...planView, folded: new Set([...planView.folded, item.id]) }) : next(state);
    }
    case 'unfold':
      return to({ ...planView, folded: new Set([...planView.folded].filter((id) => id !== planView.cursor)) });
    default:
      return unreachable(move);
  }
}

function conversationRoom(state: State): Room {
  const { width, height } = layoutOf(state).conversation ?? { width: 80, height: 10 };
  return { width, height, glyphs: state.glyphs, hasFocus: state.focus === 'conversation' };
}

function moveInConversation(state: State, view: SessionView, move: PaneMove): Next {
  const room = conversationRoom(state);
  const to = (moved: { view: ConversationView; atStart: boolean }): Next => {
    const there = patchSession(state, { conversationView: moved.view });
    return moved.atStart ? readEarlier(there) : next(there);
  };
  switch (move) {
    case 'up':
      return to(moveBlock(view, -1, room));
    case 'down':
      return to(moveBlock(view, 1, room));
    case 'pageUp':
      return scrollBy(state, -Math.max(1, room.height - 1));
    case 'pageDown':
      return scrollBy(state, Math.max(1, room.height - 1));
    case 'first':
      return scrollBy(state, Number.NEGATIVE_INFINITY);
    case 'last':
      return to({ view: { ...view.conversationView, top: null, cursor: null }, atStart: false });
    case 'fold':
    case 'unfold':
      return next(turnFold(state, view, move === 'unfold'));
    default:
      return unreachable(move);
  }
}

/** The conversation by rows, the cursor going along. */
export function scrollBy(state: State, by: number): Next {
  const { session } = state;
  if (session === null || session.conversation.blocks.length === 0) return next(state);
  const room = conversationRoom(state);
  const scrolled = scrollConversation(session, by, room);
  const conversationView = keepInSight({ ...session, conversationView: scrolled.view }, room);
  const there = patchSession(state, { conversationView });
  return scrolled.atStart && by < 0 ? readEarlier(there) : next(there);
}

/** `unfold`: whether it is to be unfolded; turned round unless given. */
export function turnFold(state: State, view: SessionView, unfold?: boolean): State {
  const block = chosenBlock(view);
  if (block === null || !canFold(block, conversationRoom(state))) return state;
  const { turned } = view.conversationView;
  const isTurned = unfold ?? !turned.has(block.id);
  const changed = isTurned ? new Set([...turned, block.id]) : new Set([...turned].filter((id) => id !== block.id));
  return patchSession(state, { conversationView: { ...view.conversationView, cursor: block.id, turned: changed } });
}

export function scrollPlanBy(state: State, by: number): State {
  const { session } = state;
  if (session === null) return state;
  const { width, height } = planRoom(state);
  return patchSession(state, {
    planView: scrollPlan(rowsOfPlan(session, state.prompt?.about ?? null, width), session.planView, by, height),
  });
}
