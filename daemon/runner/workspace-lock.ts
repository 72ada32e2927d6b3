/**
 * One writing run at a time in a folder. Held for one leaf run, on real paths; a folder and one inside it conflict.
 * Nobody waits while holding a slot: whoever finds the folder taken is woken when it is free.
 */
import { sep } from 'node:path';

export interface WorkspaceLock {
  /** Takes the folder, or gives null and calls `onFree` once when it may be free. */
  take(folder: string, holder: string, onFree: () => void): (() => void) | null;
  /** Somebody waits for this folder. */
  contended(folder: string): boolean;
  /** Who holds a folder that conflicts, for people. */
  holderOf(folder: string): string | null;
}

const inside = (a: string, b: string): boolean => a === b || a.startsWith(b.endsWith(sep) ? b : b + sep);
const conflict = (a: string, b: string): boolean => inside(a, b) || inside(b, a);

export function createWorkspaceLock(): WorkspaceLock {
  const held = new Map<string, { folder: string; holder: string }>();
  const waiting = new Map<string, { folder: string; onFree: () => void }>();

  const blocking = (folder: string, holder: string): { holder: string } | undefined =>
    [...held.values()].find((lock) => lock.holder !== holder && conflict(lock.folder, folder));

  return {
    take(folder, holder, onFree) {
      if (blocking(folder, holder)) {
        waiting.set(holder, { folder, onFree });
        return null;
      }
      waiting.delete(holder);
      held.set(holder, { folder, holder });
      return () => {
        if (!held.delete(holder)) return;
        for (const [waiter, { folder: wanted, onFree: tell }] of [...waiting]) {
          if (!conflict(wanted, folder)) continue;
          waiting.delete(waiter);
          tell();
        }
      };
    },
    contended: (folder) => [...waiting.values()].some((waiter) => conflict(waiter.folder, folder)),
    holderOf: (folder) => [...held.values()].find((lock) => conflict(lock.folder, folder))?.holder ?? null,
  };
}

/** For those who share their folders knowingly: everybody gets it. */
export const noWorkspaceLock: WorkspaceLock = {
  take: () => () => undefined,
  contended: () => false,
  holderOf: () => null,
};
