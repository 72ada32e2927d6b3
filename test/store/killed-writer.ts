/** A process that drives a plan leaf by leaf and says after each commit how far it is, until it is killed. */
import { openSqliteStore } from '../../daemon/store/sqlite/open-store.js';
import { unwrap } from '../../shared/errors.js';
import { Driven, testParts } from './store-support.js';

const [path = '', leaves = ''] = process.argv.slice(2);
const store = unwrap(await openSqliteStore(path, testParts()));
const driven = await Driven.create(
  store,
  's1',
  Array.from({ length: Number(leaves) }, (_, i) => `Leaf ${i}`),
);
await driven.begin('r0');
for (let n = 1; n < Number(leaves); n++) {
  await store.appendTurn(driven.turn());
  await driven.closeAndBegin(`r${n}`);
  process.stdout.write(`${n}\n`);
}
