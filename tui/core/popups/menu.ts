/** The menu of an item: what can be done with it now, each with its key. */
import type { Key } from '../input.js';
import { type Action, actionOf, bindingOf, keyOf } from '../keymap.js';
import { isSection, listedItem } from '../plan-model.js';
import { firstInSight, row, span } from '../rows.js';
import type { State } from '../state.js';
import { sanitise } from '../text.js';
import { insideOf, type PopupView } from './box.js';
import type { MenuPopup } from './popup.js';

/** From what is wanted most on. */
export function menuActions(popup: MenuPopup, { session }: State): readonly Action[] {
  const item = session && listedItem(session.plan, popup.itemId);
  if (!item) return [];
  const isOpen = item.status === 'pending' || item.status === 'active';
  const section = isSection(session.plan, item.id);
  const stopped = session.planRun.currentItemId === item.id && ['blocked', 'failed'].includes(session.planRun.status);
  return [
    'details',
    ...(stopped ? (['retry'] as const) : []),
    'editTitle',
    'editDetail',
    ...(isOpen && !section ? (['markDone'] as const) : []),
    ...(isOpen ? (['skip'] as const) : (['reopen'] as const)),
    'addTask',
    ...(item.depth === 0 ? (['addSubtask'] as const) : []),
    'moveUp',
    'moveDown',
    ...(section ? [] : (['receipts'] as const)),
    'diff',
    'remove',
  ];
}

export function menuView(popup: MenuPopup, state: State): PopupView {
  const item = state.session && listedItem(state.session.plan, popup.itemId);
  const actions = menuActions(popup, state);
  const rows = actions.map((action, index) => ({
    ...row(span(keyOf(action).padEnd(6), 'accent'), span(bindingOf(action)?.help ?? '')),
    press: { on: 'line', index } as const,
    ...(index === popup.chosen ? { chosen: 'here' as const } : {}),
  }));
  const { height } = insideOf(state.size);
  const title = item ? `${item.number} ${sanitise(item.title)}` : 'The item is gone';
  return { title, rows, scroll: firstInSight(rows.length, height, popup.chosen), footer: [] };
}

/** The menu after a key, the action that was taken, or null when it is left. */
export function menuKey(popup: MenuPopup, key: Key, state: State): MenuPopup | Action | null {
  const actions = menuActions(popup, state);
  const last = actions.length - 1;
  switch (key.name) {
    case 'escape':
    case 'left':
    case 'q':
      return null;
    case 'up':
    case 'k':
      return { ...popup, chosen: popup.chosen <= 0 ? last : popup.chosen - 1 };
    case 'down':
    case 'j':
      return { ...popup, chosen: popup.chosen >= last ? 0 : popup.chosen + 1 };
    case 'home':
      return { ...popup, chosen: 0 };
    case 'end':
      return { ...popup, chosen: last };
    case 'enter':
    case 'right':
      return actions[popup.chosen] ?? null;
    default: {
      const action = actionOf(key, 'plan');
      return action !== null && actions.includes(action) ? action : popup;
    }
  }
}
