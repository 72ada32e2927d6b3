/** The tool `list`: what is in a folder. */
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dirent } from 'node:fs';
import { z } from 'zod';
import { boundText } from './bounded-text.js';
import { locate } from './paths.js';
import { fail, failOnFile, succeed } from './tool-result.js';
import type { Tool } from './tool.js';

const schema = z.strictObject({
  path: z.string().optional().describe('Folder, relative to the workspace or absolute inside it; the workspace unless given'),
});
type ListArguments = z.infer<typeof schema>;

const mostEntries = 1_000;

export const listTool: Tool<ListArguments> = {
  name: 'list',
  description: 'Lists a folder: folders end in /, symbolic links show where they lead.',
  schema,
  class: 'safe',
  repeatable: true,
  writes: false,
  subject: ({ path }) => ({ path: path ?? '.' }),

  async run({ path = '.' }, context) {
    const located = await locate(context, path, 'read');
    if (!located.ok) return fail(located.error);
    try {
      const entries = await readdir(located.path, { withFileTypes: true });
      if (entries.length === 0) return succeed(`(${located.shown} is empty)`);
      entries.sort((one, other) => (one.name < other.name ? -1 : 1));
      const lines = await Promise.all(entries.slice(0, mostEntries).map((entry) => describe(located.path, entry)));
      if (entries.length > mostEntries) lines.push(`[${entries.length - mostEntries} more: use glob to narrow down]`);
      return succeed(boundText(lines.join('\n'), 'use glob to narrow down'));
    } catch (error) {
      return failOnFile(located.shown, error);
    }
  },
};

async function describe(folder: string, entry: Dirent): Promise<string> {
  if (entry.isDirectory()) return `${entry.name}/`;
  if (!entry.isSymbolicLink()) return entry.name;
  return `${entry.name} -> ${await readlink(join(folder, entry.name)).catch(() => '?')}`;
}
