/** Missions: the queue of a planner, its runs, an outcome that is set once, and calls that are committed with what they change. */
import { describe, expect, it } from 'vitest';
import type { PlannerNote } from '../../daemon/domain/planner-notes.js';
import { addItem } from '../../daemon/domain/plan-edit.js';
import type { CallEnd, PlannerEnd, SessionRecord, Store } from '../../daemon/store/store.js';
import type { SessionId } from '../../shared/plan.js';
import type { OpenStore } from './conformance.js';
import { Driven, effectId, firstPage, once, planOf, record, runId, secret, testParts } from './store-support.js';

const sid = (id: string): SessionId => id as SessionId;
const note = (text: string, more: Partial<PlannerNote> = {}): PlannerNote => ({
  kind: 'report',
  text,
  itemId: null,
  urgent: true,
  ...more,
});
const ended = (more: Partial<PlannerEnd> = {}): PlannerEnd => ({
  runId: runId('p1'),
  sessionId: sid('s1'),
  status: 'completed',
  error: null,
  keep: {},
  note: null,
  entry: null,
  ...more,
});

const mission: Partial<SessionRecord> = { isMission: true, planner: 'always', order: { acceptance: ['It is there'] } };

export function missionConformance(open: OpenStore): void {
  async function fired(...notes: PlannerNote[]): Promise<Store> {
    const store = await open(testParts());
    await store.createSession(record('s1', mission), planOf(['A', 'B']), null, { notes });
    return store;
  }
  const begin = async (store: Store, id = 'p1') => {
    const { notes, lastRunId } = await store.planner(sid('s1'));
    const start = { id: runId(id), sessionId: sid('s1'), resumes: lastRunId, brief: `brief ${secret}`, words: ['How far?'] };
    return store.beginPlanner({ ...start, notes: notes.map(({ no }) => no) });
  };
  const texts = async (store: Store, id = 's1') => (await store.planner(sid(id))).notes.map(({ text }) => text);

  describe('the queue of a planner', () => {
    it('is made with the session, redacted, and read back with what it was asked for', async () => {
      const store = await fired(note(`key ${secret}`, { kind: 'fired', urgent: false }));
      expect((await store.planner(sid('s1'))).notes).toMatchObject([{ kind: 'fired', text: 'key [redacted]', urgent: false }]);
      expect(await store.session(sid('s1'))).toMatchObject({ isMission: true, order: { acceptance: ['It is there'] } });
      expect(await store.sessionsToTend()).toEqual(['s1']);
      expect((await store.sessionRow(sid('s1')))?.planner).toEqual({ mode: 'always', state: 'idle', reason: null });
    });

    it('is shown to one run, and goes with its end', async () => {
      const store = await fired(note('one'), note('two'));
      expect((await store.sessionRow(sid('s1')))?.planner.state).toBe('due');
      expect((await begin(store))?.map(({ type }) => type)).toEqual(['run.started']);
      expect(await texts(store)).toEqual([]);
      await store.addNote(sid('s1'), note('three'), null);
      expect(await begin(store, 'p2')).toBeNull();
      expect((await store.sessionRow(sid('s1')))?.planner.state).toBe('running');
      const end = await store.endPlanner(ended({ keep: { unmoved: 2, blocker: 'b' }, note: note('again', { kind: 'unmoved' }) }));
      expect(end?.events.map(({ type }) => type)).toEqual(['run.completed']);
      expect(await store.endPlanner(ended())).toBeNull();
      expect(await texts(store)).toEqual(['three', 'again']);
      expect(await store.planner(sid('s1'))).toMatchObject({ unmoved: 2, blocker: 'b', lastRunId: 'p1', openRun: null });
    });

    it('is shown again when the run did not come to its end', async () => {
      const store = await fired(note('one'));
      await begin(store);
      await store.endPlanner(ended({ status: 'failed', error: `401 ${secret}`, keep: { failures: 1, retryAt: 5 } }));
      expect(await texts(store)).toEqual(['one']);
      expect(await store.planner(sid('s1'))).toMatchObject({ failures: 1, retryAt: 5 });
      expect(await store.run(runId('p1'))).toMatchObject({ status: 'failed', error: '401 [redacted]', kind: 'planner' });
    });

    it('goes over to the run that goes on after a crash, on the same conversation', async () => {
      const store = await fired(note('one'));
      await begin(store);
      const events = await store.resumePlanner({ id: runId('p2'), sessionId: sid('s1'), resumes: runId('p1') });
      expect(events?.map(({ type }) => type)).toEqual(['run.interrupted', 'run.started']);
      const transcript = await store.transcript(runId('p2'));
      expect(transcript.map(({ kind, role, content }) => [kind, role, content])).toEqual([
        ['notice', 'user', 'brief [redacted]'],
        ['chat', 'user', 'How far?'],
      ]);
      await store.endPlanner(ended({ runId: runId('p2') }));
      expect(await texts(store)).toEqual([]);
      // What persons said is part of the conversation; what the engine said is not.
      expect((await store.conversation(sid('s1'))).map(({ content }) => content)).toEqual(['How far?']);
    });

    it('takes a word once for one key, and none after the end', async () => {
      const store = await fired();
      const key = { once: once('k1'), ref: 'r1' };
      expect(await store.addNote(sid('s1'), note('one'), key)).toBe(true);
      expect(await store.addNote(sid('s1'), note('one'), key)).toBe(false);
      expect(await store.once(once('k1'))).toEqual({ state: 'seen', ref: 'r1' });
      expect(await store.addNote(sid('nobody'), note('one'), null)).toBe(false);
      await store.dropNotes(sid('s1'), 'report');
      expect(await texts(store)).toEqual([]);
    });

    it('is held with an entry that tells why, once, and freed with it', async () => {
      const store = await fired(note('one'));
      const entry = {
        kind: 'blocker',
        title: 'Held',
        detail: 'no model',
        itemId: null,
        runId: null,
        effectId: null,
        tool: null,
      } as const;
      const hold = () => store.holdPlanner(sid('s1'), 'no model', { ...entry, options: [], default: null, deadline: null });
      expect((await hold()).inbox).toMatchObject([{ state: 'open', detail: 'no model' }]);
      expect((await hold()).inbox).toEqual([]);
      expect((await store.sessionRow(sid('s1')))?.planner).toEqual({ mode: 'always', state: 'held', reason: 'no model' });
      await begin(store);
      expect((await store.inbox({ sessionId: sid('s1') }, firstPage)).rows.map(({ state }) => state)).toEqual(['withdrawn']);
      expect((await store.planner(sid('s1'))).held).toBeNull();
    });
  });

  describe('an outcome', () => {
    async function driven() {
      const store = await fired(note('one'));
      await begin(store);
      const state = await store.claim(sid('s1'));
      if (state === null) throw new Error('no session');
      return { store, driven: new Driven(store, state) };
    }

    it('is set once, ends the planner’s run, empties its queue and is told to the one above, once', async () => {
      const { store, driven: below } = await driven();
      await store.createSession(record('above', mission), null, null);
      await store.createSession(record('s2', { ...mission, parentId: sid('above') }), planOf(['A']), null);
      const state = await store.claim(sid('s2'));
      if (state === null) throw new Error('no session');
      const second = new Driven(store, state);
      const finish = { type: 'finish', outcome: 'stuck', reason: `wall ${secret}` } as const;
      const decision = second.decide([finish]);
      expect(await second.commit(decision)).toMatchObject({ ok: true });
      expect(await store.commit(decision, null)).toMatchObject({ ok: false, reason: 'moved' });
      expect(await store.session(sid('s2'))).toMatchObject({ outcome: 'stuck', outcomeReason: 'wall [redacted]' });
      expect(await texts(store, 'above')).toEqual(['Mission s2 “Session s2” has ended: stuck. wall [redacted]']);
      await below.play([finish]);
      expect(await store.run(runId('p1'))).toMatchObject({ status: 'cancelled' });
      expect(await store.addNote(sid('s1'), note('late'), null)).toBe(false);
      expect((await store.summary('2025-01-01T00:00:00.000Z', null)).ended).toHaveLength(2);
    });

    it('leaves no report land behind it', async () => {
      const { store, driven: mine } = await driven();
      await mine.play([{ type: 'finish', outcome: 'stuck', reason: 'wall' }]);
      const report = {
        sessionId: sid('s1'),
        runId: null,
        itemId: null,
        kind: 'result',
        summary: 'late',
        byRuntime: false,
      } as const;
      expect(await store.fileReport(report)).toEqual([]);
      expect((await store.reports(sid('s1'), null, firstPage)).rows).toEqual([]);
    });
  });

  describe('a call that changes the plan', () => {
    async function calling() {
      const store = await fired(note('one'));
      await begin(store);
      const state = await store.claim(sid('s1'));
      if (state === null) throw new Error('no session');
      const driven = new Driven(store, state);
      const ref = { runId: runId('p1'), epoch: state.checkpoint.epoch, attempt: 1 };
      await store.beginEffect({
        id: effectId('e1'),
        sessionId: sid('s1'),
        ref,
        name: 'mission_plan',
        args: '{}',
        argsDigest: 'd',
        class: 'safe',
        repeatable: true,
      });
      const call: CallEnd = {
        id: effectId('e1'),
        sessionId: sid('s1'),
        runId: runId('p1'),
        state: 'done',
        toolCallId: 'c1',
        content: 'version 2',
        seenVersion: state.plan.version,
        planVersion: state.plan.version + 1,
      };
      const more = () => driven.decide([{ type: 'plan_edited' }], (draft) => addItem(draft, { title: 'More' }, 'planner'));
      return { store, driven, call, more };
    }

    it('is committed with its result, and the run has seen what it made', async () => {
      const { store, call, more } = await calling();
      expect(await store.commit(more(), null, call)).toMatchObject({ ok: true });
      expect(await store.effects(runId('p1'))).toMatchObject([{ state: 'done', result: 'version 2' }]);
      expect((await store.transcript(runId('p1'))).at(-1)).toMatchObject({
        kind: 'tool',
        toolCallId: 'c1',
        content: 'version 2',
      });
      expect(await store.run(runId('p1'))).toMatchObject({ planVersion: 2 });
      expect((await store.planner(sid('s1'))).movedRun).toBe('p1');
    });

    it('is refused when the plan has another shape than it last saw; nothing is written', async () => {
      const { store, driven, call, more } = await calling();
      await driven.play([{ type: 'plan_edited' }], (draft) => addItem(draft, { title: 'By hand' }, 'person'));
      expect(await store.shapeVersion(sid('s1'))).toBe(2);
      expect(await store.commit(more(), null, call)).toEqual({ ok: false, reason: 'unseen' });
      expect(await store.effects(runId('p1'))).toMatchObject([{ state: 'intent' }]);
      // Statuses, which the runner changes, are no other shape.
      await driven.begin('r1');
      expect(await store.commit(more(), null, { ...call, seenVersion: 2 })).toMatchObject({ ok: true });
    });

    it('of a run that has ended is refused', async () => {
      const { store, call, more } = await calling();
      await store.endPlanner(ended({ status: 'cancelled' }));
      expect(await store.commit(more(), null, call)).toEqual({ ok: false, reason: 'not_current' });
    });
  });

  describe('reports', () => {
    it('of a leaf are for its own planner; of a planner, and where nobody plans, for the one above', async () => {
      const store = await open(testParts());
      await store.createSession(record('above', mission), null, null);
      await store.createSession(record('s1', { ...mission, parentId: sid('above') }), planOf(['A']), null);
      await store.createSession(record('alone', { ...mission, planner: 'never', parentId: sid('above') }), planOf(['A']), null);
      const file = (sessionId: SessionId, run: string | null, kind: 'finding' | 'progress', summary: string) =>
        store.fileReport({ sessionId, runId: run === null ? null : runId(run), itemId: null, kind, summary, byRuntime: false });
      await file(sid('s1'), null, 'finding', 'a leaf found');
      await file(sid('s1'), null, 'progress', 'a leaf goes on');
      await file(sid('alone'), null, 'finding', 'nobody plans');
      await store.beginPlanner({ id: runId('p1'), sessionId: sid('s1'), resumes: null, brief: 'b', words: [], notes: [] });
      await file(sid('s1'), 'p1', 'finding', 'a planner found');
      const { notes } = await store.planner(sid('s1'));
      expect(notes.map(({ text, urgent }) => [text, urgent])).toEqual([
        ['finding: a leaf found', true],
        ['progress: a leaf goes on', false],
      ]);
      expect(await texts(store, 'above')).toEqual([
        'Mission alone “Session alone”: finding: nobody plans',
        'Mission s1 “Session s1”: finding: a planner found',
      ]);
    });
  });
}
