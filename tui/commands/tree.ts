import type { Register } from '../cli.js';
import { missionTreeLines } from '../core/missions/tree-lines.js';
import { findSession } from '../references.js';

export const registerTree: Register = (program, cli) => {
  program
    .command('tree [session]')
    .description('a mission and those below it: state, progress, spending, what waits for a person')
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { json }: { json?: boolean }) => {
      const client = await cli.client();
      const { nodes } = await client.call('mission.tree', { sessionId: await findSession(client, reference) });
      if (json) cli.printJson('tree', { nodes });
      else cli.print(...missionTreeLines(nodes, cli.view));
    });
};
