import { describe, expect, it, onTestFinished } from 'vitest';
import { createEventStreams } from '../../daemon/rpc/event-streams.js';
import type { Connection } from '../../daemon/rpc/handlers.js';
import type { CairnEvent } from '../../shared/event.js';
import type { SessionId } from '../../shared/plan.js';
import { type Daemon, startDaemon, tempPlaces } from '../support/daemon.js';
import type { Watcher } from '../support/rpc.js';
import { waitFor } from '../support/wait.js';
import { type House, openHouse, openRaw, request1 } from './rpc-support.js';

async function newHouse(): Promise<House> {
  const house = await openHouse();
  onTestFinished(() => house.close());
  return house;
}

interface Appended {
  readonly subscriptionId: string;
  readonly events: CairnEvent[];
  readonly nextCursor: number;
}

const appendedIn = (watcher: Pick<Watcher, 'notes'>): Appended[] =>
  watcher.notes.filter((note) => note.method === 'event.appended').map((note) => note.params as unknown as Appended);
const eventsIn = (watcher: Pick<Watcher, 'notes'>): CairnEvent[] => appendedIn(watcher).flatMap(({ events }) => events);

/** All events, page by page, as a script without a connection reads them. */
async function listAll(daemon: Pick<House | Daemon, 'call'>, sessionId?: SessionId): Promise<CairnEvent[]> {
  const all: CairnEvent[] = [];
  for (let after = 0; ;) {
    const { events, nextCursor } = await daemon.call('event.list', { after, limit: 7, ...(sessionId ? { sessionId } : {}) });
    if (events.length === 0) return all;
    all.push(...events);
    after = nextCursor;
  }
}

describe('a stream of events', () => {
  it('is complete, in order and without duplicates across reconnects and kill -9', async () => {
    const { home, workspace } = await tempPlaces();
    let daemon = await startDaemon(home);
    const heard: CairnEvent[] = [];
    let cursor = 0;
    let sessionId: SessionId | null = null;
    for (let round = 0; round < 3; round++) {
      for (let reconnect = 0; reconnect < 3; reconnect++) {
        const watcher = await daemon.watch();
        await watcher.call('event.subscribe', { after: cursor, limit: 3 });
        sessionId ??= (await daemon.call('session.create', { workspace, goal: 'Stay' })).id;
        for (let i = 0; i < 4; i++) await daemon.call('plan.addItem', { sessionId, title: `Item ${round}.${reconnect}.${i}` });
        // The last one leaves while something may be under way; the others when they have heard something.
        if (reconnect < 2) await waitFor('some events', () => eventsIn(watcher).length > 2);
        if (reconnect === 2) await daemon.kill();
        watcher.close();
        for (const { events, nextCursor } of appendedIn(watcher)) {
          heard.push(...events);
          cursor = nextCursor;
        }
      }
      daemon = await startDaemon(home);
    }
    const watcher = await daemon.watch();
    await watcher.call('event.subscribe', { after: cursor });
    const all = await listAll(daemon);
    await waitFor('the rest', () => heard.length + eventsIn(watcher).length >= all.length);
    expect([...heard, ...eventsIn(watcher)]).toEqual(all);
    expect(all.map((event) => event.seq)).toEqual([...all.map((event) => event.seq)].sort((a, b) => a - b));
    expect(all.filter((event) => event.type === 'plan.revised').length).toBeGreaterThanOrEqual(36);
  });

  it('begins now without a cursor, and tells where that was', async () => {
    const house = await newHouse();
    const { id: sessionId } = await house.session();
    const watcher = await house.watch();
    const { after } = await watcher.call('event.subscribe', {});
    expect(after).toBe((await listAll(house)).at(-1)?.seq);
    await house.call('plan.setGoal', { sessionId, goal: 'Another' });
    await waitFor('the event', () => eventsIn(watcher).length > 0);
    expect(eventsIn(watcher).every((event) => event.seq > after)).toBe(true);
  });

  it('of one session has the events of that session', async () => {
    const house = await newHouse();
    const [one, other] = [await house.session(), await house.session()];
    const watcher = await house.watch();
    await watcher.call('event.subscribe', { after: 0, sessionId: one.id });
    await house.call('plan.setGoal', { sessionId: other.id, goal: 'Not told' });
    await house.call('plan.setGoal', { sessionId: one.id, goal: 'Told' });
    const all = await listAll(house, one.id);
    await waitFor('them', () => eventsIn(watcher).length >= all.length);
    expect(eventsIn(watcher)).toEqual(all);
  });

  it('gives a page at most as long as was asked for', async () => {
    const house = await newHouse();
    const { id: sessionId } = await house.session();
    for (let i = 0; i < 5; i++) await house.call('plan.setGoal', { sessionId, goal: `Goal ${i}` });
    const all = await listAll(house);
    const watcher = await house.watch();
    await watcher.call('event.subscribe', { after: 0, limit: 2 });
    await waitFor('all', () => eventsIn(watcher).length >= all.length);
    expect(eventsIn(watcher)).toEqual(all);
    expect(Math.max(...appendedIn(watcher).map(({ events }) => events.length))).toBe(2);
  });

  it('ends with unsubscribe, and cannot be ended by another client', async () => {
    const house = await newHouse();
    const { id: sessionId } = await house.session();
    const [watcher, stranger] = [await house.watch(), await house.watch()];
    const kept = await watcher.call('event.subscribe', {});
    const ended = await watcher.call('event.subscribe', {});
    await watcher.call('event.unsubscribe', { subscriptionId: ended.subscriptionId });
    await stranger.call('event.unsubscribe', { subscriptionId: kept.subscriptionId });
    await house.call('plan.setGoal', { sessionId, goal: 'Another' });
    await waitFor('the event', () => appendedIn(watcher).length > 0);
    await watcher.call('daemon.status', {});
    expect(new Set(appendedIn(watcher).map(({ subscriptionId }) => subscriptionId))).toEqual(new Set([kept.subscriptionId]));
  });

  it('answers before it tells, in a batch as well', async () => {
    const house = await newHouse();
    await house.session();
    const { send, messages } = await openRaw(`ws+unix:${house.socket}:/rpc`);
    const slow = Array.from({ length: 20 }, (_, i) => request1('session.create', { workspace: house.workspace }, 10 + i));
    send([request1('event.subscribe', { after: 0 }, 1), ...slow]);
    await waitFor('the events', () => messages.length >= 2);
    expect(messages[0]).toHaveLength(21);
    const { result } = (messages[0] as unknown as { result: { subscriptionId: string } }[])[0] ?? {};
    expect(messages[1]).toMatchObject({ method: 'event.appended', params: { subscriptionId: result?.subscriptionId } });
  });

  it('is refused where nothing can be told later, and when a connection has a hundred', async () => {
    const house = await newHouse();
    await expect(house.call('event.subscribe', {})).rejects.toMatchObject({ code: -32010 });
    const watcher = await house.watch();
    const ids = [];
    for (let i = 0; i < 100; i++) ids.push((await watcher.call('event.subscribe', {})).subscriptionId);
    await expect(watcher.call('event.subscribe', {})).rejects.toMatchObject({ code: -32012 });
    await watcher.call('event.unsubscribe', { subscriptionId: ids[0] ?? '' });
    await watcher.call('event.subscribe', {});
  });
});

