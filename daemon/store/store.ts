/**
 * The store's port: atomic commands, each one transaction, each answered by a Promise. No callback transaction exists,
 * so nothing slow can ever run inside one, and SQLite and PostgreSQL serve alike. A command that belongs to a run carries
 * the owner's epoch and is refused (`false`) when it is old.
 */
import type { NewEvent } from '../../shared/event.js';
import type {
  Budget,
  InboxEntry,
  MissionOrder,
  Outcome,
  PlannerMode,
  Policy,
  Profile,
  Report,
  ReportText,
} from '../../shared/mission.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { EffectClass, EffectId, EffectState, Message, Receipt, RunId, ToolCall } from '../../shared/run.js';
import type { CairnEvent } from '../../shared/event.js';
import type { Decision, InboxDraft, RunRef, RunState } from '../domain/run-state.js';
import type { PlanChange } from '../domain/plan.js';
import type { PlannerNote } from '../domain/planner-notes.js';
import type { StepsState } from '../domain/steps/steps.js';
import type { Queries } from './queries.js';

/** What a session is, apart from its plan and its checkpoint. */
export interface SessionRecord {
  readonly id: SessionId;
  readonly title: string;
  /** Absolute real path. */
  readonly workspace: string;
  readonly profile: Profile;
  readonly context: 'leaf' | 'session';
  readonly policy: Policy;
  readonly model: string | null;
  readonly planner: PlannerMode;
  readonly planning: boolean;
  readonly parentId: SessionId | null;
  readonly isMission: boolean;
  /** What a mission is asked for besides its goal. */
  readonly order: MissionOrder;
  readonly outcome: Outcome | null;
  readonly outcomeReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A key that makes a command happen once: the second call with it gets what the first one made. */
export interface Once {
  readonly key: string;
  readonly method: string;
  /** Hash of the params: the same key with others is refused. */
  readonly digest: string;
}

export type OnceAnswer =
  { readonly state: 'new' } | { readonly state: 'seen'; readonly ref: string } | { readonly state: 'other' };

export interface NewTurn {
  readonly ref: RunRef;
  readonly sessionId: SessionId;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly durationMs: number;
  /** Of model and tools since the turn before, in milliseconds; waiting for a person does not count. */
  readonly activeMs: number;
  /** Tokens that the steps took in the request, as estimated; null when it carried none. */
  readonly stepsTokens: number | null;
  /** A word of the engine about this turn, appended with it: a turn that was cut off never stands alone as a last word. */
  readonly notice?: string;
}

/** A stored message: `seq` orders its transcript, from 1, without gaps. */
export interface StoredMessage extends Message {
  readonly seq: number;
  readonly runId: RunId;
}

export interface NewEffect {
  readonly id: EffectId;
  readonly sessionId: SessionId;
  readonly ref: RunRef;
  readonly name: string;
  /** JSON text, redacted. */
  readonly args: string;
  readonly argsDigest: string;
  readonly class: EffectClass;
  readonly repeatable: boolean;
}

export interface EffectEnd {
  readonly id: EffectId;
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly state: Exclude<EffectState, 'intent'>;
  /** What the model is told as the call's result. Null for an effect outside a conversation (a command leaf, a check). */
  readonly toolCallId: string | null;
  readonly content: string;
  /** Filed in the same transaction, so that it is never unknown whether it was. */
  readonly report?: ReportText & { readonly itemId: ItemId | null };
  /** Of a `plan` call, in the same transaction as well. */
  readonly steps?: StepsChange;
  /** The version of the plan that the run has been shown by this result. */
  readonly planVersion?: number;
}

/** The result of a call that changes a session, written in the transaction of that change. */
export interface CallEnd extends EffectEnd {
  /** Of `mission_plan`: the version that its planner last saw. A later one with another shape refuses the commit. */
  readonly seenVersion?: number;
}

/** What a planner run begins with. */
export interface PlannerStart {
  readonly id: RunId;
  readonly sessionId: SessionId;
  /** The run whose transcript it goes on with: the planner's last one; null for its first. */
  readonly resumes: RunId | null;
  /** What the engine says, and what persons have said. */
  readonly brief: string;
  readonly words: readonly string[];
  /** The notes that it is shown. */
  readonly notes: readonly number[];
}

/** How a planner run ended, and what follows from it, in one transaction. */
export interface PlannerEnd {
  readonly runId: RunId;
  readonly sessionId: SessionId;
  /** `completed`: what it was shown is done with. Otherwise it is shown again to the next one. */
  readonly status: 'completed' | 'failed' | 'cancelled' | 'interrupted';
  readonly error: string | null;
  readonly keep: Partial<Pick<PlannerKept, 'failures' | 'retryAt' | 'unmoved' | 'blocker' | 'held'>>;
  /** A word to itself. */
  readonly note: PlannerNote | null;
  /** Opened in the inbox when it is held. */
  readonly entry: InboxDraft | null;
}

/** What the engine keeps of a planner between two of its runs. */
export interface PlannerKept {
  readonly lastRunId: RunId | null;
  /** Runs in a row that failed. */
  readonly failures: number;
  /** Milliseconds of the clock before which it is not woken. */
  readonly retryAt: number | null;
  /** Why it is not woken until a person does something. */
  readonly held: string | null;
  /** The newest run that changed the plan. */
  readonly movedRun: RunId | null;
  /** Runs in a row that left the same blocker as it was. */
  readonly unmoved: number;
  readonly blocker: string | null;
  /** How often in a row it was woken at a standstill with nothing done since, whatever it changed; and what was done then. */
  readonly returns: number;
  readonly progress: number;
  /** The id that its next run was promised to have. */
  readonly nextRun: RunId | null;
}

export interface KeptSteps {
  readonly state: StepsState;
  /** Steps that became blocked since one was last done. */
  readonly blockedStreak: number;
}

/** What a `plan` call made of the steps of its transcript. */
export interface StepsChange extends KeptSteps {
  /** Null for a call that changed nothing. */
  readonly changed: 'created' | 'updated' | null;
  /** The streak has just reached the length at which it is told. */
  readonly isStuck: boolean;
  /** The whole protected message, as it is from now on. */
  readonly message: string;
}

/** How far a transcript has been trimmed; marks move forward only. */
export interface TrimState {
  /** Large tool results up to this `seq` are sent as one line. */
  readonly resultsTo: number;
  /** Messages up to this `seq` are not sent any more, except the protected ones. */
  readonly droppedTo: number;
  /** As many messages of the conversation before the run are not sent, counted from the oldest. */
  readonly conversationDropped: number;
}

export interface Trim {
  readonly state: TrimState;
  /** The digest of all that is not sent any more; null leaves the one that is there. */
  readonly digest: string | null;
  readonly stage: 1 | 2 | 3;
  /** Groups of messages that were left out by this. */
  readonly groups: number;
  /** What the digest cost; null when no model was asked. */
  readonly usage: SideUsage | null;
}

export interface Charge extends SideUsage {
  readonly turns: number;
  readonly toolCalls: number;
  /** Of model and tools, in milliseconds. */
  readonly activeMs: number;
}

/** What a request beside the turns of a run has cost. */
export interface SideUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly durationMs: number;
}

