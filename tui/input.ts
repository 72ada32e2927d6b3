/** Texts that a command is given: a file, or standard input. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageBytesLimit } from '../shared/contract.js';
import { UsageError } from './cli.js';

/**
 * `-` reads standard input to its end; a folder is all of its Markdown files, by name. Refuses what no message to the daemon
 * can hold.
 */
export async function readInput(path: string): Promise<string> {
  const content = path === '-' ? await text(process.stdin) : await readPath(path).catch((error: unknown) => refuse(path, error));
  if (Buffer.byteLength(content) <= messageBytesLimit) return content;
  throw new UsageError(
    `${path === '-' ? 'The input' : path} is larger than ${messageBytesLimit / 1024 / 1024} MiB, the most that one message holds.`,
  );
}

async function readPath(path: string): Promise<string> {
  if (!(await stat(path)).isDirectory()) return readFile(path, 'utf8');
  const names = (await readdir(path)).filter((name) => name.endsWith('.md')).sort();
  if (names.length === 0) throw new UsageError(`There is no Markdown file in ${path}.`);
  const texts = await Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
  return texts.join('\n');
}

function refuse(path: string, error: unknown): never {
  if (error instanceof UsageError) throw error;
  const { code, message } = error as NodeJS.ErrnoException;
  throw new UsageError(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${message}`);
}
