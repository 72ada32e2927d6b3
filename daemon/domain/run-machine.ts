/**
 * The working copy of a session while one command is decided: checkpoint, run, plan draft, and what is to be stored and
 * performed. Its methods are the steps that the transitions share: select, close, block, fail, end a run.
 */
import type { NewEvent } from '../../shared/event.js';
import type { Outcome } from '../../shared/mission.js';
import type { Author, Item, ItemId } from '../../shared/plan.js';
import { numberAt } from '../../shared/plan-tree.js';
import type { EffectId, PlanRunStatus, RunId, RunStatus } from '../../shared/run.js';
import { tellPerson } from './inbox-drafts.js';
import { leafDigest } from './leaf-digest.js';
import { withClosing } from './item-state.js';
import type { PlanDraft } from './plan-draft.js';
import { planEvents } from './plan-events.js';
import { isUrgent, type NoteKind, type PlannerNote } from './planner-notes.js';
import { revisedEntry } from './plan-revised.js';
import type {
  Checkpoint,
  Decision,
  InboxDraft,
  LeafRun,
  ReportDraft,
  RunChange,
  RunEffect,
  RunLimits,
  RunRef,
  RunState,
} from './run-state.js';

export interface DecisionInput {
  /** Milliseconds of the clock. */
  readonly now: number;
  readonly limits: RunLimits;
  readonly author: Author;
  readonly explanation: string | null;
  /** The unattended call that revises the plan: the inbox tells of it. */
  readonly revisedBy?: { readonly runId: RunId; readonly effectId: EffectId };
}

export const visibleStatus = (checkpoint: Checkpoint): PlanRunStatus =>
  checkpoint.status === 'running' && checkpoint.control === 'pause' ? 'pausing' : checkpoint.status;

const runEndEvents = {
  completed: 'run.completed',
  blocked: 'run.blocked',
  failed: 'run.failed',
  cancelled: 'run.cancelled',
  interrupted: 'run.interrupted',
} as const;

export class RunMachine {
  checkpoint: Checkpoint;
  run: LeafRun | null;
  stale = false;
  continueRun: Decision['continueRun'] = null;
  readonly #runs = new Map<RunId, RunChange>();
  readonly #inbox: InboxDraft[] = [];
  readonly #withdraw: RunId[] = [];
  readonly #events: NewEvent[] = [];
  readonly #reports: ReportDraft[] = [];
  readonly #effects: RunEffect[] = [];
  readonly #notes: PlannerNote[] = [];
  #finished: Decision['finished'] = null;

  constructor(
    readonly base: RunState,
    readonly draft: PlanDraft,
    readonly input: DecisionInput,
  ) {
    this.checkpoint = base.checkpoint;
    this.run = base.run;
  }

  get current(): Item | null {
    const id = this.checkpoint.currentItemId;
    return (id !== null && this.draft.find(id)) || null;
  }

  /** One resident model plans and works: it does the leaves itself, and none is begun by the runner. */
  get worksAlone(): boolean {
    const { isSolo, planner } = this.base.ownership;
    return isSolo && planner !== 'never';
  }

  /** The run is under way: it runs, waits, or its checks do. */
  get underWay(): boolean {
    return this.run !== null && (this.run.status === 'running' || this.run.status === 'waiting');
  }

  /** True when an outcome belongs to the run that the checkpoint knows (invariant 4). */
  isCurrent(ref: RunRef): boolean {
    const { run, checkpoint } = this;
    return (
      run !== null &&
      checkpoint.status === 'running' &&
      run.status === 'running' &&
      run.id === ref.runId &&
      run.epoch === ref.epoch &&
      checkpoint.epoch === ref.epoch &&
      run.attempt === ref.attempt &&
      run.itemId === checkpoint.currentItemId
    );
  }

  set(change: Partial<Checkpoint>): void {
    this.checkpoint = { ...this.checkpoint, ...change };
  }

  emit(event: NewEvent): void {
    this.#events.push(event);
  }

  perform(effect: RunEffect): void {
    this.#effects.push(effect);
  }

  ask(entry: InboxDraft): void {
    this.#inbox.push(entry);
  }

  report(report: ReportDraft): void {
    this.#reports.push(report);
  }

  /** Puts a note into the queue of the session's planner, if it has one. */
  tell(kind: Exclude<NoteKind, 'report'>, text: string, itemId: ItemId | null = null): void {
    const { planner } = this.base.ownership;
    if (planner === 'never') return;
    this.#notes.push({ kind, text, itemId, urgent: isUrgent(kind, planner) });
  }

