/** What a click means, wherever it lands. */
import type { ItemId } from '../../shared/plan.js';
import type * as frame from './frame.js';
import type { Action } from './keymap.js';
import type { Pane } from './state.js';

export type Press =
  | { readonly on: 'action'; readonly action: Action }
  | { readonly on: 'pane'; readonly pane: Pane }
  | { readonly on: 'item'; readonly itemId: ItemId }
  | { readonly on: 'block'; readonly block: number }
  /** A line of the popup's list, or one of its buttons. */
  | { readonly on: 'line'; readonly index: number }
  /** A line of the menu of an item. */
  | { readonly on: 'menu'; readonly action: Action }
  | { readonly on: 'button'; readonly index: number };

export type Span = frame.Span<Press>;
export type Row = frame.Row<Press>;
export type Region = frame.Region<Press>;
export type Frame = frame.Frame<Press>;
