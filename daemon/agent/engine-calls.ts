/**
 * The calls that the engine answers itself: `plan` and `mission_*`. They are carried out in the order of the calls, and what
 * they change is committed together with their result, so that it is never unknown whether they were done.
 */
import { unreachable } from '../../shared/errors.js';
import type { ToolCall } from '../../shared/run.js';
import type { InboxDraft } from '../domain/run-state.js';
import { applyPlanCall } from '../domain/steps/step-call.js';
import { noPlan, renderSteps } from '../domain/steps/step-render.js';
import { planToolName } from '../domain/steps/step-schema.js';
import type { StepLimits } from '../domain/steps/steps.js';
import type { FailureKind } from '../domain/guards.js';
import type { MissionAnswer, MissionCall, MissionTool } from '../missions/mission-tool.js';
import type { EffectEnd, KeptSteps, Store, StoredMessage, StepsChange } from '../store/store.js';
import type { Tool } from '../tools/tool.js';
import { stepsAreStuck } from './loop-texts.js';
import { stepsNonce } from './plan-message.js';
import type { CallParts, CallRun, PlannedCall } from './tool-calls.js';

/** Steps that become blocked, with none done between, until the model is told and watchers hear of it. */
const blockedStreakToTell = 3;

/** What a `plan` call came to, before it is stored. */
interface PlanAnswer {
  readonly content: string;
  readonly failure: FailureKind | null;
  readonly steps?: StepsChange;
}

type EngineRun = Pick<CallRun, 'planning' | 'missionTools'>;

const missionToolOf = (run: EngineRun, { name }: Pick<ToolCall, 'name'>): MissionTool | undefined =>
  run.missionTools.find((tool) => tool.name === name);

/** True for a call that the engine answers in this run; a tool that its profile does not have is no tool here. */
export const isEngineCall = (call: Pick<ToolCall, 'name'>, run: EngineRun): boolean =>
  (call.name === planToolName && run.planning !== null) || missionToolOf(run, call) !== undefined;

interface CallWays {
  /** Writes the intent; false when the run is no longer the current one. */
  begin(run: CallRun, plan: PlannedCall, tool: Pick<Tool, 'name' | 'class' | 'repeatable'>): Promise<boolean>;
  /** Answers a call that was not carried out. */
  tell(run: CallRun, call: ToolCall, why: string, failure: FailureKind): Promise<boolean>;
}

/** Null: the call has its result. An entry: a person is asked first. `ended`: the mission has ended by it. */
export type EngineAnswer = InboxDraft | null | 'stopped' | 'ended';

