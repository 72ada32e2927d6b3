/** The tools of a server as ours: their names, what they are, and how they are called. All words are text from outside. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { EffectClass } from '../../../shared/run.js';
import { cutHead } from '../bounded-text.js';
import type { CallSubject, Tool, ToolContext, ToolResult } from '../tool.js';
import type { DescribedTool } from './list-tools.js';
import { failureOf } from './mcp-failure.js';
import { parametersOf } from './mcp-schema.js';
import { cleanWords, messageOf } from './mcp-words.js';

const longestName = 64;
const longestDescription = 1_000;
const longestError = 2_000;
/** Characters of the arguments that a person is shown and a rule is matched against; the rest counts by its digest. */
const longestSubject = 2_000;

/** Makes a call; rejects when the server says no, is gone or does not answer in time. */
export type CallServer = (name: string, args: Record<string, unknown>, context: ToolContext) => Promise<ToolResult>;

export interface ServerFacts {
  readonly name: string;
  readonly trusted: boolean;
  readonly call: CallServer;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** `server__tool`, of characters and length that providers take; what had to be changed ends in a digest of the whole. */
export function toolName(server: string, tool: string): string {
  const name = `${server}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`;
  if (name.length <= longestName && /^[a-zA-Z0-9_-]+$/.test(tool)) return name;
  return `${name.slice(0, longestName - 9)}_${digestOf(tool)}`;
}

/** The tool, and why its schema was replaced, if it was. */
export function toTool(server: ServerFacts, name: string, described: DescribedTool): { tool: Tool; replaced: string | null } {
  const { annotations = {} } = described;
  const isReading = server.trusted && annotations.readOnlyHint === true;
  const isRepeatable = isReading || (server.trusted && annotations.idempotentHint === true);
  const { parameters, replaced } = parametersOf(described.inputSchema);
  const words = cleanWords(described.description ?? '', longestDescription);
  const tool: Tool<Record<string, unknown>> = {
    name,
    description: `[tool of the MCP server ${server.name}] ${words}`.trim(),
    schema: z.record(z.string(), z.unknown()),
    parameters,
    class: classOf(annotations, server.trusted),
    repeatable: isRepeatable,
    writes: !isReading,
    subject: subjectOf,
    async run(args, context) {
      try {
        return await server.call(described.name, args, context);
      } catch (error) {
        const failure = failureOf(error);
        const why = context.signal.aborted ? 'it was stopped' : cutHead(messageOf(error), longestError);
        const content =
          failure === 'answered'
            ? `The MCP server ${server.name} refused ${name}: ${why}`
            : `The MCP server ${server.name} gave no answer to ${name}: ${why}`;
        // What is harmless is done again when the run goes on, if it was the run that stopped it.
        return { ok: false, content, unknown: isRepeatable ? context.signal.aborted : failure === 'unknown' };
      }
    },
  };
  return { tool: tool, replaced };
}

/** The arguments, so that a person sees what is asked, and `always` covers this very call and not all of the tool. */
function subjectOf(args: Record<string, unknown>): CallSubject {
  if (Object.keys(args).length === 0) return {};
  const text = JSON.stringify(args);
  return { command: text.length <= longestSubject ? text : `${cutHead(text, longestSubject)}… (${digestOf(text)})` };
}

/** What a server says of its own tools is believed only where the configuration says so. */
function classOf(annotations: NonNullable<DescribedTool['annotations']>, trusted: boolean): EffectClass {
  if (!trusted) return 'unknown';
  if (annotations.readOnlyHint === true) return annotations.openWorldHint === true ? 'network_egress' : 'safe';
  if (annotations.destructiveHint === true) return 'destructive';
  return annotations.openWorldHint === false ? 'local_write' : 'network_egress';
}
