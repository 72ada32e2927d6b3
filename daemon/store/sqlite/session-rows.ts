/** Rows of `sessions`, `session_progress` and `plan_runs`: a session, its counters and its checkpoint, one row in each. */
import type { Counts, ItemId, SessionId } from '../../../shared/plan.js';
import type { PlanRun, PlanRunStatus, RunId } from '../../../shared/run.js';
import type { MissionOrder, Policy } from '../../../shared/mission.js';
import { visibleStatus } from '../../domain/run-machine.js';
import type { Checkpoint, RunState } from '../../domain/run-state.js';
import type { Page, Paged, SessionRow } from '../queries.js';
import type { SessionRecord } from '../store.js';
import type { Connection } from './connection.js';
import { readTree } from './item-rows.js';
import { pageOf, startOf } from './paging.js';
import { redactStrings } from './redact-strings.js';
import { type PlannerFacts, toPlannerState } from './planner-rows.js';
import { readLeafRun, toUsage, type UsageColumns } from './run-rows.js';

interface SessionColumns {
  readonly no: number;
  readonly id: SessionId;
  readonly title: string;
  readonly goal: string;
  readonly workspace: string;
  readonly profile: SessionRecord['profile'];
  readonly context: SessionRecord['context'];
  readonly policy: string;
  readonly model: string | null;
  readonly planning: 0 | 1;
  readonly parent_id: SessionId | null;
  readonly is_mission: 0 | 1;
  readonly mission_order: string;
  readonly outcome_reason: string | null;
  readonly created_at: string;
}

interface ProgressColumns extends UsageColumns, Omit<Counts, 'leaves'> {
  readonly plan_version: number;
  readonly next_item_no: number;
}

interface CheckpointColumns {
  readonly status: Checkpoint['status'];
  readonly control: Checkpoint['control'];
  readonly current_item_id: ItemId | null;
  readonly last_run_id: RunId | null;
  readonly last_error: string | null;
  readonly step_no: number;
  readonly attempt: number;
  readonly epoch: number;
  readonly tries_left: number;
  readonly retry_at: number | null;
  readonly resume: 0 | 1;
  readonly notice: string | null;
}

export interface Row extends SessionColumns, PlannerFacts, ProgressColumns, CheckpointColumns {
  readonly plan_run_updated_at: string;
  readonly last_updated_at: string;
}

/** Everything of a session but its plan; the planner's facts come from small indexes. */
export const sessionColumns = `s.no, s.id, s.title, s.goal, s.workspace, s.profile, s.context, s.policy, s.model, s.planner,
    s.planning, s.parent_id, s.is_mission, s.mission_order, s.outcome, s.outcome_reason, s.created_at,
    (SELECT r.status FROM runs r WHERE r.kind <> 'leaf' AND r.finished_at IS NULL AND r.kind = 'planner'
       AND r.session_id = s.id LIMIT 1) AS planner_run,
    (SELECT q.held FROM planners q WHERE q.session_id = s.id) AS planner_held,
    EXISTS (SELECT 1 FROM planner_notes n WHERE n.session_id = s.id AND n.urgent = 1) AS planner_due,
    g.plan_version, g.next_item_no, g.pending, g.active, g.done, g.skipped,
    g.turns, g.input_tokens, g.output_tokens, g.cost_usd, g.duration_ms,
    p.status, p.control, p.current_item_id, p.last_run_id, p.last_error, p.step_no, p.attempt, p.epoch, p.tries_left,
    p.retry_at, p.resume, p.notice, p.updated_at AS plan_run_updated_at,
    max(s.updated_at, g.updated_at, p.updated_at) AS last_updated_at`;
const selectRows = `SELECT ${sessionColumns}
  FROM sessions s JOIN session_progress g ON g.session_id = s.id JOIN plan_runs p ON p.session_id = s.id`;

function toRecord(row: Row): SessionRecord {
  return {
    id: row.id,
    title: row.title,
    workspace: row.workspace,
    profile: row.profile,
    context: row.context,
    policy: JSON.parse(row.policy) as Policy,
    model: row.model,
    planner: row.planner,
    planning: row.planning === 1,
    parentId: row.parent_id,
    isMission: row.is_mission === 1,
    order: JSON.parse(row.mission_order) as MissionOrder,
    outcome: row.outcome,
    outcomeReason: row.outcome_reason,
    createdAt: row.created_at,
    updatedAt: row.last_updated_at,
  };
}

const toCheckpoint = (row: CheckpointColumns): Checkpoint => ({
  status: row.status,
  control: row.control,
  currentItemId: row.current_item_id,
  lastRunId: row.last_run_id,
  lastError: row.last_error,
  stepNo: row.step_no,
  attempt: row.attempt,
  epoch: row.epoch,
  triesLeft: row.tries_left,
  retryAt: row.retry_at,
  resume: row.resume === 1,
  notice: row.notice,
});

