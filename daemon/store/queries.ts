/**
 * What can be read from the store. Lists are paged by cursor, newest first unless said otherwise; a cursor that no page
 * gave out reads as the end of the list.
 */
import type { CairnEvent } from '../../shared/event.js';
import type { Budget, InboxEntry, InboxState, Outcome, PlannerState, Report, ReportKind } from '../../shared/mission.js';
import type { Author, ItemChange, ItemId, Revision, SessionId } from '../../shared/plan.js';
import type { Counts } from '../../shared/plan.js';
import type { Effect, EffectId, PlanRun, PlanRunStatus, Receipt, Run, RunId, Usage } from '../../shared/run.js';
import type { RunState } from '../domain/run-state.js';
import type { PlannerNote } from '../domain/planner-notes.js';
import type { KeptSteps, Once, OnceAnswer, PlannerKept, SessionRecord, StoredMessage, TrimState } from './store.js';

export interface Page {
  readonly limit: number;
  readonly cursor: string | null;
}

export interface Paged<T> {
  readonly rows: readonly T[];
  readonly nextCursor: string | null;
}

/** A row of the session list: read without loading any plan. */
export interface SessionRow {
  readonly record: SessionRecord;
  readonly goal: string;
  readonly planVersion: number;
  readonly counts: Counts;
  readonly planRun: PlanRun;
  readonly planner: PlannerState;
  readonly usage: Usage;
}

/** A session in the tree of its missions. */
export interface TreeRow extends SessionRow {
  readonly depth: number;
  readonly openInbox: number;
}

/** The queue of a planner, with what the engine keeps of it. */
export interface PlannerQueue extends PlannerKept {
  /** For the next run, oldest first. `told`: it stands in the conversation already, from a run that was cut off. */
  readonly notes: readonly (PlannerNote & { readonly no: number; readonly told: boolean })[];
  readonly openRun: Run | null;
}

export interface OpenChild {
  readonly id: SessionId;
  readonly isMission: boolean;
  /** A person has cancelled it: nothing comes of it by itself. */
  readonly isCancelled: boolean;
}

interface NamedItem {
  readonly sessionId: SessionId;
  readonly session: string;
  readonly itemId: ItemId;
  readonly at: string;
}

/** What happened since a time, as far as rows tell it; at most a thousand of each. */
export interface SummaryRows {
  /** Items that became done in that time and still are, in the order in which they did. */
  readonly done: readonly (NamedItem & { readonly accepted: boolean; readonly summary: string | null })[];
  readonly stopped: readonly SessionRow[];
  readonly underWay: readonly SessionRow[];
  readonly ended: readonly {
    readonly sessionId: SessionId;
    readonly session: string;
    readonly outcome: Outcome;
    readonly reason: string;
    readonly at: string;
  }[];
  readonly revised: readonly { readonly sessionId: SessionId; readonly session: string; readonly revision: Revision }[];
  readonly spent: Usage;
  readonly open: readonly InboxEntry[];
}

/** A stored revision with what it changed, to compare and to take back. */
export interface RevisionRow {
  readonly revision: Revision;
  readonly author: Author;
  readonly goal: { readonly before: string; readonly after: string } | null;
  readonly items: readonly ItemChange[];
}

export interface StoredEffect extends Effect {
  readonly itemId: ItemId | null;
  readonly result: string | null;
  readonly argsDigest: string;
}

/** What a budget is held against. */
export interface Spent {
  readonly turns: number;
  readonly toolCalls: number;
  /** Input and output. */
  readonly tokens: number;
  /** Null when no price is known for any of it. */
  readonly costUsd: number | null;
  /** Of model and tools; waiting for a person does not count. */
  readonly activeMs: number;
}

export interface Spending {
  /** The session first, then its parent, and so on; each with what it and all below it have spent. */
  readonly chain: readonly {
    readonly sessionId: SessionId;
    readonly title: string;
    readonly budget: Budget | null;
    readonly spent: Spent;
  }[];
  /** Of all runs of the item; null for a run without one. */
  readonly leaf: Spent | null;
}

/** How much the model's own steps are used, and what they cost. */
export interface StepsUsage {
  /** Runs by the model that have ended or are under way. */
  readonly runs: number;
  /** Of these, those that kept steps. */
  readonly runsWithSteps: number;
  readonly calls: number;
  /** Requests that carried the steps, and the tokens that they took, as estimated. */
  readonly turnsShown: number;
  readonly tokensShown: number;
}

export interface Queries {
  schemaVersion(): number;
  sizeBytes(): Promise<number>;
  lastSeq(): Promise<number>;
  /** What became of a once key; kept for a week. */
  once(once: Once): Promise<OnceAnswer>;

