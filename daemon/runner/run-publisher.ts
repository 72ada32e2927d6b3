/** Publishes what a run streams, redacted: text is held back as long as it could be the beginning of a secret. */
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { RunOutput } from '../../shared/session.js';
import type { Redactor } from '../secrets/redactor.js';
import type { Committed, Publisher } from './publisher.js';

export interface OutputStream {
  write(text: string): void;
  /** Gives out what was held back. */
  end(): void;
}

export interface RunPublisher {
  committed(what: Committed): void;
  stream(sessionId: SessionId, runId: RunId, itemId: ItemId | null, stream: RunOutput['stream'], tool?: string): OutputStream;
  say(sessionId: SessionId, runId: RunId, itemId: ItemId | null, stream: RunOutput['stream'], text: string, tool?: string): void;
}

export function createRunPublisher(publisher: Publisher, redactor: Redactor): RunPublisher {
  return {
    committed: (what) => {
      if (what.events.length > 0 || (what.inbox?.length ?? 0) > 0) publisher.committed(what);
    },
    stream(sessionId, runId, itemId, stream, tool) {
      const held = redactor.stream();
      const give = (text: string): void => {
        if (text !== '') publisher.output({ sessionId, runId, itemId, stream, text, ...(tool === undefined ? {} : { tool }) });
      };
      return { write: (text) => give(held.write(text)), end: () => give(held.end()) };
    },
    say(sessionId, runId, itemId, stream, text, tool) {
      const redacted = redactor.redact(text);
      publisher.output({ sessionId, runId, itemId, stream, text: redacted, ...(tool === undefined ? {} : { tool }) });
    },
  };
}
