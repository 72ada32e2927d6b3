/**
 * The composition root: the one place that wires concrete parts. Everything else knows ports only.
 * Order of start: what the dead daemon left is reaped, every session gets its fate, then clients are answered.
 */
import pLimit from 'p-limit';
import { builtinProfiles } from '../shared/mission.js';
import type { Item, SessionId } from '../shared/plan.js';
import type { EffectId } from '../shared/run.js';
import { createAgentLoop, type LoopParts, type RunSettings } from './agent/agent-loop.js';
import { raise } from './agent/budget.js';
import { createTokenBudget } from './agent/tokens.js';
import { type Clock } from './clock.js';
import type { RunLimits } from './domain/run-state.js';
import { createCommandExecutor } from './executors/command.js';
import type { Executor } from './executors/executor.js';
import { createModelExecutor } from './executors/model.js';
import { createGear, type GearParts } from './missions/gear.js';
import type { Provider } from './providers/provider.js';
import { createActiveRuns } from './runner/active-runs.js';
import { createCarryOut } from './runner/chat-run.js';
import { createAnswers } from './runner/answers.js';
import { createApprovals, type Judge } from './runner/approvals.js';
import { createChats } from './runner/chats.js';
import { createCheckRunner } from './runner/checks.js';
import type { SessionCommands } from './runner/commands.js';
import { watchDeadlines } from './runner/deadline-watch.js';
import { createDeadlines } from './runner/deadlines.js';
import { createExpander } from './runner/expander.js';
import { createLocalDispatcher } from './runner/local-dispatcher.js';
import { createMissionControl } from './runner/mission-control.js';
import { createMissionDesk } from './runner/mission-desk.js';
import { createPerformer } from './runner/perform.js';
import { createPlanners } from './runner/planners.js';
import type { Publisher } from './runner/publisher.js';
import { recover } from './runner/recover.js';
import { createRunPublisher } from './runner/run-publisher.js';
import { createRunner } from './runner/runner.js';
import { createSessionCommands } from './runner/session-commands.js';
import { createSessionMaker, type MakerParts } from './runner/session-maker.js';
import { SessionStates } from './runner/session-states.js';
import { createWorkspaceLock, noWorkspaceLock } from './runner/workspace-lock.js';
import type { Redactor } from './secrets/redactor.js';
import type { SessionRecord, Store } from './store/store.js';
import type { CommandClass, CommandRunner, Tool } from './tools/tool.js';
import { snapshotFiles } from './workspace/file-snapshot.js';

export interface AppParts {
  readonly store: Store;
  readonly publisher: Publisher;
  readonly provider: Provider;
  readonly redactor: Redactor;
  readonly isRedacted: (text: string) => boolean;
  readonly commands: CommandRunner;
  readonly tools: readonly Tool[];
  readonly toolSchema: LoopParts['toolSchema'];
  readonly parseArguments: LoopParts['parseArguments'];
  readonly canonicalPath: LoopParts['canonicalPath'];
  readonly judge: Judge;
  readonly classify: (command: string) => CommandClass;
  readonly confinementOf: LoopParts['confinementOf'];
  readonly moreTools: GearParts['moreTools'];
  /** What configuration and the workspace's own file allow a run of this session. */
  readonly settingsFor: (session: SessionRecord) => Promise<RunSettings>;
  /** Milliseconds that a command of an item or a check may take. */
  readonly timeoutFor: (session: SessionRecord) => Promise<number>;
  /** Tokens of a model's context. */
  readonly contextWindow: (model: string | null) => number;
  readonly onSteps: LoopParts['onSteps'];
  readonly isOffered: GearParts['isOffered'];
  readonly profiles: GearParts['profiles'];
  readonly treeHash: (workspace: string, signal: AbortSignal) => Promise<string | null>;
  readonly reapGuards: () => Promise<void>;
  readonly policyFor: MakerParts['policyFor'];
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly settings: AppSettings;
  readonly onBug: (error: unknown, sessionId: SessionId) => void;
  /** Stands in for every way to run a leaf: benchmarks measure the runner alone with it. */
  readonly executor?: Executor;
}

export interface AppSettings {
  readonly outputs: string;
  readonly defaultWorkspace: string;
  readonly parallelSessions: number;
  readonly parallelCalls: number;
  readonly workspaceLock: boolean;
  readonly limits: RunLimits;
  readonly guards: LoopParts['guards'];
  readonly stalledAfterMs: number;
  readonly planning: boolean;
}

export interface App {
  readonly commands: SessionCommands;
  /** Recovers what was under way and begins to drive. Nothing is answered before it resolves. */
  start(): Promise<void>;
  /** Lets turns under way finish for `drainMs`, then cuts them off; what is cut off is resumed at the next start. */
  stop(drainMs: number): Promise<void>;
}

/** Until a session whose drive broke off is driven again. */
const afterBugMs = 10_000;