export type CommitResult =
  /** `inbox` holds the entries that were opened and withdrawn, as they are now. */
  | { readonly ok: true; readonly events: readonly CairnEvent[]; readonly inbox: readonly InboxEntry[] }
  /**
   * `moved`: somebody else was first (load again and decide anew). `key_used`: the once key was, meanwhile (ask `once`).
   * `unseen`: the plan has another shape than the caller last saw. `not_current`: the call's run has ended.
   */
  | { readonly ok: false; readonly reason: 'moved' | 'key_used' | 'unseen' | 'not_current' };

/**
 * Free text (messages, errors, summaries, explanations, reports, questions and answers) is redacted by the store once
 * more. The texts of items come redacted: what is stored must be what the domain holds in memory.
 */
export interface Store extends Queries {
  readonly kind: string;
  close(): Promise<void>;

  /**
   * Null when the once key was used meanwhile, or when the run of `call` (the `mission_fire` that makes it, of the parent) has
   * ended. `notes`: for its planner.
   */
  createSession(
    record: SessionRecord,
    change: PlanChange | null,
    once: Once | null,
    more?: { readonly notes?: readonly PlannerNote[]; readonly call?: CallEnd },
  ): Promise<{ readonly events: readonly CairnEvent[]; readonly ofCall: readonly CairnEvent[] } | null>;
  /** False when there is no such session. */
  renameSession(id: SessionId, title: string): Promise<boolean>;
  setPlanning(id: SessionId, planning: boolean): Promise<void>;
  /** Replaces the budget of a session's policy; false when there is no such session. */
  setBudget(id: SessionId, budget: Budget): Promise<boolean>;
  /** Removes the session with everything that belongs to it; only its `session.deleted` event stays. No event: not there. */
  deleteSession(id: SessionId): Promise<readonly CairnEvent[]>;

  /** A new owner takes the session: `epoch` goes up by one and every older owner's commits are refused. */
  claim(id: SessionId): Promise<RunState | null>;
  /**
   * Everything that one command does: plan, checkpoint, runs, inbox, events; compare-and-set on version and epoch.
   * A once key refers to the first item that the decision adds, else to the session. An outcome ends the planner's run, takes
   * back what was asked, and is told to the parent's planner.
   */
  commit(decision: Decision, once: Once | null, call?: CallEnd): Promise<CommitResult>;

