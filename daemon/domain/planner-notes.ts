/**
 * What the resident planner of a session is told: the notes of its durable queue. Which of them wake it follows from the mode
 * of the session; what does not is delivered with the next waking.
 */
import { unreachable } from '../../shared/errors.js';
import type { PlannerMode, ReportKind } from '../../shared/mission.js';
import type { ItemId } from '../../shared/plan.js';

export const noteKinds = [
  'fired',
  'message',
  'draft',
  'report',
  'done',
  'blocked',
  'failed',
  'completed',
  'edited',
  'child',
  'unmoved',
] as const;
export type NoteKind = (typeof noteKinds)[number];

export interface PlannerNote {
  readonly kind: NoteKind;
  /** In words for the planner. */
  readonly text: string;
  /** The item that it is about. */
  readonly itemId: ItemId | null;
  /** Wakes the planner. */
  readonly urgent: boolean;
}

/** Whether a note of this kind wakes a planner of this mode. A report counts by its own kind (`urgentReport`). */
export function isUrgent(kind: Exclude<NoteKind, 'report'>, mode: PlannerMode): boolean {
  if (mode === 'never') return false;
  switch (kind) {
    case 'fired':
    case 'message':
    case 'draft':
    case 'blocked':
    case 'failed':
    case 'completed':
    case 'child':
    case 'unmoved':
      return true;
    case 'done':
      return mode === 'always';
    case 'edited':
      return false;
    default:
      return unreachable(kind);
  }
}

/** Progress never wakes anybody; a result or a finding wakes a planner that is woken for everything. */
export const urgentReport = (kind: ReportKind, mode: PlannerMode): boolean =>
  kind === 'blocker' ? mode !== 'never' : kind !== 'progress' && mode === 'always';

/** Code units of a note: what a run says can be of any length. */
const longestNote = 4_000;

export const cutNote = (text: string): string => (text.length <= longestNote ? text : `${text.slice(0, longestNote - 2)} …`);