export function createApp(parts: AppParts): App {
  const { store, clock, settings, redactor, newId, random } = parts;
  const { limits } = settings;
  const redact = (text: string): string => redactor.redact(text);
  const active = createActiveRuns(clock);
  const dispatcher = createLocalDispatcher(settings.parallelSessions, (error, sessionId) => {
    parts.onBug(error, sessionId);
    // The store may have had no room, or been locked: its session is not left running with nobody driving it.
    performer.perform(sessionId, [{ type: 'wake', at: clock.now() + afterBugMs }]);
  });
  const performer = createPerformer(dispatcher, active, clock, (sessionId) => void planners.tend(sessionId));
  const lock = settings.workspaceLock ? createWorkspaceLock() : noWorkspaceLock;
  const draining = new AbortController();

  const deadlines = createDeadlines(
    clock,
    (id) => void answers.expire(id).catch((error: unknown) => parts.onBug(error, id as SessionId)),
  );
  const publisher = watchDeadlines(parts.publisher, () => deadlines);
  const runPublisher = createRunPublisher(publisher, redactor);
  const states = new SessionStates(store, publisher, (sessionId, effects) => performer.perform(sessionId, effects));
  const approvals = createApprovals(store, parts.judge, clock);
  const answers = createAnswers({
    store,
    states,
    publisher,
    deadlines,
    clock,
    limits,
    wakeChat: async (sessionId, runId) => (await planners.wake(sessionId, runId)) || chats.wake(sessionId, runId),
    raiseBudget: async (sessionId) => {
      const [own] = (await store.spending(sessionId, null)).chain;
      if (own?.budget) await store.setBudget(sessionId, raise(own.budget, own.spent));
    },
  });

  const gearFor = createGear(parts);
  const mayRead = (session: SessionRecord, path: string): boolean =>
    parts.judge(session, { effectId: '' as EffectId, tool: 'read', class: 'safe', path }).action !== 'deny';

  const maker = createSessionMaker({
    store,
    publisher,
    clock,
    newId,
    defaultWorkspace: settings.defaultWorkspace,
    policyFor: parts.policyFor,
    profiles: [...builtinProfiles, ...Object.keys(parts.profiles)],
    planning: settings.planning,
  });
  const expander = createExpander({ store, provider: parts.provider, clock, redact });
  const tend = (sessionId: SessionId): void => void planners.tend(sessionId);
  const loop = createAgentLoop({
    store,
    missions: createMissionDesk({ store, states, maker, expander, clock, limits, newId, tend }),
    onReport: ({ id, parentId }) => {
      tend(id);
      if (parentId !== null) tend(parentId);
    },
    provider: parts.provider,
    publisher: runPublisher,
    approvals,
    commands: parts.commands,
    redact,
    isRedacted: parts.isRedacted,
    parseArguments: parts.parseArguments,
    mayRead,
    canonicalPath: parts.canonicalPath,
    parallel: settings.parallelCalls,
    outputFolder: () => settings.outputs,
    clock,
    guards: settings.guards,
    tokens: createTokenBudget(parts.contextWindow),
    confinementOf: parts.confinementOf,
    onSteps: parts.onSteps,
    toolSchema: parts.toolSchema,
    deliverSteering: (sessionId, ref) =>
      states.alongside(
        sessionId,
        () => store.deliverSteering(sessionId, ref),
        (state, delivered) => (delivered > 0 ? { ...state, steering: 0 } : state),
      ),
  });

  const byModel = createModelExecutor({
    store,
    loop,
    planOf: async (session) => (await states.read(session.id))?.plan ?? null,
    gearFor: (session, signal) => gearFor(session, 'leaf', signal),
    settingsFor: parts.settingsFor,
    publisher: runPublisher,
    clock,
  });
  const byCommand = createCommandExecutor({
    store,
    approvals,
    commands: parts.commands,
    publisher: runPublisher,
    redact,
    isRedacted: parts.isRedacted,
    timeoutFor: parts.timeoutFor,
    classify: parts.classify,
    confinementOf: parts.confinementOf,
  });
  const executorFor = (item: Item): Executor =>
    parts.executor ?? (item.executor === 'agent' ? noAgent : item.command === undefined ? byModel : byCommand);

  const carryOut = createCarryOut({
    store,
    states,
    active,
    runPublisher,
    loop,
    gearFor,
    settingsFor: parts.settingsFor,
    lock,
    plannerSlots: pLimit(settings.parallelSessions),
    clock,
    drain: draining.signal,
  });
  const missions = createMissionControl({
    store,
    states,
    active,
    clock,
    limits,
    interrupt: (sessionId) => planners.interrupt(sessionId, 'cancelled'),
  });
  const shared = { store, states, active, publisher, provider: parts.provider, carryOut, newId, onBug: parts.onBug };
  const planners = createPlanners({ ...shared, missions, clock, random, limits });
  const chats = createChats({ ...shared, planners });

  const drive = createRunner({
    store,
    states,
    dispatcher,
    active,
    executorFor,
    checks: createCheckRunner({
      store,
      approvals,
      commands: parts.commands,
      publisher: runPublisher,
      treeHash: parts.treeHash,
      redact,
      isRedacted: parts.isRedacted,
      timeoutFor: parts.timeoutFor,
      classify: parts.classify,
      confinementOf: parts.confinementOf,
      clock,
      newId,
    }),
    lock,
    writes: (session) => parts.tools.some((tool) => tool.writes && parts.isOffered(session, tool)),
    snapshotFiles,
    clock,
    random,
    newId,
    limits,
    wakeAt: (sessionId, at) => performer.perform(sessionId, [{ type: 'wake', at }]),
    onBug: parts.onBug,
  });

  return {
    commands: createSessionCommands({
      store,
      states,
      publisher,
      active,
      answers,
      chats,
      maker,
      missions,
      planners,
      lock,
      clock,
      limits,
      planning: settings.planning,
      stalledAfterMs: settings.stalledAfterMs,
    }),
    async start() {
      await recover({ store, states, answers, chats, planners, deadlines, clock, limits, reapGuards: parts.reapGuards });
      dispatcher.start(drive);
    },
    async stop(drainMs) {
      draining.abort();
      performer.stop();
      planners.stop();
      deadlines.stop();
      const cutOff = clock.after(drainMs, () => active.abortAll());
      await Promise.all([dispatcher.stop(), chats.idle(), planners.idle()]);
      cutOff();
    },
  };
}

const noAgent: Executor = {
  execute: () =>
    Promise.resolve({
      type: 'blocked',
      reason: 'No external agent is configured for this item. Set its executor to model, or give it a command.',
      reported: false,
    }),
};
