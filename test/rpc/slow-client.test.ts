import { describe, expect, it, onTestFinished } from 'vitest';
import { messageBytesLimit } from '../../shared/contract.js';
import type { CairnEvent } from '../../shared/event.js';
import type { SessionChanged, Snapshot } from '../../shared/session.js';
import { say } from '../support/scripted-provider.js';
import { result } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { type House, openHouse, openRaw, type RawSocket, request1 } from './rpc-support.js';

async function newHouse(model: Parameters<typeof openHouse>[0] = null): Promise<{ house: House; client: RawSocket }> {
  const house = await openHouse(model);
  onTestFinished(() => house.close());
  return { house, client: await openRaw(`ws+unix:${house.socket}:/rpc`) };
}

const changesOf = (client: RawSocket): SessionChanged[] =>
  client.messages.filter((message) => message.method === 'session.changed').map((message) => message.params as SessionChanged);

/** What the system keeps between two processes on a Unix socket, at most, and what the daemon adds to it. */
const keptAtMost = 1024 * 1024;

describe('a client that does not read', () => {
  it('misses the parts, costs no memory, and gets a fresh snapshot when it reads again', async () => {
    const { house, client } = await newHouse();
    const { id: sessionId } = await house.session();
    client.send(request1('session.watch', { sessionId }));
    await waitFor('the snapshot', () => client.messages.length === 1);
    client.socket.pause();
    const detail = 'x'.repeat(10_000);
    const { items } = await house.call('plan.get', { sessionId });
    const itemId = items[0]?.id;
    if (itemId === undefined) throw new Error('the plan has no item');
    for (let i = 0; i < 400; i++) await house.call('plan.updateItem', { sessionId, itemId, detail: `${i} ${detail}` });
    client.socket.resume();
    await waitFor('a fresh snapshot', () => changesOf(client).some((change) => change.snapshot));
    // 400 changes are 4 MB. Those that had left already arrive, the others never do.
    expect(client.bytes()).toBeLessThan(keptAtMost);
    const changes = changesOf(client);
    const snapshot = changes.at(-1)?.snapshot as Snapshot;
    const plan = await house.call('plan.get', { sessionId });
    expect(snapshot).toMatchObject({ session: { planVersion: plan.version }, items: plan.items });
    // And from there on it is told of changes as before.
    await house.call('plan.setGoal', { sessionId, goal: 'Another' });
    await waitFor('the next change', () => changesOf(client).at(-1)?.session?.goal === 'Another');
    expect(changesOf(client).at(-1)).toMatchObject({ fromVersion: plan.version });
    expect(changesOf(client).filter((change) => change.snapshot)).toHaveLength(1);
  });

  it('is told of the end of a session, however far it is behind', async () => {
    const { house, client } = await newHouse();
    const { id: sessionId } = await house.session();
    client.send(request1('session.watch', { sessionId }));
    await waitFor('the snapshot', () => client.messages.length === 1);
    client.socket.pause();
    for (let i = 0; i < 200; i++) await house.call('plan.setGoal', { sessionId, goal: `${i} ${'x'.repeat(10_000)}` });
    await house.call('session.delete', { sessionId });
    client.socket.resume();
    await waitFor('the word', () => changesOf(client).at(-1)?.deleted);
  });

  it('hears that output was left out, not all of it later', async () => {
    const { house, client } = await newHouse((_body, number) =>
      number === 1 ? [say('chatter '.repeat(40_000)), result()] : result(),
    );
    const { id: sessionId } = await house.session({ items: [{ title: 'Only' }] });
    client.send(request1('session.watch', { sessionId }));
    await waitFor('the snapshot', () => client.messages.length === 1);
    client.socket.pause();
    await house.call('run.start', { sessionId });
    await waitFor('the end', async () => (await house.call('run.get', { sessionId })).status === 'completed', {
      deadlineMs: 20_000,
    });
    client.socket.resume();
    await waitFor('a fresh snapshot', () => changesOf(client).at(-1)?.snapshot?.planRun.status === 'completed');
    expect(client.bytes()).toBeLessThan(keptAtMost);
    const outputs = client.messages
      .filter((message) => message.method === 'run.output')
      .map((message) => message.params as { stream: string; text: string });
    expect(outputs.at(-1)).toMatchObject({ stream: 'notice', text: expect.stringContaining('left out') as string });
  });

  it('is not read from either: it cannot pile up answers', async () => {
    const { house, client } = await newHouse();
    client.socket.pause();
    const count = 300;
    // Each of these is answered with a text as long as itself.
    for (let i = 0; i < count; i++) client.send(request1('session.get', { sessionId: `${i}${'x'.repeat(60_000)}` }, i));
    for (let i = 0; i < 300; i++) await house.call('daemon.status', {});
    expect(client.socket.bufferedAmount).toBeGreaterThan(10_000_000);
    client.socket.resume();
    await waitFor('all answers', () => client.messages.length === count);
    expect(client.messages.map((message) => message.id).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: count }, (_, i) => i),
    );
  });

  it('gets all events in the end, each once, although it was busy with other answers', async () => {
    const { house, client } = await newHouse();
    const children = Array.from({ length: 1_000 }, (_, i) => ({ title: `Part ${i}` }));
    const { id: sessionId } = await house.session({ items: ['A', 'B', 'C', 'D'].map((title) => ({ title, children })) });
    const { items } = await house.call('plan.get', { sessionId });
    // Each of these is an event for every part.
    for (const { id: itemId } of items.filter((item) => item.depth === 0))
      await house.call('plan.setStatus', { sessionId, itemId, status: 'skipped' });
    client.socket.pause();
    client.send(request1('event.subscribe', { after: 0, limit: 50 }, 'sub'));
    for (let i = 0; i < 5; i++) client.send(request1('plan.get', { sessionId }, i));
    await house.call('plan.setGoal', { sessionId, goal: 'While it sleeps' });
    client.socket.resume();
    await house.call('plan.setGoal', { sessionId, goal: 'While it wakes' });
    const all: CairnEvent[] = [];
    for (let after = 0; ;) {
      const page = await house.call('event.list', { after });
      if (page.events.length === 0) break;
      all.push(...page.events);
      after = page.nextCursor;
    }
    const heard = (): unknown[] =>
      client.messages
        .filter((message) => message.method === 'event.appended')
        .flatMap((message) => (message.params as { events: unknown[] }).events);
    await waitFor('all events', () => heard().length >= all.length);
    expect(heard()).toEqual(all);
    expect(all.length).toBeGreaterThan(4_000);
  });

  it('does not hold up the others', async () => {
    const { house, client } = await newHouse();
    const { id: sessionId } = await house.session();
    client.send(request1('session.watch', { sessionId }));
    await waitFor('the snapshot', () => client.messages.length === 1);
    const other = await house.watch();
    await other.call('session.watch', { sessionId });
    client.socket.pause();
    for (let i = 0; i < 200; i++) await house.call('plan.setGoal', { sessionId, goal: `${i} ${'x'.repeat(10_000)}` });
    await waitFor('all changes', () => other.notes.length === 200);
    expect(other.notes.every((note) => (note.params as unknown as SessionChanged).snapshot === undefined)).toBe(true);
  });
});

describe('a client that vanishes', () => {
  it('is forgotten with all that it watched, even in the middle of asking', async () => {
    const { house } = await newHouse();
    const { id: sessionId } = await house.session();
    for (let i = 0; i < 20; i++) {
      const client = await openRaw(`ws+unix:${house.socket}:/rpc`);
      client.send([request1('session.watch', { sessionId }), request1('event.subscribe', { after: 0 }, 2)]);
      client.socket.terminate();
    }
    await waitFor('them to be gone', async () => (await house.call('daemon.status', {})).counts.clients === 1);
    await house.call('plan.setGoal', { sessionId, goal: 'Nobody listens' });
    expect((await house.call('plan.get', { sessionId })).goal).toBe('Nobody listens');
  });

  it('takes no message over the limit with it', async () => {
    const { house, client } = await newHouse();
    client.send(JSON.stringify(request1('session.get', { sessionId: 'x'.repeat(messageBytesLimit) })));
    await client.closed;
    await expect(house.call('session.get', { sessionId: 's' })).rejects.toMatchObject({ code: -32004 });
  });
});
