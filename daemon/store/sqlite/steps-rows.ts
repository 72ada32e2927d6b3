/** Rows of `steps` and `contexts`: what the loop keeps beside a transcript. Both belong to the chain of runs that shares it. */
import type { NewEvent } from '../../../shared/event.js';
import type { RunId, Step } from '../../../shared/run.js';
import { countSteps, type StepsState } from '../../domain/steps/steps.js';
import type { KeptSteps, StepsChange, TrimState } from '../store.js';
import type { Connection } from './connection.js';
import { redactStrings } from './redact-strings.js';

interface StepsRow {
  readonly version: number;
  readonly steps: string;
  readonly blocked_streak: number;
}

/** The steps of the run's transcript; null when the model keeps none. */
export function readSteps(cx: Connection, runId: RunId): KeptSteps | null {
  const row = cx
    .sql<StepsRow>(
      `SELECT s.version, s.steps, s.blocked_streak FROM runs r JOIN steps s ON s.transcript_id = r.transcript_id WHERE r.id = ?`,
    )
    .get(runId);
  if (row === undefined) return null;
  return { state: { version: row.version, steps: JSON.parse(row.steps) as Step[] }, blockedStreak: row.blocked_streak };
}

/** Writes what a `plan` call made of the steps; gives the events that tell of it, with counts and the version only. */
export function writeSteps(cx: Connection, transcriptId: string, runId: RunId, change: StepsChange): NewEvent[] {
  const { state, blockedStreak, changed, isStuck } = change;
  cx.sql(
    `INSERT INTO steps (transcript_id, version, steps, blocked_streak, calls) VALUES (?, ?, ?, ?, 1)
     ON CONFLICT (transcript_id) DO UPDATE SET version = excluded.version, steps = excluded.steps,
       blocked_streak = excluded.blocked_streak, calls = calls + 1`,
  ).run(transcriptId, state.version, JSON.stringify(redactStrings(state.steps, cx.redact)), blockedStreak);
  return [...(changed === null ? [] : [changeEvent(state, changed, runId)]), ...(isStuck ? [stuckEvent(state, runId)] : [])];
}

function changeEvent(state: StepsState, changed: 'created' | 'updated', runId: RunId): NewEvent {
  const { version } = state;
  return changed === 'created'
    ? { type: 'plan_created', runId, data: { steps: state.steps.length, version } }
    : { type: 'plan_updated', runId, data: { ...countSteps(state), version } };
}

const stuckEvent = ({ version }: StepsState, runId: RunId): NewEvent => ({ type: 'plan_blocked', runId, data: { version } });

/** Counts a turn in which the steps were sent, and the tokens that they took. */
export function countShownSteps(cx: Connection, transcriptId: string, tokens: number): void {
  cx.sql('UPDATE steps SET shown_turns = shown_turns + 1, shown_tokens = shown_tokens + ? WHERE transcript_id = ?').run(
    tokens,
    transcriptId,
  );
}

interface ContextRow {
  readonly results_to: number;
  readonly dropped_to: number;
  readonly conversation_dropped: number;
}

export function readTrimState(cx: Connection, runId: RunId): TrimState {
  const row = cx
    .sql<ContextRow>(
      `SELECT c.results_to, c.dropped_to, c.conversation_dropped
       FROM runs r JOIN contexts c ON c.transcript_id = r.transcript_id WHERE r.id = ?`,
    )
    .get(runId);
  return {
    resultsTo: row?.results_to ?? 0,
    droppedTo: row?.dropped_to ?? 0,
    conversationDropped: row?.conversation_dropped ?? 0,
  };
}

/** What was left out stays left out: a mark only ever moves forward. */
export function writeTrimState(cx: Connection, transcriptId: string, state: TrimState): void {
  cx.sql(
    `INSERT INTO contexts (transcript_id, results_to, dropped_to, conversation_dropped) VALUES (?, ?, ?, ?)
     ON CONFLICT (transcript_id) DO UPDATE SET results_to = max(results_to, excluded.results_to),
       dropped_to = max(dropped_to, excluded.dropped_to),
       conversation_dropped = max(conversation_dropped, excluded.conversation_dropped)`,
  ).run(transcriptId, state.resultsTo, state.droppedTo, state.conversationDropped);
}
