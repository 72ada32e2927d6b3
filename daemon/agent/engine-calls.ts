/**
 * The calls that the engine answers itself: `mission_report` and `plan`. They are carried out in the order of the calls, and
 * what they change is committed together with their result, so that it is never unknown whether they were done.
 */
import { filedAs, type ReportText } from '../../shared/mission.js';
import type { ToolCall } from '../../shared/run.js';
import type { FailureKind } from '../domain/guards.js';
import { applyPlanCall } from '../domain/steps/step-call.js';
import { noPlan, renderSteps } from '../domain/steps/step-render.js';
import { planToolName } from '../domain/steps/step-schema.js';
import type { StepLimits } from '../domain/steps/steps.js';
import { parseReport, reportToolName } from '../missions/report-tool.js';
import type { KeptSteps, Store, StoredMessage, StepsChange } from '../store/store.js';
import { stepsNonce } from './plan-message.js';

/** Steps that become blocked, with none done between, until the model is told and watchers hear of it. */
const blockedStreakToTell = 3;

/** What a call came to, before it is stored. */
export interface EngineResult {
  readonly content: string;
  readonly failure: FailureKind | null;
  readonly report?: ReportText;
  readonly steps?: StepsChange;
}

export const isEngineCall = (call: Pick<ToolCall, 'name'>, planning: StepLimits | null): boolean =>
  call.name === reportToolName || (call.name === planToolName && planning !== null);

/** A report, or what is wrong with it. `args`: redacted. */
export function answerReport(args: string): EngineResult {
  const parsed = parseReport(args);
  if (!parsed.ok) return { content: parsed.error, failure: 'arguments' };
  return { content: filedAs(parsed.report.kind), failure: null, report: parsed.report };
}

/** A `plan` call on the steps as they are. `args`: redacted. */
export async function answerPlan(
  store: Pick<Store, 'steps'>,
  turn: Pick<StoredMessage, 'runId'>,
  args: string,
  limits: StepLimits,
): Promise<EngineResult> {
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
