import type { Register } from '../cli.js';
import { setStatusByHand } from './set-status.js';
import { withSession } from './edit-target.js';

export const registerSkip: Register = (program, cli) => {
  withSession(program.command('skip <item>').description('leave an item out'))
    .option('--note <text>', 'why')
    .action((reference: string, options: { session?: string; note?: string }) =>
      setStatusByHand(cli, reference, 'skipped', options),
    );
};
