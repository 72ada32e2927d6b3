/** The tool `glob`: files by the shape of their path. */
import { z } from 'zod';
import { boundText } from './bounded-text.js';
import { findFiles } from './find-files.js';
import { locate, showPath } from './paths.js';
import { fail, failOnFile, succeed } from './tool-result.js';
import type { Tool } from './tool.js';

const schema = z.strictObject({
  pattern: z.string().min(1).describe('As src/**/*.ts; * stays within one folder, ** goes through any number, {a,b} is either'),
  path: z.string().optional().describe('Folder to look in; the workspace unless given'),
});
type GlobArguments = z.infer<typeof schema>;

const mostFiles = 1_000;

export const globTool: Tool<GlobArguments> = {
  name: 'glob',
  description: 'Finds files by a pattern. What git ignores and what is in .git is left out; symbolic links are not followed.',
  schema,
  class: 'safe',
  repeatable: true,
  writes: false,
  subject: ({ path }) => ({ path: path ?? '.' }),

  async run({ pattern, path = '.' }, context) {
    const located = await locate(context, path, 'read');
    if (!located.ok) return fail(located.error);
    try {
      const found = await findFiles(context.workspace, located.path, pattern, context.signal);
      if (!found.ok) return fail(found.error);
      const notes: string[] = [];
      if (found.files.length > mostFiles) notes.push(`[${found.files.length - mostFiles} more: narrow the pattern down]`);
      if (!found.complete) notes.push('[the search was stopped at its limit: there may be more; give a `path`]');
      if (found.files.length === 0 && notes.length === 0) return succeed('(no file matches)');
      const lines = found.files.slice(0, mostFiles).map((file) => showPath(context.workspace, file));
      return succeed([boundText(lines.join('\n'), 'narrow the pattern down'), ...notes].join('\n'));
    } catch (error) {
      return failOnFile(located.shown, error);
    }
  },
};
