/** The windows over the panes. One at a time; Escape leaves each without changing anything. */
import type { MissionNode, Summary } from '../../../shared/mission.js';
import type { ItemChange, ItemId, Revision, SessionId } from '../../../shared/plan.js';
import type { Effect, Explanation, Receipt, Run } from '../../../shared/run.js';
import type { Session } from '../../../shared/session.js';
import type { Intent, UndoEntry } from '../plan/edits.js';
import type { Action } from '../keymap.js';
import type { PlanDiff } from '../missions/diff-lines.js';
import type { Editor } from '../text/line-editor.js';
import type { Call } from '../message.js';
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

/** What a revision did to the item. `change` is null when it differs in nothing that is told. */
export type ReadChange =
  | { readonly state: 'reading' }
  | { readonly state: 'read'; readonly change: ItemChange | null }
  | { readonly state: 'refused'; readonly reason: string };

/** One revision that touched the item. */
export interface ItemRevision {
  readonly revision: Revision;
  readonly change: ReadChange;
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
  /** The page of the history that was asked for: where it begins (null at the newest) and which it is, from 1. Null when none is. */
  readonly history: { readonly cursor: string | null; readonly page: number } | null;
  /** Where older ones are not shown. */
  readonly cut: ReadonlySet<DetailTab>;
  /** What could not be read, and why. */
  readonly errors: ReadonlyMap<DetailTab, string>;
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
  /** The page that was asked for: where it begins, null at the newest. Null when none is. */
  readonly reading: { readonly cursor: string | null } | null;
  /** There are more, which could not be read. */
  readonly isCut: boolean;
  readonly chosen: SessionId | null;
  readonly error: string | null;
}

/** What a revision did to the plan. */
export type ReadDiff =
  | { readonly state: 'reading' }
  | { readonly state: 'read'; readonly diff: PlanDiff }
  | { readonly state: 'refused'; readonly reason: string };

/** The revisions of the plan, newest first; or what one of them changed. */
export interface RevisionsPopup {
  readonly kind: 'revisions';
  /** Null until they were read. */
  readonly revisions: readonly Revision[] | null;
  /** The version under the cursor; null at the newest. */
  readonly chosen: number | null;
  /** The page that was asked for: where it begins, null at the newest. Null when none is. */
  readonly reading: { readonly cursor: string | null } | null;
  /** Where the revisions begin that were not read yet; null when all were. */
  readonly unread: string | null;
  readonly error: string | null;
  /** The version that is looked at, and how far one has scrolled in what it changed. */
  readonly open: { readonly version: number; readonly diff: ReadDiff; readonly scroll: number } | null;
}

/** The tree of missions in which the session stands. */
export interface MissionsPopup {
  readonly kind: 'missions';
  /** The topmost one that is known, and its tree; null until it was read. */
  readonly nodes: readonly MissionNode[] | null;
  /** The session whose tree was asked for; null when none is. */
  readonly reading: SessionId | null;
  /** When it was last asked for, milliseconds since 1970. */
  readonly askedAt: number;
  readonly chosen: SessionId;
  readonly error: string | null;
}

/** What happened since a day. */
export interface ReportPopup {
  readonly kind: 'report';
  /** Of this session and those below it, or of all there are. */
  readonly of: 'session' | 'all';
  /** Null until it was read. */
  readonly summary: Summary | null;
  readonly scroll: number;
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

export type Popup =
  | ConfirmPopup
  | MenuPopup
  | DetailPopup
  | InboxPopup
  | SessionsPopup
  | RevisionsPopup
  | MissionsPopup
  | ReportPopup
  | HelpPopup
  | ExplainPopup;
