import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Register } from '../cli.js';

export const registerNew: Register = (program, cli) => {
  program
    .command('new [goal]')
    .description('make a session; its plan from a file if given')
    .option('--from <file>', 'a plan in Markdown (- reads standard input)')
    .option('--workspace <dir>', 'the folder to work in (this one unless given)')
    .option('--title <title>', 'what to call it')
    .option('--policy <preset>', 'readonly, workspace, ask or full')
    .option('--model <model>', 'the model of this session')
    .option('--run', 'start it at once')
    .option('--planning', 'let the model keep a list of steps')
    .option('--no-planning', 'no list of steps')
    .option('--json', 'answer as JSON')
    .action(async (goal: string | undefined, options: Options) => {
      const client = await cli.client();
      const { from, workspace, title, policy, model } = options;
      const session = await client.call('session.create', {
        ...(goal === undefined ? {} : { goal }),
        ...(title === undefined ? {} : { title }),
        workspace: resolve(workspace ?? '.'),
        ...(from === undefined ? {} : { markdown: readFileSync(from === '-' ? 0 : from, 'utf8') }),
        ...(policy === undefined ? {} : { policy: policy as 'full' }),
        ...(model === undefined ? {} : { model }),
      });
      if (options.run) {
        await client.call('run.start', { sessionId: session.id, ...(options.planning === undefined ? {} : { planning: options.planning }) });
      }
      if (options.json) cli.printJson('session', await client.call('session.get', { sessionId: session.id }));
      else cli.print(`${session.id}  ${session.title}`, ...(options.run ? ['It runs. Follow it with: cairn watch'] : []));
    });
};

interface Options {
  from?: string;
  workspace?: string;
  title?: string;
  policy?: string;
  model?: string;
  run?: boolean;
  planning?: boolean;
  json?: boolean;
}
