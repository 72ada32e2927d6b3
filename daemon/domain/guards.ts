/**
 * Tells work from spinning: identical calls with identical results, one tool that fails again and again, turns in which
 * nothing new happens. A wait is no loop: a call that takes its time, or whose result changes, counts as progress. Pure.
 */
import { digestText } from './text-digest.js';

export interface GuardLimits {
  /** Identical calls with identical results until a hint. */
  readonly hintAfter: number;
  /** … and until the leaf is blocked as looping. */
  readonly blockAfter: number;
  /** Turns in a row that bring nothing new until the leaf is blocked; at half of them there is a hint. */
  readonly noProgressTurns: number;
}

/** Why a call failed, as far as a hint can say something useful. */
export type FailureKind = 'arguments' | 'refused' | 'no_tool' | 'exit_code' | 'other';

export interface EndedCall {
  readonly tool: string;
  /** JSON text, redacted. */
  readonly args: string;
  /** What the model was told. */
  readonly result: string;
  readonly failure: FailureKind | null;
  readonly durationMs: number;
}

export type Advice =
  | { readonly type: 'repeated'; readonly tool: string; readonly times: number }
  | { readonly type: 'failing'; readonly tool: string; readonly times: number; readonly kind: FailureKind }
  | { readonly type: 'no_progress'; readonly turns: number }
  | { readonly type: 'looping'; readonly tool: string; readonly times: number }
  | { readonly type: 'idling'; readonly turns: number };

/** Hints go to the model; these two end the run. */
export const endsRun = (advice: Advice): advice is Extract<Advice, { type: 'looping' | 'idling' }> =>
  advice.type === 'looping' || advice.type === 'idling';

/** A call that takes this long, and works, waits for something. Milliseconds. */
const waitMs = 2_000;
/** Failures in a row of one tool until a hint, and again after as many more. */
const failuresToHint = 3;
/** Calls that are remembered: a run has far fewer, and memory has an end. */
const remembered = 5_000;

export interface Guards {
  /** A call has its result. */
  called(call: EndedCall): void;
  /** All calls of a turn have theirs: what is to be done about them, worst last. */
  turnEnded(): readonly Advice[];
  /** What the model was told is no longer before it: to ask for it again is no repetition. */
  forget(): void;
  /** The call that is being repeated right now, and how often; null while the run goes forward. */
  repeating(): { readonly tool: string; readonly times: number } | null;
}

export function createGuards(limits: GuardLimits): Guards {
  const seen = new Set<string>();
  /** How often each call was repeated since something new happened. */
  const repeats = new Map<string, number>();
  const failures = new Map<string, number>();
  let advice: Advice[] = [];
  let idleTurns = 0;
  let turn = { calls: 0, news: false };
  let last: { tool: string; times: number } | null = null;

  function countRepeat(call: EndedCall): void {
    const signature = digestText(JSON.stringify([call.tool, call.args, call.result]));
    const isNew = !seen.has(signature);
    if (isNew) {
      if (seen.size < remembered) seen.add(signature);
      repeats.clear();
    }
    // What was refused outright (no such tool, wrong arguments) is new only as a mistake.
    const isWait = call.durationMs >= waitMs && call.failure === null;
    if ((isNew && !isMistake(call)) || isWait) turn.news = true;
    const times = (repeats.get(signature) ?? 0) + (isWait && !isNew ? 0 : 1);
    repeats.set(signature, times);
    last = { tool: call.tool, times };
    if (times >= limits.blockAfter) advice.push({ type: 'looping', tool: call.tool, times });
    else if (times === limits.hintAfter) advice.push({ type: 'repeated', tool: call.tool, times });
  }

  function countFailure({ tool, failure }: EndedCall): void {
    if (failure === null) {
      failures.delete(tool);
      return;
    }
    const times = (failures.get(tool) ?? 0) + 1;
    failures.set(tool, times);
    if (times % failuresToHint === 0) advice.push({ type: 'failing', tool, times, kind: failure });
  }

  return {
    called(call) {
      turn.calls += 1;
      countRepeat(call);
      countFailure(call);
    },
    turnEnded() {
      idleTurns = turn.news ? 0 : idleTurns + 1;
      turn = { calls: 0, news: false };
      if (idleTurns >= limits.noProgressTurns) advice.push({ type: 'idling', turns: idleTurns });
      else if (idleTurns > 0 && idleTurns === Math.ceil(limits.noProgressTurns / 2)) {
        advice.push({ type: 'no_progress', turns: idleTurns });
      }
      const given = advice.toSorted((a, b) => Number(endsRun(a)) - Number(endsRun(b)));
      advice = [];
      return given;
    },
    forget() {
      seen.clear();
      repeats.clear();
    },
    repeating: () => (last !== null && last.times >= limits.hintAfter ? last : null),
  };
}

const isMistake = ({ failure }: EndedCall): boolean => failure === 'arguments' || failure === 'no_tool' || failure === 'refused';
