/** The recording of provider turns, `cairn.recording/v1`: one JSON line for each turn. Old ones stay loadable. */
import { z } from 'zod';
import { ok, refuse, type Result } from '../../shared/errors.js';
import { toolCallSchema } from '../../shared/run.js';
import { providerErrorKinds, type TurnRequest } from './provider.js';

export const recordingSchemaName = 'cairn.recording/v1';

const keySchema = z.object({ item: z.string(), attempt: z.number().int(), turn: z.number().int() });

/** One piece of a stream. `ms` is the time since the piece before it (for the first one, since the request). */
const chunkSchema = z.object({
  ms: z.number().nonnegative(),
  text: z.string().optional(),
  reasoning: z.string().optional(),
  /** The name of a tool call that began to arrive. */
  toolCall: z.string().optional(),
});
export type RecordedChunk = z.infer<typeof chunkSchema>;

const turnSchema = z.object({
  content: z.string(),
  toolCalls: z.array(toolCallSchema).readonly(),
  finishReason: z.string(),
  model: z.string(),
  usage: z.object({
    inputTokens: z.number().int().nonnegative(),
    outputTokens: z.number().int().nonnegative(),
    costUsd: z.number().nullable(),
  }),
});

const errorSchema = z.object({
  kind: z.enum(providerErrorKinds),
  message: z.string(),
  status: z.number().int().nullable(),
  retryAfterMs: z.number().nullable(),
});

const recordedTurnSchema = z.object({
  schema: z.literal(recordingSchemaName),
  key: keySchema,
  chunks: z.array(chunkSchema),
  result: z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), turn: turnSchema }),
    z.object({ ok: z.literal(false), error: errorSchema }),
  ]),
});
export type RecordedTurn = z.infer<typeof recordedTurnSchema>;

export interface Recording {
  /** The model of the first turn that has one; null for a recording of failures only. */
  readonly model: string | null;
  /**
   * The turn under this key, the one recorded last where there are several. For an attempt that was not recorded it
   * is the latest recorded attempt at that item and turn. Null when there is none at all.
   */
  find(key: TurnRequest['key']): RecordedTurn | null;
}

/**
 * Reads a recording. Errors name the line. A last line that a crash has cut off is left out.
 * `name` is what errors call the file.
 */
export function parseRecording(text: string, name: string): Result<Recording> {
  const exact = new Map<string, RecordedTurn>();
  const latest = new Map<string, RecordedTurn>();
  let model: string | null = null;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const json = parseJson(line);
    if (json === undefined && index === lines.length - 1) continue;
    const parsed = recordedTurnSchema.safeParse(json);
    if (!parsed.success) return refuse('invalid_params', `${name}, line ${index + 1}: ${describeFault(json, parsed.error)}`);
    const turn = parsed.data;
    const { item, attempt, turn: number } = turn.key;
    if (model === null && turn.result.ok) model = turn.result.turn.model;
    exact.set(JSON.stringify([item, number, attempt]), turn);
    const place = JSON.stringify([item, number]);
    if (attempt >= (latest.get(place)?.key.attempt ?? attempt)) latest.set(place, turn);
  }
  return ok({
    model,
    find: ({ item, attempt, turn }) =>
      exact.get(JSON.stringify([item, turn, attempt])) ?? latest.get(JSON.stringify([item, turn])) ?? null,
  });
}

/** The line of a recorded turn, with its line break. */
export function formatRecordedTurn(turn: RecordedTurn): string {
  return `${JSON.stringify(turn)}\n`;
}

/** True for text that is a whole line of JSON; a crash leaves less. */
export function isWholeLine(line: string): boolean {
  return parseJson(line) !== undefined;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function describeFault(json: unknown, error: z.ZodError): string {
  if (json === undefined) return 'not JSON';
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined;
  if (schema !== recordingSchemaName) {
    return `the schema is ${JSON.stringify(schema) ?? 'missing'}; this version reads ${recordingSchemaName}`;
  }
  const [issue] = error.issues;
  return issue === undefined ? 'not a recorded turn' : `${issue.path.join('.')}: ${issue.message}`;
}
