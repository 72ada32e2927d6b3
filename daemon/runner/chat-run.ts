/** Carries out one run without a leaf (a chat, a draft, a planner's turn): its profile, its workspace, the turns of the loop. */
import type { LoopRun, RunSettings } from '../agent/agent-loop.js';
import { plannerPrompt } from '../agent/planner-prompts.js';
import type { Clock } from '../clock.js';
import type { RunRef, RunState } from '../domain/run-state.js';
import { planToolName } from '../domain/steps/step-schema.js';
import type { SessionId } from '../../shared/plan.js';
import type { LeafOutcome } from '../executors/executor.js';
import type { RunGear } from '../missions/profiles.js';
import type { SessionRecord, Store } from '../store/store.js';
import type { ActiveRun, ActiveRuns } from './active-runs.js';
import type { RunPublisher } from './run-publisher.js';
import type { SessionStates } from './session-states.js';
import type { WorkspaceLock } from './workspace-lock.js';

/** A chat answers a person; `planner` holds the plan of a session, and nobody reads along. */
export type SideRole = 'chat' | 'planner';

/** `finish` stores the outcome while the run still counts as carried out, so that nobody takes it up a second time. */
export type CarryOut = (
  session: SessionRecord,
  ref: Pick<RunRef, 'runId'>,
  role: SideRole,
  finish: (ref: RunRef, outcome: LeafOutcome) => Promise<void>,
) => Promise<void>;

export interface ChatRunParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly active: ActiveRuns;
  readonly runPublisher: Pick<RunPublisher, 'say'>;
  readonly loop: (run: LoopRun) => Promise<LeafOutcome>;
  /** What the session's profile and policy leave to a run of this role. */
  readonly gearFor: (session: SessionRecord, role: SideRole, signal: AbortSignal) => Promise<RunGear>;
  readonly settingsFor: (session: SessionRecord) => Promise<RunSettings>;
  readonly lock: WorkspaceLock;
  /** So many planners work at a time; one that waits for its workspace takes no slot. */
  readonly plannerSlots: <T>(work: () => Promise<T>) => Promise<T>;
  readonly clock: Clock;
  readonly drain: AbortSignal;
}

/** Tokens that a resident planner's conversation may take: it is there for days, and goal and plan are told anew each time. */
const plannerContextTokens = 32_000;

export function createCarryOut(parts: ChatRunParts): CarryOut {
  return async (session, { runId }, role, finish) => {
    const state = await parts.states.read(session.id);
    const handle = parts.active.open(runId, session.id, null, role);
    const ref: RunRef = { runId, epoch: state?.checkpoint.epoch ?? 0, attempt: 1 };
    let release: (() => void) | null = null;
    try {
      const gear = await parts.gearFor(session, role, handle.signal);
      for (const problem of gear.problems) parts.runPublisher.say(session.id, runId, null, 'notice', problem);
      if (gear.tools.some((tool) => tool.writes)) release = await takeWorkspace(parts.lock, session, runId, handle);
      const settings = await parts.settingsFor(session);
      // The plan as it is when the run begins: it may have waited for the workspace.
      const now = await parts.states.read(session.id);
      const turn = async (): Promise<void> => {
        // It may have been ended while it waited.
        if (handle.signal.aborted || (await parts.store.run(runId))?.status !== 'running') return;
        await finish(ref, await parts.loop(loopRunOf(parts, session, ref, role, now, gear, settings, handle)));
      };
      await (role === 'planner' ? inTurn(parts.plannerSlots, turn, handle.signal) : turn());
    } finally {
      release?.();
      handle.close();
    }
  };
}

function loopRunOf(
  { store, clock, drain }: ChatRunParts,
  session: SessionRecord,
  ref: RunRef,
  role: SideRole,
  state: RunState | null,
  { tools, missionTools, profile }: RunGear,
  settings: RunSettings,
  handle: ActiveRun,
): LoopRun {
  const planning = profile.hasSteps ? settings.planning : null;
  const isResident = role === 'planner';
  const system = plannerPrompt({
    workspace: session.workspace,
    today: clock.iso().slice(0, 10),
    role: isResident ? 'resident' : 'chat',
    isSolo: profile.isSolo,
    isMission: session.isMission && session.outcome === null,
    order: session.order,
    plan: state?.plan ?? null,
    profilePrompt: profile.prompt,
    tools: [...tools.map((tool) => tool.name), ...(planning ? [planToolName] : []), ...missionTools.map((tool) => tool.name)],
    planning: planning !== null,
    confinement: settings.confinement,
  });
  const { contextTokens } = settings;
  return {
    ...settings,
    session,
    ref,
    itemId: null,
    label: role,
    model: session.model,
    system,
    tools,
    missionTools,
    planning,
    isLeaf: false,
    isSolo: profile.isSolo,
    isAttended: !isResident,
    ...(isResident ? { contextTokens: Math.min(contextTokens ?? plannerContextTokens, plannerContextTokens) } : {}),
    // What was said to a planner stands in its own transcript.
    conversation: () => (isResident ? Promise.resolve([]) : store.conversation(session.id)),
    activity: handle,
    signal: handle.signal,
    drain,
  };
}

/** Takes a slot for the work; whoever is stopped before there was one leaves at once. */
function inTurn(slots: ChatRunParts['plannerSlots'], work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let isBegun = false;
    signal.addEventListener('abort', () => {
      if (!isBegun) resolve();
    });
    slots(() => {
      isBegun = true;
      return work();
    }).then(resolve, reject);
  });
}

/** Waits until no other run writes in the folder; null when the run was stopped first. */
async function takeWorkspace(
  lock: WorkspaceLock,
  session: SessionRecord,
  holder: string,
  { signal, doing }: ActiveRun,
): Promise<(() => void) | null> {
  while (!signal.aborted) {
    let free = (): void => undefined;
    const freed = new Promise<void>((resolve) => (free = resolve));
    const release = lock.take(session.workspace, holder, free);
    if (release !== null) return release;
    doing(`waiting for the workspace, used by ${lock.holderOf(session.workspace) as SessionId}`);
    signal.addEventListener('abort', free, { once: true });
    await freed;
    signal.removeEventListener('abort', free);
  }
  return null;
}
