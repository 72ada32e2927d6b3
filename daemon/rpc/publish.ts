/**
 * Tells watchers what changed, in the order of the commits, and never more than a client can take: one that is slow
 * misses the parts and gets a fresh snapshot when it has caught up. Nothing is kept for it meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item, SessionId } from '../../shared/plan.js';
import type { Liveness } from '../../shared/run.js';
import { outputLeftOut, type RunOutput, type SessionChanged, type Snapshot } from '../../shared/session.js';
import type { Committed, Publisher } from '../runner/publisher.js';
import type { Queries } from '../store/queries.js';
import type { CallContext, Connection } from './handlers.js';
import { createWatches, type Watch } from './watches.js';
import { readSnapshot, toSession } from './wire.js';

export interface WatchPublisher extends Publisher {
  /** Null when there is no such session. Nothing is told before the answer that carries the snapshot. */
  watch(
    client: { connection: Connection; afterAnswer: CallContext['afterAnswer'] },
    sessionId: SessionId,
  ): Promise<Snapshot | null>;
  unwatch(connection: Connection, sessionId: SessionId): void;
  /** Called after each commit, for those who follow the events. */
  onCommitted(callback: (what: Committed) => void): void;
}

/** A session that cannot be read ends the connections of its watchers: they come back and watch again. */
export function createWatchPublisher(
  store: Queries,
  liveness: (id: SessionId) => Promise<Liveness>,
  onBug: (error: unknown, what: string) => void,
): WatchPublisher {
  const watches = createWatches((sessionId, watch) => tellInOrder(sessionId, () => catchUp(sessionId, watch)));
  const chains = new Map<SessionId, Promise<void>>();
  const callbacks = new Set<(what: Committed) => void>();

  /** One after the other for each session, so that what is read later is told later. */
  function inOrder<T>(sessionId: SessionId, work: () => T | Promise<T>): Promise<T> {
    const result = (chains.get(sessionId) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    chains.set(sessionId, settled);
    void settled.then(() => chains.get(sessionId) === settled && chains.delete(sessionId));
    return result;
  }

  function tellInOrder(sessionId: SessionId, work: () => void | Promise<void>): void {
    inOrder(sessionId, work).catch((error: unknown) => {
      onBug(error, 'session.changed');
      for (const { connection } of watches.of(sessionId)) connection.close('the session cannot be read');
    });
  }

  async function catchUp(sessionId: SessionId, watch: Watch): Promise<void> {
    const mayTell = (): boolean => watch.behind && watch.answered && !watch.connection.busy && watches.has(sessionId, watch);
    if (!mayTell()) return;
    const snapshot = await readSnapshot(store, liveness, sessionId);
    // Gone: its deletion is the next thing that is told.
    if (snapshot === null || !mayTell()) return;
    watch.behind = false;
    watch.since = snapshot.seq;
    watch.seq = snapshot.seq;
    watch.version = snapshot.session.planVersion;
    watch.connection.notify('session.changed', { sessionId, seq: snapshot.seq, snapshot });
  }

  async function tell(what: Committed): Promise<void> {
    const { sessionId, plan } = what;
    const seq = what.events.at(-1)?.seq;
    // Compared with the snapshot only: two commits may be published in the other order than they were stored.
    const concerned = watches.of(sessionId).filter((watch) => seq === undefined || seq > watch.since);
    if (concerned.length === 0) return;
    const change = await changeOf(what, seq ?? 0);
    for (const watch of concerned) {
      if (!watches.has(sessionId, watch)) continue;
      const missed = plan !== undefined && plan.fromVersion !== watch.version;
      if (missed || !watch.answered || watch.connection.busy) watch.behind = true;
      if (watch.behind) await catchUp(sessionId, watch);
      else tellChange(watch, change, plan !== undefined);
    }
  }

  function tellChange(watch: Watch, change: SessionChanged, revised: boolean): void {
    watch.seq = Math.max(watch.seq, change.seq);
    if (revised) watch.version += 1;
    // The row may be of a later commit already; the version that a client compares with is that of what it was told.
    const session = change.session && { session: { ...change.session, planVersion: watch.version } };
    watch.connection.notify('session.changed', { ...change, ...session, seq: watch.seq });
  }

  /** Told to slow clients as well: no snapshot can follow. */
  function tellDeleted({ sessionId, events }: Committed): void {
    const seq = events.at(-1)?.seq ?? 0;
    for (const { connection, afterAnswer } of watches.of(sessionId)) {
      afterAnswer(() => connection.notify('session.changed', { sessionId, seq, deleted: true }));
    }
    watches.forget(sessionId);
  }

  /** `seq` is 0 for a commit without events (another title): its watchers stay at theirs. */
  async function changeOf({ sessionId, events, plan, inbox }: Committed, seq: number): Promise<SessionChanged> {
    const runId = events.findLast(({ type }) => type.startsWith('run.') || type === 'turn.completed')?.runId;
    const [row, run, life] = await Promise.all([
      store.sessionRow(sessionId),
      runId === undefined ? null : store.run(runId),
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

  function tellOutput(output: RunOutput): void {
    for (const watch of watches.of(output.sessionId)) {
      if (watch.behind) continue;
      const { connection, answered } = watch;
      if (answered && !connection.busy) connection.notify('run.output', output);
      else {
        watch.behind = true;
        if (answered) connection.notify('run.output', { ...output, stream: 'notice', text: outputLeftOut });
      }
    }
  }

  return {
    committed(what) {
      const { sessionId, deleted } = what;
      if (watches.of(sessionId).length > 0 || chains.has(sessionId)) {
        tellInOrder(sessionId, () => (deleted ? tellDeleted(what) : tell(what)));
      }
      for (const callback of callbacks) callback(what);
    },
    output(output) {
      if (watches.of(output.sessionId).length > 0) tellInOrder(output.sessionId, () => tellOutput(output));
    },
    watch(client, sessionId) {
      const snapshot = inOrder(sessionId, async () => {
        const read = await readSnapshot(store, liveness, sessionId);
        if (read !== null) watches.add(sessionId, client, read);
        return read;
      });
      // Mostly enough for the answer to leave before the first change; what comes earlier waits for it (a batch).
      tellInOrder(sessionId, () => nextTurn());
      return snapshot;
    },
    unwatch: (connection, sessionId) => watches.remove(connection, sessionId),
    onCommitted: (callback) => void callbacks.add(callback),
  };
}