describe('what keeps the streams', () => {
  const event = (seq: number): CairnEvent => ({
    seq,
    at: '2026-01-01T00:00:00.000Z',
    sessionId: 's' as SessionId,
    type: 'session.created',
    data: {},
  });

  /** A connection that a test holds in its hands. */
  function fakeConnection() {
    const told: number[] = [];
    const callbacks = { drain: [] as (() => void)[], close: [] as (() => void)[] };
    const connection = {
      id: 'k',
      closed: false,
      busy: false,
      notify: (_name: string, params: unknown) => void told.push(...(params as Appended).events.map(({ seq }) => seq)),
      onDrain: (callback: () => void) => void callbacks.drain.push(callback),
      onClose: (callback: () => void) => void callbacks.close.push(callback),
      close: (reason: string) => void Object.assign(connection, { closed: reason }),
    };
    return { connection: connection as unknown as Connection & { busy: boolean }, told, callbacks };
  }

  const begin = { after: 0, sessionId: null, limit: 10 };
  const afterAnswer = (callback: () => void): void => callback();

  it('hangs one listener on a connection, however many streams come and go', () => {
    const { connection, callbacks } = fakeConnection();
    const streams = createEventStreams(
      { eventsAfter: () => Promise.resolve([]) },
      (prefix) => `${prefix}${Math.random()}`,
      () => undefined,
    );
    for (let i = 0; i < 1_000; i++) {
      const opened = streams.open({ connection, afterAnswer }, begin);
      if (!opened.ok) throw new Error(opened.error.message);
      streams.close(connection, opened.value);
    }
    expect([callbacks.drain.length, callbacks.close.length]).toEqual([1, 1]);
  });

  it('asks the store for nothing while the client is busy, and goes on when it has drained', async () => {
    const { connection, told, callbacks } = fakeConnection();
    let asked = 0;
    const store = {
      eventsAfter: (after: number) => {
        asked += 1;
        return Promise.resolve(after < 6 ? [event(after + 1), event(after + 2)] : []);
      },
    };
    const streams = createEventStreams(
      store,
      () => 'e',
      () => undefined,
    );
    connection.busy = true;
    streams.open({ connection, afterAnswer }, begin);
    for (let i = 0; i < 10; i++) streams.wake();
    expect(asked).toBe(0);
    connection.busy = false;
    for (const callback of callbacks.drain) callback();
    await waitFor('all events', () => told.length === 6);
    expect(told).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('loses no event that is committed while a page is read', async () => {
    const { connection, told } = fakeConnection();
    let last = 1;
    let release = (): void => undefined;
    const store = {
      eventsAfter: async (after: number) => {
        const seen = last;
        await new Promise<void>((resolve) => (release = resolve));
        return after < seen ? [event(after + 1)] : [];
      },
    };
    const streams = createEventStreams(
      store,
      () => 'e',
      () => undefined,
    );
    streams.open({ connection, afterAnswer }, begin);
    last = 2;
    streams.wake();
    await waitFor('both', () => {
      release();
      return told.length === 2;
    });
    expect(told).toEqual([1, 2]);
  });

  it('lets a client go whose events cannot be read: it comes back with its cursor', async () => {
    const { connection } = fakeConnection();
    const bugs: unknown[] = [];
    const error = new Error('disk I/O');
    const streams = createEventStreams(
      { eventsAfter: () => Promise.reject(error) },
      () => 'e',
      (bug) => void bugs.push(bug),
    );
    streams.open({ connection, afterAnswer }, begin);
    await waitFor('the close', () => connection.closed);
    expect(bugs).toEqual([error]);
  });
});
