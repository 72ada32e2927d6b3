/** The port through which the daemon tells clients what happened, after it is committed. */
import type { CairnEvent } from '../../shared/event.js';
import type { InboxEntry } from '../../shared/mission.js';
import type { ItemChange, SessionId } from '../../shared/plan.js';
import type { RunOutput } from '../../shared/session.js';

/** One commit, as far as watchers are concerned. */
export interface Committed {
  readonly sessionId: SessionId;
  readonly events: readonly CairnEvent[];
  /** The plan's version before the commit and what it changed; absent when the plan stayed. */
  readonly plan?: { readonly fromVersion: number; readonly items: readonly ItemChange[] };
  readonly inbox?: readonly InboxEntry[];
  readonly deleted?: boolean;
}

export interface Publisher {
  committed(what: Committed): void;
  /** Redacted already. */
  output(output: RunOutput): void;
}
