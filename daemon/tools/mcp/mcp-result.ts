/** What a server answers to a call, as a result for the model: text, and a line for everything that is none. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { boundText, resultLimit } from '../bounded-text.js';
import type { ToolResult } from '../tool.js';
import { cleanWords, messageOf } from './mcp-words.js';

/** No stricter than it has to be: an answer that is refused here was given to a call that has been carried out. */
export const callResultSchema = z.looseObject({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
});
export type CallResult = z.infer<typeof callResultSchema>;

const bytes = z.string().transform((base64) => Math.floor((base64.length * 3) / 4));
const contentSchema = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.enum(['image', 'audio']), mimeType: z.string().default('unknown'), data: bytes }),
  z.object({ type: z.literal('resource'), resource: z.object({ uri: z.string(), text: z.string() }) }),
  z.object({ type: z.literal('resource'), resource: z.object({ uri: z.string(), blob: bytes }) }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), description: z.string().default('') }),
]);

const longestNote = 500;

export interface KeepParts {
  /** Where what is too long for a result is kept whole. Absolute. */
  readonly folder: string;
  readonly newId: (prefix: string) => string;
  /** What is kept is redacted. */
  readonly redact: (text: string) => string;
}

export async function toResult(result: CallResult, keep: KeepParts): Promise<ToolResult> {
  const { content, structuredContent, isError } = result;
  const text = content.map(describePart).join('\n');
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent, null, 2);
  const whole = keep.redact(text || structured || '[no content]');
  const hint = whole.length > resultLimit ? await keepWhole(whole, keep) : '';
  return { ok: !isError, content: boundText(whole, hint) };
}

function describePart(part: unknown): string {
  const parsed = contentSchema.safeParse(part);
  if (!parsed.success) return '[content of a kind that is not known here]';
  const known = parsed.data;
  if ('text' in known) return known.text;
  if ('data' in known) return note(`${known.type} of type ${known.mimeType}, ${known.data} bytes, not shown`);
  if ('uri' in known) return note(`resource ${known.uri} ${known.description}`);
  return 'text' in known.resource
    ? known.resource.text
    : note(`resource ${known.resource.uri}, ${known.resource.blob} bytes, not shown`);
}

const note = (text: string): string => `[${cleanWords(text, longestNote)}]`;

/** Gives where the whole text is, in words for the model. */
async function keepWhole(text: string, { folder, newId }: KeepParts): Promise<string> {
  const path = join(folder, `${newId('output')}.txt`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
    return `the whole output is in ${path}, which \`read\` can page`;
  } catch (error) {
    return `the rest could not be kept: ${messageOf(error)}`;
  }
}
