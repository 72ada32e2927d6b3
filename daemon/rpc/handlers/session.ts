/** `session.*`. */
import { ok, type Result, RpcError, unwrap } from '../../../shared/errors.js';
import type { Params } from '../../../shared/contract.js';
import type { SessionId } from '../../../shared/plan.js';
import type { Session } from '../../../shared/session.js';
import type { PlanDraft } from '../../domain/plan-draft.js';
import { setGoal } from '../../domain/plan-edit.js';
import { importEntries, type PlanText } from '../../domain/plan-import.js';
import { parseMarkdown } from '../../domain/plan-markdown-parse.js';
import { revise } from '../../domain/plan-revise.js';
import { notFound, type SessionCommands } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { Connection, Handlers } from '../handlers.js';
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
      const text = params.markdown === undefined ? null : unwrap(parseMarkdown(params.markdown));
      const author = text === null ? 'person' : 'import';
      const title = params.title ?? text?.title;
      const named = { ...params, ...(title === undefined ? {} : { title }) };
      return carryOutOnce(store, 'session.create', params, {
        first: async (once) => get(unwrap(await commands.create(named, (draft) => fill(draft, params, text), author, once))),
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

function fill(draft: PlanDraft, { goal, items }: Params<'session.create'>, text: PlanText | null): Result<void> {
  if (items !== undefined && text !== null) {
    throw new RpcError('invalid_params', 'Give items or markdown, not both.', {
      issues: [{ path: 'markdown', message: 'not with items' }],
    });
  }
  if (text !== null) {
    const imported = importEntries(draft, text, 'import');
    if (!imported.ok) return imported;
  }
  if (items !== undefined) {
    const revised = revise(draft, { entries: items, author: 'person', root: 'items' });
    if (!revised.ok) return revised;
  }
  if (goal === undefined) return ok(undefined);
  const set = setGoal(draft, { goal });
  return set.ok ? ok(undefined) : set;
}
