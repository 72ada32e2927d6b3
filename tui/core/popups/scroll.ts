/** Scrolling in a popup, with the keys that move in a pane. */
import type { Key } from '../input/input.js';
import { actionOf } from '../keymap.js';
import { type Inside, lastScroll, type PopupView, roomOf } from './box.js';

/** The first row to show after a key; null for a key that is none of scrolling. */
export function scrollKey(key: Key, view: PopupView, inside: Inside): number | null {
  const last = lastScroll(view, inside);
  const by = (rows: number): number => Math.max(0, Math.min(last, view.scroll + rows));
  // A row of the page before stays in sight.
  const page = Math.max(1, roomOf(view, inside) - 1);
  switch (actionOf(key, 'plan')) {
    case 'up':
      return by(-1);
    case 'down':
      return by(1);
    case 'pageUp':
      return by(-page);
    case 'pageDown':
      return by(page);
    case 'first':
      return 0;
    case 'last':
      return last;
    default:
      return null;
  }
}
