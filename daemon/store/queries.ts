/**
 * What can be read from the store. Lists are paged by cursor, newest first unless said otherwise; a cursor that no page
 * gave out reads as the end of the list.
 */
import type { CairnEvent } from '../../shared/event.js';
import type { InboxEntry, InboxState, Report, ReportKind } from '../../shared/mission.js';
import type { Author, ItemChange, ItemId, Revision, SessionId } from '../../shared/plan.js';
import type { Counts } from '../../shared/plan.js';
import type { Effect, EffectId, PlanRun, PlanRunStatus, Receipt, Run, RunId, Usage } from '../../shared/run.js';
import type { RunState } from '../domain/run-state.js';
import type { Once, OnceAnswer, SessionRecord, StoredMessage } from './store.js';

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
  readonly usage: Usage;
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
  /** The newest approval that was asked for an effect. */
  approvalOf(effectId: EffectId): Promise<InboxEntry | null>;
  openDeadlines(): Promise<readonly { id: string; deadline: string }[]>;
  isGranted(sessionId: SessionId, tool: string, subject: string): Promise<boolean>;

  /** Tool calls that a session has begun, of all its runs. */
  countToolCalls(id: SessionId): Promise<number>;
  /** Oldest first, `seq > after`. */
  eventsAfter(after: number, sessionId: SessionId | null, limit: number): Promise<readonly CairnEvent[]>;
  usage(sessionId: SessionId | null): Promise<{
    total: Usage;
    bySession: readonly (Usage & { sessionId: SessionId })[];
    byItem: readonly (Usage & { sessionId: SessionId; itemId: ItemId | null })[];
    byModel: readonly (Usage & { model: string | null })[];
  }>;
}
