/** The inbox: asked once, answered once, withdrawn with its run. */
import { describe, expect, it } from 'vitest';
import type { InboxDraft } from '../../daemon/domain/run-state.js';
import type { OpenStore } from './conformance.js';
import { Driven, effectId, firstPage, itemId, runId, secret, testParts } from './store-support.js';

const approval = (effect: string, more: Partial<InboxDraft> = {}): InboxDraft => ({
  kind: 'approval',
  title: 'May shell run?',
  detail: `make ${secret}`,
  itemId: itemId('t1'),
  runId: runId('r1'),
  effectId: effectId(effect),
  tool: 'shell',
  options: ['allow', 'always', 'deny'],
  default: 'deny',
  deadline: '2026-01-01T01:00:00.000Z',
  ...more,
});

export function inboxConformance(open: OpenStore): void {
  const asking = async (...entries: InboxDraft[]) => {
    const store = await open(testParts());
    const driven = await Driven.create(store, 's1', ['A', 'B']);
    await driven.begin('r1');
    const { inbox, events } = await driven.play([{ type: 'asked', ref: driven.ref, entries }]);
    return { store, driven, inbox, events, first: inbox[0]?.id ?? '' };
  };

  describe('an inbox entry', () => {
    it('is opened with the commit that asks, its texts redacted', async () => {
      const { store, inbox, events, first } = await asking(approval('e1'));
      expect(inbox).toMatchObject([
        { state: 'open', detail: 'make [redacted]', options: ['allow', 'always', 'deny'], answer: null, closedAt: null },
      ]);
      expect(events.at(-1)).toMatchObject({ type: 'inbox.opened', runId: 'r1', data: { id: first, kind: 'approval' } });
      expect(await store.inboxEntry(first)).toEqual(inbox[0]);
      expect(await store.approvalOf(effectId('e1'))).toEqual(inbox[0]);
      expect(await store.approvalOf(effectId('e2'))).toBeNull();
      expect(await store.inboxOfRun(runId('r1'))).toEqual(inbox);
      expect(await store.openDeadlines()).toEqual([{ id: first, deadline: '2026-01-01T01:00:00.000Z' }]);
      expect((await store.counts()).inbox).toBe(1);
    });

    it('is not opened twice while it is open, but two effects of one run each have theirs', async () => {
      const { store, driven } = await asking(approval('e1'), approval('e1'), approval('e2'));
      const list = (await store.inbox({ state: 'open' }, firstPage)).rows;
      expect(list.map((entry) => entry.effectId)).toEqual(['e2', 'e1']);
      await store.answerInbox(list[1]?.id ?? '', 'deny', 'expired');
      await driven.play([{ type: 'answered', runId: runId('r1') }]);
      const { inbox } = await driven.play([{ type: 'asked', ref: driven.ref, entries: [approval('e1'), approval('e2')] }]);
      expect(inbox.map((entry) => entry.effectId)).toEqual(['e1']);
      expect((await store.approvalOf(effectId('e1')))?.state).toBe('open');
    });

    it('is answered once; the second answer changes nothing', async () => {
      const { store, driven, first } = await asking(approval('e1'));
      const answered = await store.answerInbox(first, 'allow', 'answered');
      expect(answered?.entry).toMatchObject({ state: 'answered', answer: 'allow', closedAt: '2026-01-01T00:00:00.000Z' });
      expect(answered?.events).toMatchObject([{ type: 'inbox.answered', data: { id: first } }]);
      const seq = await store.lastSeq();
      expect(await store.answerInbox(first, 'deny', 'answered')).toBeNull();
      expect(await store.answerInbox(first, 'deny', 'expired')).toBeNull();
      expect(await store.ackInbox(first)).toBeNull();
      expect(await store.answerInbox('i_nothing', 'allow', 'answered')).toBeNull();
      expect((await store.inboxEntry(first))?.answer).toBe('allow');
      expect(await store.lastSeq()).toBe(seq);
      expect(await store.openDeadlines()).toEqual([]);
      expect((await store.inbox({ sessionId: driven.id, state: 'answered' }, firstPage)).rows.length).toBe(1);
    });

    it('is withdrawn in the commit that aborts its run', async () => {
      const { store, driven, first } = await asking(approval('e1'), approval('e2'));
      const { inbox, events } = await driven.play([{ type: 'cancel' }]);
      expect(inbox.map((entry) => entry.state)).toEqual(['withdrawn', 'withdrawn']);
      expect(events.filter((event) => event.type === 'inbox.withdrawn').length).toBe(2);
      expect(await store.answerInbox(first, 'allow', 'answered')).toBeNull();
    });

    it('that only tells something is acknowledged', async () => {
      const store = await open(testParts());
      const driven = await Driven.create(store, 's1', ['A']);
      await driven.begin('r1');
      const { inbox } = await driven.play([{ type: 'reported_blocked', ref: driven.ref, reason: 'no key', reported: true }]);
      expect(inbox).toMatchObject([{ kind: 'blocker', detail: 'no key' }]);
      const acked = await store.ackInbox(inbox[0]?.id ?? '');
      expect(acked?.entry.state).toBe('acked');
      expect(acked?.events).toMatchObject([{ type: 'inbox.acked' }]);
      expect((await store.inbox({ sessionId: driven.id, state: 'open' }, firstPage)).rows).toEqual([]);
    });
  });

  describe('an answer for always', () => {
    it('covers exactly this tool and subject, in this session', async () => {
      const { store, driven } = await asking(approval('e1'));
      const other = await Driven.create(store, 's2', ['A']);
      await store.grantAlways(driven.id, 'shell', `make ${secret}`);
      await store.grantAlways(driven.id, 'shell', `make ${secret}`);
      expect(await store.isGranted(driven.id, 'shell', `make ${secret}`)).toBe(true);
      expect(await store.isGranted(driven.id, 'shell', 'make [redacted]')).toBe(false);
      expect(await store.isGranted(driven.id, 'write', `make ${secret}`)).toBe(false);
      expect(await store.isGranted(other.id, 'shell', `make ${secret}`)).toBe(false);
    });
  });
}
