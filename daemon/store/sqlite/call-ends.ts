/** The result of a call: the effect's end, and the message by which the model reads it. */
import type { NewEvent } from '../../../shared/event.js';
import type { CallEnd, EffectEnd } from '../store.js';
import type { Connection } from './connection.js';
import { finishEffect } from './effect-rows.js';
import { insertMessage } from './message-rows.js';

/** Null when the effect has its result already. */
export function writeCallEnd(cx: Connection, end: EffectEnd, at: string): { event: NewEvent; transcriptId: string } | null {
  const finished = finishEffect(cx, end, at);
  if (finished === null) return null;
  const { toolCallId, content, runId, sessionId, planVersion } = end;
  if (toolCallId !== null) {
    const message = { kind: 'tool', role: 'tool', content, toolCallId, at, spoken: false } as const;
    insertMessage(cx, { ...message, transcriptId: finished.transcriptId, runId, sessionId });
  }
  if (planVersion !== undefined) cx.sql('UPDATE runs SET plan_version = ? WHERE id = ?').run(planVersion, runId);
  return finished;
}

/** True while the run of a call may still change something. */
export const isUnderWay = (cx: Connection, { runId }: Pick<CallEnd, 'runId'>): boolean =>
  cx.sql(`SELECT 1 FROM runs WHERE id = ? AND status = 'running'`).get(runId) !== undefined;

/** True when the plan has got another shape since the caller of `mission_plan` last saw it. */
export const isUnseen = (cx: Connection, { sessionId, seenVersion }: CallEnd): boolean =>
  seenVersion !== undefined &&
  cx.sql('SELECT 1 FROM revisions WHERE session_id = ? AND status_only = 0 AND version > ?').get(sessionId, seenVersion) !==
    undefined;
