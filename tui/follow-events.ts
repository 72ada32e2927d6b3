/** The durable events after a cursor, whatever becomes of the connection: none is missed, and none comes twice. */
import { EventEmitter, on } from 'node:events';
import { type Client, ConnectionLost } from '../shared/client.js';
import type { NotificationParams } from '../shared/contract.js';
import type { CairnEvent } from '../shared/event.js';
import type { SessionId } from '../shared/plan.js';
import type { Cli } from './cli.js';
import { throughLosses } from './through-losses.js';

export interface Followed {
  /** The sequence of the last event that is known. */
  readonly after: number;
  /** Events of one session only. */
  readonly sessionId?: SessionId;
  /** Ends it: the promise is rejected. */
  readonly signal?: AbortSignal;
}

/**
 * Hands the events to `take`, oldest first, until that gives something else than null. It is called with none after each
 * connection, so that what it wanted from a client that was lost can be asked again.
 */
export async function followEvents<T>(
  cli: Cli,
  { after, sessionId, signal }: Followed,
  take: (client: Client, events: readonly CairnEvent[]) => Promise<T | null>,
): Promise<T> {
  let cursor = after;
  return throughLosses(
    cli,
    async (client) => {
      const told = new EventEmitter();
      const batches = on(told, 'told', signal === undefined ? {} : { signal }) as AsyncIterable<
        [NotificationParams<'event.appended'>]
      >;
      // An error that nobody listens to, when the end is known already, would end the process.
      told.on('error', () => undefined);
      client.on('event.appended', (params) => told.emit('told', params));
      client.onClose((reason) => told.emit('error', new ConnectionLost(reason)));
      const filter = sessionId === undefined ? {} : { sessionId };
      const { subscriptionId } = await client.call('event.subscribe', { after: cursor, ...filter });
      const first = await take(client, []);
      if (first !== null) return first;
      for await (const [batch] of batches) {
        if (batch.subscriptionId !== subscriptionId) continue;
        cursor = batch.nextCursor;
        const taken = await take(client, batch.events);
        if (taken !== null) return taken;
      }
      throw new ConnectionLost('the stream of events ended');
    },
    signal,
  );
}

/** The sequence of the newest event: what happens from now on comes after it. */
export async function newestEvent(client: Client): Promise<number> {
  const { subscriptionId, after } = await client.call('event.subscribe', {});
  await client.call('event.unsubscribe', { subscriptionId });
  return after;
}
