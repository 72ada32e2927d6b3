/** The store on one SQLite file: its commands and queries put together. Opening the file is `open-store.ts`. */
import { stat } from 'node:fs/promises';
import type { Queries } from '../queries.js';
import type { Store } from '../store.js';
import { chatCommands } from './chat-commands.js';
import { commitCommands } from './commit.js';
import type { Connection } from './connection.js';
import { readEffects, readItemEffects, readTranscriptEffects } from './effect-rows.js';
import { lastSeq, readEvents } from './event-rows.js';
import {
  readApproval,
  readApprovalCalls,
  readDeadlines,
  readEntriesOfRun,
  readEntry,
  readInbox,
  readQuestion,
} from './inbox-rows.js';
import {
  readConversation,
  readEarlierTranscripts,
  readPlacedMessages,
  readTranscript,
  readTranscriptAfter,
} from './message-rows.js';
import { readFamily, readMissionTree, readOpenChildren, readToTend } from './mission-rows.js';
import { readKey } from './once-rows.js';
import { plannerCommands } from './planner-commands.js';
import { readPlanner } from './planner-rows.js';
import { readRevisionChanges, readRevisions, readShapeVersion } from './plan-rows.js';
import { promised, type Sync } from './promised.js';
import { readReceipts, readReports, reportCommands } from './report-rows.js';
import { runCommands } from './run-commands.js';
import { readOpenChats, readRun, readRuns } from './run-rows.js';
import { readGrant, sessionCommands } from './session-commands.js';
import { readNotAtRest, readSession, readSessionRow, readSessions, readState } from './session-rows.js';
import { readSpending } from './spending-rows.js';
import { readSteps, readTrimState } from './steps-rows.js';
import { readSummary } from './summary-rows.js';
import { readUsage } from './usage-rows.js';

export function createSqliteStore(cx: Connection): Store {
  return {
    kind: 'sqlite',
    schemaVersion: () => cx.db.pragma('user_version', { simple: true }) as number,
    sizeBytes: () => sizeOf(cx.db.name),
    ...promised<Omit<Store, 'kind' | 'schemaVersion' | 'sizeBytes'>>({
      close: () => void cx.db.close(),
      ...queries(cx),
      ...sessionCommands(cx),
      ...commitCommands(cx),
      ...chatCommands(cx),
      ...plannerCommands(cx),
      ...runCommands(cx),
      ...reportCommands(cx),
    }),
  };
}

/** Each answers in one go, from one connection: what it reads is one state. */
function queries(cx: Connection): Sync<Omit<Queries, 'schemaVersion' | 'sizeBytes'>> {
  return {
    lastSeq: () => lastSeq(cx),
    once: (once) => readKey(cx, once),

    session: (id) => readSession(cx, id),
    sessionRow: (id) => readSessionRow(cx, id),
    listSessions: (filter, page) => readSessions(cx, filter, page),
    sessionsNotAtRest: () => readNotAtRest(cx),
    counts: () => readCounts(cx),
    sessionsToTend: () => readToTend(cx),
    planner: (id) => readPlanner(cx, id),
    openChildren: (id) => readOpenChildren(cx, id),
    family: (id) => readFamily(cx, id),
    missionTree: (id) => readMissionTree(cx, id),
    summary: (since, id) => readSummary(cx, since, id),
    shapeVersion: (id) => readShapeVersion(cx, id),

    loadState: (id) => readState(cx, id),

    revisions: (id, page, withStatusOnly) => readRevisions(cx, id, page, withStatusOnly),
    revisionChanges: (id, after, upTo) => readRevisionChanges(cx, id, after, upTo),

    run: (id) => readRun(cx, id),
    runs: (id, itemId, page) => readRuns(cx, id, itemId, page),
    openChats: () => readOpenChats(cx),
    transcript: (runId) => readTranscript(cx, runId),
    transcriptAfter: (runId, after) => readTranscriptAfter(cx, runId, after),
    placedMessages: (runId) => readPlacedMessages(cx, runId),
    steps: (runId) => readSteps(cx, runId),
    trimState: (runId) => readTrimState(cx, runId),
    effects: (runId) => readEffects(cx, runId),
    transcriptEffects: (runId) => readTranscriptEffects(cx, runId),
    itemEffects: (sessionId, itemId) => readItemEffects(cx, sessionId, itemId),
    receipts: (sessionId, itemId) => readReceipts(cx, sessionId, itemId),
    reports: (id, kind, page) => readReports(cx, id, kind, page),
    earlierTranscripts: (id, exceptRun) => readEarlierTranscripts(cx, id, exceptRun),
    conversation: (id) => readConversation(cx, id),

    inboxEntry: (id) => readEntry(cx, id),
    inbox: (filter, page) => readInbox(cx, filter, page),
    inboxOfRun: (runId) => readEntriesOfRun(cx, runId),
    questionOf: (effectId) => readQuestion(cx, effectId),
    approvalOf: (effectId) => readApproval(cx, effectId),
    approvalCalls: (id) => readApprovalCalls(cx, id),
    openDeadlines: () => readDeadlines(cx),
    isGranted: (sessionId, tool, subject) => readGrant(cx, sessionId, tool, subject),

    spending: (id, itemId) => readSpending(cx, id, itemId),

    eventsAfter: (after, sessionId, limit) => readEvents(cx, after, sessionId, limit),
    usage: (sessionId) => readUsage(cx, sessionId),
  };
}

function readCounts(cx: Connection): Awaited<ReturnType<Queries['counts']>> {
  return cx
    .sql<Awaited<ReturnType<Queries['counts']>>>(
      `SELECT (SELECT count(*) FROM sessions) AS sessions,
         (SELECT count(*) FROM plan_runs WHERE status = 'running') AS running,
         (SELECT count(*) FROM inbox WHERE state = 'open') AS inbox`,
    )
    .get() as Awaited<ReturnType<Queries['counts']>>;
}

/** Bytes of the database with its log. */
async function sizeOf(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