  session(id: SessionId): Promise<SessionRecord | null>;
  sessionRow(id: SessionId): Promise<SessionRow | null>;
  listSessions(filter: { status?: PlanRunStatus; workspace?: string }, page: Page): Promise<Paged<SessionRow>>;
  /** Sessions whose plan run is running, pausing or waiting: what recovery looks at. */
  sessionsNotAtRest(): Promise<readonly SessionId[]>;
  /** Missions without an outcome, and sessions whose planner has something to see: what start-up tends. */
  sessionsToTend(): Promise<readonly SessionId[]>;
  planner(id: SessionId): Promise<PlannerQueue>;
  /** Sessions right below one that have not ended: missions, and others that are not at rest. */
  openChildren(id: SessionId): Promise<readonly OpenChild[]>;
  /** How many missions were ever fired below it, and how many sessions stand above it. */
  family(id: SessionId): Promise<{ readonly children: number; readonly depth: number }>;
  /** A session and all below it, parents first, children in the order in which they were made. */
  missionTree(id: SessionId): Promise<readonly TreeRow[]>;
  summary(since: string, sessionId: SessionId | null): Promise<SummaryRows>;
  /** The newest version with another shape or other texts than the one before; 0 when there is none. */
  shapeVersion(id: SessionId): Promise<number>;
  counts(): Promise<{ sessions: number; running: number; inbox: number }>;

  loadState(id: SessionId): Promise<RunState | null>;

  revisions(id: SessionId, page: Page, withStatusOnly: boolean): Promise<Paged<Revision>>;
  /** Revisions with their changes, oldest first, `after < version <= upTo`. */
  revisionChanges(id: SessionId, after: number, upTo: number): Promise<readonly RevisionRow[]>;

  run(id: RunId): Promise<Run | null>;
  runs(id: SessionId, itemId: ItemId | null, page: Page): Promise<Paged<Run>>;
  /** Chat and planner runs that were under way. */
  openChats(): Promise<readonly Run[]>;
  /** The whole transcript that the run goes on with: its own messages and those of the runs it resumes. */
  transcript(runId: RunId): Promise<readonly StoredMessage[]>;
  /** The part of a transcript with `seq > after`, without the two messages that change in place (steps, digest). */
  transcriptAfter(runId: RunId, after: number): Promise<readonly StoredMessage[]>;
  /** The protected message of the steps and the digest, as they are now. */
  placedMessages(runId: RunId): Promise<{ readonly plan: StoredMessage | null; readonly digest: StoredMessage | null }>;
  /** The model's own list in the transcript of a run; null when it keeps none. */
  steps(runId: RunId): Promise<KeptSteps | null>;
  trimState(runId: RunId): Promise<TrimState>;
  effects(runId: RunId): Promise<readonly StoredEffect[]>;
  /** Effects of the whole transcript of a run. */
  transcriptEffects(runId: RunId): Promise<readonly StoredEffect[]>;
  /** Effects of all runs of an item, oldest first: what later runs are told. */
  itemEffects(sessionId: SessionId, itemId: ItemId): Promise<readonly StoredEffect[]>;
  /** Oldest first. */
  receipts(sessionId: SessionId, itemId: ItemId): Promise<readonly Receipt[]>;
  reports(id: SessionId, kind: ReportKind | null, page: Page): Promise<Paged<Report>>;
  /**
   * Messages of the finished leaf runs of a session (the newest fifty transcripts, whole) without those of this run's
   * transcript and without what belongs to the conversation, oldest first.
   */
  earlierTranscripts(id: SessionId, exceptRun: RunId): Promise<readonly StoredMessage[]>;
  /**
   * What persons said in the session (steering that was delivered included) and what chats answered, oldest first,
   * without tool calls.
   */
  conversation(id: SessionId): Promise<readonly StoredMessage[]>;

  inboxEntry(id: string): Promise<InboxEntry | null>;
  inbox(filter: { sessionId?: SessionId; state?: InboxState }, page: Page): Promise<Paged<InboxEntry>>;
  /** Oldest first. */
  inboxOfRun(runId: RunId): Promise<readonly InboxEntry[]>;
  /** The newest question that was asked for an effect. */
  questionOf(effectId: EffectId): Promise<InboxEntry | null>;
  /** The newest approval that was asked for an effect. */
  approvalOf(effectId: EffectId): Promise<InboxEntry | null>;
  /** Tool and subject of each call that an approval is about. */
  approvalCalls(entryId: string): Promise<readonly { readonly tool: string; readonly subject: string }[]>;
  openDeadlines(): Promise<readonly { id: string; deadline: string }[]>;
  isGranted(sessionId: SessionId, tool: string, subject: string): Promise<boolean>;

  /** What was spent by the session, by each of its ancestors, and by its item: what budgets are held against. */
  spending(id: SessionId, itemId: ItemId | null): Promise<Spending>;
  /** Oldest first, `seq > after`. */
  eventsAfter(after: number, sessionId: SessionId | null, limit: number): Promise<readonly CairnEvent[]>;
  usage(sessionId: SessionId | null): Promise<{
    total: Usage;
    bySession: readonly (Usage & { sessionId: SessionId })[];
    byItem: readonly (Usage & { sessionId: SessionId; itemId: ItemId | null })[];
    byModel: readonly (Usage & { model: string | null })[];
    steps: StepsUsage;
  }>;
}
