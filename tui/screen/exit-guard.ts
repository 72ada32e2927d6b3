/** Whatever ends the program, the terminal is left as it was found, and the exit code says what it was. */
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { inspect } from 'node:util';
import { dontBlock, writeWithin } from './writer.js';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** Errors of a terminal that went away. */
const goneCodes = new Set(['EPIPE', 'EIO', 'ENXIO']);
const crashCode = 1;
const errorFd = 2;
const errorWriteMs = 500;

const codeOf = (signal: (typeof signals)[number]): number => 128 + constants.signals[signal];

/**
 * Calls `restore` before the process ends: by itself, by a signal (code 128 + its number), by an exception or a rejection that
 * nobody handled (told on stderr afterwards, code 1), or because the terminal is gone (129, as for SIGHUP). `restore` must be
 * synchronous and may be called more than once.
 *
 * @returns takes the guard off again.
 */
export function installExitGuard(
  restore: () => void,
  { input, output }: { input: Readable; output: Writable } = { input: process.stdin, output: process.stdout },
): () => void {
  const end = (code: number): void => {
    restore();
    process.exit(code);
  };
  const crash = (error: unknown): void => {
    restore();
    // A stalled terminal must not hold up the end here either.
    dontBlock(process.stderr);
    writeWithin(errorFd, `${error instanceof Error ? (error.stack ?? error.message) : inspect(error)}\n`, errorWriteMs);
    process.exit(crashCode);
  };
  const hangUp = (): void => end(codeOf('SIGHUP'));
  const fail = (error: NodeJS.ErrnoException): void => {
    if (goneCodes.has(error.code ?? '')) hangUp();
    else crash(error);
  };
  const onSignal = signals.map((signal) => [signal, () => end(codeOf(signal))] as const);

  process.on('exit', restore);
  for (const [signal, listener] of onSignal) process.on(signal, listener);
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // Before other listeners: what they do about a closed pipe does not restore the terminal.
  output.prependListener('error', fail);
  input.prependListener('error', fail);
  input.prependListener('end', hangUp);
  return () => {
    process.off('exit', restore);
    for (const [signal, listener] of onSignal) process.off(signal, listener);
    process.off('uncaughtException', crash);
    process.off('unhandledRejection', crash);
    output.off('error', fail);
    input.off('error', fail);
    input.off('end', hangUp);
  };
}
