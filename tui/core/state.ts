/** All that the screen is made from. Immutable: a step gives a new one. */
import type { InboxEntry } from '../../shared/mission.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { Liveness, PlanRun, Run, RunId, Step } from '../../shared/run.js';
import type { DaemonStatus, Session } from '../../shared/session.js';
import type { Conversation } from './conversation/conversation.js';
import type { Intent, Target, UndoEntry } from './plan/edits.js';
import type { Size } from './frame.js';
import type { Glyphs } from './glyphs.js';
import { type Editor, emptyEditor } from './text/line-editor.js';
import type { Cmd, LocalServer } from './message.js';
import type { PlanModel } from './plan/plan-model.js';
import type { Popup } from './popups/popup.js';
import type { Tone } from './style.js';
import type { Typed } from './input/typed-ahead.js';

export type Pane = 'conversation' | 'plan' | 'line';

export type Link =
  /** `isStarting`: none answered, and one is being started. */
  | { readonly state: 'connecting'; readonly isStarting: boolean }
  | { readonly state: 'open' }
  /** `retryAt`: milliseconds since 1970. */
  | { readonly state: 'lost'; readonly tries: number; readonly retryAt: number; readonly reason: string }
  /** A daemon answers that speaks another protocol. */
  | { readonly state: 'otherProtocol'; readonly reason: string };

/** Where the plan is looked at. The cursor is an id: whatever moves, it stays on its item, and on its line of the screen. */
export interface PlanView {
  readonly cursor: ItemId | null;
  /** Line of the pane on which the cursor stands, from 0. */
  readonly cursorRow: number;
  readonly folded: ReadonlySet<ItemId>;
  readonly search: string;
}

export interface ConversationView {
  /** The first visible row, as a block and a row of it; null follows the end. */
  readonly top: { readonly block: number; readonly row: number } | null;
  /** The block under the cursor; null is the last one. */
  readonly cursor: number | null;
  /** Blocks that are shown the other way than their kind is by itself: folded or unfolded. */
  readonly turned: ReadonlySet<number>;
}

export interface Edit {
  readonly intent: Intent;
  /** It takes something back, and is not itself to be taken back. */
  readonly isUndo: boolean;
  /** What is taken back when all its edits were carried out; null for what is none of this client's. */
  readonly undoes: UndoEntry | null;
  /** How often it has met another version. */
  readonly tries: number;
}

/** An edit that was sent. `before`: the plan that it was worked out against, which tells how to take it back. */
export interface SentEdit extends Edit {
  readonly before: Target;
}

/** Edits go out one by one; each is worked out against the plan as the one before left it. */
export interface Edits {
  readonly queue: readonly Edit[];
  readonly current: SentEdit | null;
  /** The next one waits until the plan has this version. */
  readonly awaiting: number;
  /** A new item that the cursor goes to when it is there. */
  readonly cursorTo: ItemId | null;
  readonly undo: readonly UndoEntry[];
}

/** A run whose transcript is to be read, and where its blocks go if none of it is there. */
export interface Read {
  readonly run: Run;
  readonly at: 'start' | 'end';
}

/** The transcript that was asked for, and what was known of its run then: that tells what the answer covers. */
export interface Reading {
  readonly runId: RunId;
  readonly turns: number;
  readonly isOver: boolean;
  /** How many of its blocks were complete. */
  readonly complete: number;
}

/** What is told of revisions that the planner makes. */
export interface Revised {
  /** The version up to which they were told. */
  readonly told: number;
  /** They were asked for; `again`: the plan has changed since. */
  readonly asking: 'no' | 'once' | 'again';
}

/** Words on their way to the model: kept until the daemon has them. */
export interface Saying {
  readonly key: string;
  readonly sessionId: SessionId;
  readonly text: string;
}

export interface SessionView {
  readonly session: Session;
  readonly planRun: PlanRun;
  readonly liveness: Liveness;
  /** When the liveness was told, milliseconds since 1970. */
  readonly livenessAt: number;
  /** When it was last asked for. */
  readonly livenessAskedAt: number;
  readonly run: Run | null;
  readonly runs: readonly Run[];
  /** When they were last asked for without need of their words, milliseconds since 1970. */
  readonly runsAskedAt: number;
  readonly steps: readonly Step[];
  /** Open entries, newest first. */
  readonly inbox: readonly InboxEntry[];
  readonly plan: PlanModel;
  readonly planView: PlanView;
  readonly conversation: Conversation;
  readonly conversationView: ConversationView;
  /** Runs whose transcript is asked for when the top is reached, newest first. */
  readonly earlier: readonly Run[];
  readonly reads: readonly Read[];
  readonly reading: Reading | null;
  /** Where the runs begin that are not listed yet; null when all are, undefined before any is. */
  readonly unlisted: string | null | undefined;
  /** Those were asked for. */
  readonly isListing: boolean;
  /** Runs of which a part was not heard, and the turns that they had then: with more of them their transcript has it. */
  readonly partlyHeard: ReadonlyMap<RunId, number>;
  readonly edits: Edits;
  readonly revised: Revised;
  /** A new snapshot was asked for: changes until it comes are contained in it. */
  readonly isResyncing: boolean;
}

export interface ChatLine {
  readonly editor: Editor;
  /** What was said before, oldest first. */
  readonly history: readonly string[];
  /** Place in the history; null when not in it. */
  readonly at: number | null;
  /** What was being written when the history was entered. */
  readonly draft: Editor;
  readonly saying: readonly Saying[];
}

