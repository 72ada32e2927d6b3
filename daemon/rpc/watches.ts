/** Who watches which session, and how far each of them has been told. */
import type { SessionId } from '../../shared/plan.js';
import type { Snapshot } from '../../shared/session.js';
import type { CallContext, Connection } from './handlers.js';

export interface Watch {
  readonly connection: Connection;
  /** Calls back when the client has its first snapshot: at once when it has. */
  readonly afterAnswer: (callback: () => void) => void;
  /** The client has its first snapshot. */
  answered: boolean;
  /** Sequence of its last snapshot: what that had is not told again. */
  since: number;
  /** Highest sequence, and the version of the plan, that it has been told. */
  seq: number;
  version: number;
  /** It missed something, and gets a snapshot as soon as it can take one. */
  behind: boolean;
}

export interface Watches {
  of(sessionId: SessionId): Watch[];
  has(sessionId: SessionId, watch: Watch): boolean;
  add(
    sessionId: SessionId,
    client: { connection: Connection; afterAnswer: CallContext['afterAnswer'] },
    snapshot: Snapshot,
  ): void;
  remove(connection: Connection, sessionId: SessionId): void;
  /** Ends all watches of a session. */
  forget(sessionId: SessionId): void;
}

/** `onReady` is called when a client that was behind can take a snapshot. */
export function createWatches(onReady: (sessionId: SessionId, watch: Watch) => void): Watches {
  const bySession = new Map<SessionId, Map<Connection, Watch>>();
  const known = new WeakSet<Connection>();

  function remove(connection: Connection, sessionId: SessionId): void {
    const watches = bySession.get(sessionId);
    watches?.delete(connection);
    if (watches?.size === 0) bySession.delete(sessionId);
  }

  function meet(connection: Connection): void {
    if (known.has(connection)) return;
    known.add(connection);
    connection.onClose(() => {
      for (const sessionId of [...bySession.keys()]) remove(connection, sessionId);
    });
    connection.onDrain(() => {
      for (const [sessionId, watches] of bySession) {
        const watch = watches.get(connection);
        if (watch?.behind) onReady(sessionId, watch);
      }
    });
  }

  return {
    of: (sessionId) => [...(bySession.get(sessionId)?.values() ?? [])],
    has: (sessionId, watch) => bySession.get(sessionId)?.get(watch.connection) === watch,
    add(sessionId, { connection, afterAnswer }, { seq, session }) {
      if (connection.closed) return;
      meet(connection);
      const watch: Watch = {
        connection,
        afterAnswer: (callback) => (watch.answered ? callback() : afterAnswer(callback)),
        answered: false,
        since: seq,
        seq,
        version: session.planVersion,
        behind: false,
      };
      const watches = bySession.get(sessionId) ?? new Map<Connection, Watch>();
      watches.set(connection, watch);
      bySession.set(sessionId, watches);
      afterAnswer(() => {
        watch.answered = true;
        if (watch.behind) onReady(sessionId, watch);
      });
    },
    remove,
    forget: (sessionId) => void bySession.delete(sessionId),
  };
}
