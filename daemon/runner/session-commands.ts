/** The commands that change sessions, over the state machine: load, decide, commit, publish, perform. */
import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { Budget, Policy, PolicyInput } from '../../shared/mission.js';
import { planLimits, type SessionId } from '../../shared/plan.js';
import type { PlanRun } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import { emptyPlan } from '../domain/plan.js';
import { PlanDraft } from '../domain/plan-draft.js';
import { checkAtRest } from '../domain/run-control.js';
import { decide } from '../domain/run-transition.js';
import type { RunEvent, RunLimits, RunState } from '../domain/run-state.js';
import type { Once, SessionRecord, Store } from '../store/store.js';
import type { ActiveRuns } from './active-runs.js';
import type { Answers } from './answers.js';
import type { Chats } from './chats.js';
import { notFound, type EditAnswer, type EditRequest, type SessionCommands } from './commands.js';
import { explainStart } from './explain.js';
import { livenessOf } from './liveness.js';
import type { Publisher } from './publisher.js';
import { keyUsed, type SessionStates } from './session-states.js';
import type { WorkspaceLock } from './workspace-lock.js';

export interface CommandParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly publisher: Publisher;
  readonly active: ActiveRuns;
  readonly answers: Answers;
  readonly chats: Chats;
  readonly lock: WorkspaceLock;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly limits: RunLimits;
  readonly defaultWorkspace: string;
  /** What the session may do: the asked policy, tightened by the workspace's own configuration. */
  readonly policyFor: (workspace: string, asked: PolicyInput | undefined) => Promise<Result<Policy>>;
  readonly planning: boolean;
  readonly stalledAfterMs: number;
}

