/** The menu of an item: what can be done with it now, each with its key. */
import { isOpen } from '../../../shared/plan-tree.js';
import type { Key } from '../input/input.js';
import { type Action, actionOf, bindingOf, keyOf } from '../keymap.js';
import { isSection, listedItem } from '../plan/plan-model.js';
import { firstInSight, row, span } from '../panes/rows.js';
import type { State } from '../state.js';
import { sanitise, widthOf } from '../text/text.js';
import { insideOf, type PopupView } from './box.js';
import type { MenuPopup } from './popup.js';

/** From what is wanted most on. */
export function menuActions(popup: MenuPopup, { session }: State): readonly Action[] {
  const item = session && listedItem(session.plan, popup.itemId);
  if (!item) return [];
  const isLeft = isOpen(item.status);
  const section = isSection(session.plan, item.id);
  const stopped = session.planRun.currentItemId === item.id && ['blocked', 'failed'].includes(session.planRun.status);
  const { id } = session.session;
  const waits = session.inbox.some(({ itemId, sessionId }) => itemId === item.id && sessionId === id);
  return [
    'details',
    ...(waits ? (['inbox'] as const) : []),
    ...(stopped ? (['retry'] as const) : []),
    'editTitle',
    'editDetail',
    ...(isLeft && !section ? (['markDone'] as const) : []),
    ...(isLeft ? (['skip'] as const) : (['reopen'] as const)),
    'addTask',
    ...(item.depth === 0 ? (['addSubtask'] as const) : []),
    'moveUp',
    'moveDown',
    ...(section ? [] : (['receipts'] as const)),
    'diff',
    'remove',
  ];
}

const keyColumn = 6;

export function menuView(popup: MenuPopup, state: State): PopupView {
  const item = state.session && listedItem(state.session.plan, popup.itemId);
  const actions = menuActions(popup, state);
  const { width, height } = insideOf(state.size);
  const words = actions.map((action) => bindingOf(action));
  // In a narrow terminal a word or two, rather than half a sentence.
  const isRoomy = words.every((binding) => widthOf(binding?.help ?? '') <= width - keyColumn);
  const rows = actions.map((action) => ({
    ...row(
      span(keyOf(action).padEnd(keyColumn), 'accent'),
      span((isRoomy ? bindingOf(action)?.help : bindingOf(action)?.label) ?? ''),
    ),
    press: { on: 'menu', action } as const,
    ...(action === popup.chosen ? { chosen: 'here' as const } : {}),
  }));
  const title = item ? `${item.number} ${sanitise(item.title)}` : 'The item is gone';
  return { title, rows, scroll: firstInSight(rows.length, height, Math.max(0, actions.indexOf(popup.chosen))), footer: [] };
}

/** The menu after a key, the action that was taken, or null when it is left. */
export function menuKey(popup: MenuPopup, key: Key, state: State): MenuPopup | Action | null {
  const actions = menuActions(popup, state);
  const at = actions.indexOf(popup.chosen);
  const to = (index: number): MenuPopup => ({
    ...popup,
    chosen: actions[(index + actions.length) % actions.length] ?? popup.chosen,
  });
  switch (key.name) {
    case 'escape':
    case 'left':
    case 'q':
      return null;
    case 'up':
    case 'k':
      return to(at < 0 ? 0 : at - 1);
    case 'down':
    case 'j':
      return to(at + 1);
    case 'home':
      return to(0);
    case 'end':
      return to(-1);
    case 'enter':
    case 'right':
      return at < 0 ? popup : popup.chosen;
    default: {
      const action = actionOf(key, 'plan');
      return action !== null && actions.includes(action) ? action : popup;
    }
  }
}
