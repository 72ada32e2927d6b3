/** The wrapper around stored text from outside, with a nonce of its message. */
import { createHash } from 'node:crypto';
import { wrapUntrusted } from '../domain/untrusted.js';
import type { StoredMessage } from '../store/store.js';

/**
 * 16 hexadecimal digits. They follow from what the text's author cannot know (the run), and stay the same each time, so
 * that the provider's cache holds.
 */
export const nonceOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

export const wrapStored = ({ content, runId, seq }: StoredMessage, source: string): string =>
  wrapUntrusted(content, source, nonceOf(`${runId}:${seq}`));
