/**
 * What the runner's state machine works on: the checkpoint row, the run under way, and the events and effects around it.
 * Pure: time, ids and jitter come in with the event.
 */
import type { NewEvent } from '../../shared/event.js';
import type { InboxEntry, Outcome, PlannerMode, Report } from '../../shared/mission.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { EffectId, PlanRunStatus, RunId, RunStatus } from '../../shared/run.js';
import type { Plan, PlanChange } from './plan.js';
import type { NoteKind, PlannerNote } from './planner-notes.js';

/** The stored status: `pausing` is `running` with `control = pause`. */
export type CheckpointStatus = Exclude<PlanRunStatus, 'pausing'>;

/** The one checkpoint row of a session (table `plan_runs`). */
export interface Checkpoint {
  readonly status: CheckpointStatus;
  readonly control: 'run' | 'pause' | 'cancel';
  readonly currentItemId: ItemId | null;
  readonly lastRunId: RunId | null;
  readonly lastError: string | null;
  readonly stepNo: number;
  readonly attempt: number;
  readonly epoch: number;
  /** Failed tries that are still allowed at the current leaf. */
  readonly triesLeft: number;
  /** Milliseconds since the epoch of the clock before which the next try does not start; null: at once. */
  readonly retryAt: number | null;
  /** The next run of the leaf goes on with the transcript of `lastRunId` instead of a fresh one. */
  readonly resume: boolean;
  /** A word for the next run: a person's guidance, or the output of a failed check. */
  readonly notice: string | null;
}

/** The last run of the checkpoint, as far as the machine needs it. */
export interface LeafRun {
  readonly id: RunId;
  readonly itemId: ItemId;
  readonly status: RunStatus;
  readonly attempt: number;
  readonly epoch: number;
  /** The run whose transcript it goes on with. */
  readonly resumes: RunId | null;
  /** The version whose text of the leaf the run was last shown. */
  readonly planVersion: number;
  /** Digest of the leaf's text at that version (see `leafDigest`). */
  readonly leafDigest: string;
  /** Set from the committed claim until the checks have decided. */
  readonly claim: string | null;
  /** How often the daemon died in it with no finished turn or effect between. */
  readonly deaths: number;
}

/** Who looks after a session; fixed when it is made. */
export interface Ownership {
  /** Fired to run unattended: it ends with an outcome, and the first open leaf starts the run. */
  readonly isMission: boolean;
  readonly planner: PlannerMode;
  /** One model plans and works: leaves are not run by themselves. */
  readonly isSolo: boolean;
}

export interface RunState {
  readonly sessionId: SessionId;
  readonly ownership: Ownership;
  readonly outcome: Outcome | null;
  readonly plan: Plan;
  readonly checkpoint: Checkpoint;
  readonly run: LeafRun | null;
  /** Words of a person that no run has been shown yet. */
  readonly steering: number;
}

export interface RunLimits {
  /** Tries at a leaf before it is blocked or failed. */
  readonly tries: number;
  /** Delays before the second, third, … try, in milliseconds. */
  readonly backoffMs: readonly number[];
  /** Deaths on one leaf without progress before it is blocked. */
  readonly deaths: number;
}

export const defaultRunLimits: RunLimits = { tries: 3, backoffMs: [2_000, 8_000, 30_000], deaths: 3 };

/** Names the run that an outcome belongs to: anything that does not match the checkpoint is stale. */
export interface RunRef {
  readonly runId: RunId;
  readonly epoch: number;
  readonly attempt: number;
}

