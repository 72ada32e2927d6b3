/** The port of a way to run a leaf: by the model, by a command, by another agent. Outcomes are data. */
import type { Item } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { InboxDraft, RunRef } from '../domain/run-state.js';
import type { SessionRecord } from '../store/store.js';

export interface LeafJob {
  readonly session: SessionRecord;
  /** The leaf as it was when the run began. */
  readonly item: Item;
  readonly ref: RunRef;
  /** The run whose transcript is gone on with; null for a fresh one. */
  readonly resumes: RunId | null;
  readonly notice: string | null;
  /** The daemon wants to stop: end at the next turn, before anything new is begun. */
  readonly drain: AbortSignal;
}

export type LeafOutcome =
  | { readonly type: 'claimed'; readonly summary: string; readonly accepted: boolean; readonly reported: boolean }
  | { readonly type: 'blocked'; readonly reason: string; readonly reported: boolean }
  | { readonly type: 'failed'; readonly error: string; readonly retryable: boolean }
  | { readonly type: 'command_failed'; readonly error: string }
  /** A command was under way when the daemon died: its checks decide. */
  | { readonly type: 'command_unknown' }
  /** `remaining`: what was left of the steps, in words. */
  | { readonly type: 'budget_exhausted'; readonly budget: string; readonly remaining: string | null }
  /** Waits for a person, who finds these in the inbox. */
  | { readonly type: 'suspended'; readonly entries: readonly InboxDraft[] }
  /** The signal stopped it; whoever gave the signal has decided what that means. */
  | { readonly type: 'stopped' };

/** Where whoever carries a run out says what it is doing. */
export interface RunActivity {
  doing(what: string): void;
  progressed(): void;
  /** The model goes in circles, and how; null when it no longer does. */
  looping(how: string | null): void;
}

export interface Executor {
  execute(job: LeafJob, activity: RunActivity, signal: AbortSignal): Promise<LeafOutcome>;
}
