/** The built-in tools, their schemas for the provider, and the parsing of what a model calls them with. */
import { z } from 'zod';
import { ok, type Result } from '../../shared/errors.js';
import type { ToolSchema } from '../providers/provider.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { listTool } from './list.js';
import { readTool } from './read.js';
import { shellTool } from './shell.js';
import type { Tool } from './tool.js';
import { writeTool } from './write.js';

/** In the order in which they are shown to a model. Their names are reserved. */
export const builtinTools: readonly Tool[] = [readTool, writeTool, editTool, listTool, globTool, grepTool, shellTool];

/** A tool as the provider is told of it. */
export function toolSchema(tool: Tool): ToolSchema {
  if (tool.parameters !== undefined) return { name: tool.name, description: tool.description, parameters: tool.parameters };
  const parameters = z.toJSONSchema(tool.schema, { target: 'draft-7', io: 'input' });
  delete parameters.$schema;
  return { name: tool.name, description: tool.description, parameters };
}

/** The arguments of a call, or what is wrong with them in words for the model. No text at all counts as `{}`. */
export function parseArguments<A>(tool: Tool<A>, text: string): Result<A, string> {
  let given: unknown;
  try {
    given = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, error: `${tool.name} was not called: its arguments are not valid JSON (${why}).` };
  }
  const parsed = tool.schema.safeParse(given);
  if (parsed.success) return ok(parsed.data);
  const issues = parsed.error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
  return { ok: false, error: `${tool.name} was not called: ${issues.join('; ')}.` };
}
