/** The log: JSON lines, redacted, rotated by size. One file is written, four older ones are kept. */
import { closeSync, existsSync, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import { ok, type Result } from '../shared/errors.js';
import { attempt } from './attempt.js';

export type { Logger };

const maxBytes = 5 * 1024 * 1024;
const olderFiles = 4;
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Opens `daemon.log` in a folder that exists. Lines are on the disk when a call returns: the last one before a crash counts. */
export function openLog(folder: string, level: LogLevel, redact: (text: string) => string): Result<Logger> {
  const path = join(folder, 'daemon.log');
  return attempt(path, () => {
    let file = openFile(path);
    const write = (line: string): void => {
      const text = redact(line);
      try {
        if (file.size > 0 && file.size + Buffer.byteLength(text) > maxBytes) {
          rotate(path);
          const { fd } = file;
          file = openFile(path);
          closeSync(fd);
        }
        file.size += writeSync(file.fd, text);
      } catch {
        // A full disk costs lines of the log, not the daemon.
      }
    };
    return ok(pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, { write }));
  });
}

function openFile(path: string): { readonly fd: number; size: number } {
  const fd = openSync(path, 'a', 0o600);
  const facts = fstatSync(fd);
  // A link to a device is the user's own wish, and the device is everybody's.
  if (facts.isFile()) fchmodSync(fd, 0o600);
  return { fd, size: facts.size };
}

function rotate(path: string): void {
  for (let n = olderFiles - 1; n >= 1; n--) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
  renameSync(path, `${path}.1`);
}
