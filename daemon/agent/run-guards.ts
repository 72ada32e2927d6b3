/** The guards of one run: fed from its journal when it is taken up, then with each call; what they say goes to the model. */
import type { RunId } from '../../shared/run.js';
import { createGuards, type EndedCall, endsRun, type GuardLimits } from '../domain/guards.js';
import type { RunRef } from '../domain/run-state.js';
import type { StepsState } from '../domain/steps/steps.js';
import type { RunActivity } from '../executors/executor.js';
import type { StoredEffect } from '../store/queries.js';
import type { Store, StoredMessage } from '../store/store.js';
import { adviceText } from './loop-texts.js';
import { effectIdOf } from './tool-calls.js';

export interface RunGuards {
  ended(call: EndedCall): void;
  /** Older messages are not sent any more. */
  forget(): void;
  /** Something that the model is to be told with the hints of this turn. */
  remark(words: string): void;
  /**
   * After all calls of a turn: gives the model its hints; the reason when the run has to end. `false` when the run is no
   * longer the current one.
   */
  settle(ref: RunRef, activity: RunActivity, steps: StepsState | null): Promise<string | null | false>;
}

export async function createRunGuards(
  store: Store,
  runId: RunId,
  transcript: readonly StoredMessage[],
  limits: GuardLimits,
): Promise<RunGuards> {
  const guards = createGuards(limits);
  let remarks: string[] = [];
  const turns = transcript.filter((message) => (message.toolCalls?.length ?? 0) > 0);
  if (turns.length > 0) {
    const effects = new Map((await store.transcriptEffects(runId)).map((effect) => [effect.id, effect]));
    for (const turn of turns) {
      const calls = callsOf(turn, transcript, effects);
      calls.forEach((call) => guards.called(call));
      // The last turn may be under way: its end is still to come.
      if (calls.length === turn.toolCalls?.length) guards.turnEnded();
    }
  }
  return {
    ended: (call) => guards.called(call),
    forget: guards.forget,
    remark: (words) => void remarks.push(words),
    async settle(ref, activity, steps) {
      const advice = guards.turnEnded();
      const repeating = guards.repeating();
      activity.looping(repeating === null ? null : `${repeating.tool}, the same call ${repeating.times} times`);
      const end = advice.find(endsRun);
      if (end !== undefined) return adviceText(end, null);
      const words = [...remarks, ...advice.map((each) => adviceText(each, steps))];
      remarks = [];
      const notices = words.map((content) => ({ kind: 'notice', role: 'system', content }) as const);
      return notices.length === 0 || (await store.appendMessages(ref, notices)) ? null : false;
    },
  };
}

/** The finished calls of a stored turn, as they were when they ended. */
function callsOf(
  turn: StoredMessage,
  transcript: readonly StoredMessage[],
  effects: ReadonlyMap<string, StoredEffect>,
): EndedCall[] {
  const after = transcript.slice(transcript.indexOf(turn) + 1);
  const end = after.findIndex(({ kind }) => kind === 'assistant');
  const results = (end < 0 ? after : after.slice(0, end)).filter(({ kind }) => kind === 'tool');
  return (turn.toolCalls ?? []).flatMap((call, index) => {
    const result = results.find(({ toolCallId }) => toolCallId === call.id);
    if (result === undefined) return [];
    const effect = effects.get(effectIdOf(turn, index));
    const durationMs = effect?.finishedAt ? Date.parse(effect.finishedAt) - Date.parse(effect.startedAt) : 0;
    const failure = effect === undefined ? 'arguments' : effect.state === 'done' ? null : 'other';
    return [{ tool: call.name, args: call.arguments, result: result.content, failure, durationMs }];
  });
}
