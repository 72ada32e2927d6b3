/** The transcript of a run as the loop looks at it: read once, then only what is new. */
import type { RunId } from '../../shared/run.js';
import type { Store, StoredMessage } from '../store/store.js';

export interface TranscriptView {
  /** As of the last `refresh`; without the messages that change in place. */
  readonly messages: readonly StoredMessage[];
  refresh(): Promise<void>;
}

export function viewTranscript(store: Pick<Store, 'transcriptAfter'>, runId: RunId): TranscriptView {
  const messages: StoredMessage[] = [];
  return {
    messages,
    async refresh() {
      messages.push(...(await store.transcriptAfter(runId, messages.at(-1)?.seq ?? 0)));
    },
  };
}
