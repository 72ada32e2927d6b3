/** Sessions: made once, listed in pages, owned by one, deleted whole. */
import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import type { OpenStore } from './conformance.js';
import { Driven, firstPage, once, planOf, record, runId, secret, testParts } from './store-support.js';

const sid = (id: string): SessionId => id as SessionId;

export function sessionConformance(open: OpenStore): void {
  describe('a session', () => {
    it('is read back as it was made, with its plan and a checkpoint at rest', async () => {
      const store = await open(testParts());
      const made = record('s1', { title: 'Docs', outcome: null, model: 'm-1', planner: 'always', planning: false });
      const created = await store.createSession(made, planOf(['A', '  A1', '  A2', 'B']), null);
      expect(created?.events.map((event) => event.type)).toEqual(['session.created', 'plan.revised']);
      expect(await store.session(sid('s1'))).toEqual(made);
      expect(await store.sessionRow(sid('s1'))).toEqual({
        record: made,
        planner: { mode: 'always', state: 'idle', reason: null },
        goal: 'Ship it',
        planVersion: 1,
        counts: { pending: 3, active: 0, done: 0, skipped: 0, leaves: 3 },
        planRun: {
          sessionId: 's1',
          status: 'idle',
          currentItemId: null,
          lastRunId: null,
          lastError: null,
          stepNo: 0,
          attempt: 0,
          epoch: 0,
          updatedAt: made.createdAt,
        },
        usage: { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 },
      });
      const state = await store.loadState(sid('s1'));
      expect(state?.plan.tree.map((task) => [task.item.title, task.children.map((child) => child.title)])).toEqual([
        ['A', ['A1', 'A2']],
        ['B', []],
      ]);
    });

    it('may begin without a plan', async () => {
      const store = await open(testParts());
      await store.createSession(record('s1'), null, null);
      expect((await store.loadState(sid('s1')))?.plan).toEqual({ version: 0, goal: '', tree: [], nextItemNo: 1 });
    });

    it('that is not there is null everywhere, and changes nothing', async () => {
      const store = await open(testParts());
      const id = sid('nobody');
      expect([await store.session(id), await store.sessionRow(id), await store.loadState(id), await store.claim(id)]).toEqual([
        null,
        null,
        null,
        null,
      ]);
      expect(await store.renameSession(id, 'x')).toBe(false);
      expect(await store.deleteSession(id)).toEqual([]);
      expect(await store.addSteering(id, 'x', null, runId('r1'))).toBe(false);
      expect(await store.beginChat({ id: runId('r1'), sessionId: id, kind: 'chat', text: 'x', resumes: null }, null)).toBeNull();
      await store.setPlanning(id, true);
      await store.grantAlways(id, 'shell', 'make');
      expect(await store.isGranted(id, 'shell', 'make')).toBe(false);
      expect(await store.appendEvents(id, [{ type: 'budget.exceeded', data: { budget: 'turns' } }])).toEqual([]);
      expect(await store.lastSeq()).toBe(0);
    });

    it('is listed newest first, in pages, by status and by workspace', async () => {
      const store = await open(testParts());
      for (const n of [1, 2, 3, 4, 5]) {
        await store.createSession(record(`s${n}`, { workspace: n % 2 ? '/odd' : '/even' }), planOf(['A']), null);
      }
      const ids = async (filter: Parameters<typeof store.listSessions>[0], limit: number, cursor: string | null = null) => {
        const page = await store.listSessions(filter, { limit, cursor });
        return { ids: page.rows.map((row) => row.record.id), next: page.nextCursor };
      };
      const first = await ids({}, 2);
      expect(first.ids).toEqual(['s5', 's4']);
      const second = await ids({}, 2, first.next);
      expect(second.ids).toEqual(['s3', 's2']);
      expect(await ids({}, 2, second.next)).toEqual({ ids: ['s1'], next: null });
      expect((await ids({ workspace: '/even' }, 9)).ids).toEqual(['s4', 's2']);
      expect((await ids({}, 9, 'no cursor of ours')).ids).toEqual([]);

      const state = await store.claim(sid('s2'));
      if (state === null) throw new Error('no s2');
      const driven = new Driven(store, state);
      await driven.begin('r1');
      expect((await ids({ status: 'running' }, 9)).ids).toEqual(['s2']);
      expect(await store.sessionsNotAtRest()).toEqual(['s2']);
      await driven.play([{ type: 'pause', now: false }]);
      expect((await ids({ status: 'running' }, 9)).ids).toEqual([]);
      expect((await ids({ status: 'pausing' }, 9)).ids).toEqual(['s2']);
      expect((await store.sessionRow(sid('s2')))?.planRun.status).toBe('pausing');
      expect(await store.sessionsNotAtRest()).toEqual(['s2']);
      expect(await store.counts()).toEqual({ sessions: 5, running: 1, inbox: 0 });
    });

    it('is renamed and told whether to plan, and shows when it last changed', async () => {
      const parts = testParts();
      const store = await open(parts);
      await store.createSession(record('s1'), null, null);
      parts.tick(5_000);
      expect(await store.renameSession(sid('s1'), `With ${secret}`)).toBe(true);
      await store.setPlanning(sid('s1'), false);
      expect(await store.session(sid('s1'))).toMatchObject({
        title: 'With [redacted]',
        planning: false,
        updatedAt: '2026-01-01T00:00:05.000Z',
      });
    });

    it('is deleted whole: only the event that says so stays, and its sequence is never used again', async () => {
      const store = await open(testParts());
      const kept = await Driven.create(store, 'kept', ['A']);
      const gone = await Driven.create(store, 'gone', ['A', 'B']);
      await gone.begin('r1');
      await store.appendMessages(gone.ref, [{ kind: 'plan_prompt', role: 'user', content: 'do it' }]);
      await store.appendTurn(gone.turn());
      await store.beginEffect(gone.effect('e1'));
      await store.addSteering(gone.id, 'quick', null, runId('r1'));
      await store.grantAlways(gone.id, 'shell', 'make');
      await store.beginChat({ id: runId('c1'), sessionId: gone.id, kind: 'chat', text: 'hi', resumes: null }, null);
      await gone.play([{ type: 'reported_blocked', ref: gone.ref, reason: 'no key', reported: false }]);
      const before = await store.lastSeq();

      const events = await store.deleteSession(gone.id);
      expect(events).toMatchObject([{ seq: before + 1, type: 'session.deleted', sessionId: 'gone' }]);
      expect(await store.eventsAfter(0, gone.id, 100)).toEqual(events);
      expect(await store.session(gone.id)).toBeNull();
      expect(await store.run(runId('r1'))).toBeNull();
      expect(await store.transcript(runId('r1'))).toEqual([]);
      expect(await store.effects(runId('r1'))).toEqual([]);
      expect((await store.inbox({}, firstPage)).rows).toEqual([]);
      expect((await store.reports(gone.id, null, firstPage)).rows).toEqual([]);
      expect(await store.isGranted(gone.id, 'shell', 'make')).toBe(false);
      expect((await store.usage(null)).total.turns).toBe(0);
      expect(await store.loadState(kept.id)).toEqual(kept.state);
      // What comes in late finds nothing to hold on to.
      expect(await store.commit(gone.decide([{ type: 'cancel' }]), null)).toEqual({ ok: false, reason: 'moved' });
      expect(await store.appendTurn(gone.turn())).toBeNull();

      const next = await store.appendEvents(kept.id, [{ type: 'budget.exceeded', data: { budget: 'turns' } }]);
      expect(next[0]?.seq).toBe(before + 2);
    });

    it('that was fired by another one outlives it', async () => {
      const store = await open(testParts());
      await store.createSession(record('parent'), null, null);
      await store.createSession(record('child', { parentId: sid('parent') }), null, null);
      await store.deleteSession(sid('parent'));
      expect((await store.session(sid('child')))?.parentId).toBeNull();
    });

    it('belongs to its newest owner', async () => {
      const store = await open(testParts());
      const old = await Driven.create(store, 's1', ['A', 'B']);
      await old.begin('r1');
      const state = await store.claim(old.id);
      expect(state?.checkpoint.epoch).toBe(old.state.checkpoint.epoch + 1);
      expect(await old.commit(old.decide([{ type: 'pause', now: false }]))).toEqual({ ok: false, reason: 'moved' });
      expect(await store.loadState(old.id)).toEqual(state);
    });
  });

  describe('a once key', () => {
    it('makes a session once', async () => {
      const store = await open(testParts());
      expect(await store.once(once('k1'))).toEqual({ state: 'new' });
      expect(await store.createSession(record('s1'), null, once('k1'))).not.toBeNull();
      expect(await store.once(once('k1'))).toEqual({ state: 'seen', ref: 's1' });
      expect(await store.once(once('k1', 'other params'))).toEqual({ state: 'other' });
      expect(await store.once({ ...once('k1'), method: 'run.start' })).toEqual({ state: 'other' });
      expect(await store.createSession(record('s2'), planOf(['A']), once('k1'))).toBeNull();
      expect(await store.session(sid('s2'))).toBeNull();
      expect((await store.eventsAfter(0, sid('s2'), 9)).length).toBe(0);
    });

    it('makes a chat, a word of steering and a commit once', async () => {
      const store = await open(testParts());
      const driven = await Driven.create(store, 's1', ['A']);
      const chat = { sessionId: driven.id, kind: 'chat', text: 'hi', resumes: null } as const;
      expect(await store.beginChat({ ...chat, id: runId('c1') }, once('chat'))).not.toBeNull();
      expect(await store.beginChat({ ...chat, id: runId('c2') }, once('chat'))).toBeNull();
      expect(await store.run(runId('c2'))).toBeNull();
      expect(await store.once(once('chat'))).toEqual({ state: 'seen', ref: 'c1' });

      expect(await store.addSteering(driven.id, 'more tests', once('word'), runId('r1'))).toBe(true);
      expect(await store.addSteering(driven.id, 'more tests', once('word'), runId('r1'))).toBe(false);
      expect((await store.loadState(driven.id))?.steering).toBe(1);

      const start = driven.decide([{ type: 'start' }]);
      expect((await store.commit(start, once('start'))).ok).toBe(true);
      expect(await store.once(once('start'))).toEqual({ state: 'seen', ref: 's1' });
      const state = await store.loadState(driven.id);
      if (state === null) throw new Error('gone');
      const again = new Driven(store, state);
      expect(await again.commit(again.decide([{ type: 'pause', now: false }]), once('start'))).toEqual({
        ok: false,
        reason: 'key_used',
      });
      expect(await store.loadState(driven.id)).toEqual(state);
    });
  });
}
