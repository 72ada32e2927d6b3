import type { Register } from '../cli.js';
import { countOf } from '../core/text/text.js';
import { findSession } from '../references.js';
import { withSession } from './edit-target.js';
import { planVersion } from './option-values.js';

export const registerRevert: Register = (program, cli) => {
  withSession(
    program.command('revert').description('a new revision with the shape and text of an earlier version; done work stays done'),
  )
    .argument('<version>', 'the version to go back to', planVersion)
    .option('--json', 'answer as JSON')
    .action(async (version: number, { session, json }: { session?: string; json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, session);
      const { version: before } = await client.call('plan.get', { sessionId });
      const answer = await client.call('plan.revert', { sessionId, version, expectedVersion: before });
      if (json) return cli.printJson('revert', answer);
      if (answer.version === before) return cli.print(`Nothing to change: the plan is as it was in version ${version}.`);
      cli.print(
        `version ${answer.version}, as version ${version}: ${countOf(answer.changed.length, 'item')} changed, ${answer.removed.length} removed`,
        `Take it back with: cairn revert ${before}${session === undefined ? '' : ` --session ${sessionId}`}`,
      );
    });
};