export function createEngineCalls(parts: CallParts, { begin, tell }: CallWays) {
  const { store, publisher } = parts;

  /** `begun`: its intent is in the journal; without a result it is simply carried out again. */
  async function answer(run: CallRun, plan: PlannedCall, begun: boolean): Promise<EngineAnswer> {
    const { call } = plan;
    const args = parts.redact(plan.rawArgs ?? call.arguments);
    let hasBegun = begun;
    const start = async (): Promise<boolean> =>
      (hasBegun ||= await begin(run, plan, { name: call.name, class: 'safe', repeatable: true }));
    const tool = missionToolOf(run, call);
    if (tool === undefined) return answerSteps(run, plan, args, start);
    const answered = await tool.answer(args, callOf(run, plan, start), parts.missions);
    return settle(run, plan, answered, start, () => hasBegun);
  }

  async function settle(
    run: CallRun,
    plan: PlannedCall,
    answered: MissionAnswer,
    start: () => Promise<boolean>,
    hasBegun: () => boolean,
  ): Promise<EngineAnswer> {
    const { call } = plan;
    const { session, ref, itemId } = run;
    switch (answered.type) {
      case 'ask':
        return answered.entry;
      case 'stopped':
        return 'stopped';
      case 'refused': {
        const { content, planVersion } = answered;
        if (!hasBegun() && planVersion === undefined) return (await tell(run, call, content, 'arguments')) ? null : 'stopped';
        if (!(await start())) return 'stopped';
        await end(run, plan, {
          state: 'failed',
          content: parts.redact(content),
          ...(planVersion === undefined ? {} : { planVersion }),
        });
        finish(run, call, content, 'arguments');
        return null;
      }
      case 'answered': {
        const { content, report } = answered;
        if (!(await start())) return 'stopped';
        await end(run, plan, { state: 'done', content, ...(report ? { report: { ...report, itemId } } : {}) });
        if (report) {
          publisher.say(session.id, ref.runId, itemId, 'notice', `${report.kind}: ${report.summary}`);
          parts.onReport(session);
        }
        finish(run, call, content, null);
        return null;
      }
      case 'committed':
        publisher.say(session.id, ref.runId, itemId, 'tool', '', call.name);
        finish(run, call, answered.content, null);
        return answered.ends ? 'ended' : null;
      default:
        return unreachable(answered);
    }
  }

  async function answerSteps(
    run: CallRun,
    plan: PlannedCall,
    args: string,
    start: () => Promise<boolean>,
  ): Promise<EngineAnswer> {
    const { call } = plan;
    const { session, ref, itemId, planning } = run;
    if (planning === null) return null;
    const { content, failure, steps } = await answerPlan(store, ref, args, planning);
    if (failure !== null) return (await tell(run, call, content, failure)) ? null : 'stopped';
    if (!(await start())) return 'stopped';
    await end(run, plan, { state: 'done', content, ...(steps ? { steps } : {}) });
    publisher.say(session.id, ref.runId, itemId, 'tool', verbOf(args), planToolName);
    if (steps?.changed) parts.onSteps(session, ref, steps);
    if (steps?.isStuck) run.remark(stepsAreStuck);
    finish(run, call, content, null);
    return null;
  }

  async function end(
    { session, ref }: CallRun,
    { id, call }: PlannedCall,
    result: Pick<EffectEnd, 'state' | 'content' | 'report' | 'steps' | 'planVersion'>,
  ): Promise<void> {
    const events = await store.endEffect({ id, sessionId: session.id, runId: ref.runId, toolCallId: call.id, ...result });
    publisher.committed({ sessionId: session.id, events });
  }

  const finish = (run: CallRun, call: ToolCall, result: string, failure: FailureKind | null): void =>
    run.ended({ tool: call.name, args: call.arguments, result, failure, durationMs: 0 });

  return { answer };
}

function callOf(run: CallRun, { id, call }: PlannedCall, begin: () => Promise<boolean>): MissionCall {
  const { session, ref, itemId, isSolo, isAttended, model, signal } = run;
  return { session, ref, itemId, effectId: id, toolCallId: call.id, isSolo, isAttended, model, signal, begin };
}

/** What a `plan` call does, for people who look on; the steps themselves are in the panel. */
const verbOf = (args: string): string => /"verb"\s*:\s*"(\w{1,20})"/.exec(args)?.[1] ?? '';

/** A `plan` call on the steps as they are. `args`: redacted. */
async function answerPlan(
  store: Pick<Store, 'steps'>,
  turn: Pick<StoredMessage, 'runId'>,
  args: string,
  limits: StepLimits,
): Promise<PlanAnswer> {
  const kept = await store.steps(turn.runId);
  const applied = applyPlanCall(kept?.state ?? null, args, limits);
  if (!applied.ok) return { content: applied.error, failure: 'arguments' };
  const { state, changed, blockedNow, doneNow } = applied.value;
  if (state === null) return { content: noPlan, failure: null };
  const message = renderSteps(state, limits, stepsNonce(turn.runId, state.version));
  const streak = streakAfter(kept, changed, blockedNow, doneNow);
  const isStuck = streak >= blockedStreakToTell;
  return {
    content: message,
    failure: null,
    steps: { state, changed, message, isStuck, blockedStreak: isStuck ? 0 : streak },
  };
}

function streakAfter(kept: KeptSteps | null, changed: StepsChange['changed'], blockedNow: number, doneNow: number): number {
  if (changed === 'created') return 0;
  return (doneNow > 0 ? 0 : (kept?.blockedStreak ?? 0)) + blockedNow;
}
