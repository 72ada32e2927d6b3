/** Carries out one chat run: its tools and settings by the session's profile, its workspace, the turns of the loop. */
import { planOverview, systemPrompt } from '../agent/prompts.js';
import type { LoopRun, RunSettings } from '../agent/agent-loop.js';
import type { Clock } from '../clock.js';
import type { RunRef, RunState } from '../domain/run-state.js';
import { planToolName } from '../domain/steps/step-schema.js';
import type { SessionId } from '../../shared/plan.js';
import type { LeafOutcome } from '../executors/executor.js';
import type { SessionRecord, Store } from '../store/store.js';
import type { ToolOffer } from '../tools/tool.js';
import type { ActiveRun, ActiveRuns } from './active-runs.js';
import type { RunPublisher } from './run-publisher.js';
import type { SessionStates } from './session-states.js';
import type { WorkspaceLock } from './workspace-lock.js';

export interface ChatRunParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly active: ActiveRuns;
  readonly runPublisher: Pick<RunPublisher, 'say'>;
  readonly loop: (run: LoopRun) => Promise<LeafOutcome>;
  /** By the session's profile: `solo` works in its chat, every other one only looks. */
  readonly toolsFor: (session: SessionRecord, signal: AbortSignal) => Promise<ToolOffer>;
  readonly settingsFor: (session: SessionRecord) => Promise<RunSettings>;
  readonly lock: WorkspaceLock;
  readonly clock: Clock;
  readonly drain: AbortSignal;
}

/** `finish` stores the outcome while the run still counts as carried out, so that nobody takes it up a second time. */
export async function carryOutChat(
  parts: ChatRunParts,
  session: SessionRecord,
  ref: Pick<RunRef, 'runId'>,
  finish: (ref: RunRef, outcome: LeafOutcome) => Promise<void>,
): Promise<void> {
  const { runId } = ref;
  const state = await parts.states.read(session.id);
  const handle = parts.active.open(runId, session.id, null);
  const whole: RunRef = { runId, epoch: state?.checkpoint.epoch ?? 0, attempt: 1 };
  let release: (() => void) | null = null;
  try {
    const { tools, problems } = await parts.toolsFor(session, handle.signal);
    for (const problem of problems) parts.runPublisher.say(session.id, runId, null, 'notice', problem);
    if (tools.some((tool) => tool.writes)) release = await takeWorkspace(parts.lock, session, runId, handle);
    const run = loopRunOf(parts, session, whole, state, { tools, problems }, await parts.settingsFor(session), handle);
    await finish(whole, await parts.loop(run));
  } finally {
    release?.();
    handle.close();
  }
}

function loopRunOf(
  { store, clock, drain }: ChatRunParts,
  session: SessionRecord,
  ref: RunRef,
  state: RunState | null,
  { tools }: ToolOffer,
  settings: RunSettings,
  handle: ActiveRun,
): LoopRun {
  const isSolo = session.profile === 'solo';
  const planning = isSolo ? settings.planning : null;
  const facts = {
    workspace: session.workspace,
    today: clock.iso().slice(0, 10),
    role: isSolo ? 'solo' : 'chat',
    tools: [...tools.map((tool) => tool.name), ...(planning ? [planToolName] : [])],
    planning: planning !== null,
    confinement: settings.confinement,
  } as const;
  return {
    ...settings,
    session,
    ref,
    itemId: null,
    label: 'chat',
    model: session.model,
    system: `${systemPrompt(facts)}\nThe plan (goal: ${state?.plan.goal ?? ''}):\n${state ? planOverview(state.plan) : ''}`,
    tools,
    planning,
    reports: false,
    conversation: () => store.conversation(session.id),
    activity: handle,
    signal: handle.signal,
    drain,
  };
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
