import type { Register } from '../cli.js';
import { setStatusByHand } from './set-status.js';
import { withSession } from './edit-target.js';

export const registerReopen: Register = (program, cli) => {
  withSession(program.command('reopen <item>').description('open a done or skipped item again'))
    .option('--note <text>', 'why')
    .action((reference: string, options: { session?: string; note?: string }) =>
      setStatusByHand(cli, reference, 'pending', options),
    );
};
