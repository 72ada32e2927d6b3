/**
 * Streams of durable events. Each is pulled from the store by its cursor, only while its client can take more: nothing is
 * buffered, missed or sent twice, however slow the client and however long it was away.
 */
import type { SessionId } from '../../shared/plan.js';
import type { Queries } from '../store/queries.js';
import type { Connection } from './handlers.js';

interface Stream {
  readonly id: string;
  readonly connection: Connection;
  readonly sessionId: SessionId | null;
  readonly limit: number;
  after: number;
  pumping: boolean;
  /** Something was committed while the last page was read. */
  again: boolean;
}

export interface EventStreams {
  open(connection: Connection, from: { after: number; sessionId: SessionId | null; limit: number }): string;
  close(connection: Connection, id: string): void;
  /** There may be new events. */
  wake(): void;
}

export function createEventStreams(store: Queries, newId: (prefix: string) => string): EventStreams {
  const streams = new Map<string, Stream>();

  async function pump(stream: Stream): Promise<void> {
    if (stream.pumping) {
      stream.again = true;
      return;
    }
    stream.pumping = true;
    try {
      do {
        stream.again = false;
        while (streams.has(stream.id) && !stream.connection.busy) {
          const events = await store.eventsAfter(stream.after, stream.sessionId, stream.limit);
          const last = events.at(-1);
          if (last === undefined || !streams.has(stream.id)) break;
          stream.after = last.seq;
          stream.connection.notify('event.appended', { subscriptionId: stream.id, events: [...events], nextCursor: last.seq });
        }
      } while (stream.again);
    } finally {
      stream.pumping = false;
    }
  }

  const start = (stream: Stream): void => void pump(stream).catch(() => streams.delete(stream.id));

  return {
    open(connection, { after, sessionId, limit }) {
      const stream: Stream = { id: newId('e'), connection, sessionId, limit, after, pumping: false, again: false };
      streams.set(stream.id, stream);
      connection.onDrain(() => start(stream));
      connection.onClose(() => streams.delete(stream.id));
      // After the answer that names the stream has left.
      setImmediate(() => start(stream));
      return stream.id;
    },
    close(connection, id) {
      if (streams.get(id)?.connection === connection) streams.delete(id);
    },
    wake() {
      for (const stream of streams.values()) start(stream);
    },
  };
}
