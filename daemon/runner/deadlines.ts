/** Applies the default of an approval or a question when its deadline passes; also those that passed while nobody was up. */
import type { Clock } from '../clock.js';

export interface Deadlines {
  watch(id: string, deadline: string | null): void;
  forget(id: string): void;
  stop(): void;
}

/** `expire` is called once for each entry, at or after its deadline. */
export function createDeadlines(clock: Clock, expire: (id: string) => void): Deadlines {
  const timers = new Map<string, () => void>();
  return {
    watch(id, deadline) {
      if (deadline === null || timers.has(id)) return;
      // Stored in UTC, counted down monotonically: a clock that jumps neither hurries nor delays it.
      const left = Math.max(0, Date.parse(deadline) - clock.now());
      timers.set(
        id,
        clock.after(left, () => {
          timers.delete(id);
          expire(id);
        }),
      );
    },
    forget(id) {
      timers.get(id)?.();
      timers.delete(id);
    },
    stop() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
