/** The log: JSON lines, redacted, rotated by size. One file is written, four older ones are kept. */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';

export type { Logger };

const maxBytes = 5 * 1024 * 1024;
const kept = 5;
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Written in the same turn: the last line before a crash is the one that is wanted. */
export function openLog(folder: string, level: LogLevel, redact: (text: string) => string): Logger {
  const path = join(folder, 'daemon.log');
  let destination = open(path);
  let size = sizeOf(path);
  const sink = {
    write(line: string): void {
      const text = redact(line);
      size += Buffer.byteLength(text);
      if (size > maxBytes) {
        destination.end();
        rotate(path);
        destination = open(path);
        size = Buffer.byteLength(text);
      }
      destination.write(text);
    },
  };
  return pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, sink);
}

const open = (path: string): ReturnType<typeof pino.destination> =>
  pino.destination({ dest: path, append: true, mkdir: true, sync: true, mode: 0o600 });

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

function rotate(path: string): void {
  rmSync(`${path}.${kept - 1}`, { force: true });
  for (let n = kept - 2; n >= 1; n--) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
  if (existsSync(path)) renameSync(path, `${path}.1`);
}
