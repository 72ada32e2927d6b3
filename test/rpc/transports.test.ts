import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../support/wait.js';
import { type House, knock, openHouse, openRaw, request1, upgradeStatus } from './rpc-support.js';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const status = JSON.stringify(request1('daemon.status'));
const tooLarge = JSON.stringify(request1('daemon.status', { pad: 'x'.repeat(4 * 1024 * 1024) }));
const bearer = (): Record<string, string> => ({ authorization: `Bearer ${house.token}` });
const errorOf = (text: string): { code: number; message: string; data: { kind: string } } =>
  (JSON.parse(text) as { error: { code: number; message: string; data: { kind: string } } }).error;

describe('the Unix socket', () => {
  it('can be opened by its owner only', async () => {
    expect((await stat(house.socket)).mode & 0o777).toBe(0o600);
  });

  it.each([undefined, 'application/json', 'text/plain', 'application/x-www-form-urlencoded'])(
    'answers a POST without a token, whatever its content type (%s)',
    async (type) => {
      const answer = await knock({
        at: { socketPath: house.socket },
        body: status,
        headers: type === undefined ? {} : { 'content-type': type },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
      expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', id: 1, result: { pid: process.pid } });
    },
  );

  it('answers nothing to a notification', async () => {
    const answer = await knock({ at: { socketPath: house.socket }, body: '{"jsonrpc":"2.0","method":"daemon.status"}' });
    expect(answer).toMatchObject({ status: 204, text: '' });
  });

  it('has /rpc only, and takes POST only', async () => {
    const lost = await knock({ at: { socketPath: house.socket }, body: status, path: '/' });
    expect([lost.status, errorOf(lost.text).data.kind]).toEqual([404, 'not_found']);
    const got = await knock({ at: { socketPath: house.socket }, method: 'GET' });
    expect([got.status, got.headers.allow, errorOf(got.text).data.kind]).toEqual([405, 'POST', 'invalid_request']);
    expect(await upgradeStatus(`ws+unix:${house.socket}:/elsewhere`, {})).toBe(404);
  });

  it('refuses a message over 4 MiB and says so, with and without a stated length', async () => {
    const stated = await knock({
      at: { socketPath: house.socket },
      body: tooLarge,
      headers: { 'content-length': String(tooLarge.length) },
    });
    const chunked = await knock({
      at: { socketPath: house.socket },
      body: tooLarge,
      headers: { 'transfer-encoding': 'chunked' },
    });
    for (const answer of [stated, chunked]) {
      expect(answer.status).toBe(413);
      expect(errorOf(answer.text)).toMatchObject({ code: -32012, data: { kind: 'limit_exceeded' } });
    }
    expect(await house.call('daemon.status', {})).toMatchObject({ pid: process.pid });
  });

  it('takes a message of just 4 MiB', async () => {
    const room = 4 * 1024 * 1024 - JSON.stringify(request1('session.get', { sessionId: '' })).length;
    const text = JSON.stringify(request1('session.get', { sessionId: 'x'.repeat(room) }));
    const answer = await knock({ at: { socketPath: house.socket }, body: text });
    expect([answer.status, errorOf(answer.text).data.kind]).toEqual([200, 'not_found']);
  });

  it('refuses what is not UTF-8', async () => {
    const answer = await knock({ at: { socketPath: house.socket }, body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) });
    expect(errorOf(answer.text)).toMatchObject({ code: -32700, data: { kind: 'parse_error' } });
  });
});

describe('the TCP port', () => {
  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer 0123456789' }],
    ['a token of another scheme', { authorization: 'Basic 0123456789' }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('answers 401 to %s', async (_what, headers) => {
    const answer = await knock({ at: { port: house.port }, body: status, headers });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(errorOf(answer.text)).toMatchObject({ code: -32011, data: { kind: 'unauthorized' } });
    expect(await upgradeStatus(`ws://127.0.0.1:${house.port}/rpc`, headers)).toBe(401);
  });

  it('answers whoever has the token', async () => {
    const answer = await knock({ at: { port: house.port }, body: status, headers: bearer() });
    expect(JSON.parse(answer.text)).toMatchObject({ result: { pid: process.pid } });
    expect(await upgradeStatus(`ws://127.0.0.1:${house.port}/rpc`, bearer())).toBe(101);
  });

  // The token does not help a page that got hold of it: names and origins are looked at first.
  it.each([
    ['another host', { host: 'evil.example' }, 403],
    ['a name that was bound to 127.0.0.1', { host: 'rebound.evil.example:PORT' }, 403],
    ['a loopback name with another port', { host: '127.0.0.1:1' }, 403],
    ['a name that begins like one of ours', { host: 'localhost:PORT.evil.example' }, 403],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page of another local port', { origin: 'http://127.0.0.1:1' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page whose origin begins like ours', { origin: 'http://127.0.0.1:PORT.evil.example' }, 403],
    ['its own address', { host: '127.0.0.1:PORT' }, 200],
    ['its own name', { host: 'LOCALHOST:PORT' }, 200],
    ['a page of its own', { host: 'localhost:PORT', origin: 'http://localhost:PORT' }, 200],
  ])('looks at Host and Origin: %s', async (_what, headers, expected) => {
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(house.port))]),
    );
    const answer = await knock({ at: { port: house.port }, body: status, headers: { ...bearer(), ...filled } });
    expect(answer.status).toBe(expected);
    const upgraded = await upgradeStatus(`ws://127.0.0.1:${house.port}/rpc`, { ...bearer(), ...filled });
    expect(upgraded).toBe(expected === 200 ? 101 : expected);
  });

  it('carries out nothing of what it refuses', async () => {
    const create = JSON.stringify(request1('session.create', { goal: 'by a page', workspace: house.workspace }));
    await knock({ at: { port: house.port }, body: create, headers: { ...bearer(), origin: 'https://evil.example' } });
    await knock({ at: { port: house.port }, body: create });
    expect((await house.call('session.list', {})).sessions).toEqual([]);
  });
});

