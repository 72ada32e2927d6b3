/** A store in a folder of its own, and a session in it that is driven by the real state machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { emptyPlan, type PlanChange } from '../../daemon/domain/plan.js';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { addItem } from '../../daemon/domain/plan-edit.js';
import { type Decision, defaultRunLimits, type RunEvent, type RunRef, type RunState } from '../../daemon/domain/run-state.js';
import { decide } from '../../daemon/domain/run-transition.js';
import type { Page } from '../../daemon/store/queries.js';
import type { CommitResult, NewEffect, NewTurn, Once, SessionRecord, Store } from '../../daemon/store/store.js';
import type { Result } from '../../shared/errors.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { EffectId, RunId } from '../../shared/run.js';

/** What a store under test is given: a clock that is set by hand, ids that can be foretold, one secret. */
export interface TestParts {
  readonly clock: () => number;
  readonly newId: (prefix: string) => string;
  readonly redact: (text: string) => string;
}

export const secret = 'sk-verysecret';

export function testParts(): TestParts & { tick(ms: number): void } {
  let now = Date.UTC(2026, 0, 1);
  let ids = 0;
  return {
    clock: () => now,
    tick: (ms) => void (now += ms),
    newId: (prefix) => `${prefix}_${++ids}`,
    redact: (text) => text.replaceAll(secret, '[redacted]'),
  };
}

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const firstPage: Page = { limit: 100, cursor: null };
export const itemId = (id: string): ItemId => id as ItemId;
export const runId = (id: string): RunId => id as RunId;
export const effectId = (id: string): EffectId => id as EffectId;
export const once = (key: string, digest = 'd'): Once => ({ key, method: 'm', digest });

export function record(id: string, more: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: id as SessionId,
    title: `Session ${id}`,
    workspace: '/home/me/project',
    profile: 'worker',
    context: 'leaf',
    policy: { default: 'ask', rules: [{ tool: 'read', action: 'allow' }] },
    model: null,
    planner: 'never',
    planning: true,
    parentId: null,
    isMission: false,
    order: {},
    outcome: null,
    outcomeReason: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

/** The change that makes a plan of these titles; a title that begins with two spaces is a subtask. */
export function planOf(titles: readonly string[], goal = 'Ship it'): PlanChange | null {
  const draft = new PlanDraft(emptyPlan);
  draft.setGoal(goal);
  let parent: ItemId | undefined;
  for (const title of titles) {
    const under = title.startsWith('  ') ? parent : undefined;
    const item = addItem(draft, { title: title.trim(), ...(under === undefined ? {} : { parentId: under }) }, 'person');
    if (!item.ok) throw new Error(item.error.message);
    if (under === undefined) parent = item.value.id;
  }
  return draft.finish('person', 'the first plan')?.change ?? null;
}

/** A session whose commands are decided by the domain on its state in memory, as the runner does. */
export class Driven {
  constructor(
    readonly store: Store,
    public state: RunState,
  ) {}

  static async create(store: Store, id: string, titles: readonly string[]): Promise<Driven> {
    await store.createSession(record(id), planOf(titles), null);
    const state = await store.claim(id as SessionId);
    if (state === null) throw new Error(`no session ${id}`);
    return new Driven(store, state);
  }

  get id(): SessionId {
    return this.state.sessionId;
  }

  /** The run under way, as its outcomes name it. */
  get ref(): RunRef {
    const { run } = this.state;
    if (run === null) throw new Error('no run is under way');
    return { runId: run.id, epoch: run.epoch, attempt: run.attempt };
  }

  decide(events: readonly RunEvent[], edit?: (draft: PlanDraft) => Result<unknown>, explanation: string | null = null): Decision {
    const draft = new PlanDraft(this.state.plan);
    const edited = edit?.(draft);
    if (edited?.ok === false) throw new Error(edited.error.message);
    const input = { now: 0, limits: defaultRunLimits, author: 'person', explanation } as const;
    const decided = decide(this.state, events, input, draft);
    if (!decided.ok) throw new Error(decided.error.message);
    return decided.value;
  }

  async commit(decision: Decision, key: Once | null = null): Promise<CommitResult> {
    const result = await this.store.commit(decision, key);
    if (result.ok) this.state = decision.state;
    return result;
  }

  /** Decides, commits, and fails when the commit is refused. */
  async play(events: readonly RunEvent[], edit?: (draft: PlanDraft) => Result<unknown>): Promise<CommitResult & { ok: true }> {
    const result = await this.commit(this.decide(events, edit));
    if (!result.ok) throw new Error(`refused: ${result.reason}`);
    return result;
  }

  /** Starts the plan and begins a run of its first leaf. */
  async begin(run: string): Promise<void> {
    await this.play([{ type: 'start' }, { type: 'begin', runId: runId(run) }]);
  }

  /** Closes the leaf under way and begins the next one in the same commit. */
  closeAndBegin(run: string, summary = 'did it'): Promise<CommitResult & { ok: true }> {
    return this.play([
      { type: 'claimed', ref: this.ref, summary, accepted: false, reported: false },
      { type: 'begin', runId: runId(run) },
    ]);
  }

  turn(more: Partial<NewTurn> = {}): NewTurn {
    return {
      ref: this.ref,
      sessionId: this.id,
      content: 'I look first.',
      toolCalls: [],
      finishReason: 'stop',
      model: 'm-1',
      inputTokens: 100,
      outputTokens: 20,
      costUsd: 0.25,
      durationMs: 1_500,
      activeMs: 1_500,
      stepsTokens: null,
      ...more,
    };
  }

  effect(id: string, more: Partial<NewEffect> = {}): NewEffect {
    return {
      id: effectId(id),
      sessionId: this.id,
      ref: this.ref,
      name: 'shell',
      args: '{"command":"make"}',
      argsDigest: 'abc',
      class: 'code_execution',
      repeatable: false,
      ...more,
    };
  }
}
