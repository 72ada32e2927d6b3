/**
 * Streams of durable events. Each is pulled from the store by its cursor, only while its client can take more: nothing is
 * buffered, missed or sent twice, however slow the client and however long it was away.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';
import type { Queries } from '../store/queries.js';
import type { CallContext, Connection } from './handlers.js';

const maxStreamsOfClient = 100;

interface Stream {
  readonly id: string;
  readonly sessionId: SessionId | null;
  readonly limit: number;
  after: number;
  /** False until the client knows the stream's id. */
  open: boolean;
  pumping: boolean;
  /** Something was committed while the last page was read. */
  again: boolean;
}

export interface EventStreams {
  /** Gives the id of the stream. Nothing is sent on it before the answer that tells it. */
  open(
    client: { connection: Connection; afterAnswer: CallContext['afterAnswer'] },
    from: { after: number; sessionId: SessionId | null; limit: number },
  ): Result<string>;
  close(connection: Connection, id: string): void;
  /** There may be new events. */
  wake(): void;
}

/** A stream that cannot be read ends its connection: the client comes back and goes on from its cursor. */
export function createEventStreams(
  store: Pick<Queries, 'eventsAfter'>,
  newId: (prefix: string) => string,
  onBug: (error: unknown, what: string) => void,
): EventStreams {
  const clients = new Map<Connection, Map<string, Stream>>();

  function streamsOf(connection: Connection): Map<string, Stream> {
    const known = clients.get(connection);
    if (known) return known;
    const streams = new Map<string, Stream>();
    clients.set(connection, streams);
    connection.onDrain(() => wakeClient(connection, streams));
    connection.onClose(() => {
      streams.clear();
      clients.delete(connection);
    });
    return streams;
  }

  function wakeClient(connection: Connection, streams: ReadonlyMap<string, Stream>): void {
    for (const stream of streams.values()) start(connection, streams, stream);
  }

  function start(connection: Connection, streams: ReadonlyMap<string, Stream>, stream: Stream): void {
    if (!stream.open) return;
    stream.again = true;
    if (stream.pumping) return;
    void pump(connection, stream, () => streams.has(stream.id)).catch((error: unknown) => {
      onBug(error, 'event.appended');
      connection.close('the events cannot be read');
    });
  }

  async function pump(connection: Connection, stream: Stream, goesOn: () => boolean): Promise<void> {
    stream.pumping = true;
    try {
      // While the client is busy there is nothing to do: it is woken when it has drained.
      while (stream.again && goesOn() && !connection.busy) {
        stream.again = false;
        const events = await store.eventsAfter(stream.after, stream.sessionId, stream.limit);
        const last = events.at(-1);
        if (last === undefined || !goesOn()) continue;
        stream.after = last.seq;
        stream.again = true;
        connection.notify('event.appended', { subscriptionId: stream.id, events: [...events], nextCursor: last.seq });
        // A long backlog is no reason to keep everybody else waiting.
        if (events.length === stream.limit) await nextTurn();
      }
    } finally {
      stream.pumping = false;
    }
  }

  return {
    open({ connection, afterAnswer }, { after, sessionId, limit }) {
      const streams = streamsOf(connection);
      if (streams.size >= maxStreamsOfClient) {
        return refuse('limit_exceeded', `This connection has ${streams.size} streams of events already.`, {
          hint: 'End some with event.unsubscribe.',
        });
      }
      const stream: Stream = { id: newId('e'), sessionId, limit, after, open: false, pumping: false, again: false };
      streams.set(stream.id, stream);
      afterAnswer(() => {
        stream.open = true;
        start(connection, streams, stream);
      });
      return ok(stream.id);
    },
    close(connection, id) {
      clients.get(connection)?.delete(id);
    },
    wake() {
      for (const [connection, streams] of clients) wakeClient(connection, streams);
    },
  };
}
