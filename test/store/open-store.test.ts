/** Opening a database: what is made, what is brought up to date, and what is refused and left exactly as it was. */
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../daemon/store/sqlite/migrations/index.js';
import { openSqliteStore } from '../../daemon/store/sqlite/open-store.js';
import { unwrap } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';
import { Driven, firstPage, once, record, tempFolder, testParts } from './store-support.js';

const newPath = async (): Promise<string> => join(await tempFolder(), 'cairn.db');

/** The schema that this version makes. */
const known = migrations.length;

async function openStore(path: string, list = migrations) {
  const store = unwrap(await openSqliteStore(path, testParts(), list));
  onTestFinished(() => store.close());
  return store;
}

/** A database with one session, closed. */
async function madeBefore(): Promise<string> {
  const path = await newPath();
  const store = await openStore(path);
  await Driven.create(store, 's1', ['A', 'B']);
  await store.close();
  return path;
}

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

/** Copies the database with its log as they are while a program has it open: what a power cut leaves behind. */
async function leaveLogBehind(path: string, sql: string): Promise<void> {
  const db = new Database(path);
  db.pragma('wal_autocheckpoint = 0');
  db.exec(sql);
  const [data, log] = [await readFile(path), await readFile(`${path}-wal`)];
  db.close();
  await writeFile(path, data);
  await writeFile(`${path}-wal`, log);
}

/** Digests of the database and its log: comparing the bytes themselves is slow to print. */
async function contents(path: string): Promise<string[]> {
  const files = await Promise.all([readFile(path), readFile(`${path}-wal`).catch(() => '')]);
  return files.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
}

/** Opens what must be refused: the message matches, and not a byte has changed. */
async function expectRefused(path: string, message: RegExp): Promise<void> {
  const before = await contents(path);
  const opened = await openSqliteStore(path, testParts());
  expect(opened).toMatchObject({ ok: false, error: { kind: 'invalid_state' } });
  if (opened.ok) return;
  expect(opened.error.message).toMatch(message);
  expect(opened.error.message).toContain(path);
  expect(opened.error.message).toContain('not touched');
  expect(opened.error.data?.hint).toBeTruthy();
  expect(await contents(path)).toEqual(before);
}

describe('a database that is not there', () => {
  it('is made whole, for its owner only, and keeps what it is given', async () => {
    const path = await newPath();
    const mask = process.umask(0);
    onTestFinished(() => void process.umask(mask));
    const store = await openStore(path);
    const driven = await Driven.create(store, 's1', ['A', 'B']);
    await driven.begin('r1');
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await store.sizeBytes()).toBeGreaterThan(10_000);
    expect(store.schemaVersion()).toBe(migrations.length);
    await store.close();
    expect(await readdir(join(path, '..'))).toEqual(['cairn.db']);
    const again = await openStore(path);
    expect(await again.loadState('s1' as SessionId)).toEqual(driven.state);
  });

  it('is made over an empty file, and over a draft that a crash left', async () => {
    const path = await newPath();
    await writeFile(path, '');
    await writeFile(`${path}.new`, 'half a database');
    const store = await openStore(path);
    expect((await store.listSessions({}, firstPage)).rows).toEqual([]);
    expect((await readdir(join(path, '..'))).sort()).toEqual(['cairn.db', 'cairn.db-shm', 'cairn.db-wal']);
  });

  it('is not made beside a log that has lost its database', async () => {
    const path = await madeBefore();
    await leaveLogBehind(path, `UPDATE sessions SET title = 'x'`);
    await rename(path, `${path}.moved`);
    const opened = await openSqliteStore(path, testParts());
    expect(opened).toMatchObject({ ok: false, error: { message: expect.stringContaining('its log') as string } });
    expect((await readdir(join(path, '..'))).sort()).toEqual(['cairn.db-wal', 'cairn.db.moved']);
  });

  it('in a folder that is not there is refused with the reason', async () => {
    const opened = await openSqliteStore(join(await tempFolder(), 'no', 'cairn.db'), testParts());
    expect(opened).toMatchObject({ ok: false, error: { message: expect.stringContaining('cannot be made') as string } });
  });
});

describe('a database that cannot be used is refused and left as it was:', () => {
  it('one of a newer version', async () => {
    const path = await madeBefore();
    change(path, `PRAGMA user_version = ${migrations.length + 1}`);
    await expectRefused(
      path,
      new RegExp(`newer version of Cairn \\(schema ${known + 1}; this version knows ${known}\\).*Install the newer version`),
    );
  });

  it('one whose newer version stands only in its log', async () => {
    const path = await madeBefore();
    await leaveLogBehind(path, `PRAGMA user_version = ${migrations.length + 1}`);
    await expectRefused(path, /newer version of Cairn/);
  });

  it('one of another program', async () => {
    const path = await newPath();
    change(path, 'CREATE TABLE notes (text)');
    await expectRefused(path, /is not a database of Cairn/);
  });

  it('a file that is no database, short or long', async () => {
    const path = await newPath();
    await writeFile(path, 'notes');
    await expectRefused(path, /is not a database of Cairn/);
    await writeFile(path, 'notes '.repeat(2_000));
    await expectRefused(path, /is not a database of Cairn/);
  });

  it('a folder', async () => {
    const path = await newPath();
    await mkdir(path);
    expect(await openSqliteStore(path, testParts())).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('is not a file') as string },
    });
  });

  it('one that was cut short', async () => {
    const path = await madeBefore();
    await truncate(path, 10_000);
    await expectRefused(path, /may be damaged \(SQLITE_CORRUPT/);
  });

  it.each(['without', 'with'])('one whose first page is overwritten behind the header, %s a log', async (log) => {
    const path = await madeBefore();
    if (log === 'with') await leaveLogBehind(path, `UPDATE sessions SET title = 'x'`);
    const data = await readFile(path);
    data.fill(0xee, 100, 4_096);
    await writeFile(path, data);
    await expectRefused(path, /may be damaged/);
  });

  it('a read-only one', async () => {
    const path = await madeBefore();
    await chmod(path, 0o400);
    await expectRefused(path, /is read-only.*chmod u\+w/);
  });
});

