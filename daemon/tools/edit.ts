/** The tool `edit`: replaces an exact text in a file, and refuses when it is unclear which one is meant. */
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { describeNearest, lineOf } from './nearest-text.js';
import { locate } from './paths.js';
import { looksBinary, modeForReplacing, openFile, replaceFile, type FileResult } from './text-file.js';
import { fail, failOnFile, succeed } from './tool-result.js';
import type { Tool } from './tool.js';

const schema = z.strictObject({
  path: z.string().describe('File, relative to the workspace or absolute inside it'),
  old: z.string().min(1).describe('The exact text to replace, white space included; must occur once unless all is set'),
  new: z.string().describe('What to put in its place'),
  all: z.boolean().optional().describe('Replace every occurrence'),
});
type EditArguments = z.infer<typeof schema>;

/** Bytes: it is read whole. */
const largestFile = 10 * 1024 * 1024;
const shownMatches = 10;

export const editTool: Tool<EditArguments> = {
  name: 'edit',
  description: 'Replaces a text in a file. Give enough of the surrounding lines in `old` for it to occur only once.',
  schema,
  class: 'local_write',
  repeatable: false,
  writes: true,
  subject: ({ path }) => ({ path }),

  async run(args, context) {
    const located = await locate(context, args.path, 'write');
    if (!located.ok) return fail(located.error);
    const { path, shown } = located;
    if (context.signal.aborted) return fail('Nothing was changed: the call was stopped before it began.');
    if (args.old === args.new) return fail('`old` and `new` are the same: there is nothing to change.');
    try {
      const file = await readWhole(path, shown);
      if (!file.ok) return fail(file.error);
      const mode = await modeForReplacing(path, shown);
      if (!mode.ok) return fail(mode.error);

      const { text, changedAt } = file.value;
      const [old, replacement] = withLineEnds(args, text);
      const places = occurrences(text, old);
      if (places.length === 0) return fail(`\`old\` does not occur in ${shown}. ${describeNearest(text, args.old)}`);
      const lines = places.map((place) => lineOf(text, place));
      if (places.length > 1 && args.all !== true) {
        const where = lines.slice(0, shownMatches).join(', ') + (lines.length > shownMatches ? ', …' : '');
        return fail(
          `\`old\` occurs ${places.length} times in ${shown} (lines ${where}): add surrounding lines to it, or set \`all\`.`,
        );
      }
      if ((await stat(path)).mtimeMs !== changedAt) return fail(`${shown} was changed meanwhile: read it again.`);
      await replaceFile(path, text.split(old).join(replacement), mode.value);
      return succeed(`Edited ${shown}: ${places.length} replaced, at line ${lines.slice(0, shownMatches).join(', ')}.`);
    } catch (error) {
      return failOnFile(shown, error);
    }
  },
};

async function readWhole(path: string, shown: string): Promise<FileResult<{ text: string; changedAt: number }>> {
  const opened = await openFile(path, shown);
  if (!opened.ok) return opened;
  const handle = opened.value;
  try {
    const { size, mtimeMs } = await handle.stat();
    if (size > largestFile) return { ok: false, error: `${shown} is too large to edit (${size} bytes).` };
    const bytes = await handle.readFile();
    if (looksBinary(bytes)) return { ok: false, error: `${shown} is a binary file.` };
    // Fatal, because bytes that are no UTF-8 would be written back as replacement characters.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, value: { text, changedAt: mtimeMs } };
  } catch (error) {
    if (error instanceof TypeError) return { ok: false, error: `${shown} is not UTF-8 text: edit it with a command.` };
    throw error;
  } finally {
    await handle.close();
  }
}

/** Models write line feeds; in a file with CRLF the same lines are meant, and the new ones get its line ends. */
function withLineEnds(args: EditArguments, text: string): readonly [old: string, replacement: string] {
  if (text.includes(args.old) || !text.includes('\r\n') || args.old.includes('\r')) return [args.old, args.new];
  return [args.old.replaceAll('\n', '\r\n'), args.new.replace(/\r?\n/g, '\r\n')];
}

/** Where it begins, not overlapping. */
function occurrences(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}
