/** The dispatcher of one process: a queue of sessions in the order in which they woke, and a number of slots. */
import type { SessionId } from '../../shared/plan.js';
import type { Dispatcher, DriveHandler } from '../store/dispatcher.js';

export function createLocalDispatcher(slots: number, onBug: (error: unknown, sessionId: SessionId) => void): Dispatcher {
  const queue = new Set<SessionId>();
  const driven = new Map<SessionId, Promise<void>>();
  /** Woken while they were driven: looked at once more afterwards. */
  const again = new Set<SessionId>();
  const stopping = new AbortController();
  let handler: DriveHandler | null = null;

  function pump(): void {
    if (handler === null || stopping.signal.aborted) return;
    for (const sessionId of queue) {
      if (driven.size >= slots) return;
      queue.delete(sessionId);
      driven.set(sessionId, drive(handler, sessionId));
    }
  }

  async function drive(run: DriveHandler, sessionId: SessionId): Promise<void> {
    // Not in the caller's turn: a wake is often given in the middle of somebody's command.
    await Promise.resolve();
    try {
      await run(sessionId, stopping.signal);
    } catch (error) {
      onBug(error, sessionId);
    } finally {
      driven.delete(sessionId);
      if (again.delete(sessionId)) queue.add(sessionId);
      pump();
    }
  }

  return {
    start(given) {
      handler = given;
      pump();
    },
    async stop() {
      stopping.abort();
      queue.clear();
      await Promise.all(driven.values());
    },
    wake(sessionId) {
      if (stopping.signal.aborted) return;
      if (driven.has(sessionId)) again.add(sessionId);
      else queue.add(sessionId);
      pump();
    },
    contended: () => queue.size > 0,
  };
}
