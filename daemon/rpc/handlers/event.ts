/** `event.*` and `usage.get`. */
import { forecast } from '../../domain/forecast.js';
import { unwrap } from '../../../shared/errors.js';
import { notFound } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { EventStreams } from '../event-streams.js';
import type { Handlers } from '../handlers.js';
import { staying } from './session.js';

type Methods = 'event.list' | 'event.subscribe' | 'event.unsubscribe' | 'usage.get';

const defaultLimit = 1_000;

export const eventHandlers = (store: Queries, streams: EventStreams): Pick<Handlers, Methods> => ({
  'event.list': async ({ after = 0, sessionId, limit = defaultLimit }) => {
    const events = await store.eventsAfter(after, sessionId ?? null, limit);
    return { events: [...events], nextCursor: events.at(-1)?.seq ?? after };
  },
  'event.subscribe': async ({ after, sessionId, limit = defaultLimit }, { connection, afterAnswer }) => {
    const client = { connection: staying(connection), afterAnswer };
    const from = after ?? (await store.lastSeq());
    const opened = streams.open(client, { after: from, sessionId: sessionId ?? null, limit });
    return { subscriptionId: unwrap(opened), after: from };
  },
  'event.unsubscribe': ({ subscriptionId }, { connection }) => {
    if (connection) streams.close(connection, subscriptionId);
    return Promise.resolve({});
  },
  'usage.get': async ({ sessionId }) => {
    if (sessionId !== undefined && (await store.session(sessionId)) === null) return unwrap(notFound(sessionId));
    const { total, bySession, byItem, byModel, steps } = await store.usage(sessionId ?? null);
    const state = sessionId === undefined ? null : await store.loadState(sessionId);
    return {
      total,
      bySession: [...bySession],
      byItem: [...byItem],
      byModel: [...byModel],
      steps,
      forecast: state && forecast(state.plan.tree, byItem),
    };
  },
});
