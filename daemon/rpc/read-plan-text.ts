/** A plan that comes as a text, in our own forms or those of other programs, told apart by how they begin. */
import { unwrap } from '../../shared/errors.js';
import type { PlanText } from '../domain/plan-import.js';
import { parseJson } from '../domain/plan-json.js';
import { parseMarkdown } from '../domain/plan-markdown-parse.js';

/** Throws an `RpcError` with the line or the path of what cannot be read. */
export async function readPlanText(format: 'markdown' | 'json', text: string): Promise<PlanText> {
  // The readers of other programs' files are loaded when one comes: they are no part of a start.
  if (format === 'markdown') {
    if (!text.trimStart().startsWith('---')) return unwrap(parseMarkdown(text));
    const { isBacklog, parseBacklog } = await import('../domain/import-backlog.js');
    return unwrap(isBacklog(text) ? parseBacklog(text) : parseMarkdown(text));
  }
  const value = valueOf(text);
  if (value === undefined) return unwrap(parseJson(text));
  const { isTaskMaster, parseTaskMaster } = await import('../domain/import-task-master.js');
  return unwrap(isTaskMaster(value) ? parseTaskMaster(value) : parseJson(text));
}

/** Undefined for a text that is no JSON: what is wrong with it says who reads it. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
