/** Rows of `reports` and `receipts`: what the work says of itself, and what the daemon saw. Both are only ever added to. */
import type { NewEvent } from '../../../shared/event.js';
import type { Handover, Report, ReportKind } from '../../../shared/mission.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import type { Receipt, Run, RunId } from '../../../shared/run.js';
import type { Page, Paged } from '../queries.js';
import type { Store } from '../store.js';
import type { Connection } from './connection.js';
import { appendEvents } from './event-rows.js';
import { pageOf, startOf } from './paging.js';
import { tellOfReport } from './planner-rows.js';
import type { Sync } from './promised.js';
import { redactStrings } from './redact-strings.js';
import { sessionExists } from './session-rows.js';

interface ReportRow {
  readonly no: number;
  readonly id: string;
  readonly session_id: SessionId;
  readonly run_id: RunId | null;
  readonly item_id: ItemId | null;
  readonly kind: ReportKind;
  readonly summary: string;
  readonly detail: string | null;
  readonly refs: string | null;
  readonly handover: string | null;
  readonly by_runtime: 0 | 1;
  readonly at: string;
}

const toReport = (row: ReportRow): Report => ({
  id: row.id,
  sessionId: row.session_id,
  runId: row.run_id,
  itemId: row.item_id,
  kind: row.kind,
  summary: row.summary,
  ...(row.detail === null ? {} : { detail: row.detail }),
  ...(row.refs === null ? {} : { refs: JSON.parse(row.refs) as string[] }),
  ...(row.handover === null ? {} : { handover: JSON.parse(row.handover) as Handover }),
  byRuntime: row.by_runtime === 1,
  at: row.at,
});

/**
 * Files a report inside a transaction, and tells the planner that it is for; gives its event. Null after an outcome: then no
 * report lands.
 */
export function fileReport(cx: Connection, report: Omit<Report, 'id' | 'at'>, at: string): NewEvent | null {
  const { sessionId, runId } = report;
  if (cx.sql('SELECT 1 FROM sessions WHERE id = ? AND outcome IS NULL').get(sessionId) === undefined) return null;
  const kind = runId === null ? undefined : cx.sql<{ kind: Run['kind'] }>('SELECT kind FROM runs WHERE id = ?').get(runId)?.kind;
  tellOfReport(cx, report, kind ?? 'leaf', at);
  return insertReport(cx, report, at);
}

/** A run gives one terminal report: true when it has. */
export const hasEnded = (cx: Connection, runId: RunId): boolean =>
  cx.sql(`SELECT 1 FROM reports WHERE run_id = ? AND kind IN ('result', 'blocker')`).get(runId) !== undefined;

function insertReport(cx: Connection, report: Omit<Report, 'id' | 'at'>, at: string): NewEvent {
  const id = cx.newId('p');
  const { sessionId, runId, itemId, kind, detail, refs, handover } = report;
  cx.sql(
    `INSERT INTO reports (no, session_id, id, run_id, item_id, kind, summary, detail, refs, handover, by_runtime, at)
     VALUES ((SELECT coalesce(max(no), 0) + 1 FROM reports WHERE session_id = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    sessionId,
    sessionId,
    id,
    runId,
    itemId,
    kind,
    cx.redact(report.summary),
    detail === undefined ? null : cx.redact(detail),
    refs === undefined ? null : JSON.stringify(redactStrings(refs, cx.redact)),
    handover === undefined ? null : JSON.stringify(redactStrings(handover, cx.redact)),
    report.byRuntime ? 1 : 0,
    at,
  );
  return { type: 'report.filed', ...(runId === null ? {} : { runId }), data: { id, kind, itemId } };
}

export function readReports(cx: Connection, sessionId: SessionId, kind: ReportKind | null, page: Page): Paged<Report> {
  const rows = cx
    .sql<ReportRow>(`SELECT * FROM reports WHERE session_id = ? AND no < ? AND (? IS NULL OR kind = ?) ORDER BY no DESC LIMIT ?`)
    .all(sessionId, startOf(page), kind, kind, page.limit + 1);
  return pageOf(rows, page, (row) => row.no, toReport);
}

interface ReceiptRow {
  readonly id: string;
  readonly item_id: ItemId;
  readonly run_id: RunId;
  readonly attempt: number;
  readonly command: string;
  readonly exit_code: number | null;
  readonly passed: 0 | 1;
  readonly output_hash: string;
  readonly output_tail: string;
  readonly tree_hash: string | null;
  readonly duration_ms: number;
  readonly at: string;
}

function insertReceipt(cx: Connection, sessionId: SessionId, receipt: Receipt): NewEvent {
  cx.sql(
    `INSERT INTO receipts (id, session_id, item_id, run_id, attempt, command, exit_code, passed, output_hash, output_tail,
       tree_hash, duration_ms, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    receipt.id,
    sessionId,
    receipt.itemId,
    receipt.runId,
    receipt.attempt,
    cx.redact(receipt.command),
    receipt.exitCode,
    receipt.passed ? 1 : 0,
    receipt.outputHash,
    cx.redact(receipt.outputTail),
    receipt.treeHash,
    receipt.durationMs,
    receipt.at,
  );
  const { id, itemId, runId, passed, exitCode } = receipt;
  return { type: 'receipt.recorded', runId, data: { id, itemId, passed, exitCode } };
}

export function readReceipts(cx: Connection, sessionId: SessionId, itemId: ItemId): Receipt[] {
  return cx
    .sql<ReceiptRow>('SELECT * FROM receipts WHERE session_id = ? AND item_id = ? ORDER BY no')
    .all(sessionId, itemId)
    .map((row) => ({
      id: row.id,
      itemId: row.item_id,
      runId: row.run_id,
      attempt: row.attempt,
      command: row.command,
      exitCode: row.exit_code,
      passed: row.passed === 1,
      outputHash: row.output_hash,
      outputTail: row.output_tail,
      treeHash: row.tree_hash,
      durationMs: row.duration_ms,
      at: row.at,
    }));
}

export function reportCommands(cx: Connection): Sync<Pick<Store, 'fileReport' | 'recordReceipt' | 'appendEvents'>> {
  const appending = (sessionId: SessionId, write: (at: string) => readonly NewEvent[]) =>
    cx.atomically(() => {
      if (!sessionExists(cx, sessionId)) return null;
      const at = cx.now();
      return appendEvents(cx, sessionId, write(at), at);
    }) ?? [];
  return {
    fileReport(report) {
      return appending(report.sessionId, (at) => [fileReport(cx, report, at) ?? []].flat());
    },
    recordReceipt(sessionId, receipt) {
      return appending(sessionId, () => [insertReceipt(cx, sessionId, receipt)]);
    },
    appendEvents(sessionId, events) {
      return appending(sessionId, () => events);
    },
  };
}
