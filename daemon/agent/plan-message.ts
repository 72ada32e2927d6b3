/** The protected message of the steps: one in a transcript, at one place in every request, as new as the last tool batch. */
import type { RunId } from '../../shared/run.js';
import { renderSteps } from '../domain/steps/step-render.js';
import type { StepLimits } from '../domain/steps/steps.js';
import type { RunRef } from '../domain/run-state.js';
import type { SessionRecord, Store } from '../store/store.js';
import { nonceOf } from './untrusted.js';

/** Of a version, so that what did not change is not sent anew; of a transcript's run, which nobody outside knows. */
export const stepsNonce = (runId: RunId, version: number): string => nonceOf(`${runId}:steps:${version}`);

/**
 * Renders the message anew when the limits have changed since it was stored, so that what is sent keeps to them. The
 * steps themselves are in the store: nothing is ever read back from the message.
 */
export async function refreshPlanMessage(
  store: Store,
  session: SessionRecord,
  ref: RunRef,
  limits: StepLimits | null,
): Promise<void> {
  if (limits === null) return;
  const [kept, { plan }] = await Promise.all([store.steps(ref.runId), store.placedMessages(ref.runId)]);
  if (kept === null || plan === null) return;
  const message = renderSteps(kept.state, limits, stepsNonce(plan.runId, kept.state.version));
  if (message !== plan.content) await store.putPlanMessage(ref, session.id, message);
}
