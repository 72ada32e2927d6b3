/** The tool `write`: a whole file at once. */
import { z } from 'zod';
import { locate } from './paths.js';
import { modeForReplacing, replaceFile } from './text-file.js';
import { fail, failOnFile, succeed } from './tool-result.js';
import type { Tool } from './tool.js';

const schema = z.strictObject({
  path: z.string().describe('File, relative to the workspace or absolute inside it'),
  content: z.string().describe('The whole new content'),
});
type WriteArguments = z.infer<typeof schema>;

export const writeTool: Tool<WriteArguments> = {
  name: 'write',
  description: 'Writes a whole file, new or in place of an existing one; missing folders are made. To change a part, use edit.',
  schema,
  class: 'local_write',
  repeatable: false,
  writes: true,
  subject: ({ path }) => ({ path }),

  async run({ path, content }, context) {
    const located = await locate(context, path, 'write');
    if (!located.ok) return fail(located.error);
    if (context.signal.aborted) return fail('Nothing was written: the call was stopped before it began.');
    try {
      const mode = await modeForReplacing(located.path, located.shown);
      if (!mode.ok) return fail(mode.error);
      await replaceFile(located.path, content, mode.value);
      const what = mode.value === null ? 'Created' : 'Replaced';
      return succeed(`${what} ${located.shown} (${Buffer.byteLength(content)} bytes).`);
    } catch (error) {
      return failOnFile(located.shown, error);
    }
  },
};
