/** The digest of what is not sent any more: made by a request beside the turns of the run. */
import type { Provider, TurnRequest } from '../providers/provider.js';
import type { SideUsage, StoredMessage } from '../store/store.js';
import type { Clock } from '../clock.js';
import type { Group } from './context.js';
import { digestRequest, digestSystem } from './loop-texts.js';
import { wrapUntrusted } from '../domain/untrusted.js';
import { nonceOf } from './untrusted.js';

export interface DigestParts {
  readonly provider: Provider;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly redact: (text: string) => string;
}

export interface DigestJob {
  readonly model: string | null;
  readonly key: TurnRequest['key'];
  readonly before: StoredMessage | null;
  readonly dropped: readonly Group[];
  /** UTF-16 units of material that may be sent. */
  readonly longestMaterial: number;
  readonly signal: AbortSignal;
}

/** Of one message, what goes into the material: the digest is about what happened, not about every byte of it. */
const longestOfMessage = 2_000;
const longestDigest = 6_000;

/** The new digest and what it cost; a text of null when none could be made: then the old one stays. */
export async function writeDigest(
  { provider, clock, redact }: DigestParts,
  { model, key, before, dropped, longestMaterial, signal }: DigestJob,
): Promise<{ readonly text: string | null; readonly usage: SideUsage | null }> {
  const material = dropped.flatMap(({ messages }) => messages.map(describe)).join('\n');
  const nonce = nonceOf(`digest:${key.item}:${key.turn}:${material.length}`);
  const wrap = (text: string): string => wrapUntrusted(text, 'digest', nonce);
  const startedAt = clock.monotonic();
  const result = await provider.complete(
    {
      model,
      messages: [
        { role: 'system', content: digestSystem },
        // What is newest matters most when not all of it fits.
        { role: 'user', content: digestRequest(before && wrap(before.content), wrap(material.slice(-longestMaterial))) },
      ],
      tools: [],
      key: { ...key, item: `${key.item} (digest)` },
    },
    silent,
    signal,
  );
  if (!result.ok) return { text: null, usage: null };
  // Redacted before it is cut: half a secret would not be known.
  const text = redact(result.turn.content).trim().slice(0, longestDigest);
  return {
    text: text === '' ? null : text,
    usage: { ...result.turn.usage, durationMs: Math.round(clock.monotonic() - startedAt) },
  };
}

const silent = { text: () => undefined, reasoning: () => undefined, toolCall: () => undefined, notice: () => undefined };

function describe({ role, content, toolCalls }: StoredMessage): string {
  const cut = (text: string): string =>
    text.length <= longestOfMessage ? text : `${text.slice(0, longestOfMessage / 2)} … ${text.slice(-longestOfMessage / 2)}`;
  const calls = (toolCalls ?? []).map((call) => `calls ${call.name} ${cut(call.arguments)}`);
  return `${role}: ${[content === '' ? '' : cut(content), ...calls].filter((text) => text !== '').join('\n')}`;
}
