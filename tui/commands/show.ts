import type { Register } from '../cli.js';
import { renderTree } from '../core/lines/tree-view.js';
import { findSession } from '../references.js';

export const registerShow: Register = (program, cli) => {
  program
    .command('show [session]')
    .description('goal, run state and tree of a session')
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { json }: { json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, reference);
      const [session, plan, run] = await Promise.all([
        client.call('session.get', { sessionId }),
        client.call('plan.get', { sessionId }),
        client.call('run.get', { sessionId }),
      ]);
      if (json) return cli.printJson('show', { session, plan, run });
      const { liveness, ...planRun } = run;
      cli.print(
        ...renderTree(
          { title: session.title, goal: plan.goal, items: plan.items, counts: plan.counts, planRun, liveness },
          cli.view,
        ),
      );
    });
};
