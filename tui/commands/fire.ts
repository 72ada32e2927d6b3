import { resolve } from 'node:path';
import { Option } from 'commander';
import { type PlannerMode, plannerModes, policyPresets } from '../../shared/mission.js';
import { type Register, UsageError } from '../cli.js';
import { endingLines, reasonOf } from '../core/missions/ending-lines.js';
import { sanitise } from '../core/text/text.js';
import { newestEvent } from '../follow-events.js';
import { readInput } from '../input.js';
import { exitCodeOf, waitForOutcome } from '../wait-for-outcome.js';
import { listOf, seconds } from './option-values.js';

interface Options {
  workspace?: string;
  profile?: string;
  policy?: (typeof policyPresets)[number];
  planner?: PlannerMode;
  from?: string;
  acceptance?: string[];
  title?: string;
  model?: string;
  planning?: boolean;
  wait?: boolean;
  timeout?: number;
  json?: boolean;
}

export const registerFire: Register = (program, cli) => {
  program
    .command('fire <goal>')
    .description('a mission: planned, worked at and brought to its outcome with nobody looking on')
    .option('--workspace <dir>', 'the folder to work in (this one unless given)')
    .option('--profile <name>', 'the tools of its runs: worker, solo, or one of the configuration')
    .addOption(new Option('--policy <preset>', 'what tools may do').choices(policyPresets))
    .addOption(new Option('--planner <when>', 'when its planner is woken (always unless given)').choices(plannerModes))
    .option('--from <file>', 'a plan in Markdown to begin with (- reads standard input)')
    .option('--acceptance <text>', 'what holds when the goal is reached (may be given more than once)', listOf)
    .option('--title <title>', 'what to call it')
    .option('--model <model>', 'the model of this mission')
    .option('--planning', 'let the model keep a list of steps')
    .option('--no-planning', 'no list of steps')
    .option('--wait', 'wait for its outcome: ends with 0 landed, 1 derailed or stuck, 2 a person is needed, 3 timed out')
    .option('--timeout <seconds>', 'how long to wait at most', seconds)
    .option('--json', 'answer as JSON')
    .action(async (goal: string, options: Options) => {
      const { workspace, from, wait, timeout, json } = options;
      if (timeout !== undefined && !wait) throw new UsageError('--timeout says how long to --wait: give both, or neither.');
      const markdown = from === undefined ? undefined : await readInput(from);
      const client = await cli.client();
      const after = await newestEvent(client);
      const session = await client.call('mission.fire', {
        goal,
        workspace: resolve(workspace ?? '.'),
        ...(markdown === undefined ? {} : { markdown }),
        ...orderOf(options),
      });
      if (!json) cli.print(`${session.id}  ${sanitise(session.title)}`);
      if (!wait) {
        if (json) cli.printJson('fire', { session, exitCode: 0, outcome: session.outcome, reason: session.outcomeReason });
        else cli.print(`It runs by itself. Follow it with: cairn watch ${session.id}`);
        return;
      }
      const timeoutMs = timeout === undefined ? undefined : timeout * 1_000;
      const { ending, facts } = await waitForOutcome(cli, session, { after, timeoutMs, tells: !json });
      const exitCode = exitCodeOf(ending);
      process.exitCode = exitCode;
      const outcome = ending.type === 'outcome' ? ending.outcome : null;
      if (json) cli.printJson('fire', { session: facts.session, exitCode, outcome, reason: reasonOf(ending, facts) });
      else cli.print(...endingLines(ending, facts, cli.view));
    });
};

/** What was said of the mission besides goal, folder and plan. */
function orderOf({ profile, policy, planner, acceptance, title, model, planning }: Options) {
  return {
    ...(profile === undefined ? {} : { profile }),
    ...(policy === undefined ? {} : { policy }),
    ...(planner === undefined ? {} : { planner }),
    ...(acceptance === undefined ? {} : { acceptance }),
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(planning === undefined ? {} : { planning }),
  };
}
