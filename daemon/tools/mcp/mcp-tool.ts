/** A tool of a server as one of ours: its name, what it is, and what its answers become. All of it is text from outside. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import { neutralise } from '../../domain/untrusted.js';
import type { EffectClass } from '../../../shared/run.js';
import { boundText } from '../bounded-text.js';
import type { Tool, ToolContext, ToolResult } from '../tool.js';

const longestName = 64;
const longestDescription = 1_000;
const longestSchema = 16_000;

/** How a call is made; rejects when the server is gone or does not answer in time. */
export type CallServer = (name: string, args: Record<string, unknown>, context: ToolContext) => Promise<CallToolResult>;

/** The server could not be started, so the call was never made. */
export class NotReached extends Error {}

/** `server__tool`, of characters and length that providers take; what is too long ends in a digest of the whole. */
export function toolName(server: string, tool: string): string {
  const name = `${server}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`;
  if (name.length <= longestName && /^[a-zA-Z0-9_-]+$/.test(tool)) return name;
  const digest = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${name.slice(0, longestName - 9)}_${digest}`;
}

export function toTool(server: string, described: ServerTool, trusted: boolean, call: CallServer): Tool {
  const { annotations = {} } = described;
  const isReading = trusted && annotations.readOnlyHint === true;
  const words = neutralise(described.description ?? '').slice(0, longestDescription);
  return {
    name: toolName(server, described.name),
    description: `[tool of the MCP server ${server}] ${words}`.trim(),
    schema: z.record(z.string(), z.unknown()),
    parameters: parametersOf(described),
    class: classOf(annotations, trusted),
    repeatable: isReading || (trusted && annotations.idempotentHint === true),
    writes: !isReading,
    subject: () => ({}),
    async run(args, context) {
      try {
        return toResult(await call(described.name, args as Record<string, unknown>, context));
      } catch (error) {
        const content = `${described.name} of the MCP server ${server} gave no answer: ${error instanceof Error ? error.message : String(error)}`;
        // It may have been carried out all the same, unless the server was never reached.
        return { ok: false, content, unknown: !(error instanceof NotReached) && !isReading };
      }
    },
  };
}

/** What a server says of its own tools is believed only where the configuration says so. */
function classOf(annotations: NonNullable<ServerTool['annotations']>, trusted: boolean): EffectClass {
  if (!trusted) return 'unknown';
  if (annotations.readOnlyHint === true) return annotations.openWorldHint === true ? 'network_egress' : 'safe';
  if (annotations.destructiveHint === true) return 'destructive';
  return annotations.openWorldHint === false ? 'local_write' : 'network_egress';
}

function parametersOf({ inputSchema }: ServerTool): Record<string, unknown> {
  const text = JSON.stringify(inputSchema);
  return text.length <= longestSchema ? inputSchema : { type: 'object' };
}

function toResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  const parts = content.map((part): string => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'image':
      case 'audio':
        return `[${part.type} of type ${part.mimeType}, ${part.data.length} characters of base64, not shown]`;
      case 'resource':
        return 'text' in part.resource ? part.resource.text : `[resource ${part.resource.uri}, not text]`;
      case 'resource_link':
        return `[resource ${part.uri}]`;
      default:
        return '[a kind of content that is not known here]';
    }
  });
  const text = parts.join('\n') || (structuredContent === undefined ? '' : JSON.stringify(structuredContent));
  const bounded = boundText(text || '[no content]', 'ask the tool for less at a time');
  return { ok: isError !== true, content: bounded };
}
