/** What the running item is doing, with the time going on between two words of the daemon. */
import type { SessionView } from '../state.js';
import { duration, sanitise } from '../text/text.js';

/** The daemon ends a cause with how long it had lasted. */
const lasted = /\((\d+) s\)/;

export function livenessText({ liveness, livenessAt, planRun }: SessionView, now: number): string {
  const cause = sanitise(liveness.cause.split('\n')[0] ?? '');
  if (liveness.state === 'idle') return cause;
  const since = Math.max(0, now - livenessAt);
  const isOver = planRun.status !== 'running' && planRun.status !== 'pausing';
  const text = isOver ? cause : cause.replace(lasted, (_all, seconds: string) => `(${duration(Number(seconds) * 1000 + since)})`);
  return `${liveness.state}: ${text}`;
}