export function createSessionCommands(parts: CommandParts): SessionCommands {
  const { store, states, clock } = parts;

  async function control(sessionId: SessionId, event: RunEvent, once: Once | null): Promise<Result<PlanRun>> {
    const input = { now: clock.now(), limits: parts.limits, author: 'person', explanation: null } as const;
    const changed = await states.change(sessionId, (state) => decide(state, [event], input), once);
    return changed.ok ? planRun(sessionId) : changed;
  }

  async function planRun(sessionId: SessionId): Promise<Result<PlanRun>> {
    const row = await store.sessionRow(sessionId);
    return row ? ok(row.planRun) : notFound(sessionId);
  }

  async function setBudget(sessionId: SessionId, budget: Budget): Promise<boolean> {
    const changed = await store.setBudget(sessionId, budget);
    parts.publisher.committed({ sessionId, events: [] });
    return changed;
  }

  return {
    async create(params, fill, author, once) {
      const workspace = await existingFolder(params.workspace ?? parts.defaultWorkspace);
      if (!workspace.ok) return workspace;
      const policy = await parts.policyFor(workspace.value, params.policy);
      if (!policy.ok) return policy;
      if (params.parentId !== undefined && (await store.session(params.parentId)) === null) return notFound(params.parentId);
      const draft = new PlanDraft(emptyPlan);
      const filled = fill(draft);
      if (!filled.ok) return filled;
      const done = draft.finish(author, null);
      const title = titleOf(params.title, done?.plan.goal ?? '', workspace.value);
      if (!title.ok) return title;
      const id = parts.newId('s') as SessionId;
      const record: SessionRecord = {
        id,
        title: title.value,
        workspace: workspace.value,
        profile: params.profile ?? 'worker',
        context: params.context ?? 'leaf',
        policy: policy.value,
        model: params.model ?? null,
        planner: params.planner ?? 'never',
        planning: parts.planning,
        parentId: params.parentId ?? null,
        outcome: null,
        createdAt: clock.iso(),
        updatedAt: clock.iso(),
      };
      const events = await store.createSession(record, done?.change ?? null, once);
      if (events === null) return keyUsed();
      parts.publisher.committed({ sessionId: id, events });
      return ok(id);
    },

    async rename(sessionId, text) {
      const title = titleOf(text, '', '');
      if (!title.ok) return title;
      if (!(await store.renameSession(sessionId, title.value))) return notFound(sessionId);
      parts.publisher.committed({ sessionId, events: [] });
      return ok(undefined);
    },

    delete: (sessionId) =>
      states.exclusively(sessionId, async () => {
        const state = await states.read(sessionId);
        if (state === null) return notFound(sessionId);
        const resting = checkAtRest(state, 'Deleting the session');
        if (!resting.ok) return resting;
        // A chat that works would go on in a session that is gone.
        await parts.chats.cancel(sessionId);
        const events = await store.deleteSession(sessionId);
        states.forget(sessionId);
        parts.publisher.committed({ sessionId, events, deleted: true });
        return ok(undefined);
      }),

    async edit<T>(request: EditRequest<T>): Promise<Result<EditAnswer<T>>> {
      const input = { now: clock.now(), limits: parts.limits, author: request.author, explanation: request.explanation };
      let value: T | undefined;
      const changed = await states.change(
        request.sessionId,
        (state) => {
          const allowed = mayEdit(state, request.expectedVersion);
          if (!allowed.ok) return allowed;
          const draft = new PlanDraft(state.plan);
          const applied = request.apply(draft, state);
          if (!applied.ok) return applied;
          value = applied.value;
          return decide(state, [{ type: 'plan_edited' }], input, draft);
        },
        request.once,
      );
      if (!changed.ok) return changed;
      const { decision } = changed.value;
      return ok({ value: value as T, plan: decision.state.plan, changes: decision.plan?.items ?? [] });
    },

    async start(sessionId, { reset, planning, budget, once }) {
      const before = (await store.session(sessionId))?.policy.budget;
      // First the budget: a run that is woken asks for it at once.
      if (budget !== undefined && !(await setBudget(sessionId, { ...before, ...budget }))) return notFound(sessionId);
      if (planning !== undefined) await store.setPlanning(sessionId, planning && parts.planning);
      const started = await control(sessionId, { type: 'start', reset }, once);
      if (budget === undefined) return started;
      if (started.ok) await parts.answers.budgetRaised(sessionId);
      else await setBudget(sessionId, before ?? {});
      return started.ok ? planRun(sessionId) : started;
    },
    pause: (sessionId, now) => control(sessionId, { type: 'pause', now }, null),
    cancel: (sessionId) => control(sessionId, { type: 'cancel' }, null),
    retry: async (sessionId, guidance) => {
      const length = guidance === null ? 0 : Array.from(guidance).length;
      if (length > planLimits.detail) {
        return refuse('limit_exceeded', `The guidance has ${length} characters; at most ${planLimits.detail} are taken.`);
      }
      return control(sessionId, { type: 'retry', guidance }, null);
    },
    async explain(sessionId) {
      const state = await states.read(sessionId);
      return state ? ok(await explainStart(state, store)) : notFound(sessionId);
    },
    async liveness(sessionId) {
      const state = await states.read(sessionId);
      const session = await store.session(sessionId);
      if (state === null || session === null) return { state: 'idle', cause: 'deleted', lastProgressAt: null };
      const open = state.checkpoint.status === 'waiting' && state.run ? await store.inboxOfRun(state.run.id) : [];
      return livenessOf({
        state,
        activity: parts.active.activityOf(sessionId),
        waitingFor: open.filter((entry) => entry.state === 'open').map((entry) => `${entry.title} ${entry.detail}`)[0] ?? null,
        workspaceHolder: parts.lock.holderOf(session.workspace),
        now: clock.now(),
        stalledAfterMs: parts.stalledAfterMs,
      });
    },
    cancelChats: async (sessionId) =>
      (await store.session(sessionId)) === null ? notFound(sessionId) : ok(await parts.chats.cancel(sessionId)),
    chat: (sessionId, text, once) => parts.chats.send(sessionId, text, once),
    answer: (id, answer) => parts.answers.answer(id, answer),
    acknowledge: (id) => parts.answers.acknowledge(id),
  };
}

function mayEdit(state: RunState, expectedVersion: number | undefined): Result<void> {
  if (state.outcome !== null) {
    return refuse('invalid_state', `The mission has ended (${state.outcome}): its plan takes no change.`);
  }
  const { version } = state.plan;
  if (expectedVersion !== undefined && expectedVersion !== version) {
    return refuse('version_conflict', `The plan is at version ${version}, not ${expectedVersion}.`, {
      currentVersion: version,
      hint: 'Read the plan again, look at what changed, and repeat with the current version.',
    });
  }
  return ok(undefined);
}

async function existingFolder(path: string): Promise<Result<string>> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return ok(real);
  } catch {
    // Said below, like every other path that is no folder.
  }
  return refuse('invalid_params', `The workspace ${path} is not a folder.`, {
    issues: [{ path: 'workspace', message: 'an existing folder' }],
    hint: 'Give the path of an existing folder.',
  });
}

function titleOf(given: string | undefined, goal: string, workspace: string): Result<string> {
  const text = (given ?? goal.split('\n')[0] ?? '').normalize('NFC').trim();
  const title = text === '' ? basename(workspace) : text;
  const letters = Array.from(title);
  const { length } = letters;
  if (given === undefined) return ok(length > planLimits.title ? `${letters.slice(0, planLimits.title - 1).join('')}…` : title);
  if (title.includes('\n')) return refuse('invalid_params', 'A title is one line.');
  return length > planLimits.title
    ? refuse('limit_exceeded', `The title has ${length} characters; at most ${planLimits.title} are taken.`)
    : ok(title);
}
