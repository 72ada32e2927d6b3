/** What was committed stays, whatever kills the process; the log stays small; a leaf costs the same in any plan. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSqliteStore } from '../../daemon/store/sqlite/open-store.js';
import { unwrap } from '../../shared/errors.js';
import { countLeaves } from '../../shared/plan-tree.js';
import type { SessionId } from '../../shared/plan.js';
import { Driven, effectId, firstPage, itemId, runId, tempFolder, testParts } from './store-support.js';

const s1 = 's1' as SessionId;

async function openStore(path: string) {
  const store = unwrap(await openSqliteStore(path, testParts()));
  onTestFinished(() => store.close());
  return store;
}

describe('after kill -9', () => {
  it('every commit that was answered is there, whole, and the work goes on from it', { timeout: 30_000 }, async () => {
    const path = join(await tempFolder(), 'cairn.db');
    const writer = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'killed-writer.ts'), path, '5000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(writer, 'exit');
    let answered = 0;
    for await (const line of createInterface({ input: writer.stdout })) {
      answered = Number(line);
      if (answered === 300) writer.kill('SIGKILL');
    }
    await exited;
    expect(answered).toBeGreaterThanOrEqual(300);
    expect(answered).toBeLessThan(4_999);

    const store = await openStore(path);
    const state = await store.claim(s1);
    if (state === null) throw new Error('the session is lost');
    const counts = (await store.sessionRow(s1))?.counts;
    expect(counts).toEqual(countLeaves(state.plan.tree));
    // The commit under way when it was killed may have been written without its answer; nothing beyond that.
    expect([answered, answered + 1]).toContain(counts?.done);
    expect(state.run).toMatchObject({ id: `r${counts?.done}`, status: 'running', itemId: state.checkpoint.currentItemId });
    expect(state.plan.version).toBe((counts?.done ?? 0) + 2);
    const events = await store.eventsAfter(0, null, 100_000);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
    expect((await store.usage(s1)).total.turns).toBeGreaterThanOrEqual(answered);

    const driven = new Driven(store, state);
    await driven.play([{ type: 'owner_died' }, { type: 'begin', runId: runId('next') }]);
    await driven.closeAndBegin('after');
    expect((await store.sessionRow(s1))?.counts.done).toBe((counts?.done ?? 0) + 1);
  });
});

describe('the log', () => {
  it('stays bounded over 20,000 commits and one very large one', { timeout: 60_000 }, async () => {
    const path = join(await tempFolder(), 'cairn.db');
    const store = await openStore(path);
    const driven = await Driven.create(store, 's1', ['A']);
    await driven.begin('r1');
    const notice = { kind: 'notice', role: 'system', content: 'x'.repeat(200) } as const;
    const bound = 17 * 1024 * 1024;
    for (let n = 1; n <= 20_000; n++) {
      if (n === 5_000) await store.appendMessages(driven.ref, [{ ...notice, content: 'y'.repeat(40 * 1024 * 1024) }]);
      else await store.appendMessages(driven.ref, [notice]);
      // The large one may take what it needs; the log is cut as soon as it is used from its beginning again.
      if (n % 1_000 === 0 && n !== 5_000) expect((await stat(`${path}-wal`)).size).toBeLessThan(bound);
    }
    expect((await store.transcript(runId('r1'))).length).toBe(20_000);
  });
});

describe('a leaf of a plan of thousands', () => {
  it('is looked up by index in every statement of its commit, its turns and its effects', async () => {
    const path = join(await tempFolder(), 'cairn.db');
    const store = await openStore(path);
    const driven = await Driven.create(store, 's1', ['A', 'B', 'C', 'D']);
    const prepare = vi.spyOn(Database.prototype, 'prepare');
    onTestFinished(() => prepare.mockRestore());
    await driven.begin('r1');
    await store.appendTurn(driven.turn());
    await store.addSteering(driven.id, 'words', null, runId('r1'));
    await store.deliverSteering(driven.id, driven.ref);
    await store.beginEffect(driven.effect('e1'));
    const report = { kind: 'progress', summary: 'half', itemId: null } as const;
    await store.endEffect({
      id: effectId('e1'),
      sessionId: s1,
      runId: runId('r1'),
      state: 'done',
      toolCallId: 'c1',
      content: 'ok',
      report,
    });
    await driven.closeAndBegin('r2');
    await driven.play([{ type: 'owner_died' }, { type: 'begin', runId: runId('r3') }]);
    await driven.play([{ type: 'reported_blocked', ref: driven.ref, reason: 'why', reported: false }]);
    await driven.play([
      { type: 'retry', guidance: null },
      { type: 'begin', runId: runId('r4') },
    ]);
    await store.itemEffects(s1, itemId('t2'));
    await store.transcript(runId('r4'));
    await store.transcriptEffects(runId('r4'));
    await store.effects(runId('r4'));
    await store.approvalOf(effectId('e1'));
    await store.reports(s1, 'result', firstPage);
    await store.conversation(s1);
    const statements = prepare.mock.calls.map(([text]) => text).filter((text) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/i.test(text));
    expect(statements.length).toBeGreaterThan(25);
    prepare.mockRestore();
    const db = new Database(path, { readonly: true });
    onTestFinished(() => void db.close());
    const scans = statements.flatMap((text) => {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`);
      const blanks = Object.fromEntries([...text.matchAll(/@(\w+)/g)].map(([, name]) => [name ?? '', null] as const));
      const values = Object.keys(blanks).length > 0 ? [blanks] : Array<null>((text.match(/\?/g) ?? []).length).fill(null);
      const steps = plan.all(...values) as { detail: string }[];
      return steps
        .filter(({ detail }) => /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES)/.test(detail))
        .map(({ detail }) => `${detail}: ${text}`);
    });
    expect(scans).toEqual([]);
  });

  it('adds the same bytes whatever its text and the size of the plan', async () => {
    const path = join(await tempFolder(), 'cairn.db');
    const store = await openStore(path);
    const driven = await Driven.create(
      store,
      's1',
      Array.from({ length: 3_000 }, (_, i) => `Leaf ${i}`),
    );
    await driven.play([{ type: 'plan_edited' }], (draft) => {
      for (const { item } of [...draft.tree]) draft.replace({ ...item, detail: 'd'.repeat(2_000) });
      return { ok: true, value: undefined };
    });
    const db = new Database(path, { readonly: true });
    onTestFinished(() => void db.close());
    const bytes = (): number => (db.prepare(`SELECT sum(pgsize - unused) AS bytes FROM dbstat`).get() as { bytes: number }).bytes;
    await driven.begin('r0');
    const before = bytes();
    for (let n = 1; n <= 500; n++) await driven.closeAndBegin(`r${n}`);
    expect((bytes() - before) / 500).toBeLessThan(2_000);
  });
});
