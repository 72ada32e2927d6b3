/** The runs that this process carries out right now: how to stop one, and what it is doing, for people. */
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { Run, RunId } from '../../shared/run.js';
import type { Clock } from '../clock.js';

type RunKind = Run['kind'];

export interface ActiveRun {
  readonly runId: RunId;
  readonly sessionId: SessionId;
  readonly itemId: ItemId | null;
  readonly signal: AbortSignal;
  /** Says what is being done (`shell npm test`), from now on. */
  doing(what: string): void;
  /** Something came: a token, a line of output, a result. */
  progressed(): void;
  looping(how: string | null): void;
  close(): void;
}

export interface Activity {
  readonly runId: RunId;
  readonly what: string;
  readonly since: number;
  readonly lastProgressAt: number;
  /** How the model goes in circles; null while it does not. */
  readonly looping: string | null;
}

export interface ActiveRuns {
  open(runId: RunId, sessionId: SessionId, itemId: ItemId | null, kind?: RunKind): ActiveRun;
  abort(runId: RunId): void;
  /** For good: a run that is opened afterwards is stopped at once. */
  abortAll(): void;
  activityOf(sessionId: SessionId, kind: RunKind): Activity | null;
  /** Resolves when the run is no longer carried out. */
  ended(runId: RunId): Promise<void>;
}

interface Entry {
  readonly controller: AbortController;
  readonly sessionId: SessionId;
  readonly kind: RunKind;
  readonly ended: Promise<void>;
  what: string;
  since: number;
  lastProgressAt: number;
  looping: string | null;
}

export function createActiveRuns(clock: Clock): ActiveRuns {
  const runs = new Map<RunId, Entry>();
  let allAborted = false;
  return {
    open(runId, sessionId, itemId, kind = 'leaf') {
      const controller = new AbortController();
      if (allAborted) controller.abort();
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const now = clock.now();
      const entry: Entry = {
        controller,
        sessionId,
        kind,
        ended,
        what: 'starting',
        since: now,
        lastProgressAt: now,
        looping: null,
      };
      runs.set(runId, entry);
      return {
        runId,
        sessionId,
        itemId,
        signal: controller.signal,
        doing(what) {
          entry.what = what;
          entry.since = entry.lastProgressAt = clock.now();
        },
        progressed() {
          entry.lastProgressAt = clock.now();
        },
        looping(how) {
          entry.looping = how;
        },
        close() {
          runs.delete(runId);
          end();
        },
      };
    },
    abort(runId) {
      runs.get(runId)?.controller.abort();
    },
    abortAll() {
      allAborted = true;
      for (const entry of runs.values()) entry.controller.abort();
    },
    activityOf(sessionId, kind) {
      for (const [runId, entry] of runs) {
        if (entry.sessionId === sessionId && entry.kind === kind) {
          const { what, since, lastProgressAt, looping } = entry;
          return { runId, what, since, lastProgressAt, looping };
        }
      }
      return null;
    },
    ended: (runId) => runs.get(runId)?.ended ?? Promise.resolve(),
  };
}
