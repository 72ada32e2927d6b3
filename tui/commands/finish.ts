import { Argument } from 'commander';
import { type Outcome, outcomes } from '../../shared/mission.js';
import type { Register } from '../cli.js';
import { outcomeGlyph } from '../core/glyphs.js';
import { sanitise } from '../core/text/text.js';
import { findSession } from '../references.js';

export const registerFinish: Register = (program, cli) => {
  program
    .command('finish')
    .description('end a mission, once and for good; what runs of it is cancelled')
    .argument('<session>', 'which one')
    .addArgument(new Argument('<outcome>', 'how it ended').choices(outcomes))
    .argument('<reason...>', 'why, in a few words')
    .option('--json', 'answer as JSON')
    .action(async (reference: string, outcome: Outcome, reason: string[], { json }: { json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, reference);
      const session = await client.call('mission.finish', { sessionId, outcome, reason: reason.join(' ') });
      if (json) cli.printJson('session', session);
      else cli.print(`${outcomeGlyph(outcome, cli.glyphs)} ${outcome}  ${sanitise(session.title)}`);
    });
};
