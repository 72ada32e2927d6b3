/** The commit of a decision: all of it or nothing, against the version and the epoch that it was made from. */
import { describe, expect, it } from 'vitest';
import { addItem } from '../../daemon/domain/plan-edit.js';
import type { OpenStore } from './conformance.js';
import { Driven, firstPage, itemId, once, runId, secret, testParts } from './store-support.js';

export function commitConformance(open: OpenStore): void {
  describe('a commit', () => {
    it('closes a leaf, marks the next one and begins its run, all at once', async () => {
      const store = await open(testParts());
      const driven = await Driven.create(store, 's1', ['A', 'B', 'C']);
      await driven.begin('r1');
      const { events } = await driven.closeAndBegin('r2', 'made A');
      expect(await store.loadState(driven.id)).toEqual(driven.state);
      expect(driven.state.checkpoint).toMatchObject({ status: 'running', currentItemId: 't2', lastRunId: 'r2', stepNo: 2 });
      expect(await store.run(runId('r1'))).toMatchObject({
        status: 'completed',
        summary: 'made A',
        finishedAt: '2026-01-01T00:00:00.000Z',
      });
      expect(await store.run(runId('r2'))).toMatchObject({ status: 'running', itemId: 't2', finishedAt: null, resumes: null });
      expect((await store.sessionRow(driven.id))?.counts).toEqual({ pending: 1, active: 1, done: 1, skipped: 0, leaves: 3 });
      expect((await store.reports(driven.id, 'result', firstPage)).rows).toMatchObject([
        { kind: 'result', summary: 'made A', itemId: 't1', runId: 'r1', byRuntime: true },
      ]);
      expect(events.map((event) => event.type)).toEqual([
        'plan.revised',
        'item.changed',
        'item.changed',
        'run.completed',
        'run.started',
        'plan_run.changed',
        'report.filed',
      ]);
    });

    it('of somebody who decided on an older plan is refused and leaves no trace', async () => {
      const store = await open(testParts());
      const first = await Driven.create(store, 's1', ['A', 'B']);
      const second = new Driven(store, first.state);
      await first.play([], (draft) => addItem(draft, { title: 'C' }, 'person'));
      const seq = await store.lastSeq();
      const edit = second.decide([], (draft) => addItem(draft, { title: 'D' }, 'person'));
      expect(await second.commit(edit, once('k'))).toEqual({ ok: false, reason: 'moved' });
      expect(await second.commit(second.decide([{ type: 'start' }]), once('k'))).toEqual({ ok: false, reason: 'moved' });
      expect(await store.once(once('k'))).toEqual({ state: 'new' });
      expect(await store.loadState(first.id)).toEqual(first.state);
      expect(await store.lastSeq()).toBe(seq);
    });

    it('that changes no plan is refused when the plan has changed meanwhile', async () => {
      const store = await open(testParts());
      const first = await Driven.create(store, 's1', ['A', 'B']);
      await first.begin('r1');
      const second = new Driven(store, first.state);
      await first.play([{ type: 'plan_edited' }], (draft) => addItem(draft, { title: 'C' }, 'person'));
      expect(await second.commit(second.decide([{ type: 'pause', now: false }]))).toEqual({ ok: false, reason: 'moved' });
      expect((await store.loadState(first.id))?.checkpoint.control).toBe('run');
    });

    it('gives its events one sequence without gaps, over all sessions', async () => {
      const store = await open(testParts());
      const one = await Driven.create(
        store,
        's1',
        Array.from({ length: 130 }, (_, i) => `Leaf ${i}`),
      );
      const two = await Driven.create(store, 's2', ['A']);
      await one.begin('r1');
      await two.begin('r2');
      await one.closeAndBegin('r3');
      // A refused commit uses no sequence up.
      await store.claim(two.id);
      expect((await two.commit(two.decide([{ type: 'pause', now: true }]))).ok).toBe(false);
      await one.play([{ type: 'pause', now: true }]);
      // More events than one statement takes.
      await one.play([{ type: 'plan_edited' }], (draft) => {
        for (const { item } of [...draft.tree]) if (item.status === 'pending') draft.replace({ ...item, status: 'skipped' });
        return { ok: true, value: undefined };
      });
      const events = await store.eventsAfter(0, null, 1_000);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
      expect(events.length).toBeGreaterThan(130);
      expect(await store.lastSeq()).toBe(events.length);
      expect((await store.eventsAfter(3, null, 2)).map((event) => event.seq)).toEqual([4, 5]);
      const ofTwo = await store.eventsAfter(0, two.id, 1_000);
      expect(ofTwo).toEqual(events.filter((event) => event.sessionId === two.id));
      expect(ofTwo.at(-1)).toMatchObject({ type: 'plan_run.changed', sessionId: 's2', data: { status: 'running' } });
    });

    it('keeps an error and a summary that a later change of the run does not name', async () => {
      const store = await open(testParts());
      const driven = await Driven.create(store, 's1', ['A']);
      await driven.play([], (draft) => {
        const item = draft.find(itemId('t1'));
        if (item) draft.replace({ ...item, verify: ['make check'] });
        return { ok: true, value: undefined };
      });
      await driven.begin('r1');
      await driven.play([{ type: 'claimed', ref: driven.ref, summary: 'done', accepted: false, reported: true }]);
      expect((await store.loadState(driven.id))?.run?.claim).toBe('done');
      await driven.play([{ type: 'check_failed', ref: driven.ref, command: 'make check', exitCode: 2, tail: 'boom' }]);
      expect(await store.run(runId('r1'))).toMatchObject({
        status: 'failed',
        summary: 'done',
        error: 'check failed: make check exited with 2\nboom',
      });
      await driven.play([{ type: 'begin', runId: runId('r2') }]);
      expect(await store.run(runId('r2'))).toMatchObject({ resumes: 'r1', attempt: 2 });
      expect(await store.loadState(driven.id)).toEqual(driven.state);
    });

    it('stores no secret in what runs and people say', async () => {
      const store = await open(testParts());
      const driven = await Driven.create(store, 's1', ['A', 'B']);
      await driven.begin('r1');
      const noted = driven.decide([], (draft) => addItem(draft, { title: 'C' }, 'person'), `because ${secret}`);
      const { events } = (await driven.commit(noted)) as { events: unknown };
      await driven.play([{ type: 'reported_blocked', ref: driven.ref, reason: `key ${secret} is wrong`, reported: false }]);
      await driven.play([{ type: 'retry', guidance: `use ${secret}` }]);
      const seen = JSON.stringify([
        events,
        await store.loadState(driven.id),
        await store.run(runId('r1')),
        await store.inbox({}, firstPage),
        await store.reports(driven.id, null, firstPage),
        await store.revisions(driven.id, firstPage, true),
        await store.eventsAfter(0, null, 1_000),
      ]);
      expect(seen).not.toContain(secret);
      expect(seen).toContain('key [redacted] is wrong');
      expect(seen).toContain('use [redacted]');
      expect(seen).toContain('because [redacted]');
    });
  });
}
