/** The calls of a turn, made fit to be stored and to be carried out. */
import type { EffectId, RunId, ToolCall } from '../../shared/run.js';
import { effectIdOf } from './tool-calls.js';

/** Names and ids are the model's words as well. */
export const redactCall = (call: ToolCall, redact: (text: string) => string): ToolCall => ({
  id: call.id,
  name: redact(call.name),
  arguments: redact(call.arguments),
});

/** Results find their calls by id, so no two calls of a turn may share one, whatever the provider sent. */
export function withUniqueIds(calls: readonly ToolCall[], redact: (text: string) => string): ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    // Redacted first: two could become one by it.
    const given = redact(call.id);
    const id = given === '' || seen.has(given) ? `${given || 'call'}_${index}` : given;
    seen.add(id);
    return { ...call, id };
  });
}

/** Keeps the arguments of a turn's calls as they came, by effect: the stored ones are redacted. */
export function keepRaw(runId: RunId, calls: readonly ToolCall[], seq: number, raw: Map<EffectId, string>): void {
  raw.clear();
  calls.forEach((call, index) => raw.set(effectIdOf({ runId, seq }, index), call.arguments));
}
