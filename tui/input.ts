/** Texts that a command is given: a file, or standard input. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { messageBytesLimit } from '../shared/contract.js';
import { UsageError } from './cli.js';

/** `-` reads standard input to its end. Refuses what no message to the daemon can hold. */
export async function readInput(path: string): Promise<string> {
  const content =
    path === '-' ? await text(process.stdin) : await readFile(path, 'utf8').catch((error: unknown) => refuse(path, error));
  if (Buffer.byteLength(content) <= messageBytesLimit) return content;
  throw new UsageError(
    `${path === '-' ? 'The input' : path} is larger than ${messageBytesLimit / 1024 / 1024} MiB, the most that one message holds.`,
  );
}

function refuse(path: string, error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  throw new UsageError(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${message}`);
}
