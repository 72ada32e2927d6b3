import { validateOpenRPCDocument } from '@open-rpc/schema-utils-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MethodName, methodNames, methods, notifications, type ParamsInput } from '../../shared/contract.js';
import { errorCodes } from '../../shared/errors.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import { call, hang } from '../support/scripted-provider.js';
import { blocker, result, commandsAsked } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { type House, openHouse } from './rpc-support.js';

/** A session that has something of everything: a checked leaf, a blocked one, effects, receipts, reports. */
interface Prepared {
  readonly sessionId: SessionId;
  readonly done: ItemId;
  readonly open: ItemId;
  readonly runId: RunId;
  /** Entries of the inbox that wait for an answer, and for being seen. */
  readonly approval: string;
  readonly blocker: string;
  /** A session that runs, with a model that never answers. */
  readonly busy: SessionId;
  /** A plain one, to be started and deleted. */
  readonly spare: SessionId;
}

let house: House;
let prepared: Prepared;

beforeAll(async () => {
  house = await openHouse(({ messages }, number) => {
    const text = JSON.stringify(messages);
    if (text.includes('Wait for ever')) return hang();
    if (text.includes('Your item: 2 Blocked at once')) return blocker('no sample file');
    return number === 1
      ? [
          call('read', { path: 'absent.txt' }),
          call('mission_report', { kind: 'finding', summary: 'no such file', refs: ['absent.txt'] }),
        ]
      : result();
  });
  prepared = await prepare();
});
afterAll(() => house.close());

async function prepare(): Promise<Prepared> {
  const item = {
    title: 'Checked',
    detail: 'Look around.',
    priority: 'high' as const,
    note: 'soon',
    acceptance: ['it is checked'],
    verify: ['true'],
    relevantFiles: [{ path: 'a.txt', action: 'read' as const }],
    scope: { included: ['a'], excluded: ['b'] },
  };
  const { id: sessionId } = await house.session({
    items: [item, { title: 'Blocked at once' }, { title: 'Open', children: [{ title: 'Inner' }] }],
  });
  await settle(sessionId, 'blocked');
  const { items } = await house.call('plan.get', { sessionId });
  const { runs } = await house.call('run.list', { sessionId, itemId: items[0]?.id });
  const asking = await house.session({ policy: commandsAsked, items: [{ title: 'Ask', command: 'true' }] });
  await settle(asking.id, 'waiting');
  const { entries } = await house.call('inbox.list', {});
  const busy = await house.session({ items: [{ title: 'Wait for ever' }] });
  await house.call('run.start', { sessionId: busy.id });
  const idOf = (kind: string): string => entries.find((entry) => entry.kind === kind)?.id ?? '';
  return {
    sessionId,
    done: items[0]?.id as ItemId,
    open: items[2]?.id as ItemId,
    runId: runs[0]?.id as RunId,
    approval: idOf('approval'),
    blocker: idOf('blocker'),
    busy: busy.id,
    spare: (await house.session()).id,
  };
}

async function settle(sessionId: SessionId, status: string): Promise<void> {
  await house.call('run.start', { sessionId });
  await waitFor(`the run to be ${status}`, async () => (await house.call('run.get', { sessionId })).status === status, {
    describe: () => house.call('run.get', { sessionId }),
  });
}

