/** The tool `read`: a text file, page by page. */
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { cutHead, resultLimit } from './bounded-text.js';
import { locate } from './paths.js';
import { looksBinary, openFile } from './text-file.js';
import { fail, failOnFile, succeed } from './tool-result.js';
import type { Tool, ToolResult } from './tool.js';

const schema = z.strictObject({
  path: z.string().describe('File, relative to the workspace or absolute inside it'),
  offset: z.int().min(1).optional().describe('Number of the first line, from 1'),
  limit: z.int().min(1).optional().describe('How many lines; 2000 unless given'),
});
type ReadArguments = z.infer<typeof schema>;

const defaultLimit = 2_000;
/** Characters of a page; the rest is for the line that says how to go on. */
const pageLength = resultLimit - 300;

export const readTool: Tool<ReadArguments> = {
  name: 'read',
  description:
    'Reads a text file. A long one comes in pages: the last line then says with which offset to read on. Lines are given as they are, without numbers.',
  schema,
  class: 'safe',
  repeatable: true,
  writes: false,
  subject: ({ path }) => ({ path }),

  async run(args, context) {
    const located = await locate(context, args.path, 'read');
    if (!located.ok) return fail(located.error);
    try {
      const opened = await openFile(located.path, located.shown);
      if (!opened.ok) return fail(opened.error);
      try {
        return await readPage(opened.value, located.shown, args.offset ?? 1, args.limit ?? defaultLimit, context.signal);
      } finally {
        await opened.value.close();
      }
    } catch (error) {
      return failOnFile(located.shown, error);
    }
  },
};

async function readPage(
  handle: FileHandle,
  shown: string,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { size } = await handle.stat();
  const start = Buffer.alloc(Math.min(size, 8_000));
  await handle.read(start, 0, start.length, 0);
  if (looksBinary(start)) return fail(`${shown} is a binary file of ${size} bytes.`);

  const { text, reachedEnd, linesSkipped } = await readFrom(handle, offset, limit, signal);
  if (linesSkipped < offset - 1 || (text === '' && offset > 1)) {
    return fail(`${shown} has no line ${offset}: it ends with line ${linesSkipped}.`);
  }
  if (text === '') return succeed(`(${shown} is empty)`);

  const lines = text.split('\n');
  // The newline at the end of a file ends its last line and begins none.
  if (reachedEnd && lines.at(-1) === '') lines.pop();
  const page = takePage(lines, limit);
  const last = offset + page.length - 1;
  if (page.length === 0) {
    const next = `[line ${offset} is longer than a result may be; go on with offset ${offset + 1}, or use grep or shell on it]`;
    return succeed(`${cutHead(text, pageLength)}\n${next}`);
  }
  const body = page.join('\n');
  if (page.length === lines.length && reachedEnd) return succeed(body);
  return succeed(`${body}\n[lines ${offset} to ${last} of ${shown}; more follows: read on with offset ${last + 1}]`);
}

/** Text from line `offset` on, at least a page of it if there is as much; memory stays bounded whatever the file is. */
async function readFrom(handle: FileHandle, offset: number, limit: number, signal: AbortSignal) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let linesSkipped = 0;
  let linesRead = 0;
  let text = '';
  let reachedEnd = true;
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, signal })) {
    const piece = decoder.decode(chunk as Buffer, { stream: true });
    let from = 0;
    while (linesSkipped < offset - 1) {
      const end = piece.indexOf('\n', from);
      if (end < 0) break;
      linesSkipped += 1;
      from = end + 1;
    }
    if (linesSkipped < offset - 1) continue;
    const wanted = piece.slice(from);
    text += wanted;
    linesRead += countNewlines(wanted);
    if (text.length > pageLength || linesRead > limit) {
      reachedEnd = false;
      break;
    }
  }
  return { text, reachedEnd, linesSkipped };
}

function takePage(lines: readonly string[], limit: number): readonly string[] {
  let length = 0;
  const end = lines.findIndex((line, index) => {
    length += line.length + 1;
    return index >= limit || length > pageLength;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
