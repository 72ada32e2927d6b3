/** Text from outside is wrapped before a model reads it, so that it cannot pass for an instruction. */
import { createHash } from 'node:crypto';

/** A delimiter that somebody wrote into a file in advance must not close the wrapper, whatever its nonce. */
const delimiter = /<(\/?)untrusted_content/gi;

/**
 * Wraps a text. The nonce follows from what the text's author cannot know (the run) and stays the same each time the
 * message is sent, so that the provider's cache holds.
 */
export function wrapUntrusted(text: string, source: string, runId: string, seq: number): string {
  const nonce = createHash('sha256').update(`${runId}:${seq}`).digest('hex').slice(0, 16);
  const tag = `untrusted_content_${nonce}`;
  return `<${tag} source="${source}">\n${text.replace(delimiter, '<$1untrusted-content')}\n</${tag}>`;
}