export type RunEvent =
  | { readonly type: 'start'; readonly reset?: boolean }
  | { readonly type: 'pause'; readonly now: boolean }
  | { readonly type: 'cancel' }
  | { readonly type: 'retry'; readonly guidance: string | null }
  /** The owner has a slot and the workspace: a run of the current leaf begins. */
  | { readonly type: 'begin'; readonly runId: RunId }
  /** `reported`: the run filed a report itself; otherwise the daemon files one in the same transaction. */
  | {
      readonly type: 'claimed';
      readonly ref: RunRef;
      readonly summary: string;
      readonly accepted: boolean;
      readonly reported: boolean;
    }
  | { readonly type: 'checks_passed'; readonly ref: RunRef; readonly commands: readonly string[] }
  | {
      readonly type: 'check_failed';
      readonly ref: RunRef;
      readonly command: string;
      readonly exitCode: number | null;
      readonly tail: string;
    }
  | { readonly type: 'reported_blocked'; readonly ref: RunRef; readonly reason: string; readonly reported: boolean }
  /** `jitter` in [0, 1) spreads the delay of the next try. */
  | {
      readonly type: 'run_failed';
      readonly ref: RunRef;
      readonly error: string;
      readonly retryable: boolean;
      readonly jitter: number;
    }
  | { readonly type: 'command_failed'; readonly ref: RunRef; readonly error: string; readonly jitter: number }
  | { readonly type: 'command_unknown'; readonly ref: RunRef }
  | { readonly type: 'asked'; readonly ref: RunRef; readonly entries: readonly InboxDraft[] }
  /** The last open question of a waiting run has its answer (or its default). */
  | { readonly type: 'answered'; readonly runId: RunId }
  /** `remaining`: what was left of the model's steps, in words. */
  | { readonly type: 'budget_exhausted'; readonly ref: RunRef; readonly budget: string; readonly remaining?: string | null }
  /** `solo` says that it has done a leaf with checks: they run under this run, which belongs to nobody else. */
  | { readonly type: 'self_claimed'; readonly runId: RunId; readonly itemId: ItemId; readonly summary: string }
  /** A mission at rest is looked at: an open leaf starts the run. */
  | { readonly type: 'due' }
  /** The engine has a word for the planner. */
  | { readonly type: 'told'; readonly kind: Exclude<NoteKind, 'report'>; readonly text: string }
  /** The mission ends. */
  | { readonly type: 'finish'; readonly outcome: Outcome; readonly reason: string }
  /** The daemon that owned the session died, and this one has taken it over. */
  | { readonly type: 'owner_died' }
  /** The daemon stops in good order and has cut the run off: no death, and gone on with at the next start. */
  | { readonly type: 'owner_stops' }
  | { readonly type: 'plan_edited' }
  /** The run has been shown the current text of its leaf. */
  | { readonly type: 'leaf_shown'; readonly ref: RunRef };

/** What is performed after the commit. */
export type RunEffect =
  /** The session has something to do: a leaf to begin, to resume or to check, at `at` if given (clock milliseconds). */
  | { readonly type: 'wake'; readonly at: number | null }
  | { readonly type: 'abort_run'; readonly runId: RunId; readonly why: 'cancelled' | 'paused' | 'leaf_closed' }
  /** Something waits for the planner, or the mission needs a look: whoever owns it is to see to it. */
  | { readonly type: 'tend' };

export type RunChange =
  | { readonly type: 'insert'; readonly run: LeafRun }
  | {
      readonly type: 'update';
      readonly run: LeafRun;
      /** False: the journal may know better (a finished turn sets the deaths back), so the row keeps its own. */
      readonly setsDeaths: boolean;
      readonly error: string | null;
      readonly summary: string | null;
    };

export interface InboxDraft extends Pick<
  InboxEntry,
  'kind' | 'title' | 'detail' | 'itemId' | 'runId' | 'effectId' | 'tool' | 'options' | 'default' | 'deadline'
> {
  /** An approval of several calls of one turn: what each of them would do. */
  readonly calls?: readonly { readonly effectId: EffectId; readonly tool: string; readonly subject: string }[];
}

export type ReportDraft = Pick<Report, 'kind' | 'summary' | 'itemId' | 'runId'>;

/** Everything that one command does to a session: stored in one transaction, then published, then performed. */
export interface Decision {
  readonly sessionId: SessionId;
  readonly expected: { readonly version: number; readonly epoch: number };
  readonly state: RunState;
  readonly plan: PlanChange | null;
  readonly checkpoint: Checkpoint | null;
  readonly runs: readonly RunChange[];
  readonly inbox: readonly InboxDraft[];
  /** Open entries of these runs are withdrawn. */
  readonly withdraw: readonly RunId[];
  readonly events: readonly NewEvent[];
  /** Reports that the daemon files because the run did not. */
  readonly reports: readonly ReportDraft[];
  /** For the session's own planner. */
  readonly notes: readonly PlannerNote[];
  /** Set once: the end of the mission, of which its parent is told in the same transaction. */
  readonly finished: { readonly outcome: Outcome; readonly reason: string } | null;
  readonly effects: readonly RunEffect[];
  /** True when an outcome came too late and was only recorded. */
  readonly stale: boolean;
  /** The run must go on: its leaf changed under it, or words of a person have not reached it. */
  readonly continueRun: 'leaf_changed' | 'steering' | null;
}
