import { readdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDispatch, type Dispatch, type DispatchOptions } from '../../daemon/rpc/dispatch.js';
import type { Connection, Handlers } from '../../daemon/rpc/handlers.js';
import { nearestNames } from '../../daemon/rpc/nearest-names.js';
import { startServer } from '../../daemon/rpc/server.js';
import { methodNames } from '../../shared/contract.js';
import { RpcError } from '../../shared/errors.js';
import { tempFolder } from '../support/daemon.js';
import { createGate } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { knock, openRaw, request1 } from './rpc-support.js';

type AnyHandler = (params: Record<string, unknown>) => Promise<unknown>;

/** Handlers that tell what they were called with, but for those that a test gives. */
function fakeHandlers(own: Record<string, AnyHandler> = {}): Handlers {
  const echo: AnyHandler = (params) => Promise.resolve({ params });
  return Object.fromEntries(methodNames.map((name) => [name, own[name] ?? echo])) as unknown as Handlers;
}

interface Bug {
  readonly error: unknown;
  readonly method: string;
}

function dispatcher(
  own: Record<string, AnyHandler> = {},
  options: Partial<DispatchOptions> = {},
): { dispatch: Dispatch; bugs: Bug[]; ask: (message: unknown) => Promise<unknown> } {
  const bugs: Bug[] = [];
  const dispatch = createDispatch({
    handlers: fakeHandlers(own),
    redact: (text) => text.replaceAll('hunter2', '[redacted:test]'),
    maxInFlight: 100,
    maxInFlightOfClient: 10,
    maxBatch: 100,
    onBug: (error, method) => void bugs.push({ error, method }),
    ...options,
  });
  const ask = async (message: unknown): Promise<unknown> => {
    const text = await dispatch(typeof message === 'string' ? message : JSON.stringify(message), {
      connection: null,
      afterAnswer: (callback) => callback(),
    });
    return text === null ? null : JSON.parse(text);
  };
  return { dispatch, bugs, ask };
}

const failed = (code: number, kind: string, id: unknown = 1): unknown =>
  expect.objectContaining({
    jsonrpc: '2.0',
    id,
    error: expect.objectContaining({ code, data: expect.objectContaining({ kind }) }),
  });