describe('an older database', () => {
  const next = [...migrations, `ALTER TABLE sessions ADD COLUMN colour TEXT; UPDATE sessions SET colour = 'red'`];

  it('is copied, brought up to date, and keeps everything', async () => {
    const path = await madeBefore();
    await leaveLogBehind(path, `UPDATE sessions SET title = 'from the log'`);
    const store = await openStore(path, next);
    expect(store.schemaVersion()).toBe(known + 1);
    expect((await store.session('s1' as SessionId))?.title).toBe('from the log');
    await store.close();

    const copy = `${path}.before-v${known + 1}`;
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    const before = new Database(copy, { readonly: true });
    expect(before.pragma('user_version', { simple: true })).toBe(known);
    expect(before.prepare('SELECT title FROM sessions').get()).toEqual({ title: 'from the log' });
    before.close();
    // The copy is itself a database that this version opens.
    const old = await openStore(copy);
    expect((await old.loadState('s1' as SessionId))?.plan.version).toBe(1);
    // What wrote it refuses the newer one.
    await expectRefused(path, /newer version/);
  });

  it('of the first version opens with all that was in it, and its sums', async () => {
    const path = await newPath();
    await copyFile(new URL('../data/cairn-v1.db', import.meta.url), path);
    const store = await openStore(path);
    const { rows } = await store.listSessions({}, { limit: 10, cursor: null });
    const [session] = rows;
    expect(session).toMatchObject({ planRun: { status: 'blocked' }, counts: { done: 1, active: 1 } });
    expect(session?.record.policy).toMatchObject({ default: 'allow', sandbox: false, network: true });
    const { chain } = await store.spending(session?.record.id as SessionId, null);
    expect(chain).toMatchObject([{ budget: { turns: 50 }, spent: { turns: 4, toolCalls: 4 } }]);
    const runs = await store.runs(session?.record.id as SessionId, null, { limit: 10, cursor: null });
    const transcripts = await Promise.all(runs.rows.map(({ id }) => store.transcript(id)));
    expect(transcripts.flat().some(({ content }) => content.includes('wrote a.txt') || content.includes('Writing.'))).toBe(true);
  });

  it('of the second version opens with its effects, its reports and its children', async () => {
    const path = await newPath();
    await copyFile(new URL('../data/cairn-v2.db', import.meta.url), path);
    const store = await openStore(path);
    const { rows } = await store.listSessions({}, { limit: 10, cursor: null });
    const [below, session] = rows;
    expect(below?.record).toMatchObject({ parentId: session?.record.id, planner: 'always', isMission: false, order: {} });
    expect(session?.planner).toEqual({ mode: 'never', state: 'none', reason: null });
    const id = session?.record.id as SessionId;
    expect((await store.loadState(id))?.ownership).toEqual({ isMission: false, planner: 'never', isSolo: false });
    expect((await store.missionTree(id)).map(({ depth }) => depth)).toEqual([0, 1]);
    const runs = await store.runs(id, null, { limit: 10, cursor: null });
    const first = runs.rows.at(-1);
    expect((await store.effects(first?.id as never)).map(({ name, state }) => `${name} ${state}`)).toEqual([
      'write done',
      'mission_report done',
    ]);
    expect((await store.reports(id, null, firstPage)).rows.map(({ kind }) => kind)).toEqual(['blocker', 'result']);
  });

  it('stays as it was when a migration fails half way', async () => {
    const path = await madeBefore();
    const opened = await openSqliteStore(path, testParts(), [...next, 'CREATE TABLE extra (id); INSERT INTO nowhere VALUES (1)']);
    expect(opened).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('could not be brought up to date (no such table: nowhere)') as string },
    });
    const store = await openStore(path);
    expect(store.schemaVersion()).toBe(known);
    await store.close();
    const db = new Database(path, { readonly: true });
    expect(db.prepare(`SELECT name FROM sqlite_schema WHERE name = 'extra'`).get()).toBeUndefined();
    db.close();
  });

  it('stays as it was when a migration would leave rows that refer to nothing', async () => {
    const path = await madeBefore();
    const opened = await openSqliteStore(path, testParts(), [...migrations, 'DELETE FROM sessions']);
    expect(opened.ok).toBe(false);
    const store = await openStore(path);
    expect((await store.session('s1' as SessionId))?.title).toBe('Session s1');
  });
});

describe('a once key', () => {
  it('is forgotten a week later, when the store is opened', async () => {
    const path = await newPath();
    const parts = testParts();
    const store = unwrap(await openSqliteStore(path, parts));
    await store.createSession(record('s1'), null, once('k1'));
    await store.close();
    parts.tick(6 * 24 * 3_600_000);
    const sooner = unwrap(await openSqliteStore(path, parts));
    expect((await sooner.once(once('k1'))).state).toBe('seen');
    await sooner.close();
    parts.tick(2 * 24 * 3_600_000);
    const later = unwrap(await openSqliteStore(path, parts));
    onTestFinished(() => later.close());
    expect((await later.once(once('k1'))).state).toBe('new');
  });
});
