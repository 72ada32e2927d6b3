/** Runs without a leaf on which the daemon dies again and again: no chat and no planner may take it down at every start. */
import type { Run } from '../../shared/run.js';
import type { Store } from '../store/store.js';

export const maxDeaths = 3;

/** True when the daemon has died so often in the run, and in those that it goes on with, with no finished turn between. */
export async function diesAlways(store: Pick<Store, 'run'>, run: Run): Promise<boolean> {
  let deaths = 0;
  for (let dead: Run | null = run; dead !== null && dead.usage.turns === 0; deaths++) {
    if (dead !== run && dead.status !== 'interrupted') break;
    dead = dead.resumes === null ? null : await store.run(dead.resumes);
  }
  return deaths >= maxDeaths;
}
