/** The port of a way to run a leaf: by the model, by a command, by another agent. Outcomes are data. */
import type { Item } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { RunRef } from '../domain/run-state.js';
import type { SessionRecord } from '../store/store.js';

export interface LeafJob {
  readonly session: SessionRecord;
  /** The leaf as it was when the run began. */
  readonly item: Item;
  readonly ref: RunRef;
  /** The run whose transcript is gone on with; null for a fresh one. */
  readonly resumes: RunId | null;
  /** True when this very run was suspended (an answer, a changed leaf) and goes on. */
  readonly continued: boolean;
  readonly notice: string | null;
}

export type LeafOutcome =
  | { readonly type: 'claimed'; readonly summary: string; readonly accepted: boolean }
  | { readonly type: 'blocked'; readonly reason: string }
  | { readonly type: 'failed'; readonly error: string; readonly retryable: boolean }
  | { readonly type: 'command_failed'; readonly error: string }
  /** A command was under way when the daemon died: its checks decide. */
  | { readonly type: 'command_unknown' }
  | { readonly type: 'budget_exhausted'; readonly budget: string }
  /** Waits for a person: the question is in the inbox. */
  | { readonly type: 'suspended' }
  /** The signal stopped it; whoever gave the signal has decided what that means. */
  | { readonly type: 'stopped' };

export interface Executor {
  execute(job: LeafJob, signal: AbortSignal): Promise<LeafOutcome>;
}