  /** Puts a note into a planner's queue. False when the once key was used meanwhile, or the session is gone or has ended. */
  addNote(sessionId: SessionId, note: PlannerNote, once: { readonly once: Once; readonly ref: string } | null): Promise<boolean>;
  /** Takes notes back that nobody has been shown. */
  dropNotes(sessionId: SessionId, kind: PlannerNote['kind']): Promise<void>;
  /** Null when one of the notes is gone or shown already, a planner run is open, or the session has ended. */
  beginPlanner(start: PlannerStart): Promise<readonly CairnEvent[] | null>;
  /** A planner run that the dead daemon carried out goes on as a new one, with the notes that it was shown. */
  resumePlanner(run: { id: RunId; sessionId: SessionId; resumes: RunId }): Promise<readonly CairnEvent[] | null>;
  /** Null when the run has ended already. */
  endPlanner(end: PlannerEnd): Promise<{ readonly events: readonly CairnEvent[]; readonly inbox: readonly InboxEntry[] } | null>;
  keepPlanner(sessionId: SessionId, keep: Partial<PlannerKept>): Promise<void>;
  /** The planner is not woken until a person does something: `entry` tells of it. A reason of null frees it again. */
  holdPlanner(
    sessionId: SessionId,
    reason: string | null,
    entry: InboxDraft | null,
  ): Promise<{ readonly events: readonly CairnEvent[]; readonly inbox: readonly InboxEntry[] }>;

  /**
   * A chat or planner run: changes no checkpoint. `text` is its first message; empty for one that resumes
   * another, which ends as interrupted in the same transaction.
   * Null when the once key was used meanwhile, or the session is gone.
   */
  beginChat(
    run: { id: RunId; sessionId: SessionId; kind: 'chat' | 'planner'; text: string; resumes: RunId | null },
    once: Once | null,
  ): Promise<readonly CairnEvent[] | null>;
  /** No event when the run has ended already. */
  endChat(
    runId: RunId,
    sessionId: SessionId,
    status: 'completed' | 'failed' | 'cancelled' | 'interrupted',
    error: string | null,
  ): Promise<readonly CairnEvent[]>;

  /** A chat run waits for a person: its status and what it asks, in one transaction. Null when it is not running. */
  suspendChat(
    ref: RunRef,
    sessionId: SessionId,
    entries: readonly InboxDraft[],
  ): Promise<{ readonly events: readonly CairnEvent[]; readonly inbox: readonly InboxEntry[] } | null>;
  /** A waiting chat run goes on; false when it is not waiting. */
  wakeChat(runId: RunId): Promise<boolean>;

  /** Words of a person for the running leaf; delivered at its next turn. False when the once key was used meanwhile, or the session is gone. */
  addSteering(sessionId: SessionId, text: string, once: Once | null, runId: RunId): Promise<boolean>;
  /** Moves undelivered words into the run's transcript; gives how many. */
  deliverSteering(sessionId: SessionId, ref: RunRef): Promise<number>;

  /** Notices and prompts that the engine writes. False when the run is no longer the current one. */
  appendMessages(ref: RunRef, messages: readonly Omit<Message, 'at'>[]): Promise<boolean>;
  /**
   * The assistant's message with its usage; sets the run's deaths back to 0. Null when the run is no longer the current
   * one: a leaf run must be running and carry the session's epoch, a chat or planner run must be running.
   */
  appendTurn(turn: NewTurn): Promise<{ readonly seq: number; readonly events: readonly CairnEvent[] } | null>;
  /** Charges what was spent beside the turns. Nothing happens when the run is no longer the current one. */
  charge(ref: RunRef, sessionId: SessionId, charge: Charge): Promise<void>;
  /** Writes how far the context was trimmed, and its digest. Null when the run is no longer the current one. */
  trimContext(ref: RunRef, sessionId: SessionId, trim: Trim): Promise<readonly CairnEvent[] | null>;
  /** Puts the protected message of the steps in its place; there is never more than one in a transcript. */
  putPlanMessage(ref: RunRef, sessionId: SessionId, content: string): Promise<boolean>;
  /** Writes the intent. Null when the run is no longer the current one. An id that exists is refused: no effect begins twice. */
  beginEffect(effect: NewEffect): Promise<readonly CairnEvent[] | null>;
  /**
   * Writes the result, also of a run that was aborted meanwhile: what was seen is recorded. No event when the effect has
   * its result already. Sets the run's deaths back to 0, unless the outcome is unknown.
   */
  endEffect(end: EffectEnd): Promise<readonly CairnEvent[]>;
  recordReceipt(sessionId: SessionId, receipt: Receipt): Promise<readonly CairnEvent[]>;
  fileReport(report: Omit<Report, 'id' | 'at'>): Promise<readonly CairnEvent[]>;

  /** Null when the entry is not open any more: only the first answer counts. */
  answerInbox(
    id: string,
    answer: string,
    state: 'answered' | 'expired',
  ): Promise<{ readonly entry: InboxEntry; readonly events: readonly CairnEvent[] } | null>;
  ackInbox(id: string): Promise<{ readonly entry: InboxEntry; readonly events: readonly CairnEvent[] } | null>;
  /** `always` of a person: this tool with exactly this subject, for this session only. Kept as a digest. */
  grantAlways(sessionId: SessionId, tool: string, subject: string): Promise<void>;

  appendEvents(sessionId: SessionId, events: readonly NewEvent[]): Promise<readonly CairnEvent[]>;
}
