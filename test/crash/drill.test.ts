import { describe, expect, it } from 'vitest';
import { tempPlaces } from '../support/daemon.js';
import { runDrill } from './drill.js';

/** The same numbers each time, so that a failure can be looked at again. */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a daemon that is killed again and again', () => {
  it(
    'completes the plan: no line twice, none missing, no closed leaf run again, no process left',
    { timeout: 90_000 },
    async () => {
      const { home, workspace } = await tempPlaces();
      const report = await runDrill({ home, workspace, leaves: 12, kills: 15, longestLifeMs: 120, random: pseudoRandom(7) });
      expect(report).toMatchObject({
        doubled: [],
        missing: [],
        runAgain: [],
        orphans: [],
        gapsInEvents: 0,
        finalStatus: 'completed',
      });
      expect(report.kills).toBeGreaterThan(5);
    },
  );
});
