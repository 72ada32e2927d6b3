/** A plan run as the commands that control it answer. */
import type { PlanRun } from '../../shared/run.js';
import type { Cli } from '../cli.js';
import { whyLines } from '../core/lines/tree-view.js';

export function printPlanRun(cli: Cli, run: PlanRun, json: boolean | undefined): void {
  if (json) return cli.printJson('run', run);
  cli.print(run.status, ...(run.lastError === null ? [] : whyLines(run.lastError, '  ', cli.view)));
}
