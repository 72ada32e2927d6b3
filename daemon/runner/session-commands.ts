/** The commands that change sessions, over the state machine: load, decide, commit, publish, perform. */
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { Budget } from '../../shared/mission.js';
import { planLimits, type SessionId } from '../../shared/plan.js';
import type { PlanRun } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import { PlanDraft } from '../domain/plan-draft.js';
import { checkAtRest } from '../domain/run-control.js';
import { decide } from '../domain/run-transition.js';
import type { RunEvent, RunLimits } from '../domain/run-state.js';
import type { Once, Store } from '../store/store.js';
import type { ActiveRuns } from './active-runs.js';
import type { Answers } from './answers.js';
import type { Chats } from './chats.js';
import { mayEdit, notFound, type EditAnswer, type EditRequest, type SessionCommands } from './commands.js';
import { explainStart } from './explain.js';
import { livenessOf } from './liveness.js';
import type { Publisher } from './publisher.js';
import type { MissionControl } from './mission-control.js';
import type { Planners } from './planners.js';
import { type SessionMaker, titleOf } from './session-maker.js';
import type { SessionStates } from './session-states.js';
import type { WorkspaceLock } from './workspace-lock.js';

export interface CommandParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly publisher: Publisher;
  readonly active: ActiveRuns;
  readonly answers: Answers;
  readonly chats: Chats;
  readonly maker: SessionMaker;
  readonly missions: MissionControl;
  readonly planners: Planners;
  readonly lock: WorkspaceLock;
  readonly clock: Clock;
  readonly limits: RunLimits;
  readonly planning: boolean;
  readonly stalledAfterMs: number;
}

export function createSessionCommands(parts: CommandParts): SessionCommands {
  const { store, states, clock } = parts;

  async function control(sessionId: SessionId, event: RunEvent, once: Once | null): Promise<Result<PlanRun>> {
    const input = { now: clock.now(), limits: parts.limits, author: 'person', explanation: null } as const;
    const changed = await states.change(sessionId, (state) => decide(state, [event], input), once);
    if (!changed.ok) return changed;
    // A person looks after it again: what held the planner is tried once more.
    if (event.type === 'start' || event.type === 'retry') await parts.planners.tend(sessionId, true);
    return planRun(sessionId);
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
    async create(order, fill, author, once) {
      const made = await parts.maker.make(order, fill, author, once);
      if (made.ok && order.mission !== undefined) await parts.planners.tend(made.value);
      return made;
    },

    async rename(sessionId, text) {
      const title = titleOf(text, '', '');
      if (!title.ok) return title;
      if (!(await store.renameSession(sessionId, title.value))) return notFound(sessionId);
      parts.publisher.committed({ sessionId, events: [] });
      return ok(undefined);
    },

    delete: async (sessionId) => {
      // A mission that is deleted has ended: whoever waits for it hears so.
      const ended = await parts.missions.endDeleted(sessionId);
      if (!ended.ok) return ended;
      const below = await store.openChildren(sessionId);
      if (below.length > 0) {
        return refuse('invalid_state', `Sessions below it still work: ${below.map(({ id }) => id).join(', ')}.`, {
          hint: 'Cancel or delete them first: without it nobody would pay for them.',
        });
      }
      // Their turns may wait for a command of their own on this session: they end before it is held.
      await parts.planners.interrupt(sessionId, 'cancelled');
      await parts.chats.cancel(sessionId);
      return states.exclusively(sessionId, async () => {
        const state = await states.read(sessionId);
        if (state === null) return notFound(sessionId);
        const resting = checkAtRest(state, 'Deleting the session');
        if (!resting.ok) return resting;
        const events = await store.deleteSession(sessionId);
        states.forget(sessionId);
        parts.publisher.committed({ sessionId, events, deleted: true });
        return ok(undefined);
      });
    },

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
      if (started.ok) {
        await parts.answers.budgetRaised(sessionId);
        // Those below were held by it as well.
        for (const { record } of await store.missionTree(sessionId)) await parts.planners.tend(record.id, true);
      } else await setBudget(sessionId, before ?? {});
      return started.ok ? planRun(sessionId) : started;
    },
    pause: async (sessionId, now) => {
      const paused = await control(sessionId, { type: 'pause', now }, null);
      if (paused.ok && now) await parts.planners.interrupt(sessionId, 'interrupted');
      return paused;
    },
    cancel: async (sessionId) => {
      const cancelled = await parts.missions.cancel(sessionId, (id) => control(id, { type: 'cancel' }, null));
      // Whoever fired it hears of it.
      if (cancelled.ok) await parts.planners.tend(sessionId);
      return cancelled;
    },
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
        activity: parts.active.activityOf(sessionId, 'leaf'),
        waitingFor: open.filter((entry) => entry.state === 'open').map((entry) => `${entry.title} ${entry.detail}`)[0] ?? null,
        plans: parts.active.activityOf(sessionId, 'planner'),
        workspaceHolder: parts.lock.holderOf(session.workspace),
        now: clock.now(),
        stalledAfterMs: parts.stalledAfterMs,
      });
    },
    cancelChats: async (sessionId) =>
      (await store.session(sessionId)) === null ? notFound(sessionId) : ok(await parts.chats.cancel(sessionId)),
    chat: (sessionId, text, once) => parts.chats.send(sessionId, text, once),
    draft: (sessionId, text, once) => parts.chats.draft(sessionId, text, once),
    finish: (sessionId, outcome, reason) => parts.missions.finish(sessionId, outcome, reason),
    answer: (id, answer) => parts.answers.answer(id, answer),
    acknowledge: (id) => parts.answers.acknowledge(id),
  };
}
