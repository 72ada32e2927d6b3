/**
 * The model's own list inside a run. It is advice to itself: any change of a status is allowed, and nothing waits for a
 * step. Source: odek's planning document, as settled in the design.
 */
import type { Step } from '../../../shared/run.js';

export type StepStatus = Step['status'];

export interface StepsState {
  /** From 1; up by one with each effective change. */
  readonly version: number;
  readonly steps: readonly Step[];
}

export interface StepLimits {
  /** 1 to `stepsCeiling`. */
  readonly maxSteps: number;
  /** Characters of the whole message, wrapper and markers included: 200 to `renderCeiling`. */
  readonly maxRenderChars: number;
}

/** Whatever a configuration says, never more steps and no longer message. */
export const stepsCeiling = 50;
export const renderCeiling = 8_000;
export const stepTextLimits = { id: 32, title: 200, note: 500 } as const;

export const stepStatuses = ['pending', 'in_progress', 'done', 'blocked'] as const satisfies readonly StepStatus[];

const count = ({ steps }: StepsState, status: StepStatus): number => steps.filter((step) => step.status === status).length;

/** As events carry them. */
export function countSteps(state: StepsState) {
  return {
    steps: state.steps.length,
    done: count(state, 'done'),
    in_progress: count(state, 'in_progress'),
    blocked: count(state, 'blocked'),
    pending: count(state, 'pending'),
  };
}

/** What is being done, and what would come after it. */
export function currentAndNext({ steps }: StepsState): { readonly current: Step | null; readonly next: Step | null } {
  const at = steps.findIndex(({ status }) => status === 'in_progress');
  const next =
    steps.find(({ status }, index) => status === 'pending' && index > at) ?? steps.find((step) => step.status === 'pending');
  return { current: steps[at] ?? null, next: next ?? null };
}

export const remainingSteps = ({ steps }: StepsState): readonly Step[] => steps.filter(({ status }) => status !== 'done');

/** Unicode code points: how every length of the steps is counted. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _character of text) length += 1;
  return length;
};