describe('the WebSocket', () => {
  const open = () => openRaw(`ws+unix:${house.socket}:/rpc`);

  it('answers the same calls, batches included, and counts its clients', async () => {
    const { send, messages } = await open();
    send(request1('daemon.status', {}, 'a'));
    send([request1('daemon.status', {}, 'b'), { jsonrpc: '2.0', method: 'daemon.status' }, request1('no.method', {}, 'c')]);
    send({ jsonrpc: '2.0', method: 'daemon.status' });
    send(request1('daemon.status', {}, 'd'));
    await waitFor('three answers', () => messages.length === 3, { describe: () => messages });
    // Answers come when they are ready, in any order.
    const [batch] = messages.filter((message) => Array.isArray(message));
    const single = (id: string): unknown => messages.find((message) => message['id'] === id);
    expect(single('a')).toMatchObject({ result: { counts: { clients: 1 } } });
    expect(batch).toMatchObject([
      { id: 'b', result: {} },
      { id: 'c', error: { code: -32601 } },
    ]);
    expect(single('d')).toMatchObject({ result: {} });
  });

  it('refuses what is not text', async () => {
    const { socket, closed } = await open();
    socket.send(Buffer.from(status), { binary: true });
    expect(await closed).toMatchObject({ code: 1003 });
  });

  it('closes when a message is over 4 MiB, and says so', async () => {
    const { send, closed } = await open();
    send(tooLarge);
    expect(await closed).toEqual({ code: 1009, reason: 'a message has at most 4194304 bytes' });
  });

  it('does not carry out what comes after its goodbye', async () => {
    const { socket, send, closed } = await open();
    socket.send(Buffer.from('x'), { binary: true });
    send(request1('session.create', { goal: 'too late', workspace: house.workspace }));
    await closed;
    expect((await house.call('session.list', {})).sessions).toEqual([]);
  });
});
