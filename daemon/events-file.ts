/** `--events-jsonl FILE`: every durable event as a line, in order, without gaps. */
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';
import { ok, type Result } from '../shared/errors.js';
import { eventSchemaName } from '../shared/event.js';
import { attempt } from './attempt.js';
import type { Queries } from './store/queries.js';

const pageSize = 500;

/** Follows the store from the last event that the file has; call `wake` after each commit. */
export function createEventsFile(path: string, store: Queries, onError: (error: unknown) => void): Result<{ wake(): void }> {
  const opened = attempt(path, () => {
    closeSync(openSync(path, 'a', 0o600));
    return ok(lastSeqIn(path));
  });
  if (!opened.ok) return opened;
  let after = opened.value;
  let writing = false;
  let again = false;

  async function pump(): Promise<void> {
    if (writing) {
      again = true;
      return;
    }
    writing = true;
    try {
      do {
        again = false;
        for (;;) {
          const events = await store.eventsAfter(after, null, pageSize);
          if (events.length === 0) break;
          appendFileSync(path, events.map((event) => `${JSON.stringify({ schema: eventSchemaName, ...event })}\n`).join(''));
          after = events.at(-1)?.seq ?? after;
        }
      } while (again);
    } catch (error) {
      onError(error);
    } finally {
      writing = false;
    }
  }

  return ok({ wake: () => void pump() });
}

/** A crash may have cut the last line off: it is ended here, and its event is written again, whole. */
function lastSeqIn(path: string): number {
  const text = readFileSync(path, 'utf8');
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  for (const line of text.trimEnd().split('\n').toReversed()) {
    try {
      return (JSON.parse(line) as { seq?: number }).seq ?? 0;
    } catch {
      // Cut off: the one before it counts.
    }
  }
  return 0;
}
