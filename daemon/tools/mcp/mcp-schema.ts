/** The schema of a tool's arguments, as a server wrote it, made fit to be sent to a model's provider. */
import { neutralise } from '../../domain/untrusted.js';
import { cleanWords } from './mcp-words.js';

/** Characters of one schema as JSON. */
const longestSchema = 16_000;
const longestDescription = 500;
const deepest = 32;

export interface Parameters {
  readonly parameters: Record<string, unknown>;
  /** Why any arguments are taken in place of what the server said; null when its schema is used. */
  readonly replaced: string | null;
}

/** Takes any arguments. Some providers refuse an object without `properties`. */
const open: Record<string, unknown> = { type: 'object', properties: {}, additionalProperties: true };

/** Words of a server for the model; every other text is data and stays as it is, or the schema goes. */
const wordy = new Set(['description', 'title', '$comment']);
const data = new Set(['default', 'const', 'enum', 'examples']);
/** Providers refuse these at the top, and with them the whole request; the server itself still checks what it is given. */
const notAtTop = new Set(['$schema', 'oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else']);

class Unfit extends Error {}

export function parametersOf(inputSchema: unknown): Parameters {
  try {
    if (!isObject(inputSchema) || (inputSchema.type ?? 'object') !== 'object') throw new Unfit('is not that of an object');
    if (lengthOf(inputSchema) > longestSchema) throw new Unfit(`is longer than ${longestSchema} characters`);
    const top = Object.fromEntries(Object.entries(inputSchema).filter(([key]) => !notAtTop.has(key)));
    return { parameters: { properties: {}, ...cleanObject(top, 0, false), type: 'object' }, replaced: null };
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return { parameters: open, replaced: error.message };
  }
}

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    throw new Unfit('is nested too deeply');
  }
}

function cleanObject(node: Record<string, unknown>, depth: number, isData: boolean): Record<string, unknown> {
  const cleaned = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      plain(key),
      !isData && wordy.has(key) && typeof value === 'string'
        ? cleanWords(value, longestDescription)
        : clean(value, depth + 1, isData || data.has(key)),
    ]),
  );
  // Some providers refuse a list that does not say of what.
  const isBareList = !isData && node.type === 'array' && !('items' in node) && !('prefixItems' in node);
  return isBareList ? { ...cleaned, items: {} } : cleaned;
}

function clean(value: unknown, depth: number, isData: boolean): unknown {
  if (depth > deepest) throw new Unfit('is nested too deeply');
  if (typeof value === 'string') return plain(value);
  if (Array.isArray(value)) return value.map((each) => clean(each, depth + 1, isData));
  return isObject(value) ? cleanObject(value, depth, isData) : value;
}

function plain(text: string): string {
  if (neutralise(text) !== text) throw new Unfit('holds text that could pass for something else');
  return text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
