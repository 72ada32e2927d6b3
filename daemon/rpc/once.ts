/** Idempotency keys: a call that comes twice is carried out once. */
import { createHash } from 'node:crypto';
import { RpcError } from '../../shared/errors.js';
import type { Queries } from '../store/queries.js';
import type { Once } from '../store/store.js';

/** The key with what it stands for; null when the call has none. */
export function onceOf(method: string, params: { readonly idempotencyKey?: string | undefined }): Once | null {
  const { idempotencyKey: key, ...rest } = params;
  if (key === undefined) return null;
  const text = JSON.stringify(rest, (_name, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
  return { key, method, digest: createHash('sha256').update(text).digest('hex') };
}

/** What the first call with this key made; null for the first call. Refuses the key of another call. */
export async function seen(store: Queries, once: Once | null): Promise<string | null> {
  if (once === null) return null;
  const answer = await store.once(once);
  if (answer.state === 'new') return null;
  if (answer.state === 'seen') return answer.ref;
  throw new RpcError('invalid_params', `The idempotencyKey ${once.key} was used for another call.`, {
    issues: [{ path: 'idempotencyKey', message: 'used before with other params' }],
    hint: 'Use a new key for a new call.',
  });
}