describe('messages', () => {
  const { ask } = dispatcher();

  it.each([
    ['broken JSON', '{"jsonrpc": "2.0", "method"', failed(-32700, 'parse_error', null)],
    ['nothing', '', failed(-32700, 'parse_error', null)],
    ['a number', '5', failed(-32600, 'invalid_request', null)],
    ['null', 'null', failed(-32600, 'invalid_request', null)],
    ['no version', { id: 1, method: 'daemon.status' }, failed(-32600, 'invalid_request')],
    ['an old version', { jsonrpc: '1.0', id: 1, method: 'daemon.status' }, failed(-32600, 'invalid_request')],
    ['no method', { jsonrpc: '2.0', id: 1 }, failed(-32600, 'invalid_request')],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 5 }, failed(-32600, 'invalid_request')],
    ['an id that is no id', { jsonrpc: '2.0', id: { a: 1 }, method: 'daemon.status' }, failed(-32600, 'invalid_request', null)],
    ['an answer', { jsonrpc: '2.0', id: 1, method: 'daemon.status', result: {} }, failed(-32600, 'invalid_request')],
    ['an empty batch', [], failed(-32600, 'invalid_request', null)],
    ['too large a batch', Array(101).fill(request1('daemon.status')), failed(-32012, 'limit_exceeded', null)],
    ['a name of every object', request1('constructor'), failed(-32601, 'method_not_found')],
  ])('refuses %s', async (_what, message, expected) => {
    expect(await ask(message)).toEqual(expected);
  });

  it('refuses deep nesting, with the id of the request', async () => {
    const deep = (levels: number): string =>
      `{"jsonrpc":"2.0","id":7,"method":"session.get","params":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(await ask(deep(200_000))).toEqual(failed(-32012, 'limit_exceeded', 7));
    expect(await ask(deep(60))).toEqual(failed(-32602, 'invalid_params', 7));
    const brackets = JSON.stringify(request1('session.get', { sessionId: '[{"'.repeat(100) }));
    expect(await ask(brackets)).toMatchObject({ result: { params: { sessionId: '[{"'.repeat(100) } } });
  });

  it('answers each request of a batch, and no notification', async () => {
    const answer = await ask([
      request1('session.get', { sessionId: 'a' }, 'one'),
      null,
      5,
      [],
      { jsonrpc: '2.0', method: 'session.get', params: { sessionId: 'quiet' } },
      { jsonrpc: '2.0', method: 'no.method' },
      { jsonrpc: '2.0', method: 'session.get', params: { nonsense: true } },
      request1('no.method', {}, 'two'),
      request1('session.get', {}, null),
    ]);
    expect(answer).toEqual([
      expect.objectContaining({ id: 'one', result: { params: { sessionId: 'a' } } }),
      failed(-32600, 'invalid_request', null),
      failed(-32600, 'invalid_request', null),
      failed(-32600, 'invalid_request', null),
      failed(-32601, 'method_not_found', 'two'),
      failed(-32602, 'invalid_params', null),
    ]);
  });

  it('answers a batch of one with a list of one', async () => {
    expect(await ask([request1('session.get', { sessionId: 'a' })])).toHaveLength(1);
  });

  it('answers nothing to notifications alone, however wrong they are', async () => {
    expect(await ask({ jsonrpc: '2.0', method: 'no.method' })).toBeNull();
    expect(await ask({ jsonrpc: '2.0', method: 'session.get', params: { nonsense: true } })).toBeNull();
    expect(
      await ask([
        { jsonrpc: '2.0', method: 'daemon.status' },
        { jsonrpc: '2.0', method: 'no.method' },
      ]),
    ).toBeNull();
  });
});

describe('methods', () => {
  const { ask } = dispatcher();
  const hintOf = async (method: string): Promise<string> =>
    ((await ask(request1(method))) as { error: { data: { hint: string } } }).error.data.hint;

  it('says what an unknown method may have meant', async () => {
    expect(await hintOf('plan.additem')).toContain('plan.addItem');
    expect(await hintOf('sesion.list')).toContain('session.list');
    expect(await hintOf('plan.add')).toContain('plan.addItem');
    expect(await hintOf('session.remove')).toContain('session.rename');
    expect(await hintOf('utterly.unlike.all')).toContain('rpc.discover');
  });

  it('finds the nearest first, and looks at no more of a name than it must', () => {
    expect(nearestNames('run.strat', ['run.start', 'run.steps', 'chat.send'])[0]).toBe('run.start');
    expect(nearestNames('x'.repeat(4_000_000), methodNames)).toEqual([]);
  });
});

describe('params', () => {
  const { ask } = dispatcher();
  const issuesOf = async (method: string, params: unknown): Promise<{ path: string; message: string }[]> => {
    const answer = (await ask(request1(method, params))) as {
      error: { code: number; data: { issues: { path: string; message: string }[] } };
    };
    expect(answer).toEqual(failed(-32602, 'invalid_params'));
    return answer.error.data.issues;
  };

  it('are given by name', async () => {
    const answer = (await ask(request1('plan.setGoal', ['s1', 'a goal']))) as { error: { data: { hint: string } } };
    expect(answer).toEqual(failed(-32602, 'invalid_params'));
    expect(answer.error.data.hint).toContain('sessionId, goal, expectedVersion');
  });

  it.each([[undefined], [null], [{}], [[]]])('may be left out as %j', async (params) => {
    expect(await ask({ jsonrpc: '2.0', id: 1, method: 'session.list', params })).toMatchObject({ result: { params: {} } });
  });

  it.each([['text'], [5], [true]])('are no %j', async (params) => {
    expect(await issuesOf('session.list', params)).toEqual([{ path: '', message: expect.any(String) as string }]);
  });

  it('are refused with the path of each thing that is wrong', async () => {
    const issues = await issuesOf('session.create', { goal: 5, items: [{ title: 'a' }, { children: [{ title: 1 }] }] });
    expect(issues.map((issue) => issue.path)).toEqual(['goal', 'items.1.title', 'items.1.children.0.title']);
  });

  it('are refused with fields that nobody knows', async () => {
    expect(await issuesOf('session.get', { sessionId: 's', colour: 'red' })).toEqual([
      { path: '', message: expect.stringContaining('colour') as string },
    ]);
    expect(await issuesOf('session.get', JSON.parse('{"sessionId": "s", "__proto__": {"admin": true}}'))).toHaveLength(1);
  });

  it('are refused briefly, however much is wrong with them', async () => {
    const entries = (count: number): unknown => ({ sessionId: 's', expectedVersion: 1, entries: Array(count).fill({}) });
    expect(await issuesOf('plan.revise', entries(10_000))).toHaveLength(20);
    expect(await ask(request1('plan.revise', entries(10_001)))).toEqual(failed(-32012, 'limit_exceeded'));
    const strange = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`strange${i}`, 1]));
    expect(JSON.stringify(await ask(request1('session.get', strange))).length).toBeLessThan(2_000);
  });

  it('lose their secrets, but for what points at something', async () => {
    const params = {
      sessionId: 'hunter2',
      parentId: 'hunter2',
      title: 'use hunter2',
      acceptance: ['hunter2 works'],
      idempotencyKey: 'hunter2',
    };
    expect(await ask(request1('plan.addItem', params))).toMatchObject({
      result: { params: { ...params, title: 'use [redacted:test]', acceptance: ['[redacted:test] works'] } },
    });
    const workspace = '/home/hunter2/project';
    expect(await ask(request1('session.create', { workspace, goal: 'hunter2' }))).toMatchObject({
      result: { params: { workspace, goal: '[redacted:test]' } },
    });
  });

  it('refuse a policy with a secret in it, which could not match any more', async () => {
    const policy = { default: 'allow', rules: [{ tool: 'shell', when: { command: 'deploy --key hunter2' }, action: 'deny' }] };
    expect(await issuesOf('session.create', { policy })).toEqual([{ path: 'policy', message: 'no secrets' }]);
  });
});

describe('failures of a handler', () => {
  it('are answered without a word of what went wrong inside, and reported', async () => {
    const error = new Error('SELECT secret FROM /home/me/cairn.db');
    const { ask, bugs } = dispatcher({
      'session.get': () => Promise.reject(error),
      'session.list': () => {
        throw error;
      },
    });
    for (const method of ['session.get', 'session.list']) {
      const answer = await ask(request1(method, method === 'session.get' ? { sessionId: 's' } : {}));
      expect(answer).toEqual(failed(-32603, 'internal_error'));
      expect(JSON.stringify(answer)).not.toMatch(/SELECT|cairn\.db|stack/);
    }
    expect(bugs).toEqual([
      { error, method: 'session.get' },
      { error, method: 'session.list' },
    ]);
  });

  it('stay with their request: the others of a batch are answered', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const { ask, bugs } = dispatcher({ 'session.get': () => Promise.resolve(circular) });
    expect(await ask([request1('session.get', { sessionId: 's' }), request1('run.get', { sessionId: 's' }, 2)])).toEqual([
      failed(-32603, 'internal_error'),
      expect.objectContaining({ id: 2, result: { params: { sessionId: 's' } } }),
    ]);
    expect(bugs.map((bug) => bug.method)).toEqual(['session.get']);
  });

  it('are no bugs when they are refusals: these arrive as they are', async () => {
    const { ask, bugs } = dispatcher({
      'session.get': () =>
        Promise.reject(new RpcError('version_conflict', 'Read it again.', { currentVersion: 7, hint: 'plan.get' })),
    });
    expect(await ask(request1('session.get', { sessionId: 's' }))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32009, message: 'Read it again.', data: { kind: 'version_conflict', currentVersion: 7, hint: 'plan.get' } },
    });
    expect(bugs).toEqual([]);
  });
});

describe('too many requests', () => {
  const overloaded = (id: unknown): unknown => failed(-32001, 'overloaded', id);

  it('are refused over all clients until some are answered', async () => {
    const gate = createGate();
    const { ask } = dispatcher({ 'session.get': () => gate.passed.then(() => ({})) }, { maxInFlight: 3 });
    const waiting = ask([1, 2].map((id) => request1('session.get', { sessionId: 's' }, id)));
    expect(await ask([request1('session.list', {}, 3), { jsonrpc: '2.0', method: 'session.list' }])).toEqual([overloaded(3)]);
    expect(
      await ask([
        { jsonrpc: '2.0', method: 'session.list' },
        { jsonrpc: '2.0', method: 'session.list' },
      ]),
    ).toBeNull();
    expect(await ask(request1('session.list', {}, 4))).toMatchObject({ id: 4, result: {} });
    gate.open();
    expect(await waiting).toHaveLength(2);
    expect(await ask([1, 2, 3].map((id) => request1('session.list', {}, id)))).toHaveLength(3);
  });

  it('of one connection are refused with their ids, and the others are not concerned', async () => {
    const gate = createGate();
    const { dispatch } = dispatcher({ 'session.get': () => gate.passed.then(() => ({})) }, { maxInFlightOfClient: 2 });
    const ask = async (connection: Connection | null, id: number, method = 'session.get'): Promise<unknown> => {
      const text = await dispatch(JSON.stringify(request1(method, method === 'session.get' ? { sessionId: 's' } : {}, id)), {
        connection,
        afterAnswer: () => undefined,
      });
      return text === null ? null : JSON.parse(text);
    };
    const [one, other] = [{} as Connection, {} as Connection];
    const waiting = [ask(one, 1), ask(one, 2)];
    expect(await ask(one, 3)).toEqual(overloaded(3));
    expect(await ask(other, 4, 'session.list')).toMatchObject({ id: 4, result: {} });
    expect(await ask(null, 5, 'session.list')).toMatchObject({ id: 5, result: {} });
    gate.open();
    await Promise.all(waiting);
    expect(await ask(one, 6, 'session.list')).toMatchObject({ id: 6, result: {} });
  });
});

describe('a server that closes', () => {
  async function startGated(): Promise<{
    socketPath: string;
    gate: ReturnType<typeof createGate>;
    asked: () => number;
    close: () => Promise<void>;
  }> {
    const gate = createGate();
    let asked = 0;
    const { dispatch } = dispatcher({
      'session.get': () => {
        asked += 1;
        return gate.passed.then(() => ({ late: true }));
      },
    });
    const socketPath = `${await tempFolder()}/d.sock`;
    const server = await startServer({ dispatch, socketPath, host: '127.0.0.1', port: 0, token: 't', newId: (prefix) => prefix });
    if (!server.ok) throw new Error(server.error.message);
    onTestFinished(() => server.value.close());
    return { socketPath, gate, asked: () => asked, close: () => server.value.close() };
  }
  const body = JSON.stringify(request1('session.get', { sessionId: 's' }));

  it('lets the answers under way leave', async () => {
    const { socketPath, gate, asked, close } = await startGated();
    const answer = knock({ at: { socketPath }, body });
    await waitFor('the request to arrive', () => asked() === 1);
    const closing = close();
    gate.open();
    expect(JSON.parse((await answer).text)).toMatchObject({ result: { late: true } });
    await closing;
    await expect(knock({ at: { socketPath }, body })).rejects.toThrow();
  });

  it('waits for nobody whose answer never comes, and says goodbye to those who stay', async () => {
    const { socketPath, asked, close } = await startGated();
    const answer = knock({ at: { socketPath }, body }).catch((error: unknown) => error);
    const { send, closed } = await openRaw(`ws+unix:${socketPath}:/rpc`);
    const deaf = await openRaw(`ws+unix:${socketPath}:/rpc`);
    deaf.socket.pause();
    send(JSON.parse(body));
    await waitFor('both requests to arrive', () => asked() === 2);
    await close();
    expect(await answer).toBeInstanceOf(Error);
    expect(await closed).toMatchObject({ code: 1001, reason: 'the daemon stops' });
  });

  it('says why it cannot listen', async () => {
    const { dispatch } = dispatcher();
    const folder = await tempFolder();
    const options = { dispatch, host: '127.0.0.1', token: 't', newId: (prefix: string) => prefix };
    const first = await startServer({ ...options, socketPath: `${folder}/a.sock`, port: 0 });
    if (!first.ok) throw new Error(first.error.message);
    onTestFinished(() => first.value.close());
    const taken = await startServer({ ...options, socketPath: `${folder}/b.sock`, port: first.value.port });
    expect(taken).toMatchObject({ ok: false, error: { message: expect.stringContaining('is taken') as string } });
    const long = await startServer({ ...options, socketPath: `${folder}/${'x'.repeat(200)}`, port: 0 });
    expect(long).toMatchObject({ ok: false, error: { message: expect.stringContaining('too long') as string } });
    expect(await readdir(folder)).toEqual(['a.sock']);
  });
});