function toPlanRun(row: Row): PlanRun {
  return {
    sessionId: row.id,
    status: visibleStatus(toCheckpoint(row)),
    currentItemId: row.current_item_id,
    lastRunId: row.last_run_id,
    lastError: row.last_error,
    stepNo: row.step_no,
    attempt: row.attempt,
    epoch: row.epoch,
    updatedAt: row.plan_run_updated_at,
  };
}

export function toSessionRow(row: Row): SessionRow {
  const { pending, active, done, skipped } = row;
  const planRun = toPlanRun(row);
  return {
    record: toRecord(row),
    goal: row.goal,
    planVersion: row.plan_version,
    counts: { pending, active, done, skipped, leaves: pending + active + done + skipped },
    planRun,
    planner: toPlannerState(row, planRun.status),
    usage: toUsage(row),
  };
}

export function sessionExists(cx: Connection, id: SessionId): boolean {
  return cx.sql('SELECT 1 FROM sessions WHERE id = ?').get(id) !== undefined;
}

const readRow = (cx: Connection, id: SessionId): Row | undefined => cx.sql<Row>(`${selectRows} WHERE s.id = ?`).get(id);

export function readSession(cx: Connection, id: SessionId): SessionRecord | null {
  const row = readRow(cx, id);
  return row === undefined ? null : toRecord(row);
}

export function readSessionRow(cx: Connection, id: SessionId): SessionRow | null {
  const row = readRow(cx, id);
  return row === undefined ? null : toSessionRow(row);
}

export function readSessions(
  cx: Connection,
  filter: { readonly status?: PlanRunStatus; readonly workspace?: string },
  page: Page,
): Paged<SessionRow> {
  const conditions = ['s.no < ?'];
  const values: unknown[] = [startOf(page)];
  if (filter.workspace !== undefined) {
    conditions.push('s.workspace = ?');
    values.push(filter.workspace);
  }
  if (filter.status !== undefined) {
    // `pausing` is `running` with `control = pause`: the same rule as the domain's `visibleStatus`, as a condition.
    conditions.push(`CASE WHEN p.status = 'running' AND p.control = 'pause' THEN 'pausing' ELSE p.status END = ?`);
    values.push(filter.status);
  }
  const rows = cx
    .sql<Row>(`${selectRows} WHERE ${conditions.join(' AND ')} ORDER BY s.no DESC LIMIT ?`)
    .all(...values, page.limit + 1);
  return pageOf(rows, page, (row) => row.no, toSessionRow);
}

export function readNotAtRest(cx: Connection): SessionId[] {
  return cx
    .sql<{ id: SessionId }>(`SELECT session_id AS id FROM plan_runs WHERE status IN ('running', 'waiting')`)
    .all()
    .map(({ id }) => id);
}

/** The state that the domain decides on: plan, checkpoint, last run and what waits to be said to it. */
export function readState(cx: Connection, id: SessionId): RunState | null {
  const row = readRow(cx, id);
  if (row === undefined) return null;
  const steering = cx.sql<{ n: number }>('SELECT count(*) AS n FROM steering WHERE session_id = ?').get(id);
  return {
    sessionId: id,
    ownership: { isMission: row.is_mission === 1, planner: row.planner, isSolo: row.profile === 'solo' },
    outcome: row.outcome,
    plan: { version: row.plan_version, goal: row.goal, tree: readTree(cx, id), nextItemNo: row.next_item_no },
    checkpoint: toCheckpoint(row),
    run: readLeafRun(cx, row.last_run_id),
    steering: steering?.n ?? 0,
  };
}

/** The three rows of a new session, with an empty plan at version 0 and a checkpoint at rest. */
export function insertSession(cx: Connection, record: SessionRecord): void {
  cx.sql(
    `INSERT INTO sessions (id, title, goal, workspace, profile, context, policy, model, planner, planning, parent_id,
       is_mission, mission_order, outcome, created_at, updated_at)
     VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    record.id,
    cx.redact(record.title),
    record.workspace,
    record.profile,
    record.context,
    JSON.stringify(record.policy),
    record.model,
    record.planner,
    record.planning ? 1 : 0,
    record.parentId,
    record.isMission ? 1 : 0,
    JSON.stringify(redactStrings(record.order, cx.redact)),
    record.outcome,
    record.createdAt,
    record.updatedAt,
  );
  cx.sql(
    `INSERT INTO session_progress (session_id, plan_version, next_item_no, pending, active, done, skipped, updated_at)
     VALUES (?, 0, 1, 0, 0, 0, 0, ?)`,
  ).run(record.id, record.createdAt);
  cx.sql(
    `INSERT INTO plan_runs (session_id, status, step_no, attempt, epoch, control, tries_left, resume, updated_at)
     VALUES (?, 'idle', 0, 0, 0, 'run', 0, 0, ?)`,
  ).run(record.id, record.createdAt);
}
