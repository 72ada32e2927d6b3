import type { Register } from '../cli.js';
import { diffLines } from '../core/missions/diff-lines.js';
import { revisionWords } from '../core/missions/revision-words.js';
import { findSession } from '../references.js';
import { withSession } from './edit-target.js';
import { planVersion } from './option-values.js';

export const registerDiff: Register = (program, cli) => {
  withSession(program.command('diff').description('what differs between two versions of a plan (cairn log tells them)'))
    .argument('<from>', 'a version', planVersion)
    .argument('[to]', 'another one (the current one unless given)', planVersion)
    .option('--json', 'answer as JSON')
    .action(async (from: number, until: number | undefined, { session, json }: { session?: string; json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, session);
      const to = until ?? (await client.call('plan.get', { sessionId })).version;
      const diff = await client.call('plan.diff', { sessionId, from, to });
      if (json) return cli.printJson('diff', { from, to, ...diff });
      const { added, removed, changed } = diff;
      const counts = { added: added.length, removed: removed.length, changed: changed.length };
      cli.print(`v${from} ${cli.glyphs.arrow} v${to}  ${revisionWords(counts, cli.glyphs)}`, ...diffLines(diff, cli.view));
    });
};
