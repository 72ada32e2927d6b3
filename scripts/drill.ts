/** The crash drill at full size: `npm run drill`. Kills a working daemon 200 times and counts what was lost or done twice. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runDrill } from '../test/crash/drill.js';

const kills = Number(process.argv[2] ?? 200);
const leaves = 50;
const root = await mkdtemp(join(tmpdir(), 'cairn-drill-'));
const totals = {
  kills: 0,
  unknown: 0,
  plans: 0,
  leaves: 0,
  doubled: 0,
  missing: 0,
  runAgain: 0,
  orphans: 0,
  gapsInEvents: 0,
  notCompleted: 0,
};
try {
  // A plan that completes before all kills are used up is followed by another one.
  while (totals.kills < kills) {
    const home = join(root, `home-${totals.plans}`);
    const workspace = join(root, `work-${totals.plans}`);
    await mkdir(workspace);
    const left = kills - totals.kills;
    const report = await runDrill({ home, workspace, leaves, kills: left, longestLifeMs: 150, random: Math.random });
    totals.kills += report.kills;
    totals.plans += 1;
    totals.unknown += report.unknown;
    totals.leaves += report.leaves;
    totals.doubled += report.doubled.length;
    totals.missing += report.missing.length;
    totals.runAgain += report.runAgain.length;
    totals.orphans += report.orphans.length;
    totals.gapsInEvents += report.gapsInEvents;
    totals.notCompleted += report.finalStatus === 'completed' ? 0 : 1;
    console.log(
      `${totals.kills} kills, ${totals.plans} plans of ${leaves} leaves`,
      report.finalStatus,
      report.orphans.slice(0, 3),
    );
  }
  console.table(totals);
  const losses = totals.doubled + totals.missing + totals.runAgain + totals.orphans + totals.gapsInEvents + totals.notCompleted;
  process.exitCode = losses === 0 ? 0 : 1;
} finally {
  await rm(root, { recursive: true, force: true });
}