/** Valid params for every method, in an order in which each of them succeeds. */
const calls: { readonly [M in MethodName]: (at: Prepared) => ParamsInput<M> | Promise<ParamsInput<M>> } = {
  'rpc.discover': () => ({}),
  'daemon.status': () => ({}),
  'session.create': () => ({
    goal: 'By the table',
    workspace: house.workspace,
    policy: 'readonly',
    markdown: '- [ ] One\n- [ ] Two\n',
  }),
  'session.list': () => ({ limit: 10 }),
  'session.get': ({ sessionId }) => ({ sessionId }),
  'session.rename': ({ sessionId }) => ({ sessionId, title: 'Renamed' }),
  'session.watch': ({ sessionId }) => ({ sessionId }),
  'session.unwatch': ({ sessionId }) => ({ sessionId }),
  'plan.get': ({ sessionId }) => ({ sessionId }),
  'plan.setGoal': ({ sessionId }) => ({ sessionId, goal: 'Another goal' }),
  'plan.addItem': ({ sessionId, open }) => ({ sessionId, parentId: open, title: 'Added', command: 'true', repeatable: true }),
  'plan.updateItem': ({ sessionId, open }) => ({ sessionId, itemId: open, title: 'Open still', detail: 'More.' }),
  'plan.moveItem': ({ sessionId, open }) => ({ sessionId, itemId: open, index: 0 }),
  'plan.setStatus': ({ sessionId, open }) => ({ sessionId, itemId: open, status: 'skipped', note: 'not now' }),
  'plan.removeItem': ({ sessionId, open }) => ({ sessionId, itemId: open }),
  'plan.revise': async ({ sessionId }) => {
    const { items, version } = await house.call('plan.get', { sessionId });
    const kept = items.filter((item) => item.depth === 0).map(({ id, title }) => ({ id, title }));
    return { sessionId, expectedVersion: version, entries: [...kept, { title: 'Revised' }], explanation: 'one more' };
  },
  'plan.history': ({ sessionId }) => ({ sessionId, limit: 3 }),
  'plan.diff': ({ sessionId }) => ({ sessionId, from: 1, to: 4 }),
  'plan.revert': ({ sessionId }) => ({ sessionId, version: 2 }),
  'plan.export': ({ sessionId }) => ({ sessionId, format: 'markdown' }),
  'plan.import': async ({ sessionId }) => {
    const { version } = await house.call('plan.get', { sessionId });
    const { text } = await house.call('plan.export', { sessionId, format: 'json' });
    return { sessionId, format: 'json', text, expectedVersion: version };
  },
  'plan.clear': ({ spare }) => ({ sessionId: spare }),
  'run.get': ({ sessionId }) => ({ sessionId }),
  'run.explain': ({ sessionId }) => ({ sessionId }),
  'run.list': ({ sessionId }) => ({ sessionId }),
  'run.transcript': ({ runId }) => ({ runId }),
  'run.effects': ({ runId }) => ({ runId }),
  'run.steps': ({ runId }) => ({ runId }),
  'run.receipts': ({ sessionId, done }) => ({ sessionId, itemId: done }),
  'run.pause': ({ busy }) => ({ sessionId: busy, now: true }),
  'run.start': ({ busy }) => ({ sessionId: busy, idempotencyKey: 'once' }),
  'run.cancel': ({ busy }) => ({ sessionId: busy }),
  'inbox.list': () => ({}),
  'inbox.answer': ({ approval: id }) => ({ id, answer: 'allow' }),
  'inbox.ack': ({ blocker: id }) => ({ id }),
  'run.retry': ({ sessionId }) => ({ sessionId, guidance: 'There is one in the attic.' }),
  'report.list': ({ sessionId }) => ({ sessionId }),
  'report.summary': ({ sessionId }) => ({ sessionId, since: '2026-01-01T00:00:00Z' }),
  'mission.fire': () => ({
    goal: 'By the table',
    workspace: house.workspace,
    policy: 'readonly',
    items: [{ title: 'One' }],
    planner: 'never',
    acceptance: ['It is there'],
    scope: { included: ['all'], excluded: [] },
    relevantFiles: [{ path: 'a.txt', action: 'read' }],
    planning: false,
  }),
  'mission.tree': ({ sessionId }) => ({ sessionId }),
  'mission.finish': async () => {
    const { id } = await house.call('mission.fire', {
      goal: 'Short',
      workspace: house.workspace,
      policy: 'readonly',
      items: [{ title: 'One' }],
    });
    return { sessionId: id, outcome: 'derailed', reason: 'Not wanted any more.' };
  },
  'plan.draft': ({ spare }) => ({ sessionId: spare, text: 'Wait for ever' }),
  'chat.send': ({ spare }) => ({ sessionId: spare, text: 'Wait for ever' }),
  'chat.cancel': ({ sessionId }) => ({ sessionId }),
  'event.list': () => ({ limit: 1_000 }),
  'event.subscribe': () => ({}),
  'event.unsubscribe': () => ({ subscriptionId: 'nobody' }),
  'usage.get': ({ sessionId }) => ({ sessionId }),
  'session.delete': async () => ({ sessionId: (await house.session()).id }),
  'daemon.stop': () => ({ drainMs: 5 }),
};

/** Lists that must not be empty, or the look at their shape would be worth nothing. */
const filled: Partial<Record<MethodName, string>> = {
  'session.list': 'sessions',
  'plan.get': 'items',
  'plan.history': 'revisions',
  'plan.diff': 'changed',
  'run.list': 'runs',
  'run.transcript': 'messages',
  'run.effects': 'effects',
  'run.receipts': 'receipts',
  'inbox.list': 'entries',
  'report.list': 'reports',
  'report.summary': 'accepted',
  'mission.tree': 'nodes',
  'event.list': 'events',
};

