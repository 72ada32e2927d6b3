/** Bytes to the terminal, without ever waiting for one that does not read. */
import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** A terminal to write to: `process.stdout`, or one like it. `fd` is there for real ones. */
export type TerminalOutput = Writable & { columns?: number; rows?: number; readonly fd?: number };

/** How long a terminal that does not read may hold up the end of the program. */
const lastWriteMs = 500;
const retryMs = 5;

export interface Writer {
  write(text: string): void;
  /** At once, before the process ends; what a stalled terminal does not take in time is lost. */
  writeLast(text: string): void;
  /** Written bytes are waiting. */
  readonly isBackedUp: boolean;
}

/** `onDrain`: the terminal has taken what was waiting. */
export function openWriter(output: TerminalOutput, onDrain: () => void): Writer {
  dontBlock(output);
  let isWaiting = false;
  return {
    get isBackedUp() {
      return isWaiting;
    },
    write(text) {
      output.write(text, () => {
        if (!isWaiting || output.writableLength > 0) return;
        isWaiting = false;
        onDrain();
      });
      isWaiting = output.writableLength > 0;
    },
    writeLast(text) {
      if (output.fd === undefined) output.write(text);
      else writeWithin(output.fd, text, lastWriteMs);
    },
  };
}

/** Node writes to terminals with blocking calls: a terminal that does not read would stop the whole process. */
export function dontBlock(output: Writable): void {
  const { _handle: handle } = output as { _handle?: { setBlocking?(isBlocking: boolean): unknown } | null };
  handle?.setBlocking?.(false);
}

/** Writes to a descriptor that does not block; gives up after `ms`, or when nobody is there to read. */
export function writeWithin(fd: number, text: string, ms: number): void {
  const deadline = Date.now() + ms;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || Date.now() > deadline) return;
      Atomics.wait(sleeper, 0, 0, retryMs);
    }
  }
}
