/** The one door of time and the one of randomness: everything that needs them is handed these. */
import { randomBytes } from 'node:crypto';

export interface Clock {
  /** Milliseconds of the wall clock, UTC. */
  now(): number;
  /** ISO 8601 UTC. */
  iso(): string;
  /** Milliseconds of a clock that only goes forward, for durations. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal is given. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls once after `ms`; the result cancels it. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** Timers of Node fire at once beyond this delay, so longer ones are cut into pieces. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  iso: () => new Date().toISOString(),
  monotonic: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = systemClock.after(ms, done);
      signal.addEventListener('abort', done, { once: true });
    }),
  after: (ms, callback) => {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = setTimeout(() => (left > longestTimer ? arm(left - longestTimer) : callback()), Math.min(left, longestTimer));
      timer.unref();
    };
    arm(Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

/** From 0 up to 1. */
export const random = (): number => Math.random();

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 16;
/** Random bytes for many ids are asked for at once: a call for each would cost more than everything else of an id. */
const pool = { bytes: Buffer.alloc(0), at: 0 };

/** A new id: prefix and 80 random bits in Crockford's base 32, as `s_7k3m9…`. */
export function newId(prefix: string): string {
  if (pool.at + idLength > pool.bytes.length) {
    pool.bytes = randomBytes(idLength * 256);
    pool.at = 0;
  }
  let text = '';
  for (const end = pool.at + idLength; pool.at < end; pool.at++) text += alphabet.charAt((pool.bytes[pool.at] ?? 0) % 32);
  return `${prefix}_${text}`;
}
