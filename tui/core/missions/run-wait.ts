/** When one run has ended, whatever becomes of the daemon meanwhile: a run that died with it is followed by the one that resumes it. */
import type { CairnEvent } from '../../../shared/event.js';
import type { RunId } from '../../../shared/run.js';
import { dataOf } from './event-data.js';

export interface RunWait {
  readonly runId: RunId;
  readonly cursor: number;
  /** It was interrupted; whether another one resumes it, the next event or a look tells. */
  readonly isCut: boolean;
  /** Something of it waits for a person. */
  readonly asks: boolean;
}

export const startRunWait = (runId: RunId, cursor: number): RunWait => ({ runId, cursor, isCut: false, asks: false });

/** Takes the next event; `ended` is true when the run has come to its end. */
export function hearRun(wait: RunWait, event: CairnEvent): { readonly wait: RunWait; readonly ended: boolean } {
  if (event.seq <= wait.cursor) return { wait, ended: false };
  const next = { ...wait, cursor: event.seq };
  if (event.type === 'session.deleted') return { wait: next, ended: true };
  if (dataOf(event, 'run.started')?.resumes === wait.runId && event.runId !== undefined) {
    return { wait: startRunWait(event.runId, event.seq), ended: false };
  }
  if (event.type === 'inbox.opened') return { wait: { ...next, asks: true }, ended: false };
  if (event.runId !== wait.runId) return { wait: next, ended: false };
  switch (event.type) {
    case 'run.interrupted':
      return { wait: { ...next, isCut: true }, ended: false };
    case 'run.completed':
    case 'run.blocked':
    case 'run.failed':
    case 'run.cancelled':
      return { wait: next, ended: true };
    default:
      return { wait: next, ended: false };
  }
}
