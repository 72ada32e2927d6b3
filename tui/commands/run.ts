import type { Budget } from '../../shared/mission.js';
import { type Register, UsageError } from '../cli.js';
import { findSession } from '../references.js';
import { printPlanRun } from './plan-run.js';
import { watchSession } from './watch.js';

interface RunOptions {
  readonly reset?: boolean;
  readonly watch?: boolean;
  readonly planning?: boolean;
  readonly budget?: Budget;
  readonly json?: boolean;
}

export const registerRun: Register = (program, cli) => {
  program
    .command('run [session]')
    .description('start or resume a plan; the daemon runs it, whatever becomes of this terminal')
    .option('--reset', 'put every leaf back to pending first')
    .option('--watch', 'follow it until it comes to rest')
    .option('--planning', 'let the model keep a list of steps')
    .option('--no-planning', 'no list of steps')
    .option(
      '--budget <kinds>',
      'raise what it may spend: turns=200,tokens=1000000,costUsd=5,minutes=60,toolCalls=500',
      readBudget,
    )
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { reset, watch, planning, budget, json }: RunOptions) => {
      const client = await cli.client();
      const sessionId = await findSession(client, reference);
      const run = await client.call('run.start', {
        sessionId,
        ...(reset ? { reset } : {}),
        ...(planning === undefined ? {} : { planning }),
        ...(budget === undefined ? {} : { budget }),
      });
      if (watch) process.exitCode = await watchSession(cli, sessionId, { follow: false });
      else printPlanRun(cli, run, json);
    });
};

const budgetKinds = ['turns', 'toolCalls', 'tokens', 'costUsd', 'minutes'] as const;

/** `turns=200,costUsd=5`. What a number may be, the daemon says. */
function readBudget(text: string): Budget {
  const budget: Budget = {};
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=').map((each) => each.trim());
    const kind = budgetKinds.find((each) => each === name);
    if (kind === undefined || value === '' || Number.isNaN(Number(value))) {
      throw new UsageError(`--budget takes ${budgetKinds.map((each) => `${each}=NUMBER`).join(', ')}, separated by commas.`);
    }
    budget[kind] = Number(value);
  }
  return budget;
}
