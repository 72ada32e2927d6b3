/** The windows over the panes. One at a time; Escape leaves each without changing anything. */
import type { ItemChange, ItemId, Revision, SessionId } from '../../../shared/plan.js';
import type { Effect, Explanation, Receipt, Run } from '../../../shared/run.js';
import type { Session } from '../../../shared/session.js';
import type { Intent, UndoEntry } from '../edits.js';
import type { Action } from '../keymap.js';
import type { Editor } from '../line-editor.js';
import type { Call } from '../message.js';
import type { PromptKind } from '../state.js';
import type { Tone } from '../style.js';

/** What a choice does. Nothing is what Escape does as well. */
export type Does =
  | { readonly type: 'nothing' }
  | { readonly type: 'call'; readonly call: Call }
  /** Aborts the run of the item that the person saw; then the plan may be cleared. */
  | {
      readonly type: 'cancel';
      readonly seen: ItemId | null;
      readonly clears: Extract<Intent, { kind: 'clear' }> | null;
    }
  /** `takesBack`: they take back an earlier edit, and are not themselves to be taken back; null for one of nobody here. */
  | { readonly type: 'intents'; readonly intents: readonly Intent[]; readonly takesBack?: UndoEntry | null }
  | { readonly type: 'prompt'; readonly about: PromptKind; readonly text: string }
  | { readonly type: 'editDetail'; readonly itemId: ItemId; readonly base: string; readonly text: string };

export interface Choice {
  /** The letter that takes it at once. */
  readonly key: string;
  readonly label: string;
  readonly does: Does;
}

export interface ConfirmPopup {
  readonly kind: 'confirm';
  readonly title: string;
  readonly lines: readonly { readonly text: string; readonly tone: Tone }[];
  readonly choices: readonly Choice[];
  readonly chosen: number;
  readonly scroll: number;
}

export interface MenuPopup {
  readonly kind: 'menu';
  readonly itemId: ItemId;
  /** What Enter takes; nothing once it can no longer be done. */
  readonly chosen: Action;
}

export const detailTabs = ['details', 'receipts', 'effects', 'runs', 'changes'] as const;
export type DetailTab = (typeof detailTabs)[number];

/** One revision that touched the item. */
export interface ItemRevision {
  readonly revision: Revision;
  /** Null until it was read. */
  readonly change: ItemChange | null;
}

export interface DetailPopup {
  readonly kind: 'detail';
  readonly itemId: ItemId;
  readonly tab: DetailTab;
  readonly scroll: number;
  /** Null until they were read. */
  readonly receipts: readonly Receipt[] | null;
  readonly runs: readonly Run[] | null;
  readonly effects: readonly Effect[] | null;
  readonly changes: readonly ItemRevision[] | null;
  readonly error: string | null;
}

export interface InboxPopup {
  readonly kind: 'inbox';
  /** The entry under the cursor; the first one when it is gone. */
  readonly entry: string | null;
  /** The answer that Enter gives. */
  readonly choice: number;
  readonly editor: Editor;
  readonly scroll: number;
  /** The entry that was answered, until the daemon says so. */
  readonly sent: string | null;
  readonly error: string | null;
}

export interface SessionsPopup {
  readonly kind: 'sessions';
  readonly filter: Editor;
  /** Null until they were read. */
  readonly sessions: readonly Session[] | null;
  readonly chosen: SessionId | null;
  readonly error: string | null;
}

export interface HelpPopup {
  readonly kind: 'help';
  readonly scroll: number;
}

/** What a start would do, before it does it. */
export interface ExplainPopup {
  readonly kind: 'explain';
  readonly explanation: Explanation;
  readonly choices: readonly Choice[];
  readonly chosen: number;
  readonly scroll: number;
}

export type Popup = ConfirmPopup | MenuPopup | DetailPopup | InboxPopup | SessionsPopup | HelpPopup | ExplainPopup;