describe('every method of the contract', () => {
  it('is in the table of these tests', () => {
    expect(Object.keys(calls).sort()).toEqual([...methodNames].sort());
  });

  it.each(Object.keys(calls) as MethodName[])('%s answers as its schema says, with nothing besides', async (name) => {
    const watcher = await house.watch();
    const params = await calls[name](prepared);
    const answer = await watcher.call(name, params);
    // What a schema does not know is dropped by parsing: then the two would differ.
    expect(methods[name].result.parse(answer)).toEqual(answer);
    const list = filled[name];
    if (list !== undefined) expect((answer as Record<string, unknown[]>)[list]).not.toHaveLength(0);
    if (name === 'daemon.stop') await waitFor('the daemon to be asked', () => house.stopsAsked.length === 1);
  });

  it('tells as its schemas say', async () => {
    const watcher = await house.watch();
    const { id: sessionId } = await house.session({ items: [{ title: 'Only' }] });
    await watcher.call('session.watch', { sessionId });
    await watcher.call('event.subscribe', { sessionId, after: 0 });
    await settle(sessionId, 'completed');
    await waitFor('all three', () => new Set(watcher.notes.map((note) => note.method)).size === 3, {
      describe: () => watcher.notes,
    });
    for (const { method, params } of watcher.notes) {
      expect(notifications[method as keyof typeof notifications].params.parse(params)).toEqual(params);
    }
  });
});

describe('refusals', () => {
  const nobody = 'nobody' as SessionId;
  const S = (): { sessionId: SessionId } => ({ sessionId: prepared.sessionId });

  const cases: readonly (readonly [MethodName, string, () => unknown, keyof typeof errorCodes])[] = [
    ...methodNames
      .filter(
        (name) =>
          'sessionId' in shapeOf(name) &&
          !methods[name].params.safeParse({}).success &&
          (methods[name].errors as readonly string[]).includes('not_found'),
      )
      .map((name) => [name, 'no such session', () => ({ ...required[name], sessionId: nobody }), 'not_found'] as const),
    ['run.transcript', 'no such run', () => ({ runId: 'nobody' }), 'not_found'],
    ['run.effects', 'no such run', () => ({ runId: 'nobody' }), 'not_found'],
    ['run.steps', 'no such run', () => ({ runId: 'nobody' }), 'not_found'],
    ['usage.get', 'no such session', () => ({ sessionId: nobody }), 'not_found'],
    ['inbox.answer', 'no such entry', () => ({ id: 'nobody', answer: 'allow' }), 'not_found'],
    ['inbox.ack', 'no such entry', () => ({ id: 'nobody' }), 'not_found'],
    ['inbox.answer', 'answered already', () => ({ id: prepared.approval, answer: 'deny' }), 'invalid_state'],
    ['plan.updateItem', 'no such item', () => ({ ...S(), itemId: 'nobody', title: 'x' }), 'not_found'],
    ['plan.setGoal', 'an old version', () => ({ ...S(), goal: 'x', expectedVersion: 0 }), 'version_conflict'],
    ['plan.revise', 'an old version', () => ({ ...S(), entries: [], expectedVersion: 0 }), 'version_conflict'],
    [
      'plan.import',
      'an old version',
      () => ({ ...S(), format: 'markdown', text: '- [ ] x', expectedVersion: 0 }),
      'version_conflict',
    ],
    ['plan.updateItem', 'a done item', () => ({ ...S(), itemId: prepared.done, title: 'x' }), 'invalid_state'],
    ['plan.addItem', 'too long a title', () => ({ ...S(), title: 'x'.repeat(201) }), 'limit_exceeded'],
    ['plan.diff', 'a version of the future', () => ({ ...S(), from: 0, to: 9_999 }), 'not_found'],
    ['plan.revert', 'a version of the future', () => ({ ...S(), version: 9_999 }), 'not_found'],
    ['session.create', 'no such folder', () => ({ workspace: '/no/such/folder' }), 'invalid_params'],
    [
      'session.create',
      'items and Markdown',
      () => ({ workspace: house.workspace, items: [], markdown: '- [ ] x' }),
      'invalid_params',
    ],
    ['session.create', 'no such parent', () => ({ workspace: house.workspace, parentId: nobody }), 'not_found'],
    ['run.cancel', 'nothing that runs', () => ({ sessionId: prepared.spare }), 'invalid_state'],
    ['run.retry', 'nothing to retry', () => ({ sessionId: prepared.spare }), 'invalid_state'],
    ['session.rename', 'a title of two lines', () => ({ ...S(), title: 'a\nb' }), 'invalid_params'],
    ['chat.send', 'too long a text', () => ({ ...S(), text: 'x'.repeat(12_001) }), 'limit_exceeded'],
  ];

  it.each(cases)('%s: %s', async (name, _what, params, kind) => {
    const watcher = await house.watch();
    const error: unknown = await watcher.call(name, params() as never).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: errorCodes[kind], data: { kind } });
    // What the contract does not list for a method, only the protocol may answer with.
    if (kind !== 'invalid_params') expect(methods[name].errors).toContain(kind);
  });

  it('have a message for people', async () => {
    const error: unknown = await house.call('session.get', { sessionId: nobody }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'There is no session nobody.',
      data: { hint: expect.stringContaining('cairn list') as string },
    });
  });

  it('say that there is no model, where one is needed', async () => {
    const poor = await openHouse();
    const { id: sessionId } = await poor.session();
    await expect(poor.call('chat.send', { sessionId, text: 'Hello?' })).rejects.toMatchObject({
      code: -32013,
      data: { kind: 'no_model' },
    });
    await poor.close();
  });
});

