import type { CairnEvent } from '../../shared/event.js';
import type { ListedItem, Revision } from '../../shared/plan.js';
import type { Register } from '../cli.js';
import { fit, sanitise } from '../core/text/text.js';
import { wholeNumber } from './option-values.js';
import { findSession } from '../references.js';

export const registerLog: Register = (program, cli) => {
  program
    .command('log [session]')
    .description('what happened: revisions of the plan, runs, questions, oldest first')
    .option('--limit <n>', 'the last so many events', wholeNumber, 200)
    .option('--json', 'answer as JSON')
    .action(async (reference: string | undefined, { limit, json }: { limit: number; json?: boolean }) => {
      const client = await cli.client();
      const sessionId = await findSession(client, reference);
      const events: CairnEvent[] = [];
      for (let after = 0; ;) {
        const page = await client.call('event.list', { sessionId, after, limit: 1_000 });
        if (page.events.length === 0) break;
        events.push(...page.events);
        after = page.nextCursor;
      }
      const { revisions } = await client.call('plan.history', { sessionId, limit: 1_000 });
      const last = events.slice(Math.max(0, events.length - limit));
      if (json) return cli.printJson('log', { events: last, revisions });
      const { items } = await client.call('plan.get', { sessionId });
      const { width, glyphs, paint } = cli.view;
      for (const event of last) {
        const text = describe(event, items, revisions);
        if (text !== null)
          cli.print(`${paint('dim', event.at.slice(0, 19).replace('T', ' '))}  ${fit(text, width - 21, glyphs.ellipsis)}`);
      }
    });
};

/** One line for people; null for what only repeats another event. */
function describe({ type, data }: CairnEvent, items: readonly ListedItem[], revisions: readonly Revision[]): string | null {
  const nameOf = (id: unknown): string => {
    const item = items.find((candidate) => candidate.id === id);
    return item ? `${item.number} ${sanitise(item.title)}` : `${String(id)} (removed)`;
  };
  switch (type) {
    case 'plan.revised': {
      const revision = revisions.find(({ version }) => version === data.version);
      if (revision?.statusOnly) return null;
      const why = revision?.explanation ? `: ${sanitise(revision.explanation)}` : '';
      return `plan v${String(data.version)} by ${String(data.author)}  +${String(data.added)} -${String(data.removed)} ~${String(data.changed)}${why}`;
    }
    case 'item.changed':
      return `${nameOf(data.id)}  ${String(data.from)} -> ${String(data.to)}`;
    case 'plan_run.changed':
      return data.from === data.status ? null : `${String(data.from)} -> ${String(data.status)}`;
    case 'effect.started':
      return `    ${String(data.name)} begun`;
    case 'effect.completed':
      return null;
    case 'turn.completed':
      return `    turn ${String(data.turn)}: ${String(data.inputTokens)} tokens in, ${String(data.outputTokens)} out`;
    case 'receipt.recorded':
      return `    check of ${nameOf(data.itemId)} ${data.passed === true ? 'passed' : `failed (exit ${String(data.exitCode)})`}`;
    default:
      return data.itemId ? `    ${type} ${nameOf(data.itemId)}` : `    ${type}`;
  }
}
