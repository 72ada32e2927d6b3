/** Idempotency keys: a call that comes twice is carried out once. */
import { createHash } from 'node:crypto';
import { RpcError } from '../../shared/errors.js';
import type { Queries } from '../store/queries.js';
import type { Once } from '../store/store.js';

interface Ways<T> {
  /** Carries the call out and stores its key with it. Throws an `RpcError` when it is refused. */
  readonly first: (once: Once | null) => Promise<T>;
  /** Answers a repeated call; `ref` is what the first one made. */
  readonly again: (ref: string) => Promise<T>;
}

/** Refuses a key that was used with other params. Without a key, every call is the first. */
export async function carryOutOnce<T>(
  store: Pick<Queries, 'once'>,
  method: string,
  params: Keyed,
  { first, again }: Ways<T>,
): Promise<T> {
  const once = onceOf(method, params);
  if (once === null) return first(null);
  const made = await seen(store, once);
  if (made !== null) return again(made);
  try {
    return await first(once);
  } catch (error) {
    // Refused, perhaps because the same call was carried out at the same moment.
    const other = error instanceof RpcError ? await seen(store, once) : null;
    if (other === null) throw error;
    return again(other);
  }
}

interface Keyed {
  readonly idempotencyKey?: string | undefined;
}

/** Only digests are kept: a key is foreign text. */
function onceOf(method: string, { idempotencyKey: key, ...rest }: Keyed): Once | null {
  if (key === undefined) return null;
  const text = JSON.stringify(rest, (_name, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort())
      : value,
  );
  return { key: digestOf(key), method, digest: digestOf(text) };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

async function seen(store: Pick<Queries, 'once'>, once: Once): Promise<string | null> {
  const answer = await store.once(once);
  if (answer.state === 'new') return null;
  if (answer.state === 'seen') return answer.ref;
  throw new RpcError('invalid_params', `The idempotencyKey of this ${once.method} was used for another call.`, {
    issues: [{ path: 'idempotencyKey', message: 'used before with other params' }],
    hint: 'Use a new key for a new call.',
  });
}