function shapeOf(name: MethodName): object {
  return (methods[name].params as unknown as { shape: object }).shape;
}

/** What the methods need besides the session, for params that are valid. */
const required: Partial<Record<MethodName, Record<string, unknown>>> = {
  'session.rename': { title: 'x' },
  'plan.setGoal': { goal: 'x' },
  'plan.addItem': { title: 'x' },
  'plan.updateItem': { itemId: 'x' },
  'plan.moveItem': { itemId: 'x', index: 0 },
  'plan.setStatus': { itemId: 'x', status: 'done' },
  'plan.removeItem': { itemId: 'x' },
  'plan.revise': { entries: [], expectedVersion: 0 },
  'plan.diff': { from: 0, to: 0 },
  'plan.revert': { version: 0 },
  'plan.import': { format: 'markdown', text: '', expectedVersion: 0 },
  'plan.export': { format: 'json' },
  'run.receipts': { itemId: 'x' },
  'chat.send': { text: 'x' },
  'mission.finish': { outcome: 'landed', reason: 'x' },
};

describe('a session', () => {
  it('tells its own model, and what its policy lets it spend', async () => {
    const budget = { turns: 5, costUsd: 2 };
    const { id } = await house.session({ model: 'small', policy: { default: 'ask', rules: [], budget } });
    expect(await house.call('session.get', { sessionId: id })).toMatchObject({ model: 'small', budget });
    const free = await house.session();
    expect(await house.call('session.get', { sessionId: free.id })).toMatchObject({ model: null, budget: null });
  });
});

describe('rpc.discover', () => {
  it('is a valid OpenRPC document that names every method, its params, its result and its errors', async () => {
    const document = await house.call('rpc.discover', {});
    expect(validateOpenRPCDocument(document as never)).toBe(true);
    const told = document.methods as {
      name: string;
      summary: string;
      paramStructure: string;
      params: { name: string; required: boolean; schema: object }[];
      result: { schema: object };
      errors: { code: number }[];
    }[];
    expect(told.map((method) => method.name)).toEqual(methodNames);
    for (const method of told) {
      const spec = methods[method.name as MethodName];
      expect(method).toMatchObject({ summary: spec.doc, paramStructure: 'by-name', result: { schema: { type: 'object' } } });
      expect(method.summary.length).toBeGreaterThan(10);
      expect(method.params.map((param) => param.name)).toEqual(Object.keys(shapeOf(method.name as MethodName)));
      expect(method.errors.map((error) => error.code)).toEqual(spec.errors.map((kind) => errorCodes[kind]));
    }
    const addItem = told.find((method) => method.name === 'plan.addItem');
    expect(addItem?.params.filter((param) => param.required).map((param) => param.name)).toEqual(['sessionId', 'title']);
    expect(document.openrpc).toBe('1.2.6');
  });

  it('has schemas of draft 7: no later keyword', async () => {
    const text = JSON.stringify(await house.call('rpc.discover', {}));
    expect(text).not.toMatch(/"\$defs"|"prefixItems"|"unevaluated|draft\/2020-12/);
  });
});
