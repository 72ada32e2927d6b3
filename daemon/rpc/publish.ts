/**
 * Tells watchers what changed, in the order of the commits, and never more than a client can take: one that is slow
 * misses the parts and gets a fresh snapshot when it has caught up. Nothing is kept for it meanwhile.
 */
import type { Item, SessionId } from '../../shared/plan.js';
import type { Liveness } from '../../shared/run.js';
import type { RunOutput, SessionChanged, Snapshot } from '../../shared/session.js';
import type { Committed, Publisher } from '../runner/publisher.js';
import type { Queries } from '../store/queries.js';
import type { Connection } from './handlers.js';
import { readSnapshot, toSession } from './wire.js';

interface Watch {
  readonly connection: Connection;
  /** Sequence of the last event that its snapshot contains. */
  seq: number;
  /** It missed something, and gets a snapshot as soon as it can take one. */
  behind: boolean;
}

export interface WatchPublisher extends Publisher {
  /** Null when there is no such session. */
  watch(connection: Connection, sessionId: SessionId): Promise<Snapshot | null>;
  unwatch(connection: Connection, sessionId: SessionId): void;
  /** Called after each commit, for those who follow the events. */
  onCommitted(callback: () => void): void;
}

const leftOut = '[output left out: this client was too slow]';

export function createWatchPublisher(store: Queries, liveness: (id: SessionId) => Promise<Liveness>): WatchPublisher {
  const watches = new Map<SessionId, Map<string, Watch>>();
  const chains = new Map<SessionId, Promise<void>>();
  const callbacks = new Set<() => void>();
  const known = new WeakSet<Connection>();

  /** One after the other for each session, so that what is read later is told later. */
  function inOrder(sessionId: SessionId, work: () => Promise<void>): void {
    const next = (chains.get(sessionId) ?? Promise.resolve()).then(work).catch(() => undefined);
    chains.set(sessionId, next);
    void next.then(() => chains.get(sessionId) === next && chains.delete(sessionId));
  }

  function remove(connection: Connection, sessionId: SessionId): void {
    const of = watches.get(sessionId);
    of?.delete(connection.id);
    if (of?.size === 0) watches.delete(sessionId);
  }

  function meet(connection: Connection): void {
    if (known.has(connection)) return;
    known.add(connection);
    connection.onClose(() => {
      for (const sessionId of [...watches.keys()]) remove(connection, sessionId);
    });
    connection.onDrain(() => {
      for (const [sessionId, of] of watches) {
        const watch = of.get(connection.id);
        if (watch?.behind) inOrder(sessionId, () => catchUp(sessionId, watch));
      }
    });
  }

  async function catchUp(sessionId: SessionId, watch: Watch): Promise<void> {
    if (!watch.behind || watch.connection.busy) return;
    const snapshot = await readSnapshot(store, liveness, sessionId);
    if (snapshot === null) return;
    watch.behind = false;
    watch.seq = snapshot.seq;
    watch.connection.notify('session.changed', { sessionId, seq: snapshot.seq, snapshot });
  }

  async function tell(what: Committed): Promise<void> {
    const { sessionId } = what;
    const seq = what.events.at(-1)?.seq;
    const waiting = [...(watches.get(sessionId)?.values() ?? [])].filter((watch) => seq === undefined || seq > watch.seq);
    if (waiting.length === 0) return;
    const change = await changeOf(what, seq ?? (await store.lastSeq()));
    for (const watch of waiting) {
      if (watch.connection.busy) watch.behind = true;
      if (!watch.behind) watch.connection.notify('session.changed', change);
    }
    if (what.deleted) watches.delete(sessionId);
  }

  async function changeOf({ sessionId, events, plan, inbox, deleted }: Committed, seq: number): Promise<SessionChanged> {
    if (deleted) return { sessionId, seq, deleted: true };
    const runId = events.findLast((event) => event.type.startsWith('run.') || event.type === 'turn.completed')?.runId;
    const [row, run, life] = await Promise.all([
      store.sessionRow(sessionId),
      runId === undefined ? null : store.run(runId as never),
      liveness(sessionId),
    ]);
    const items = plan?.items.flatMap(({ after }): Item[] => (after ? [after] : [])) ?? [];
    const removed = plan?.items.filter(({ after }) => after === null).map(({ id }) => id) ?? [];
    return {
      sessionId,
      seq,
      ...(plan ? { fromVersion: plan.fromVersion, items, removed } : {}),
      ...(row ? { session: toSession(row), planRun: row.planRun } : {}),
      liveness: life,
      ...(run ? { run } : {}),
      ...(inbox && inbox.length > 0 ? { inbox: [...inbox] } : {}),
    };
  }

  function output(output: RunOutput): void {
    for (const watch of watches.get(output.sessionId)?.values() ?? []) {
      if (!watch.connection.busy && !watch.behind) watch.connection.notify('run.output', output);
      else if (!watch.behind) {
        watch.behind = true;
        watch.connection.notify('run.output', { ...output, stream: 'notice', text: leftOut });
      }
    }
  }

  return {
    committed(what) {
      if (watches.has(what.sessionId)) inOrder(what.sessionId, () => tell(what));
      for (const callback of callbacks) callback();
    },
    output,
    watch: (connection, sessionId) =>
      new Promise((resolve, reject) => {
        meet(connection);
        inOrder(sessionId, async () => {
          try {
            const snapshot = await readSnapshot(store, liveness, sessionId);
            if (snapshot !== null) {
              const of = watches.get(sessionId) ?? new Map<string, Watch>();
              of.set(connection.id, { connection, seq: snapshot.seq, behind: false });
              watches.set(sessionId, of);
            }
            resolve(snapshot);
            // The answer leaves before the first change that follows it.
            await new Promise((next) => setImmediate(next));
          } catch (error) {
            reject(error as Error);
          }
        });
      }),
    unwatch: remove,
    onCommitted: (callback) => void callbacks.add(callback),
  };
}
