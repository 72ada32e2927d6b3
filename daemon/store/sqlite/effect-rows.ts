/** Rows of `effects`: the intent of a call before it happens, its result after. */
import type { NewEvent } from '../../../shared/event.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { Effect, EffectId, RunId } from '../../../shared/run.js';
import type { StoredEffect } from '../queries.js';
import type { EffectEnd, NewEffect } from '../store.js';
import type { Connection } from './connection.js';

interface EffectRow {
  readonly id: EffectId;
  readonly run_id: RunId;
  readonly item_id: ItemId | null;
  readonly name: string;
  readonly args: string;
  readonly args_digest: string;
  readonly class: Effect['class'];
  readonly repeatable: 0 | 1;
  readonly state: Effect['state'];
  readonly result: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
}

/** Writes the intent; null when the id exists: no effect begins twice. */
export function insertIntent(cx: Connection, effect: NewEffect, transcriptId: string, at: string): NewEvent | null {
  // The tools of servers have names of their servers' choice.
  const name = cx.redact(effect.name);
  const { changes } = cx
    .sql(
      `INSERT INTO effects (id, transcript_id, run_id, name, args, args_digest, class, repeatable, state, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'intent', ?) ON CONFLICT (id) DO NOTHING`,
    )
    .run(
      effect.id,
      transcriptId,
      effect.ref.runId,
      name,
      cx.redact(effect.args),
      effect.argsDigest,
      effect.class,
      effect.repeatable ? 1 : 0,
      at,
    );
  if (changes === 0) return null;
  const { id: effectId, class: effectClass, argsDigest } = effect;
  return { type: 'effect.started', runId: effect.ref.runId, data: { effectId, name, class: effectClass, argsDigest } };
}

const endEvents = { done: 'effect.completed', failed: 'effect.failed', unknown: 'effect.unknown' } as const;

/** Writes the result; null when the effect is not there or has a result already. A run may end what an earlier one began. */
export function finishEffect(cx: Connection, end: EffectEnd, at: string): { event: NewEvent; transcriptId: string } | null {
  const row = cx
    .sql<{ name: string; class: Effect['class']; args_digest: string; transcript_id: string }>(
      `UPDATE effects SET state = ?, result = ?, finished_at = ? WHERE id = ? AND state = 'intent'
       RETURNING name, class, args_digest, transcript_id`,
    )
    .get(end.state, cx.redact(end.content), at, end.id);
  if (row === undefined) return null;
  return {
    transcriptId: row.transcript_id,
    event: {
      type: endEvents[end.state],
      runId: end.runId,
      data: { effectId: end.id, name: row.name, class: row.class, argsDigest: row.args_digest },
    },
  };
}

const toEffect = (row: EffectRow): StoredEffect => ({
  id: row.id,
  runId: row.run_id,
  itemId: row.item_id,
  name: row.name,
  args: row.args,
  argsDigest: row.args_digest,
  class: row.class,
  repeatable: row.repeatable === 1,
  state: row.state,
  result: row.result,
  startedAt: row.started_at,
  ...(row.finished_at === null ? {} : { finishedAt: row.finished_at }),
});

const effectColumns = `e.id, e.run_id, r.item_id, e.name, e.args, e.args_digest, e.class, e.repeatable, e.state, e.result,
  e.started_at, e.finished_at`;

export function readEffects(cx: Connection, runId: RunId): StoredEffect[] {
  return cx
    .sql<EffectRow>(
      `SELECT ${effectColumns} FROM runs r JOIN effects e ON e.transcript_id = r.transcript_id AND e.run_id = r.id
       WHERE r.id = ? ORDER BY e.no`,
    )
    .all(runId)
    .map(toEffect);
}

/** Effects of a run and of those that it resumes. */
export function readTranscriptEffects(cx: Connection, runId: RunId): StoredEffect[] {
  return cx
    .sql<EffectRow>(
      `SELECT ${effectColumns} FROM runs asked JOIN effects e ON e.transcript_id = asked.transcript_id
         JOIN runs r ON r.id = e.run_id
       WHERE asked.id = ? AND r.no <= asked.no ORDER BY e.no`,
    )
    .all(runId)
    .map(toEffect);
}

export function readItemEffects(cx: Connection, sessionId: SessionId, itemId: ItemId): StoredEffect[] {
  return cx
    .sql<EffectRow>(
      `SELECT ${effectColumns} FROM runs r JOIN effects e ON e.transcript_id = r.transcript_id AND e.run_id = r.id
       WHERE r.session_id = ? AND r.item_id = ? ORDER BY e.no`,
    )
    .all(sessionId, itemId)
    .map(toEffect);
}
