/** The store on SQLite does what every store must. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqliteStore } from '../../daemon/store/sqlite/open-store.js';
import { unwrap } from '../../shared/errors.js';
import { storeConformance } from './conformance.js';
import { tempFolder } from './store-support.js';

storeConformance('the store on SQLite', async (parts) => {
  const store = unwrap(await openSqliteStore(join(await tempFolder(), 'cairn.db'), parts));
  onTestFinished(() => store.close());
  return store;
});
