/** The commands of a session as a whole, and of its chat runs. */
import { createHash } from 'node:crypto';
import type { NewEvent } from '../../../shared/event.js';
import type { Item, SessionId } from '../../../shared/plan.js';
import { buildTree } from '../../../shared/plan-tree.js';
import type { PlanChange } from '../../domain/plan.js';
import type { Store } from '../store.js';
import type { Connection } from './connection.js';
import { isUnderWay, writeCallEnd } from './call-ends.js';
import { appendEvents } from './event-rows.js';
import { useKey } from './once-rows.js';
import { writePlanChange } from './plan-rows.js';
import { insertNote } from './planner-rows.js';
import type { Sync } from './promised.js';
import { insertSession, readState, sessionExists } from './session-rows.js';

type SessionCommands = Pick<
  Store,
  'createSession' | 'renameSession' | 'setPlanning' | 'setBudget' | 'deleteSession' | 'claim' | 'grantAlways'
>;

export function sessionCommands(cx: Connection): Sync<SessionCommands> {
  return {
    createSession(record, change, once, { notes = [], call } = {}) {
      return cx.atomically(() => {
        const at = record.createdAt;
        if (!useKey(cx, once, record.id, at)) return null;
        if (call !== undefined && !isUnderWay(cx, call)) return null;
        insertSession(cx, record);
        const events: NewEvent[] = [{ type: 'session.created', data: {} }];
        if (change !== null) events.push(writeFirstPlan(cx, record.id, change, at));
        for (const note of notes) insertNote(cx, record.id, note, at);
        const ended = call === undefined ? null : writeCallEnd(cx, call, at);
        return {
          events: appendEvents(cx, record.id, events, at),
          ofCall: call === undefined || ended === null ? [] : appendEvents(cx, call.sessionId, [ended.event], at),
        };
      });
    },

    renameSession(id, title) {
      const { changes } = cx
        .sql('UPDATE sessions SET title = ?, updated_at = ? WHERE id = ?')
        .run(cx.redact(title), cx.now(), id);
      return changes === 1;
    },

    setPlanning(id, planning) {
      cx.sql('UPDATE sessions SET planning = ?, updated_at = ? WHERE id = ?').run(planning ? 1 : 0, cx.now(), id);
    },

    setBudget(id, budget) {
      const { changes } = cx
        .sql(`UPDATE sessions SET policy = json_set(policy, '$.budget', json(?)), updated_at = ? WHERE id = ?`)
        .run(JSON.stringify(budget), cx.now(), id);
      return changes === 1;
    },

    deleteSession(id) {
      const events = cx.atomically(() => {
        if (!sessionExists(cx, id)) return null;
        // Its event first: the newest event is never deleted, so that no sequence is given out twice.
        const [deleted] = appendEvents(cx, id, [{ type: 'session.deleted', data: {} }], cx.now());
        cx.sql('DELETE FROM events WHERE session_id = ? AND seq < ?').run(id, deleted?.seq);
        cx.sql('DELETE FROM sessions WHERE id = ?').run(id);
        return deleted === undefined ? null : [deleted];
      });
      return events ?? [];
    },

    claim(id) {
      return cx.atomically(() => {
        cx.sql('UPDATE plan_runs SET epoch = epoch + 1 WHERE session_id = ?').run(id);
        return readState(cx, id);
      });
    },

    grantAlways(sessionId, tool, subject) {
      cx.sql(
        `INSERT INTO grants (session_id, tool, subject, at) SELECT id, ?, ?, ? FROM sessions WHERE id = ?
         ON CONFLICT DO NOTHING`,
      ).run(tool, digestOf(subject), cx.now(), sessionId);
    },
  };
}

function writeFirstPlan(cx: Connection, id: SessionId, change: PlanChange, at: string): NewEvent {
  const items = change.items.flatMap(({ after }): Item[] => (after === null ? [] : [after]));
  if (!writePlanChange(cx, id, change, buildTree(items), at)) {
    throw new Error(`the plan of a new session is version 1, not ${change.version}`);
  }
  const { version, author, explanation } = change;
  return { type: 'plan.revised', data: { version, author, explanation, added: items.length, removed: 0, changed: 0 } };
}

export function readGrant(cx: Connection, sessionId: SessionId, tool: string, subject: string): boolean {
  return (
    cx.sql('SELECT 1 FROM grants WHERE session_id = ? AND tool = ? AND subject = ?').get(sessionId, tool, digestOf(subject)) !==
    undefined
  );
}

/** A grant must match exactly and must not keep a secret: redaction would make different commands equal, a digest does not. */
const digestOf = (subject: string): string => createHash('sha256').update(subject).digest('hex');
