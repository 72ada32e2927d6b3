import { describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionLost, createClient, type Client, type Transport } from '../../shared/client.js';
import { RpcError } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';

interface FakeTransport extends Transport {
  readonly sent: { id: number; method: string; params: unknown }[];
  /** As if the daemon had sent it. */
  receive(message: unknown): void;
  end(reason: string): void;
  broken: boolean;
  closeAsked: number;
}

function fakeTransport(): FakeTransport {
  let onMessage: (text: string) => void = () => undefined;
  let onClose: (reason: string) => void = () => undefined;
  const transport: FakeTransport = {
    sent: [],
    broken: false,
    closeAsked: 0,
    send(text) {
      if (transport.broken) throw new Error('not open');
      transport.sent.push(JSON.parse(text) as FakeTransport['sent'][number]);
    },
    onMessage: (listener) => void (onMessage = listener),
    onClose: (listener) => void (onClose = listener),
    close: () => void (transport.closeAsked += 1),
    receive: (message) => onMessage(typeof message === 'string' ? message : JSON.stringify(message)),
    end: (reason) => onClose(reason),
  };
  return transport;
}

function connect(): { transport: FakeTransport; client: Client } {
  const transport = fakeTransport();
  return { transport, client: createClient(transport) };
}

const sessionId = 's1' as SessionId;
const answer = (id: number | undefined, result: unknown): unknown => ({ jsonrpc: '2.0', id, result });
const refusal = (id: number | undefined, error: unknown): unknown => ({ jsonrpc: '2.0', id, error });

describe('a call', () => {
  it('is a request by name, and gets its own answer, whatever the order', async () => {
    const { transport, client } = connect();
    const [first, second] = [
      client.call('plan.export', { sessionId, format: 'json' }),
      client.call('plan.export', { sessionId, format: 'markdown' }),
    ];
    expect(transport.sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'plan.export', params: { sessionId, format: 'json' } },
      { jsonrpc: '2.0', id: 2, method: 'plan.export', params: { sessionId, format: 'markdown' } },
    ]);
    transport.receive(answer(2, { text: 'two' }));
    transport.receive(answer(1, { text: 'one' }));
    expect([await first, await second]).toEqual([{ text: 'one' }, { text: 'two' }]);
  });

  it('throws what the daemon refused, with its kind, hint and data', async () => {
    const { transport, client } = connect();
    const call = client.call('plan.get', { sessionId });
    transport.receive(
      refusal(1, {
        code: -32009,
        message: 'Read it again.',
        data: { kind: 'version_conflict', currentVersion: 7, hint: 'plan.get' },
      }),
    );
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({
      code: -32009,
      kind: 'version_conflict',
      message: 'Read it again.',
      data: { currentVersion: 7, hint: 'plan.get' },
    });
  });

  it.each([
    ['no data', { code: -32004, message: 'm' }, 'not_found'],
    ['a kind that nobody knows', { code: -32004, message: 'm', data: { kind: 'constructor' } }, 'not_found'],
    ['a code that nobody knows', { code: 1, message: 'm' }, 'internal_error'],
    ['data that are no object', { code: -32004, message: 'm', data: 'text' }, 'not_found'],
  ])('throws a typed error for %s', async (_what, error, kind) => {
    const { transport, client } = connect();
    const call = client.call('plan.get', { sessionId });
    transport.receive(refusal(1, error));
    await expect(call).rejects.toMatchObject({ kind, message: 'm' });
  });

  it('throws when the answer is not as the contract says', async () => {
    const { transport, client } = connect();
    const call = client.call('plan.export', { sessionId, format: 'json' });
    transport.receive(answer(1, { text: 5 }));
    await expect(call).rejects.toMatchObject({ kind: 'internal_error' });
  });

  it('is lost when the connection ends before the answer, or has ended', async () => {
    const { transport, client } = connect();
    const calls = [client.call('daemon.status', {}), client.call('daemon.status', {})];
    transport.end('the daemon closed the connection');
    for (const call of [...calls, client.call('daemon.status', {})]) {
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConnectionLost);
      expect(error).toMatchObject({ message: 'the daemon closed the connection' });
    }
    expect(transport.sent).toHaveLength(2);
  });

  it('is lost when it cannot be sent', async () => {
    const { transport, client } = connect();
    transport.broken = true;
    await expect(client.call('daemon.status', {})).rejects.toBeInstanceOf(ConnectionLost);
  });
});

describe('notifications', () => {
  const output = { sessionId, runId: 'r1', itemId: null, stream: 'text', text: 'hello' };

  it('reach every listener of their name, parsed', () => {
    const { transport, client } = connect();
    const heard: unknown[] = [];
    client.on('run.output', (params) => void heard.push(['a', params]));
    client.on('run.output', (params) => void heard.push(['b', params]));
    client.on('session.changed', (params) => void heard.push(['c', params]));
    transport.receive({ jsonrpc: '2.0', method: 'run.output', params: { ...output, added: 'by a newer daemon' } });
    expect(heard).toEqual([
      ['a', output],
      ['b', output],
    ]);
  });
});

describe('what cannot be understood', () => {
  it.each([
    ['no JSON', '{"jsonrpc"'],
    ['null', 'null'],
    ['a number', '5'],
    ['a list', '[]'],
    ['an answer to nobody', answer(99, {})],
    ['an answer without an id', { jsonrpc: '2.0', error: { code: -32700, message: 'm' } }],
    ['an error that is none', refusal(1, null)],
    ['another error that is none', refusal(1, 'text')],
    ['a notification that nobody knows', { jsonrpc: '2.0', method: 'no.such' }],
    ['a name of every object', { jsonrpc: '2.0', method: 'constructor', params: {} }],
    ['a method that is no text', { jsonrpc: '2.0', method: 5 }],
    ['a notification with other params', { jsonrpc: '2.0', method: 'run.output', params: { text: 5 } }],
  ])('is left alone: %s', async (_what, message) => {
    const { transport, client } = connect();
    const heard: unknown[] = [];
    client.on('run.output', (params) => void heard.push(params));
    const call = client.call('plan.export', { sessionId, format: 'json' });
    transport.receive(message);
    transport.receive(answer(1, { text: 'still there' }));
    expect(await call).toEqual({ text: 'still there' });
    expect(heard).toEqual([]);
  });
});

describe('the end of the connection', () => {
  it('is told once to every listener, also to one that comes later', () => {
    const { transport, client } = connect();
    const heard: string[] = [];
    client.onClose((reason) => void heard.push(`early: ${reason}`));
    transport.end('gone');
    transport.end('gone again');
    client.onClose((reason) => void heard.push(`late: ${reason}`));
    expect(heard).toEqual(['early: gone', 'late: gone']);
  });

  it('is asked for by close', () => {
    const { transport, client } = connect();
    onTestFinished(() => transport.end('done'));
    client.close();
    expect(transport.closeAsked).toBe(1);
  });
});
