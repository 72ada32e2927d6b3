/** What every store must do, whatever it is built on: `storeConformance` is run against each adapter. */
import { describe } from 'vitest';
import type { Store } from '../../daemon/store/store.js';
import { commitConformance } from './conformance-commit.js';
import { inboxConformance } from './conformance-inbox.js';
import { journalConformance } from './conformance-journal.js';
import { missionConformance } from './conformance-missions.js';
import { planConformance } from './conformance-plan.js';
import { sessionConformance } from './conformance-sessions.js';
import type { TestParts } from './store-support.js';

/** Opens a new, empty store that is closed when the test ends. */
export type OpenStore = (parts: TestParts) => Promise<Store>;

export function storeConformance(name: string, open: OpenStore): void {
  describe(name, () => {
    sessionConformance(open);
    commitConformance(open);
    planConformance(open);
    journalConformance(open);
    inboxConformance(open);
    missionConformance(open);
  });
}
