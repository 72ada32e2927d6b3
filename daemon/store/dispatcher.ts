/** Which sessions are driven, and by whom. In process where one daemon owns the store; a queue where there are several. */
import type { SessionId } from '../../shared/plan.js';

/** Drives one session until it is at rest or gives its slot up; `signal` says that the owner must stop. */
export type DriveHandler = (sessionId: SessionId, signal: AbortSignal) => Promise<void>;

export interface Dispatcher {
  start(handler: DriveHandler): void;
  /** Stops taking work up, aborts what is driven and waits for it. */
  stop(): Promise<void>;
  /** The session has something to do. Any number of calls for one that is waiting or driven count as one. */
  wake(sessionId: SessionId): void;
  /** True when somebody waits for a slot, so that a driven session should give its own up at the next leaf. */
  contended(): boolean;
}