export type PromptKind =
  | { readonly kind: 'add'; readonly parentId: ItemId | null; readonly afterId: ItemId | null }
  | { readonly kind: 'title'; readonly itemId: ItemId; readonly base: string }
  | { readonly kind: 'goal'; readonly base: string }
  | { readonly kind: 'guidance' }
  | { readonly kind: 'newSession' }
  /** What the planner is to make of the plan. */
  | { readonly kind: 'draft' }
  /** `from`: where the cursor was. */
  | { readonly kind: 'search'; readonly from: ItemId | null };

/** One line that is asked for. It stays until what it is for has been done, so no text is ever lost. */
export interface Prompt {
  readonly about: PromptKind;
  readonly editor: Editor;
  readonly error: string | null;
  readonly isSent: boolean;
  /** Of what may not be done twice, once it was sent: sent again after a lost connection it is the same. */
  readonly key?: string;
}

/** One line about what just happened; the next key takes it away, and what is no error goes by itself. */
export interface Notice {
  readonly text: string;
  readonly tone: Tone;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface State {
  readonly size: Size;
  readonly glyphs: Glyphs;
  /** Milliseconds since 1970, as last told. */
  readonly now: number;
  /** When the daemon was last heard, where it is not heard any more: nothing is known of what came after. */
  readonly heardAt: number | null;
  /** The folder in which the client was started. */
  readonly folder: string;
  /** The person's own folder, shown as `~`; empty when there is none. */
  readonly home: string;
  /** Makes keys of this client that no other has. */
  readonly clientId: string;
  readonly nextKey: number;
  readonly link: Link;
  readonly daemon: DaemonStatus | null;
  readonly servers: readonly LocalServer[] | null;
  /** The session to show; null until one is found or made. */
  readonly wanted: SessionId | null;
  /** Why the session that was shown is not shown any more; null before, and in another one. */
  readonly leftBecause: string | null;
  /** False until it is known whether the folder has a session. */
  readonly isLookedUp: boolean;
  readonly session: SessionView | null;
  readonly focus: Pane;
  /** Which pane is shown where there is room for one. */
  readonly tab: 'conversation' | 'plan';
  /** In a wide terminal, whether the plan is shown. */
  readonly isPlanShown: boolean;
  readonly chat: ChatLine;
  readonly prompt: Prompt | null;
  /** What was typed while the prompt waited for its answer. */
  readonly ahead: readonly Typed[];
  readonly popup: Popup | null;
  /** Answers to entries of the inbox that were begun and not given, by the entry. */
  readonly answers: ReadonlyMap<string, Editor>;
  readonly notice: Notice | null;
}

export interface Start {
  readonly size: Size;
  readonly glyphs: Glyphs;
  readonly now: number;
  readonly folder: string;
  readonly home: string;
  readonly clientId: string;
  readonly sessionId: SessionId | null;
}

export function initialState({ size, glyphs, now, folder, home, clientId, sessionId }: Start): State {
  return {
    size,
    glyphs,
    now,
    heardAt: null,
    folder,
    home,
    clientId,
    nextKey: 1,
    link: { state: 'connecting', isStarting: false },
    daemon: null,
    servers: null,
    wanted: sessionId,
    leftBecause: null,
    isLookedUp: sessionId !== null,
    session: null,
    focus: 'plan',
    tab: 'plan',
    isPlanShown: true,
    chat: { editor: emptyEditor, history: [], at: null, draft: emptyEditor, saying: [] },
    prompt: null,
    ahead: [],
    popup: null,
    answers: new Map(),
    notice: null,
  };
}

export const noEdits: Edits = { queue: [], current: null, awaiting: 0, cursorTo: null, undo: [] };

/** What a step gives: the next state, and what is to be done. */
export interface Next {
  readonly state: State;
  readonly cmds: readonly Cmd[];
}

export const next = (state: State, ...cmds: readonly Cmd[]): Next => ({ state, cmds });
export const withCmds = (step: Next, ...cmds: readonly Cmd[]): Next => ({ ...step, cmds: [...step.cmds, ...cmds] });
/** One step after the other. (A module that exports `then` would be taken for a promise where it is imported at run time.) */
export function andThen(step: Next, follow: (state: State) => Next): Next {
  const after = follow(step.state);
  return { state: after.state, cmds: [...step.cmds, ...after.cmds] };
}
export const tell = (state: State, text: string, tone: Tone = 'plain'): State => ({
  ...state,
  notice: { text, tone, at: state.now },
});
/** Changes the session that is shown; nothing where there is none. */
export function withSession(state: State, change: (view: SessionView) => Partial<SessionView>): State {
  return state.session === null ? state : { ...state, session: { ...state.session, ...change(state.session) } };
}
export const patchSession = (state: State, patch: Partial<SessionView>): State => withSession(state, () => patch);

/** A path as people write it: `~` for their own folder. */
export function shortPath(path: string, { home }: Pick<State, 'home'>): string {
  const isInside = home !== '' && (path === home || path.startsWith(`${home}/`));
  return isInside ? `~${path.slice(home.length)}` : path;
}

/** Until when it is known how things stand: now, or when the daemon was last heard. Milliseconds since 1970. */
export const knownUntil = ({ heardAt, now }: Pick<State, 'heardAt' | 'now'>): number => heardAt ?? now;
