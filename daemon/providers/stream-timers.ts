/** The three timers of a turn: first byte, silence between content, total. */
import { plainFailure } from './provider-failure.js';
import type { ProviderError } from './provider.js';

export interface TurnTimers {
  /** From the request to the head of the answer, in milliseconds. */
  readonly firstByteMs: number;
  /** From there to the first content, and between two pieces of content. Keep-alives are no content. */
  readonly silenceMs: number;
  readonly totalMs: number;
}

/** Calls once after `ms`; the result cancels it. */
type After = (ms: number, callback: () => void) => () => void;

export interface TurnWatch {
  /** Given when the turn has to end: by a timer, or by the caller's own signal. */
  readonly signal: AbortSignal;
  /** Why it was given; null while it was not. */
  ended(): ProviderError | null;
  /** The head of the answer has arrived. */
  answered(): void;
  /** Content has arrived. From `graceMs` on only that much silence is allowed, when it is given. */
  content(graceMs?: number): void;
  stop(): void;
}

/** Watches over one turn from now on, until it is stopped. */
export function watchTurn(timers: TurnTimers, after: After, caller: AbortSignal): TurnWatch {
  const controller = new AbortController();
  let reason: ProviderError | null = null;
  const end = (error: ProviderError): void => {
    if (reason !== null) return;
    reason = error;
    controller.abort();
  };
  const onAbort = (): void => end(plainFailure('aborted', 'The turn was aborted.'));
  const expire = (kind: ProviderError['kind'], what: string, ms: number) => (): void =>
    end(plainFailure(kind, `${what} within ${formatSeconds(ms)}.`));

  const stopTotal = after(timers.totalMs, expire('total', 'The provider did not finish its answer', timers.totalMs));
  let stopWaiting = after(timers.firstByteMs, expire('first_byte', 'The provider did not begin to answer', timers.firstByteMs));
  const awaitContent = (ms: number): void => {
    stopWaiting();
    stopWaiting = after(ms, expire('silence', 'The provider fell silent: no content came', ms));
  };
  if (caller.aborted) onAbort();
  else caller.addEventListener('abort', onAbort, { once: true });

  return {
    signal: controller.signal,
    ended: () => reason,
    answered: () => awaitContent(timers.silenceMs),
    content: (graceMs) => awaitContent(graceMs ?? timers.silenceMs),
    stop: () => {
      stopTotal();
      stopWaiting();
      caller.removeEventListener('abort', onAbort);
    },
  };
}

function formatSeconds(ms: number): string {
  return `${ms / 1_000} s`;
}
