/** What the log says of sessions: every change of a plan run and the end of every run, with the reason where one stops. */
import type { CairnEvent } from '../shared/event.js';
import type { Logger } from './log.js';
import type { Committed } from './runner/publisher.js';
import type { Queries } from './store/queries.js';

const stops = new Set<unknown>(['blocked', 'failed']);

/** Call with every commit: so that "why did this stop" is answered by a search for the session's or the run's id. */
export function createEventLog(log: Logger, store: Queries): (what: Committed) => void {
  async function tellWhy(event: CairnEvent): Promise<void> {
    const row = await store.sessionRow(event.sessionId);
    const { lastRunId, lastError, currentItemId, attempt } = row?.planRun ?? {};
    log.warn(
      { sessionId: event.sessionId, runId: lastRunId, itemId: currentItemId, attempt, reason: lastError },
      `plan ${String(event.data.status)}`,
    );
  }

  return ({ events }) => {
    for (const event of events) {
      const { sessionId, runId, type, data } = event;
      if (type === 'plan_run.changed' && stops.has(data.status)) {
        void tellWhy(event).catch((error: unknown) => log.error({ err: error, sessionId }, 'the reason could not be read'));
      } else if (type === 'plan_run.changed' || type.startsWith('run.')) {
        log.info({ sessionId, ...(runId === undefined ? {} : { runId }), ...data }, type);
      }
    }
  };
}
