/** The tool `grep`: lines by a regular expression. */
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { boundText } from './bounded-text.js';
import { findFiles } from './find-files.js';
import { locate, showPath } from './paths.js';
import { searchFiles, type Found } from './search-worker.js';
import { fail, failOnFile, succeed } from './tool-result.js';
import type { Tool, ToolContext } from './tool.js';

const schema = z.strictObject({
  pattern: z.string().min(1).describe('JavaScript regular expression, matched line by line; (?i) at the start ignores case'),
  path: z.string().optional().describe('File or folder to look in; the workspace unless given'),
  glob: z.string().min(1).optional().describe('Only files that match, as *.ts or src/**/*.ts'),
});
type GrepArguments = z.infer<typeof schema>;

const mostMatches = 500;
const largestFile = 4 * 1024 * 1024;
/** A file asked for by name may be one of the kept outputs. */
const largestNamedFile = 64 * 1024 * 1024;
const timeLimitMs = 10_000;

export const grepTool: Tool<GrepArguments> = {
  name: 'grep',
  description:
    'Searches files for a regular expression and gives path:line: text. What git ignores, binary and very large files are left out.',
  schema,
  class: 'safe',
  repeatable: true,
  writes: false,
  subject: ({ path }) => ({ path: path ?? '.' }),

  async run(args, context) {
    const expression = compile(args.pattern);
    if (typeof expression === 'string') return fail(expression);
    const located = await locate(context, args.path ?? '.', 'read');
    if (!located.ok) return fail(located.error);
    try {
      const isFolder = (await stat(located.path)).isDirectory();
      const found = isFolder
        ? await findFiles(context.workspace, located.path, filePattern(args.glob), context.signal)
        : { ok: true as const, files: [located.path], complete: true };
      if (!found.ok) return fail(found.error);
      const mayRead = context.mayRead ?? (() => true);
      const result = await searchFiles({
        files: found.files.filter((file) => mayRead(showPath(context.workspace, file))),
        expression,
        mostMatches,
        largestFile: isFolder ? largestFile : largestNamedFile,
        timeLimitMs,
        signal: context.signal,
      });
      const notes = describeEnd(result, isFolder);
      if (!found.complete) notes.push('[not all files were looked at: give a `path` or a `glob`]');
      const content = render(result, context, notes);
      return result.ended === 'complete' || result.ended === 'limit' ? succeed(content) : fail(content);
    } catch (error) {
      return failOnFile(located.shown, error);
    }
  },
};

/** JavaScript has no inline flags; other dialects do, and `(?i)` is what is written there. */
function compile(pattern: string): RegExp | string {
  const isCaseless = pattern.startsWith('(?i)');
  try {
    return isCaseless ? new RegExp(pattern.slice('(?i)'.length), 'i') : new RegExp(pattern);
  } catch (error) {
    return `The pattern is no regular expression of JavaScript: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A bare name matches in every folder, as in other search programs. */
function filePattern(glob: string | undefined): string {
  if (glob === undefined) return '**/*';
  return glob.includes('/') ? glob : `**/${glob}`;
}

function describeEnd({ ended, skippedFiles, matches }: Found, isFolder: boolean): string[] {
  if (ended === 'limit') return [`[more than ${matches.length} lines match: narrow the search down]`];
  if (ended === 'timed_out')
    return [`[stopped after ${timeLimitMs / 1000} s: the pattern is too costly, or there is too much to search]`];
  if (ended === 'aborted') return ['[stopped from outside]'];
  if (ended === 'failed') return ['[the search failed: a file or the pattern takes too much memory]'];
  return skippedFiles > 0 && !isFolder ? ['[the file is binary or too large to search]'] : [];
}

function render(result: Found, context: ToolContext, notes: readonly string[]): string {
  const lines = result.matches.map(({ file, line, text }) => `${showPath(context.workspace, file)}:${line}: ${text}`);
  if (lines.length === 0 && notes.length === 0) return '(no line matches)';
  return [boundText(lines.join('\n'), 'narrow the search down'), ...notes].filter((line) => line !== '').join('\n');
}
