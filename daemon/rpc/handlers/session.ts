/** `session.*`. */
import { RpcError, unwrap } from '../../../shared/errors.js';
import type { SessionId } from '../../../shared/plan.js';
import type { Session } from '../../../shared/session.js';
import { notFound, type SessionCommands } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { Connection, Handlers } from '../handlers.js';
import { firstPlan } from '../first-plan.js';
import { carryOutOnce } from '../once.js';
import { pageFrom } from '../page.js';
import type { WatchPublisher } from '../publish.js';
import { toSession } from '../wire.js';

type Methods = Extract<keyof Handlers, `session.${string}`>;

export function sessionHandlers(store: Queries, commands: SessionCommands, publisher: WatchPublisher): Pick<Handlers, Methods> {
  const get = async (id: SessionId): Promise<Session> => {
    const row = await store.sessionRow(id);
    return row ? toSession(row) : unwrap(notFound(id));
  };
  return {
    'session.create': async (params) => {
      const { title, author, fill } = await firstPlan(params);
      return carryOutOnce(store, 'session.create', params, {
        first: async (once) => get(unwrap(await commands.create({ ...params, title }, fill, author, once))),
        again: (ref) => get(ref as SessionId),
      });
    },
    'session.list': async ({ status, workspace, limit, cursor }) => {
      const filter = { ...(status === undefined ? {} : { status }), ...(workspace === undefined ? {} : { workspace }) };
      const { rows, nextCursor } = await store.listSessions(filter, pageFrom({ limit, cursor }));
      return { sessions: rows.map(toSession), nextCursor };
    },
    'session.get': ({ sessionId }) => get(sessionId),
    'session.rename': async ({ sessionId, title }) => {
      unwrap(await commands.rename(sessionId, title));
      return get(sessionId);
    },
    'session.delete': async ({ sessionId }) => {
      unwrap(await commands.delete(sessionId));
      return {};
    },
    'session.watch': async ({ sessionId }, { connection, afterAnswer }) => {
      const snapshot = await publisher.watch({ connection: staying(connection), afterAnswer }, sessionId);
      return snapshot ?? unwrap(notFound(sessionId));
    },
    'session.unwatch': ({ sessionId }, { connection }) => {
      if (connection) publisher.unwatch(connection, sessionId);
      return Promise.resolve({});
    },
  };
}

/** Who is to be told things later must stay connected. */
export function staying(connection: Connection | null): Connection {
  if (connection !== null) return connection;
  throw new RpcError('invalid_state', 'This method tells things later: call it over a WebSocket.', {
    hint: 'Open a WebSocket to /rpc, or poll event.list with a cursor.',
  });
}
