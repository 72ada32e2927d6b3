import type { Register } from '../cli.js';
import { setStatusByHand } from './set-status.js';
import { withSession } from './edit-target.js';

export const registerDone: Register = (program, cli) => {
  withSession(program.command('done <item>').description('mark an item done by hand'))
    .option('--note <text>', 'why')
    .action((reference: string, options: { session?: string; note?: string }) =>
      setStatusByHand(cli, reference, 'done', options),
    );
};
