/** What the status of a plan run means for those who look on. */
import type { PlanRunStatus } from '../../../shared/run.js';

/** Its item is being worked at, or waits for an answer. */
export const isUnderWay = (status: PlanRunStatus): boolean =>
  status === 'running' || status === 'pausing' || status === 'waiting';

/** It is at an item: there is something to cancel. */
export const canCancel = (status: PlanRunStatus): boolean =>
  status !== 'idle' && status !== 'completed' && status !== 'cancelled';
