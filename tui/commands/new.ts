import { resolve } from 'node:path';
import { Option } from 'commander';
import { type PlannerMode, plannerModes, policyPresets } from '../../shared/mission.js';
import type { Register } from '../cli.js';
import { readInput } from '../input.js';

export const registerNew: Register = (program, cli) => {
  program
    .command('new [goal]')
    .description('make a session; its plan from a file if given')
    .option('--from <file>', 'a plan in Markdown (- reads standard input)')
    .option('--workspace <dir>', 'the folder to work in (this one unless given)')
    .option('--title <title>', 'what to call it')
    .addOption(new Option('--policy <preset>', 'what tools may do').choices(policyPresets))
    .option('--profile <name>', 'the tools of its runs: worker, solo, or one of the configuration')
    .addOption(new Option('--planner <when>', 'when its resident planner is woken (never unless given)').choices(plannerModes))
    .option('--model <model>', 'the model of this session')
    .option('--run', 'start it at once')
    .option('--planning', 'let the model keep a list of steps')
    .option('--no-planning', 'no list of steps')
    .option('--json', 'answer as JSON')
    .action(async (goal: string | undefined, options: Options) => {
      const { from, workspace, title, policy, profile, planner, model } = options;
      const markdown = from === undefined ? undefined : await readInput(from);
      const client = await cli.client();
      const session = await client.call('session.create', {
        ...(goal === undefined ? {} : { goal }),
        ...(title === undefined ? {} : { title }),
        workspace: resolve(workspace ?? '.'),
        ...(markdown === undefined ? {} : { markdown }),
        ...(policy === undefined ? {} : { policy }),
        ...(profile === undefined ? {} : { profile }),
        ...(planner === undefined ? {} : { planner }),
        ...(model === undefined ? {} : { model }),
      });
      if (options.run) {
        await client.call('run.start', {
          sessionId: session.id,
          ...(options.planning === undefined ? {} : { planning: options.planning }),
        });
      }
      if (options.json) cli.printJson('session', await client.call('session.get', { sessionId: session.id }));
      else cli.print(`${session.id}  ${session.title}`, ...(options.run ? ['It runs. Follow it with: cairn watch'] : []));
    });
};

interface Options {
  from?: string;
  workspace?: string;
  title?: string;
  policy?: (typeof policyPresets)[number];
  profile?: string;
  planner?: PlannerMode;
  model?: string;
  run?: boolean;
  planning?: boolean;
  json?: boolean;
}
