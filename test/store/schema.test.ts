/** The statuses that the schema allows are those that the code knows: a new one needs a migration. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../../daemon/store/sqlite/open-store.js';
import { unwrap } from '../../shared/errors.js';
import { inboxKinds, inboxStates, outcomes, reportKinds } from '../../shared/mission.js';
import { authors, itemStatuses } from '../../shared/plan.js';
import { effectClasses, effectStates, messageKinds, planRunStatuses, runKinds, runStatuses } from '../../shared/run.js';
import { Driven, tempFolder, testParts } from './store-support.js';

const allowed: readonly [table: string, column: string, values: readonly string[]][] = [
  ['plan_runs', 'status', planRunStatuses.filter((status) => status !== 'pausing')],
  ['plan_runs', 'control', ['run', 'pause', 'cancel']],
  ['items', 'status', itemStatuses],
  ['revisions', 'author', authors],
  ['runs', 'kind', runKinds],
  ['runs', 'status', runStatuses],
  ['messages', 'kind', messageKinds],
  ['effects', 'class', effectClasses],
  ['effects', 'state', effectStates],
  ['reports', 'kind', reportKinds],
  ['inbox', 'kind', inboxKinds],
  ['inbox', 'state', inboxStates],
  ['sessions', 'outcome', outcomes],
];

describe('the schema', () => {
  it.each(allowed)('allows in %s.%s exactly what the code knows', async (table, column, values) => {
    const path = join(await tempFolder(), 'cairn.db');
    const store = unwrap(await openSqliteStore(path, testParts()));
    await Driven.create(store, 's1', ['A']);
    await store.close();
    const db = new Database(path);
    onTestFinished(() => void db.close());
    const { sql } = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(table) as { sql: string };
    const list = new RegExp(`CHECK \\(${column} IN\\s*\\(([^)]*)\\)`).exec(sql)?.[1] ?? '';
    expect([...list.matchAll(/'(\w+)'/g)].map(([, value]) => value).sort()).toEqual([...values].sort());
  });

  it('refuses an unknown status, an unknown session and a text where a number belongs', async () => {
    const path = join(await tempFolder(), 'cairn.db');
    const store = unwrap(await openSqliteStore(path, testParts()));
    await Driven.create(store, 's1', ['A']);
    await store.close();
    const db = new Database(path);
    onTestFinished(() => void db.close());
    expect(() => db.exec(`UPDATE items SET status = 'finished'`)).toThrow(/CHECK/);
    expect(() => db.exec(`UPDATE plan_runs SET status = 'pausing'`)).toThrow(/CHECK/);
    expect(() => db.exec(`INSERT INTO steering (session_id, run_id, text, at) VALUES ('nobody', 'r', 't', 'at')`)).toThrow(
      /FOREIGN KEY/,
    );
    expect(() => db.exec(`UPDATE plan_runs SET step_no = 'three'`)).toThrow(/cannot store TEXT/);
  });
});
