/** Reads a JSON file of settings, and says what is wrong with it: its name, the place or the key, and what is allowed. */
import type { z } from 'zod';
import { ok, refuse, type Result } from '../shared/errors.js';

export function parseFile(text: string, path: string): Result<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return ok(value as Record<string, unknown>);
    return refuse('invalid_params', `${path} is not a JSON object.`);
  } catch (error) {
    return refuse('invalid_params', `${path} is not valid JSON${placeOf((error as Error).message, text)}.`);
  }
}

/** The engine's own words quote the file, and there may be a key in it: only the place is told, where they name it. */
function placeOf(message: string, text: string): string {
  if (message.includes('end of JSON input')) return ': it ends too early';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `: line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** `sourceFor`: the file, variable or flag that a key came from. */
export function faults(error: z.ZodError, sourceFor: (path: string) => string): Result<never> {
  const issues = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  const told = issues.map(({ path, message }) => `${sourceFor(path)}: ${path === '' ? '' : `${path}: `}${message}`).join('; ');
  return refuse('invalid_params', told, { issues, hint: 'The README lists the keys and what they may be.' });
}
