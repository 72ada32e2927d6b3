/** Asks a server for its tools, page by page; one that describes a tool badly loses that tool and no other. */
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

const hints = z.looseObject({
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
const toolSchema = z.looseObject({
  name: z.string().min(1).max(1_000),
  description: z.string().optional().catch(undefined),
  inputSchema: z.unknown().optional(),
  annotations: hints.optional().catch(undefined),
});
const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional().catch(undefined) });

/** A tool as its server describes it. */
export type DescribedTool = z.infer<typeof toolSchema>;

export interface ToolList {
  readonly tools: readonly DescribedTool[];
  /** Entries without so much as a name. */
  readonly malformed: number;
  /** False when the server had still more pages. */
  readonly isWhole: boolean;
}

/** A server may go on for ever. */
const mostPages = 50;
const mostDescribed = 1_000;

export async function listTools(client: Client, options: { timeout: number; signal: AbortSignal }): Promise<ToolList> {
  // The client's own method says so on standard output, and gives nothing either.
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], malformed: 0, isWhole: true };
  const tools: DescribedTool[] = [];
  let malformed = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages && tools.length < mostDescribed; pages += 1) {
    const request = { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) } as const;
    const page = await client.request(request, pageSchema, options);
    for (const entry of page.tools) {
      const parsed = toolSchema.safeParse(entry);
      if (parsed.success) tools.push(parsed.data);
      else malformed += 1;
    }
    if (page.nextCursor === undefined) return { tools, malformed, isWhole: true };
    cursor = page.nextCursor;
  }
  return { tools, malformed, isWhole: false };
}