  /** The mission has ended; once. */
  end(outcome: Outcome, reason: string): void {
    this.#finished = { outcome, reason };
    this.emit({ type: 'session.outcome', data: { outcome } });
  }

  withdraw(runId: RunId): void {
    this.#withdraw.push(runId);
  }

  /** The blocker that the last run left in the inbox is no longer one. */
  withdrawLast(): void {
    if (this.checkpoint.lastRunId !== null) this.withdraw(this.checkpoint.lastRunId);
  }

  beginRun(run: LeafRun): void {
    this.run = run;
    this.#runs.set(run.id, { type: 'insert', run });
    this.set({ lastRunId: run.id });
    this.emit({
      type: 'run.started',
      runId: run.id,
      data: { itemId: run.itemId, kind: 'leaf', attempt: run.attempt, resumes: run.resumes },
    });
  }

  updateRun(change: Partial<LeafRun>, error: string | null = null, summary: string | null = null): void {
    if (this.run === null) return;
    this.run = { ...this.run, ...change };
    const pending = this.#runs.get(this.run.id);
    if (pending?.type === 'insert') this.#runs.set(this.run.id, { ...pending, run: this.run });
    else {
      this.#runs.set(this.run.id, {
        type: 'update',
        run: this.run,
        setsDeaths: change.deaths !== undefined || pending?.setsDeaths === true,
        error: error ?? pending?.error ?? null,
        summary: summary ?? pending?.summary ?? null,
      });
    }
  }

  endRun(status: Exclude<RunStatus, 'running' | 'waiting'>, error: string | null, summary: string | null = null): void {
    if (this.run === null || !this.underWay) return;
    this.updateRun({ status, claim: status === 'interrupted' ? this.run.claim : null }, error, summary);
    const { id, itemId, attempt } = this.run;
    this.emit({ type: runEndEvents[status], runId: id, data: { itemId, kind: 'leaf', attempt } });
  }

  /** Ends a run from outside: its questions are withdrawn with it, and whoever carries it out is told to stop. */
  abortRun(status: 'cancelled' | 'interrupted', why: 'cancelled' | 'paused' | 'leaf_closed'): void {
    if (this.run === null) return;
    this.withdraw(this.run.id);
    if (!this.underWay) return;
    this.endRun(status, null);
    this.perform({ type: 'abort_run', runId: this.run.id, why });
  }

  /** Makes a leaf the current one and counts a step; a leaf that was active is only taken up again. */
  select(leaf: Item): void {
    if (leaf.status !== 'active') this.draft.replace({ ...leaf, status: 'active' });
    this.set({
      status: 'running',
      currentItemId: leaf.id,
      stepNo: this.checkpoint.stepNo + 1,
      attempt: 1,
      triesLeft: this.input.limits.tries,
      retryAt: null,
      resume: false,
      notice: null,
      lastError: null,
    });
    this.perform({ type: 'wake', at: null });
  }

  /** After a leaf has ended: the next one, or rest. */
  advance(): void {
    this.draft.settle();
    const next = this.draft.nextOpen();
    if (next === null) {
      this.rest(this.draft.itemCount > 0 ? 'completed' : 'idle', null);
      this.set({ control: 'run' });
    } else if (this.checkpoint.control === 'pause') this.rest('paused', null);
    else if (this.worksAlone) this.rest('idle', null);
    else this.select(next);
  }

  rest(status: 'idle' | 'completed' | 'paused', lastError: string | null): void {
    if (status === 'completed') this.tell('completed', 'Every item of the plan is done or skipped.');
    const control = status === 'paused' ? this.checkpoint.control : 'run';
    this.set({ status, control, currentItemId: null, retryAt: null, resume: false, notice: null, lastError });
  }

  /** Closes the current leaf as done and goes on. */
  close(accepted: boolean, summary: string | null): void {
    const leaf = this.current;
    if (leaf === null) return;
    this.endRun('completed', null, summary);
    const how = accepted ? 'done, and its checks passed' : 'done, as its run says';
    this.tell('done', `${this.nameOf(leaf)} (${leaf.id}) is ${how}.${summary ? ` ${summary}` : ''}`, leaf.id);
    this.draft.replace(withClosing({ ...leaf, status: 'done' }, true, accepted));
    this.advance();
  }

  /** The leaf stays active and says why it does not go on; a person finds it in the inbox. */
  stop(status: 'blocked' | 'failed', reason: string, runStatus: 'blocked' | 'failed' = status): void {
    this.endRun(runStatus, reason);
    this.set({ status, lastError: reason, retryAt: null, resume: false, notice: null, control: 'run' });
    const leaf = this.current;
    this.tell(status, `${this.nameOf(leaf)} (${leaf?.id ?? ''}) is ${status}: ${reason}`, leaf?.id ?? null);
    this.ask(
      tellPerson({
        kind: 'blocker',
        title: `${status === 'blocked' ? 'Blocked' : 'Failed'}: ${this.nameOf(leaf)}`,
        detail: reason,
        itemId: leaf?.id ?? null,
        runId: this.checkpoint.lastRunId,
      }),
    );
  }

  /** Counts a failed try. True when another one is due (and scheduled); false when the limit is reached. */
  tryAgain(error: string, delayed: boolean, jitter: number, change: Pick<Checkpoint, 'resume' | 'notice'>): boolean {
    const { triesLeft, attempt } = this.checkpoint;
    if (triesLeft <= 1) return false;
    const { tries, backoffMs } = this.input.limits;
    const failed = tries - triesLeft;
    const base = delayed ? (backoffMs[Math.min(failed, backoffMs.length - 1)] ?? 0) : 0;
    // Between half and one and a half times the delay, so that many sessions do not come back at once.
    const retryAt = delayed ? this.input.now + Math.round(base * (0.5 + jitter)) : null;
    this.endRun('failed', error);
    this.set({ attempt: attempt + 1, triesLeft: triesLeft - 1, retryAt, lastError: error, ...change });
    this.perform({ type: 'wake', at: retryAt });
    return true;
  }

  nameOf(leaf: Item | null): string {
    if (leaf === null) return 'the item';
    const place = this.draft.place(leaf.id);
    return `${place ? `${numberAt(place)} ` : ''}${leaf.title}`;
  }

  finish(): Decision {
    const done = this.draft.finish(this.input.author, this.input.explanation);
    const plan = done?.plan ?? this.base.plan;
    this.#pinNewRun(plan.version);
    const from = visibleStatus(this.base.checkpoint);
    const status = visibleStatus(this.checkpoint);
    const moved = from !== status || this.base.checkpoint.currentItemId !== this.checkpoint.currentItemId;
    if (this.#needsTending(from !== status)) this.perform({ type: 'tend' });
    if (done !== null && this.input.revisedBy !== undefined && !done.change.statusOnly) {
      this.ask(revisedEntry(done.change, this.input.revisedBy));
    }
    if (moved || this.base.checkpoint.attempt !== this.checkpoint.attempt) {
      const { currentItemId, stepNo, attempt } = this.checkpoint;
      this.emit({ type: 'plan_run.changed', data: { status, from, currentItemId, stepNo, attempt } });
    }
    return {
      sessionId: this.base.sessionId,
      expected: { version: this.base.plan.version, epoch: this.base.checkpoint.epoch },
      state: {
        ...this.base,
        plan,
        checkpoint: this.checkpoint,
        run: this.run,
        outcome: this.#finished?.outcome ?? this.base.outcome,
      },
      plan: done?.change ?? null,
      checkpoint: this.checkpoint === this.base.checkpoint ? null : this.checkpoint,
      runs: [...this.#runs.values()],
      inbox: this.#inbox,
      withdraw: this.#withdraw,
      events: [...(done ? planEvents(done.change) : []), ...this.#events],
      reports: this.#reports,
      notes: this.#finished === null ? this.#notes : [],
      finished: this.#finished,
      effects: this.#effects,
      stale: this.stale,
      continueRun: this.continueRun,
    };
  }

  #needsTending(statusChanged: boolean): boolean {
    return (
      this.#finished !== null || this.#notes.length + this.#reports.length > 0 || (this.base.ownership.isMission && statusChanged)
    );
  }

  /** A fresh run that begins in this very decision is pinned to the version that the decision makes. */
  #pinNewRun(version: number): void {
    const { run } = this;
    if (run === null || run.resumes !== null || this.#runs.get(run.id)?.type !== 'insert') return;
    const leaf = this.draft.find(run.itemId);
    this.updateRun({ planVersion: version, ...(leaf ? { leafDigest: leafDigest(leaf) } : {}) });
  }
}
