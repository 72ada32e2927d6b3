/**
 * The output of one command while it runs: hashed whole, streamed on, kept in bounded memory, and written to a file once
 * it is longer than a result may be. What is kept is redacted; what is streamed is not yet.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redactor } from '../../secrets/redactor.js';
import { createBoundedText } from '../bounded-text.js';

/** Bytes of a kept output; a command may print without end. */
const fileLimit = 50 * 1024 * 1024;

export interface CommandOutput {
  write(chunk: Buffer): Promise<void>;
  /** Ends it: the text for the result, and the SHA-256 of all bytes in hex. */
  finish(): Promise<{ readonly text: string; readonly hash: string }>;
}

export function createCommandOutput(parts: {
  /** Made when it is first needed. Absolute. */
  readonly folder: string;
  readonly fileName: string;
  readonly redactor: Redactor;
  readonly onOutput: (text: string) => void;
}): CommandOutput {
  const hash = createHash('sha256');
  // A character may be cut by the border of two chunks. A byte order mark is part of the output.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const redaction = parts.redactor.stream();
  const bounded = createBoundedText();
  const file = createKeptFile(parts.folder, parts.fileName);

  async function keep(text: string): Promise<void> {
    if (text === '') return;
    const before = bounded.isOver ? '' : bounded.kept();
    bounded.add(text);
    if (bounded.isOver) await file.append(before + text);
  }

  async function accept(text: string): Promise<void> {
    if (text === '') return;
    parts.onOutput(text);
    await keep(redaction.write(text));
  }

  return {
    async write(chunk) {
      hash.update(chunk);
      await accept(decoder.decode(chunk, { stream: true }));
    },
    async finish() {
      await accept(decoder.decode());
      await keep(redaction.end());
      const hint = await file.close();
      return { text: bounded.render(hint), hash: hash.digest('hex') };
    },
  };
}

/** A file that is made at the first text, ends at its limit, and whose failure only costs the rest of the output. */
function createKeptFile(folder: string, name: string) {
  const path = join(folder, name);
  let handle: FileHandle | null = null;
  let size = 0;
  let failure: string | null = null;

  return {
    async append(text: string): Promise<void> {
      if (failure !== null || size >= fileLimit) return;
      try {
        if (handle === null) {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          handle = await open(path, 'wx', 0o600);
        }
        const bytes = Buffer.from(text).subarray(0, fileLimit - size);
        await handle.writeFile(bytes);
        size += bytes.length;
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
      }
    },
    /** Gives where the whole output is, in words for the model. */
    async close(): Promise<string> {
      await handle?.close();
      if (failure !== null) return `the rest could not be kept: ${failure}`;
      if (size >= fileLimit) return `the first ${fileLimit / 1024 / 1024} MB are in ${path}, which \`read\` can page`;
      return `the whole output is in ${path}, which \`read\` can page`;
    },
  };
}
