/** Repeats of a turn that failed in a way that may pass: back-off, jitter, and what the server asks to wait. */
import { plainFailure } from './provider-failure.js';
import { isRepeatable, type Provider, type ProviderError, type TurnResult } from './provider.js';

export interface RepeatOptions {
  readonly repeats: number;
  /** The first delay; each one after it is twice as long, up to `maxMs`. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** The longest wait that a server may ask for; above it the turn fails at once. Default: five minutes. */
  readonly longestRetryAfterMs?: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Resolves after `ms`, or at once when the signal is given. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const fiveMinutes = 300_000;

/**
 * The same provider, with turns repeated. The text of a failed try has reached the sink by then: a notice says before
 * each repeat what failed and when it begins.
 */
export function withRepeats(provider: Provider, options: RepeatOptions): Provider {
  const { repeats, wait, longestRetryAfterMs = fiveMinutes } = options;
  return {
    describe: () => provider.describe(),
    complete: async (request, sink, signal) => {
      for (let repeat = 1; ; repeat += 1) {
        const result = await provider.complete(request, sink, signal);
        if (result.ok || !isRepeatable(result.error)) return result;
        const { error } = result;
        if (repeat > repeats) return failed(error, repeats === 0 ? '' : ` (tried ${repeats + 1} times)`);
        if ((error.retryAfterMs ?? 0) > longestRetryAfterMs) return failed(error, tooLong(error, longestRetryAfterMs));
        const delayMs = delayBefore(repeat, error, options);
        sink.notice(announce(error, repeat, repeats, delayMs));
        await wait(delayMs, signal);
        if (signal.aborted) return { ok: false, error: plainFailure('aborted', 'The turn was aborted.') };
      }
    },
  };
}

/** Half of the back-off is fixed and half is chance, so that sessions that failed together do not return together. */
function delayBefore(repeat: number, error: ProviderError, { baseMs, maxMs, random }: RepeatOptions): number {
  const full = Math.min(maxMs, baseMs * 2 ** (repeat - 1));
  const jittered = Math.round(full / 2 + (random() * full) / 2);
  // Never earlier than the server wants; the jitter comes on top.
  return error.retryAfterMs === null ? jittered : error.retryAfterMs + Math.round((random() * Math.min(full, baseMs)) / 2);
}

function announce(error: ProviderError, repeat: number, repeats: number, delayMs: number): string {
  const why = error.message.length > 300 ? `${error.message.slice(0, 299)}…` : error.message;
  return `${why} Repeating the turn (${repeat} of ${repeats}) in ${(delayMs / 1_000).toFixed(1)} s.`;
}

function failed(error: ProviderError, addition: string): TurnResult {
  return { ok: false, error: { ...error, message: error.message + addition } };
}

function tooLong(error: ProviderError, longestMs: number): string {
  const asked = Math.ceil((error.retryAfterMs ?? 0) / 1_000);
  return ` (it asks to wait ${asked} s, longer than the ${longestMs / 1_000} s that a turn waits)`;
}
