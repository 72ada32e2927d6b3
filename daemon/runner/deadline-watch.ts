/** A publisher that also starts the countdown of each approval or question that opens. */
import type { Deadlines } from './deadlines.js';
import type { Publisher } from './publisher.js';

export function watchDeadlines(publisher: Publisher, deadlines: () => Deadlines): Publisher {
  return {
    committed(what) {
      for (const entry of what.inbox ?? []) {
        if (entry.state === 'open') deadlines().watch(entry.id, entry.deadline);
        else deadlines().forget(entry.id);
      }
      publisher.committed(what);
    },
    output: (output) => publisher.output(output),
  };
}
