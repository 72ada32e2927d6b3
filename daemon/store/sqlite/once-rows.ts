/** Rows of `idempotency`: keys that make a command happen once. */
import type { Once, OnceAnswer } from '../store.js';
import type { Connection } from './connection.js';

const keptMs = 7 * 24 * 3600 * 1000;

/** Uses a key up, in the transaction of its command. False when somebody else did meanwhile: the command must not happen. */
export function useKey(cx: Connection, once: Once | null, ref: string, at: string): boolean {
  if (once === null) return true;
  const { changes } = cx
    .sql('INSERT INTO idempotency (key, method, digest, ref, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
    .run(once.key, once.method, once.digest, ref, at);
  return changes === 1;
}

/** What became of a key: unused, used by this very call (with what it made), or used by another one. */
export function readKey(cx: Connection, once: Once): OnceAnswer {
  const row = cx
    .sql<{ method: string; digest: string; ref: string }>('SELECT method, digest, ref FROM idempotency WHERE key = ?')
    .get(once.key);
  if (row === undefined) return { state: 'new' };
  return row.method === once.method && row.digest === once.digest ? { state: 'seen', ref: row.ref } : { state: 'other' };
}

/** Forgets keys of more than a week ago. */
export function forgetOldKeys(cx: Connection): void {
  cx.sql('DELETE FROM idempotency WHERE at < ?').run(new Date(cx.clock() - keptMs).toISOString());
}
