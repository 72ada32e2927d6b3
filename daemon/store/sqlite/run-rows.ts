/** Rows of `runs`: one try at a leaf, or one chat or planner turn. */
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { Run, RunId, RunStatus, Usage } from '../../../shared/run.js';
import { unreachable } from '../../../shared/errors.js';
import type { LeafRun, RunChange, RunRef } from '../../domain/run-state.js';
import type { Page, Paged } from '../queries.js';
import type { Connection } from './connection.js';
import { pageOf, startOf } from './paging.js';

export interface UsageColumns {
  readonly turns: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
  readonly duration_ms: number;
}

export const toUsage = (row: UsageColumns): Usage => ({
  turns: row.turns,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  costUsd: row.cost_usd,
  durationMs: row.duration_ms,
});

interface RunRow extends UsageColumns {
  readonly no: number;
  readonly id: RunId;
  readonly session_id: SessionId;
  readonly item_id: ItemId | null;
  readonly kind: Run['kind'];
  readonly status: RunStatus;
  readonly attempt: number;
  readonly epoch: number;
  readonly resumes: RunId | null;
  readonly plan_version: number;
  readonly leaf_digest: string;
  readonly claim: string | null;
  readonly deaths: number;
  readonly model: string | null;
  readonly error: string | null;
  readonly summary: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
}

const isUnderWay = (status: RunStatus): boolean => status === 'running' || status === 'waiting';

const toRun = (row: RunRow): Run => ({
  id: row.id,
  sessionId: row.session_id,
  itemId: row.item_id,
  kind: row.kind,
  status: row.status,
  attempt: row.attempt,
  epoch: row.epoch,
  resumes: row.resumes,
  planVersion: row.plan_version,
  model: row.model,
  error: row.error,
  summary: row.summary,
  usage: toUsage(row),
  startedAt: row.started_at,
  finishedAt: row.finished_at,
});

/** The last run of a checkpoint; null when it has none. */
export function readLeafRun(cx: Connection, runId: RunId | null): LeafRun | null {
  if (runId === null) return null;
  const row = cx.sql<RunRow>('SELECT * FROM runs WHERE id = ?').get(runId);
  if (row === undefined || row.item_id === null) return null;
  return {
    id: row.id,
    itemId: row.item_id,
    status: row.status,
    attempt: row.attempt,
    epoch: row.epoch,
    resumes: row.resumes,
    planVersion: row.plan_version,
    leafDigest: row.leaf_digest,
    claim: row.claim,
    deaths: row.deaths,
  };
}

interface NewRun extends Omit<LeafRun, 'itemId'> {
  readonly sessionId: SessionId;
  readonly itemId: ItemId | null;
  readonly kind: Run['kind'];
}

/**
 * Writes a new run and gives the id of its transcript: that of the run it resumes, else its own; so a transcript is named
 * after the first run of its chain.
 */
export function insertRun(cx: Connection, run: NewRun, at: string): string {
  const transcriptId =
    run.resumes === null
      ? run.id
      : (cx.sql<{ id: string }>('SELECT transcript_id AS id FROM runs WHERE id = ?').get(run.resumes)?.id ?? run.id);
  cx.sql(
    `INSERT INTO runs (id, session_id, item_id, kind, status, attempt, epoch, resumes, transcript_id, plan_version,
       leaf_digest, claim, deaths, started_at, finished_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    run.id,
    run.sessionId,
    run.itemId,
    run.kind,
    run.status,
    run.attempt,
    run.epoch,
    run.resumes,
    transcriptId,
    run.planVersion,
    run.leafDigest,
    cx.redactSome(run.claim),
    run.deaths,
    at,
    isUnderWay(run.status) ? null : at,
  );
  return transcriptId;
}

/** Writes what a decision did to a run. An error or a summary of null leaves what is there. */
export function writeRunChange(cx: Connection, sessionId: SessionId, change: RunChange, at: string): void {
  switch (change.type) {
    case 'insert':
      insertRun(cx, { ...change.run, sessionId, kind: 'leaf' }, at);
      return;
    case 'update': {
      const { run } = change;
      cx.sql(
        `UPDATE runs SET status = ?, attempt = ?, epoch = ?, plan_version = ?, leaf_digest = ?, claim = ?, deaths = coalesce(?, deaths),
           error = coalesce(?, error), summary = coalesce(?, summary), finished_at = ?
         WHERE id = ?`,
      ).run(
        run.status,
        run.attempt,
        run.epoch,
        run.planVersion,
        run.leafDigest,
        cx.redactSome(run.claim),
        change.setsDeaths ? run.deaths : null,
        cx.redactSome(change.error),
        cx.redactSome(change.summary),
        isUnderWay(run.status) ? null : at,
        run.id,
      );
      return;
    }
    default:
      unreachable(change);
  }
}

/** What the commands of a run need to know of it. */
export interface CurrentRun {
  readonly kind: Run['kind'];
  readonly transcript_id: string;
  readonly turns: number;
}

/**
 * The run if it is the current one: a leaf run is running, and its attempt and epoch are those of the reference and of
 * the session's owner; a chat or planner run is running.
 */
export function currentRun(cx: Connection, sessionId: SessionId, ref: RunRef): CurrentRun | undefined {
  return cx
    .sql<CurrentRun>(
      `SELECT r.kind, r.transcript_id, r.turns FROM runs r JOIN plan_runs p ON p.session_id = r.session_id
       WHERE r.id = ? AND r.session_id = ? AND r.status = 'running'
         AND (r.kind <> 'leaf' OR (r.attempt = ? AND r.epoch = ? AND p.epoch = r.epoch))`,
    )
    .get(ref.runId, sessionId, ref.attempt, ref.epoch);
}

export function readRun(cx: Connection, id: RunId): Run | null {
  const row = cx.sql<RunRow>('SELECT * FROM runs WHERE id = ?').get(id);
  return row === undefined ? null : toRun(row);
}

export function readRuns(cx: Connection, sessionId: SessionId, itemId: ItemId | null, page: Page): Paged<Run> {
  const from = startOf(page);
  const rows =
    itemId === null
      ? cx
          .sql<RunRow>(
            `SELECT * FROM runs
             WHERE no IN (SELECT no FROM runs WHERE session_id = ? AND no < ? ORDER BY no DESC LIMIT ?) ORDER BY no DESC`,
          )
          .all(sessionId, from, page.limit + 1)
      : cx
          .sql<RunRow>('SELECT * FROM runs WHERE session_id = ? AND item_id = ? AND no < ? ORDER BY no DESC LIMIT ?')
          .all(sessionId, itemId, from, page.limit + 1);
  return pageOf(rows, page, (row) => row.no, toRun);
}

/** The planner run of a session that is under way or waits; a session has one at most. */
export function readOpenPlanner(cx: Connection, sessionId: SessionId): Run | null {
  const row = cx
    .sql<RunRow>(
      `SELECT * FROM runs WHERE kind <> 'leaf' AND finished_at IS NULL AND kind = 'planner' AND session_id = ? ORDER BY no LIMIT 1`,
    )
    .get(sessionId);
  return row === undefined ? null : toRun(row);
}

export function readOpenChats(cx: Connection): Run[] {
  return cx.sql<RunRow>(`SELECT * FROM runs WHERE kind <> 'leaf' AND finished_at IS NULL ORDER BY no`).all().map(toRun);
}
