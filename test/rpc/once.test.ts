import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { result } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { type House, openHouse } from './rpc-support.js';

let house: House;
beforeAll(async () => {
  house = await openHouse(() => result());
});
afterAll(() => house.close());

const refused = { code: -32602, data: { kind: 'invalid_params', issues: [{ path: 'idempotencyKey' }] } };
let keys = 0;
const newKey = (): string => `key ${keys++}`;

describe('the same idempotencyKey twice', () => {
  it('makes one session', async () => {
    const params = {
      goal: 'Once',
      workspace: house.workspace,
      items: [{ title: 'a', acceptance: ['b'] }],
      idempotencyKey: newKey(),
    };
    const first = await house.call('session.create', params);
    // The order of the fields is nothing that a caller means.
    const second = await house.call('session.create', Object.fromEntries(Object.entries(params).reverse()));
    expect(second).toEqual(first);
    const { sessions } = await house.call('session.list', {});
    expect(sessions.filter((session) => session.goal === 'Once')).toHaveLength(1);
    await expect(house.call('session.create', { ...params, goal: 'Other' })).rejects.toMatchObject(refused);
  });

  it('makes one session when both come at the same moment', async () => {
    const params = { goal: 'At once', workspace: house.workspace, idempotencyKey: newKey() };
    const made = await Promise.all(Array.from({ length: 8 }, () => house.call('session.create', params)));
    expect(new Set(made.map((session) => session.id)).size).toBe(1);
    expect((await house.call('session.list', {})).sessions.filter((session) => session.goal === 'At once')).toHaveLength(1);
  });

  it('adds one item, and answers with it as it is now', async () => {
    const { id: sessionId } = await house.session();
    const params = { sessionId, title: 'Added', idempotencyKey: newKey() };
    const first = await house.call('plan.addItem', params);
    await house.call('plan.updateItem', { sessionId, itemId: first.item.id, title: 'Renamed' });
    const second = await house.call('plan.addItem', params);
    expect(second).toMatchObject({ version: first.version + 1, item: { id: first.item.id, title: 'Renamed' } });
    expect((await house.call('plan.get', { sessionId })).items).toHaveLength(3);
    await expect(house.call('plan.addItem', { ...params, title: 'Other' })).rejects.toMatchObject(refused);
  });

  it('adds one item when both come at the same moment', async () => {
    const { id: sessionId } = await house.session();
    const params = { sessionId, title: 'Added', idempotencyKey: newKey() };
    const made = await Promise.all(Array.from({ length: 8 }, () => house.call('plan.addItem', params)));
    expect(new Set(made.map(({ item }) => item.id)).size).toBe(1);
    expect((await house.call('plan.get', { sessionId })).items).toHaveLength(3);
  });

  it('says that the item is gone, when it is', async () => {
    const { id: sessionId } = await house.session();
    const params = { sessionId, title: 'Added', idempotencyKey: newKey() };
    const { item } = await house.call('plan.addItem', params);
    await house.call('plan.removeItem', { sessionId, itemId: item.id });
    await expect(house.call('plan.addItem', params)).rejects.toMatchObject({ code: -32004, data: { kind: 'not_found' } });
  });

  it('starts one run', async () => {
    const { id: sessionId } = await house.session({ items: [{ title: 'Only' }] });
    const params = { sessionId, reset: true, idempotencyKey: newKey() };
    await house.call('run.start', params);
    await waitFor('the end', async () => (await house.call('run.get', { sessionId })).status === 'completed');
    // Carried out again, it would put the leaf back and run it a second time.
    expect(await house.call('run.start', params)).toMatchObject({ status: 'completed', stepNo: 1 });
    expect((await house.call('run.list', { sessionId })).runs).toHaveLength(1);
    await expect(house.call('run.start', { ...params, reset: false })).rejects.toMatchObject(refused);
  });

  it('says one thing to the model', async () => {
    const { id: sessionId } = await house.session();
    const params = { sessionId, text: 'How far are you?', idempotencyKey: newKey() };
    const [first, second] = await Promise.all([house.call('chat.send', params), house.call('chat.send', params)]);
    expect(second).toEqual(first);
    expect(await house.call('chat.send', params)).toEqual(first);
    expect((await house.call('run.list', { sessionId })).runs).toHaveLength(1);
    await expect(house.call('chat.send', { ...params, text: 'Hello?' })).rejects.toMatchObject(refused);
  });

  it('is refused for another method, and for another session', async () => {
    const [one, other] = [await house.session(), await house.session()];
    const idempotencyKey = newKey();
    await house.call('plan.addItem', { sessionId: one.id, title: 'Added', idempotencyKey });
    await expect(house.call('plan.addItem', { sessionId: other.id, title: 'Added', idempotencyKey })).rejects.toMatchObject(
      refused,
    );
    await expect(house.call('run.start', { sessionId: one.id, idempotencyKey })).rejects.toMatchObject(refused);
  });

  it('counts only when the first call was carried out', async () => {
    const { id: sessionId } = await house.session();
    const params = { sessionId, title: 'Added', idempotencyKey: newKey() };
    await expect(house.call('plan.addItem', { ...params, expectedVersion: 99 })).rejects.toMatchObject({ code: -32009 });
    expect(await house.call('plan.addItem', params)).toMatchObject({ item: { title: 'Added' } });
  });

  it('is told apart from keys that look like the same secret', async () => {
    const { id: sessionId } = await house.session();
    const key = (last: string): string => `sk-proj-abcdefghijklmnopqrstuvwx${last}`;
    const [a, b] = [
      await house.call('plan.addItem', { sessionId, title: 'a', idempotencyKey: key('1') }),
      await house.call('plan.addItem', { sessionId, title: 'a', idempotencyKey: key('2') }),
    ];
    expect(b.item.id).not.toBe(a.item.id);
  });
});
