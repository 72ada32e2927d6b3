/** The journal of a run: turns, effects, transcript, reports, receipts, words that reach it. */
import { describe, expect, it } from 'vitest';
import type { EffectEnd } from '../../daemon/store/store.js';
import type { OpenStore } from './conformance.js';
import { Driven, effectId, firstPage, itemId, runId, secret, testParts } from './store-support.js';

const call = { id: 'call_1', name: 'shell', arguments: '{"command":"make"}' };

export function journalConformance(open: OpenStore): void {
  const running = async (titles: readonly string[] = ['A', 'B']) => {
    const store = await open(testParts());
    const driven = await Driven.create(store, 's1', titles);
    await driven.begin('r1');
    return { store, driven };
  };

  describe('a turn', () => {
    it('is stored with its calls, counted for run, item, model and session, and forgives earlier deaths', async () => {
      const { store, driven } = await running();
      await driven.play([{ type: 'owner_died' }, { type: 'begin', runId: runId('r2') }]);
      expect((await store.loadState(driven.id))?.run?.deaths).toBe(1);
      const first = await store.appendTurn(driven.turn({ toolCalls: [call], finishReason: 'tool_calls' }));
      expect(first).toMatchObject({
        seq: 1,
        events: [{ type: 'turn.completed', runId: 'r2', data: { turn: 1, inputTokens: 100, toolCalls: 1, costUsd: 0.25 } }],
      });
      expect((await store.loadState(driven.id))?.run?.deaths).toBe(0);
      await store.appendTurn(driven.turn({ costUsd: null, model: 'm-2', inputTokens: 7 }));
      const sum = { turns: 2, inputTokens: 107, outputTokens: 40, costUsd: 0.25, durationMs: 3_000 };
      expect(await store.run(runId('r2'))).toMatchObject({ usage: sum, model: 'm-2' });
      expect((await store.sessionRow(driven.id))?.usage).toEqual(sum);
      const usage = await store.usage(null);
      expect(usage).toEqual(await store.usage(driven.id));
      expect(usage).toEqual({
        total: sum,
        bySession: [{ ...sum, sessionId: 's1' }],
        byItem: [{ ...sum, sessionId: 's1', itemId: 't1' }],
        byModel: [
          { turns: 1, inputTokens: 100, outputTokens: 20, costUsd: 0.25, durationMs: 1_500, model: 'm-1' },
          { turns: 1, inputTokens: 7, outputTokens: 20, costUsd: null, durationMs: 1_500, model: 'm-2' },
        ],
        steps: { runs: 1, runsWithSteps: 0, calls: 0, turnsShown: 0, tokensShown: 0 },
      });
      expect(await store.transcript(runId('r2'))).toMatchObject([
        { seq: 1, kind: 'assistant', role: 'assistant', content: 'I look first.', toolCalls: [call] },
        { seq: 2, kind: 'assistant' },
      ]);
      await driven.closeAndBegin('r3');
    });

    it('that was cut off carries the word about it', async () => {
      const { store, driven } = await running();
      await store.appendTurn(driven.turn({ notice: 'The answer was cut off.' }));
      expect((await store.transcript(runId('r1'))).map((m) => [m.seq, m.kind, m.content])).toEqual([
        [1, 'assistant', 'I look first.'],
        [2, 'notice', 'The answer was cut off.'],
      ]);
    });

    it('of a run that is not the current one is refused: another attempt, an older owner, an ended or waiting run', async () => {
      const { store, driven } = await running();
      const turn = driven.turn();
      expect(await store.appendTurn({ ...turn, ref: { ...turn.ref, attempt: 2 } })).toBeNull();
      expect(await store.appendTurn({ ...turn, ref: { ...turn.ref, runId: runId('r9') } })).toBeNull();
      await driven.play([{ type: 'asked', ref: driven.ref, entries: [] }]);
      expect(await store.appendTurn(turn)).toBeNull();
      await driven.play([{ type: 'answered', runId: runId('r1') }]);
      expect(await store.appendTurn(turn)).not.toBeNull();
      await store.claim(driven.id);
      expect(await store.appendTurn(turn)).toBeNull();
      expect(await store.beginEffect(driven.effect('e1'))).toBeNull();
      expect(await store.appendMessages(driven.ref, [{ kind: 'notice', role: 'system', content: 'x' }])).toBe(false);
      expect(await store.deliverSteering(driven.id, driven.ref)).toBe(0);
      expect((await store.transcript(runId('r1'))).length).toBe(1);
      expect((await store.usage(driven.id)).total.turns).toBe(1);
    });
  });

  describe('a transcript', () => {
    it('goes on through the runs that resume each other, and a fresh run has its own', async () => {
      const { store, driven } = await running();
      const say = (content: string) => store.appendMessages(driven.ref, [{ kind: 'notice', role: 'system', content }]);
      await say('one');
      await driven.play([{ type: 'owner_died' }, { type: 'begin', runId: runId('r2') }]);
      await say('two');
      await driven.play([{ type: 'pause', now: true }]);
      await driven.play([{ type: 'start' }, { type: 'begin', runId: runId('r3') }]);
      await say('three');
      const texts = async (run: string) => (await store.transcript(runId(run))).map((m) => `${m.seq} ${m.runId} ${m.content}`);
      expect(await texts('r3')).toEqual(['1 r1 one', '2 r2 two', '3 r3 three']);
      expect(await texts('r2')).toEqual(['1 r1 one', '2 r2 two']);
      await driven.closeAndBegin('r4');
      await say('four');
      expect(await texts('r4')).toEqual(['1 r4 four']);
      expect((await store.earlierTranscripts(driven.id, runId('r4'))).map((m) => m.content)).toEqual(['one', 'two', 'three']);
      expect((await store.runs(driven.id, null, firstPage)).rows.map((run) => run.id)).toEqual(['r4', 'r3', 'r2', 'r1']);
      expect((await store.runs(driven.id, itemId('t1'), { limit: 2, cursor: null })).rows.map((run) => run.id)).toEqual([
        'r3',
        'r2',
      ]);
    });

    it('holds no secret', async () => {
      const { store, driven } = await running();
      await store.appendMessages(driven.ref, [{ kind: 'digest', role: 'system', content: secret }]);
      await store.appendTurn(driven.turn({ content: secret, toolCalls: [{ ...call, arguments: `{"k":"${secret}"}` }] }));
      await store.beginEffect(driven.effect('e1', { args: secret }));
      const report: NonNullable<EffectEnd['report']> = {
        kind: 'finding',
        summary: secret,
        detail: secret,
        refs: [secret],
        itemId: null,
      };
      await store.endEffect({
        id: effectId('e1'),
        sessionId: driven.id,
        runId: runId('r1'),
        state: 'done',
        toolCallId: 'call_1',
        content: secret,
        report,
      });
      await store.addSteering(driven.id, secret, null, runId('r1'));
      await store.deliverSteering(driven.id, driven.ref);
      const stored = JSON.stringify([
        await store.transcript(runId('r1')),
        await store.effects(runId('r1')),
        await store.reports(driven.id, null, firstPage),
      ]);
      expect(stored).not.toContain(secret);
      expect(JSON.parse((await store.transcript(runId('r1')))[1]?.toolCalls?.[0]?.arguments ?? '')).toEqual({ k: '[redacted]' });
    });
  });

  describe('an effect', () => {
    it('is written before it happens and after, with what the model is told', async () => {
      const { store, driven } = await running();
      await store.appendTurn(driven.turn({ toolCalls: [call] }));
      expect(await store.beginEffect(driven.effect('e1'))).toMatchObject([
        {
          type: 'effect.started',
          runId: 'r1',
          data: { effectId: 'e1', name: 'shell', class: 'code_execution', argsDigest: 'abc' },
        },
      ]);
      expect(await store.effects(runId('r1'))).toMatchObject([
        { id: 'e1', state: 'intent', itemId: 't1', result: null, repeatable: false },
      ]);
      const end = {
        id: effectId('e1'),
        sessionId: driven.id,
        runId: runId('r1'),
        state: 'done',
        toolCallId: 'call_1',
        content: 'built',
      } as const;
      const handover = { outcome: 'ok', artifacts: ['a'], handoverForNext: 'b', caveats: [] };
      const report = { kind: 'result' as const, summary: 'built', handover, itemId: itemId('t1') };
      expect((await store.endEffect({ ...end, report })).map((event) => event.type)).toEqual([
        'effect.completed',
        'report.filed',
      ]);
      expect(await store.effects(runId('r1'))).toMatchObject([
        { state: 'done', result: 'built', finishedAt: '2026-01-01T00:00:00.000Z' },
      ]);
      expect((await store.transcript(runId('r1')))[1]).toMatchObject({
        seq: 2,
        kind: 'tool',
        role: 'tool',
        toolCallId: 'call_1',
        content: 'built',
      });
      expect((await store.reports(driven.id, null, firstPage)).rows).toMatchObject([
        { kind: 'result', byRuntime: false, handover, runId: 'r1' },
      ]);
      // A second result for the same effect is nothing.
      expect(await store.endEffect({ ...end, state: 'failed', content: 'no', report })).toEqual([]);
      expect((await store.transcript(runId('r1'))).length).toBe(2);
      expect((await store.reports(driven.id, null, firstPage)).rows.length).toBe(1);
    });

    it('never begins twice', async () => {
      const { store, driven } = await running();
      expect(await store.beginEffect(driven.effect('e1'))).not.toBeNull();
      expect(await store.beginEffect(driven.effect('e1'))).toBeNull();
      expect((await store.effects(runId('r1'))).length).toBe(1);
    });

    it('is recorded even when its run was aborted meanwhile', async () => {
      const { store, driven } = await running();
      await store.beginEffect(driven.effect('e1'));
      await driven.play([{ type: 'cancel' }]);
      const end = { id: effectId('e1'), sessionId: driven.id, runId: runId('r1'), toolCallId: null, content: 'killed' } as const;
      expect((await store.endEffect({ ...end, state: 'unknown' })).map((event) => event.type)).toEqual(['effect.unknown']);
      expect(await store.itemEffects(driven.id, itemId('t1'))).toMatchObject([{ id: 'e1', state: 'unknown', result: 'killed' }]);
      expect(await store.transcript(runId('r1'))).toEqual([]);
    });

    it('whose outcome nobody knows is no progress; one that ended is', async () => {
      const { store, driven } = await running();
      await store.beginEffect(driven.effect('e1'));
      await driven.play([{ type: 'owner_died' }, { type: 'begin', runId: runId('r2') }]);
      const end = { sessionId: driven.id, runId: runId('r2'), toolCallId: 'call_1', content: 'outcome unknown' } as const;
      await store.endEffect({ ...end, id: effectId('e1'), state: 'unknown' });
      expect((await store.loadState(driven.id))?.run?.deaths).toBe(1);
      await store.beginEffect(driven.effect('e2'));
      await store.endEffect({ ...end, id: effectId('e2'), state: 'failed' });
      expect((await store.loadState(driven.id))?.run?.deaths).toBe(0);
      expect((await store.effects(runId('r1'))).map((effect) => effect.id)).toEqual(['e1']);
      expect((await store.transcriptEffects(runId('r1'))).map((effect) => effect.id)).toEqual(['e1']);
      expect((await store.transcriptEffects(runId('r2'))).map((effect) => effect.id)).toEqual(['e1', 'e2']);
    });
  });

  describe('words for the running leaf', () => {
    it('are counted until they are delivered, once, into its transcript and the conversation', async () => {
      const { store, driven } = await running();
      await store.addSteering(driven.id, 'use tabs', null, runId('r1'));
      await store.addSteering(driven.id, 'and test it', null, runId('r1'));
      expect((await store.loadState(driven.id))?.steering).toBe(2);
      expect(await store.conversation(driven.id)).toEqual([]);
      expect(await store.deliverSteering(driven.id, driven.ref)).toBe(2);
      expect(await store.deliverSteering(driven.id, driven.ref)).toBe(0);
      expect((await store.loadState(driven.id))?.steering).toBe(0);
      const words = (await store.transcript(runId('r1'))).map((m) => [m.kind, m.role, m.content]);
      expect(words).toEqual([
        ['chat', 'user', 'use tabs'],
        ['chat', 'user', 'and test it'],
      ]);
      expect((await store.conversation(driven.id)).map((m) => m.content)).toEqual(['use tabs', 'and test it']);
    });
  });

  describe('a chat', () => {
    it('has a run of its own, survives a new owner of the plan, and its answers are the conversation', async () => {
      const { store, driven } = await running();
      const events = await store.beginChat(
        { id: runId('c1'), sessionId: driven.id, kind: 'chat', text: 'How far?', resumes: null },
        null,
      );
      expect(events).toMatchObject([{ type: 'run.started', runId: 'c1', data: { kind: 'chat', itemId: null } }]);
      expect((await store.openChats()).map((run) => run.id)).toEqual(['c1']);
      await store.claim(driven.id);
      const turn = { ...driven.turn(), ref: { runId: runId('c1'), epoch: 0, attempt: 1 } };
      expect(await store.appendTurn({ ...turn, content: 'Let me look.', toolCalls: [call] })).not.toBeNull();
      expect(await store.appendTurn({ ...turn, content: 'Half way.' })).not.toBeNull();
      expect(await store.endChat(runId('c1'), driven.id, 'interrupted', 'the daemon died')).toMatchObject([
        { type: 'run.interrupted' },
      ]);
      expect(await store.endChat(runId('c1'), driven.id, 'completed', null)).toEqual([]);
      expect(await store.appendTurn(turn)).toBeNull();
      await store.beginChat({ id: runId('c2'), sessionId: driven.id, kind: 'chat', text: '', resumes: runId('c1') }, null);
      expect((await store.transcript(runId('c2'))).map((m) => m.content)).toEqual(['How far?', 'Let me look.', 'Half way.']);
      expect(await store.endChat(runId('c2'), driven.id, 'completed', null)).toMatchObject([{ type: 'run.completed' }]);
      expect(await store.openChats()).toEqual([]);
      const spoken = await store.conversation(driven.id);
      expect(spoken.map((m) => [m.role, m.content])).toEqual([
        ['user', 'How far?'],
        ['assistant', 'Let me look.'],
        ['assistant', 'Half way.'],
      ]);
      expect(spoken.every((m) => m.toolCalls === undefined)).toBe(true);
      expect((await store.loadState(driven.id))?.checkpoint.status).toBe('running');
    });
  });

  describe('a chat that goes on with one that was cut off', () => {
    it('ends that one in the same transaction, so that no crash can lose it', async () => {
      const { store, driven } = await running();
      const chat = { sessionId: driven.id, kind: 'chat' } as const;
      await store.beginChat({ ...chat, id: runId('c1'), text: 'How far?', resumes: null }, null);
      const events = await store.beginChat({ ...chat, id: runId('c2'), text: '', resumes: runId('c1') }, null);
      expect(events?.map(({ type, runId: id }) => [type, id])).toEqual([
        ['run.interrupted', 'c1'],
        ['run.started', 'c2'],
      ]);
      expect((await store.openChats()).map((run) => run.id)).toEqual(['c2']);
    });
  });

  describe('receipts and reports', () => {
    it('are kept in order and found by item and by kind', async () => {
      const { store, driven } = await running();
      const receipt = {
        id: 'v1',
        itemId: itemId('t1'),
        runId: runId('r1'),
        attempt: 1,
        command: 'make check',
        exitCode: 2,
        passed: false,
        outputHash: 'ff',
        outputTail: 'boom',
        treeHash: null,
        durationMs: 12,
        at: '2026-01-01T00:00:00.000Z',
      };
      expect(await store.recordReceipt(driven.id, receipt)).toMatchObject([
        { type: 'receipt.recorded', runId: 'r1', data: { id: 'v1', itemId: 't1', passed: false, exitCode: 2 } },
      ]);
      const passed = { ...receipt, id: 'v2', exitCode: 0, passed: true, treeHash: 'aa' };
      await store.recordReceipt(driven.id, passed);
      expect(await store.receipts(driven.id, itemId('t1'))).toEqual([receipt, passed]);
      expect(await store.receipts(driven.id, itemId('t2'))).toEqual([]);

      const report = { sessionId: driven.id, runId: runId('r1'), itemId: itemId('t1'), byRuntime: false } as const;
      await store.fileReport({ ...report, kind: 'progress', summary: 'half' });
      await store.fileReport({ ...report, kind: 'finding', summary: 'odd', detail: 'very', refs: ['a.ts'] });
      const all = await store.reports(driven.id, null, { limit: 1, cursor: null });
      expect(all.rows).toMatchObject([{ kind: 'finding', detail: 'very', refs: ['a.ts'] }]);
      expect((await store.reports(driven.id, null, { limit: 1, cursor: all.nextCursor })).rows).toMatchObject([
        { kind: 'progress' },
      ]);
      expect((await store.reports(driven.id, 'progress', firstPage)).rows).toMatchObject([{ summary: 'half' }]);
    });
  });
}
