/** The commands of a resident planner: its queue, its runs, and what holds it. */
import type { NewEvent } from '../../../shared/event.js';
import type { SessionId } from '../../../shared/plan.js';
import type { RunId } from '../../../shared/run.js';
import type { Store } from '../store.js';
import { endOf, startOf } from './chat-commands.js';
import type { Connection } from './connection.js';
import { appendEvents } from './event-rows.js';
import { inboxEvent, openEntry, withdrawEntries, withdrawHeld } from './inbox-rows.js';
import { insertMessage } from './message-rows.js';
import { useKey } from './once-rows.js';
import { insertNote, writePlanner } from './planner-rows.js';
import type { Sync } from './promised.js';
import { insertRun, readOpenPlanner, readRun } from './run-rows.js';

type PlannerCommands = Pick<
  Store,
  'addNote' | 'dropNotes' | 'beginPlanner' | 'resumePlanner' | 'endPlanner' | 'keepPlanner' | 'holdPlanner'
>;

interface Place {
  readonly plan_version: number;
  readonly epoch: number;
  /** No person has paused or cancelled it. */
  readonly isFree: 0 | 1;
}

export function plannerCommands(cx: Connection): Sync<PlannerCommands> {
  /** Of a session that has not ended. */
  const placeOf = (id: SessionId): Place | undefined =>
    cx
      .sql<Place>(
        `SELECT g.plan_version, p.epoch, p.control = 'run' AND p.status NOT IN ('paused', 'cancelled') AS isFree
         FROM sessions s JOIN session_progress g ON g.session_id = s.id
           JOIN plan_runs p ON p.session_id = s.id WHERE s.id = ? AND s.outcome IS NULL`,
      )
      .get(id);

  const insertPlannerRun = (id: RunId, sessionId: SessionId, resumes: RunId | null, place: Place, at: string): string => {
    const run = { id, sessionId, itemId: null, kind: 'planner', status: 'running', resumes, attempt: 1, claim: null } as const;
    return insertRun(cx, { ...run, deaths: 0, epoch: place.epoch, planVersion: place.plan_version, leafDigest: '' }, at);
  };

  return {
    addNote(sessionId, note, once) {
      const added = cx.atomically(() => {
        const at = cx.now();
        if (placeOf(sessionId) === undefined) return null;
        if (once !== null && !useKey(cx, once.once, once.ref, at)) return null;
        insertNote(cx, sessionId, note, at);
        return true;
      });
      return added !== null;
    },

    dropNotes(sessionId, kind) {
      cx.sql('DELETE FROM planner_notes WHERE session_id = ? AND kind = ? AND run_id IS NULL').run(sessionId, kind);
    },

    beginPlanner({ id, sessionId, resumes, brief, words, notes }) {
      return cx.atomically(() => {
        const at = cx.now();
        const place = placeOf(sessionId);
        if (place === undefined || place.isFree === 0 || readOpenPlanner(cx, sessionId) !== null) return null;
        const { changes } = cx
          .sql(
            `UPDATE planner_notes SET run_id = ?, told = 1
             WHERE session_id = ? AND run_id IS NULL AND no IN (SELECT value FROM json_each(?))`,
          )
          .run(id, sessionId, JSON.stringify(notes));
        if (changes !== notes.length) return null;
        const transcriptId = insertPlannerRun(id, sessionId, resumes, place, at);
        const where = { role: 'user', at, transcriptId, runId: id, sessionId } as const;
        insertMessage(cx, { ...where, kind: 'notice', content: brief, spoken: false });
        for (const content of words) insertMessage(cx, { ...where, kind: 'chat', content, spoken: true });
        writePlanner(cx, sessionId, { lastRunId: id, held: null, retryAt: null, nextRun: null });
        const freed = withdrawHeld(cx, sessionId, at).map(inboxEvent);
        return appendEvents(cx, sessionId, [startOf(id, 'planner', resumes), ...freed], at);
      });
    },

    resumePlanner({ id, sessionId, resumes }) {
      return cx.atomically(() => {
        const at = cx.now();
        const place = placeOf(sessionId);
        const before = readRun(cx, resumes);
        if (place === undefined || place.isFree === 0 || before === null) return null;
        const ended = endOf(cx, resumes, sessionId, 'interrupted', 'the daemon died', at);
        cx.sql('UPDATE planner_notes SET run_id = ? WHERE session_id = ? AND run_id = ?').run(id, sessionId, resumes);
        // It has seen of the plan what its transcript says.
        insertPlannerRun(id, sessionId, resumes, { ...place, plan_version: before.planVersion }, at);
        // What the dead one had changed it has changed: the two are one turn of the planner.
        cx.sql('UPDATE planners SET moved_run = ? WHERE session_id = ? AND moved_run = ?').run(id, sessionId, resumes);
        writePlanner(cx, sessionId, { lastRunId: id });
        const events: NewEvent[] = [...(ended === null ? [] : [ended]), startOf(id, 'planner', resumes)];
        return appendEvents(cx, sessionId, events, at);
      });
    },

    endPlanner({ runId, sessionId, status, error, keep, note, entry }) {
      return cx.atomically(() => {
        const at = cx.now();
        const event = endOf(cx, runId, sessionId, status, error, at);
        if (event === null) return null;
        if (status === 'completed') cx.sql('DELETE FROM planner_notes WHERE session_id = ? AND run_id = ?').run(sessionId, runId);
        else cx.sql('UPDATE planner_notes SET run_id = NULL WHERE session_id = ? AND run_id = ?').run(sessionId, runId);
        writePlanner(cx, sessionId, keep);
        if (note !== null) insertNote(cx, sessionId, note, at);
        const withdrawn = withdrawEntries(cx, runId, at);
        const opened = entry === null ? null : openEntry(cx, sessionId, entry, at);
        const inbox = [...withdrawn, ...(opened === null ? [] : [opened])];
        return { inbox, events: appendEvents(cx, sessionId, [event, ...inbox.map(inboxEvent)], at) };
      });
    },

    keepPlanner(sessionId, keep) {
      cx.atomically(() => {
        writePlanner(cx, sessionId, keep);
        return true;
      });
    },

    holdPlanner(sessionId, reason, entry) {
      const done = cx.atomically(() => {
        const at = cx.now();
        if (placeOf(sessionId) === undefined) return null;
        writePlanner(cx, sessionId, { held: reason });
        const opened = entry === null ? null : openEntry(cx, sessionId, entry, at);
        const inbox = reason === null ? withdrawHeld(cx, sessionId, at) : opened === null ? [] : [opened];
        return { inbox, events: appendEvents(cx, sessionId, inbox.map(inboxEvent), at) };
      });
      return done ?? { inbox: [], events: [] };
    },
  };
}
