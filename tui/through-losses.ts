/** Work with the daemon that outlives its connection. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConnectionLost } from '../shared/client.js';
import type { Cli } from './cli.js';
import { connectIfRunning } from './connect.js';
import { waitMs } from './core/link/back-off.js';

/**
 * Does `once` with a client of the daemon, and again with a new one whenever the connection is lost; the person is told. A
 * `signal` that is aborted ends it: the connection is closed, and the promise is rejected.
 */
export async function throughLosses<T>(cli: Cli, once: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let losses = 0; ; losses++) {
    try {
      const client = losses === 0 ? await cli.client() : await reconnect(cli, signal);
      return await withClient(client, once, signal);
    } catch (error) {
      if (!(error instanceof ConnectionLost) || signal?.aborted) throw error;
      cli.note(
        losses === 0
          ? 'The daemon went away. Its work is resumed when it starts again (cairn daemon start). Waiting for it.'
          : 'Still waiting.',
      );
    } finally {
      // Whoever needs a client afterwards connects anew.
      cli.dropClient();
    }
  }
}

async function withClient<T>(client: Client, once: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const close = (): void => client.close();
  signal?.addEventListener('abort', close);
  try {
    return await once(client);
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

async function reconnect(cli: Cli, signal?: AbortSignal): Promise<Client> {
  for (let tries = 0; ; tries++) {
    await delay(waitMs(tries), undefined, signal === undefined ? {} : { signal });
    const client = await connectIfRunning(cli.files, signal);
    if (client === null) continue;
    cli.note('The daemon is back.');
    return client;
  }
}
