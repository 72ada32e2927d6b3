import type { CairnEvent } from '../../shared/event.js';
import type { ListedItem, Revision } from '../../shared/plan.js';
import type { Register } from '../cli.js';
import { type Glyphs, outcomeGlyph } from '../core/glyphs.js';
import { dataOf } from '../core/missions/event-data.js';
import { revisionWords } from '../core/missions/revision-words.js';
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
      const [{ revisions }, { outcomeReason }] = await Promise.all([
        client.call('plan.history', { sessionId, limit: 1_000 }),
        client.call('session.get', { sessionId }),
      ]);
      const last = events.slice(Math.max(0, events.length - limit));
      if (json) return cli.printJson('log', { events: last, revisions });
      const { items } = await client.call('plan.get', { sessionId });
      const { width, glyphs, paint } = cli.view;
      for (const event of last) {
        const text = describe(event, { items, revisions, outcomeReason, glyphs });
        if (text !== null)
          cli.print(`${paint('dim', event.at.slice(0, 19).replace('T', ' '))}  ${fit(text, width - 21, glyphs.ellipsis)}`);
      }
    });
};

/** What the events do not carry; and how to write. */
interface Known {
  readonly items: readonly ListedItem[];
  readonly revisions: readonly Revision[];
  readonly outcomeReason: string | null;
  readonly glyphs: Glyphs;
}

/** One line for people; null for what only repeats another event. */
function describe(event: CairnEvent, { items, revisions, outcomeReason, glyphs }: Known): string | null {
  const { type, data } = event;
  const nameOf = (id: unknown): string => {
    const item = items.find((candidate) => candidate.id === id);
    return item ? `${item.number} ${sanitise(item.title)}` : `${String(id)} (removed)`;
  };
  const revised = dataOf(event, 'plan.revised');
  if (revised !== null) {
    const { version, author } = revised;
    if (revisions.find((each) => each.version === version)?.statusOnly) return null;
    return `plan v${version} by ${author}  ${revisionWords(revised, glyphs)}`;
  }
  const ended = dataOf(event, 'session.outcome');
  if (ended !== null) {
    const reason = outcomeReason === null ? '' : ` ${glyphs.dash} ${sanitise(outcomeReason.replaceAll('\n', ' '))}`;
    return `${outcomeGlyph(ended.outcome, glyphs)} ${ended.outcome}${reason}`;
  }
  switch (type) {
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
    default: {
      const kind = typeof data.kind === 'string' ? ` (${data.kind})` : '';
      return data.itemId ? `    ${type} ${nameOf(data.itemId)}` : `    ${type}${kind}`;
    }
  }
}
