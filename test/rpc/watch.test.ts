import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTree, listTree } from '../../shared/plan-tree.js';
import type { Item, ItemId, ListedItem, SessionId } from '../../shared/plan.js';
import type { RunOutput, SessionChanged, Snapshot } from '../../shared/session.js';
import type { Watcher } from '../support/rpc.js';
import { say } from '../support/scripted-provider.js';
import { result } from '../support/story.js';
import { waitFor } from '../support/wait.js';
import { type House, openHouse, openRaw, request1 } from './rpc-support.js';

const secret = 'tok-98765-abcdef-xyz';
let house: House;
beforeAll(async () => {
  house = await openHouse(() => [say('The key is tok-98'), say('765-abcdef-xyz, keep it.'), result()], { DEPLOY_TOKEN: secret });
});
afterAll(() => house.close());

const changesOf = (watcher: Watcher): SessionChanged[] =>
  watcher.notes.filter((note) => note.method === 'session.changed').map((note) => note.params as unknown as SessionChanged);

/** What a client knows: its snapshot, with the changes put on it. */
interface Known {
  version: number;
  goal: string;
  items: Map<ItemId, Item>;
}

const plain = ({ depth: _depth, number: _number, ...item }: ListedItem): Item => item;
const fromSnapshot = ({ session, items }: Snapshot): Known => ({
  version: session.planVersion,
  goal: session.goal,
  items: new Map(items.map((item) => [item.id, plain(item)])),
});

function take(known: Known, change: SessionChanged): void {
  if (change.snapshot) Object.assign(known, fromSnapshot(change.snapshot));
  else {
    if (change.fromVersion !== undefined) expect(change.fromVersion).toBe(known.version);
    for (const item of change.items ?? []) known.items.set(item.id, item);
    for (const id of change.removed ?? []) known.items.delete(id);
    if (change.session) {
      known.goal = change.session.goal;
      expect(change.session.planVersion).toBe(change.fromVersion === undefined ? known.version : known.version + 1);
      known.version = change.session.planVersion;
    }
  }
}

/** One edit: what it does to the item at `at`, with numbers that are taken modulo what there is. */
interface Edit {
  readonly kind: 'add' | 'addUnder' | 'update' | 'move' | 'status' | 'remove' | 'goal' | 'revise' | 'clear' | 'rename';
  readonly at: number;
  readonly to: number;
  readonly text: string;
}

const edits = fc.array(
  fc.record<Edit>({
    kind: fc.constantFrom(
      'add',
      'add',
      'addUnder',
      'addUnder',
      'update',
      'move',
      'status',
      'remove',
      'goal',
      'revise',
      'rename',
      'clear',
    ),
    at: fc.nat(40),
    to: fc.nat(40),
    text: fc.string({ minLength: 1, maxLength: 12 }).filter((text) => /\w/.test(text)),
  }),
  { minLength: 30, maxLength: 60 },
);

/** As a client would: looks at the plan, then edits it. Refusals are part of life with two clients. */
async function carryOut(sessionId: SessionId, { kind, at, to, text }: Edit): Promise<void> {
  const { items, version } = await house.call('plan.get', { sessionId });
  const item = items[at % Math.max(items.length, 1)];
  const other = items[to % Math.max(items.length, 1)];
  const S = { sessionId };
  const call = (): Promise<unknown> => {
    if (kind === 'add') return house.call('plan.addItem', { ...S, title: text, index: to % (items.length + 1) });
    if (kind === 'goal') return house.call('plan.setGoal', { ...S, goal: text });
    if (kind === 'rename') return house.call('session.rename', { ...S, title: text });
    if (kind === 'clear') return at === 0 ? house.call('plan.clear', S) : Promise.resolve();
    if (item === undefined || other === undefined) return Promise.resolve();
    const I = { ...S, itemId: item.id };
    if (kind === 'addUnder') return house.call('plan.addItem', { ...S, parentId: item.id, title: text });
    if (kind === 'update') return house.call('plan.updateItem', { ...I, title: text, detail: to % 2 === 0 ? text : null });
    if (kind === 'move') return house.call('plan.moveItem', { ...I, index: to % 5, parentId: to % 3 === 0 ? other.id : null });
    if (kind === 'status')
      return house.call('plan.setStatus', { ...I, status: (['done', 'skipped', 'pending'] as const)[to % 3] ?? 'done' });
    if (kind === 'remove') return house.call('plan.removeItem', I);
    const kept = items.filter((each) => each.depth === 0 && each.id !== item.id);
    return house.call('plan.revise', {
      ...S,
      expectedVersion: version,
      entries: [{ title: text }, ...kept.map(({ id, title }) => ({ id, title }))],
    });
  };
  await call().catch((error: unknown) => {
    if (![-32004, -32009, -32010, -32602, -32012].includes((error as { code?: number }).code ?? 0)) throw error;
  });
}

describe('watching a session', () => {
  it('gives a snapshot, then only what changed, whoever changes it: together they are the plan', async () => {
    const watcher = await house.watch();
    await fc.assert(
      fc.asyncProperty(edits, edits, async (mine, yours) => {
        const { id: sessionId } = await house.session({
          items: [{ title: 'First', children: [{ title: 'Inner' }] }, { title: 'Second' }],
        });
        const known = fromSnapshot(await watcher.call('session.watch', { sessionId }));
        const client = async (list: Edit[]): Promise<void> => {
          for (const edit of list) await carryOut(sessionId, edit);
        };
        await Promise.all([client(mine), client(yours)]);
        const plan = await house.call('plan.get', { sessionId });
        const session = await house.call('session.get', { sessionId });
        const changes = (): SessionChanged[] => changesOf(watcher).filter((change) => change.sessionId === sessionId);
        await waitFor('the last change', () => {
          const last = changes().findLast((change) => change.session);
          return last === undefined
            ? plan.version === known.version
            : last.session?.planVersion === plan.version && last.session.title === session.title;
        });
        await watcher.call('session.unwatch', { sessionId });
        for (const change of changes()) {
          expect(change.snapshot).toBeUndefined();
          take(known, change);
        }
        expect({ version: known.version, goal: known.goal, items: listTree(buildTree(known.items.values())) }).toEqual({
          version: plan.version,
          goal: plan.goal,
          items: plan.items,
        });
      }),
      { numRuns: 6 },
    );
  });

  it('tells of an edit the items that it touched, and nothing else of the plan', async () => {
    const { id: sessionId } = await house.session({ items: Array.from({ length: 500 }, (_, i) => ({ title: `Item ${i}` })) });
    const watcher = await house.watch();
    const { items } = await watcher.call('session.watch', { sessionId });
    const itemId = items[250]?.id as ItemId;
    await house.call('plan.updateItem', { sessionId, itemId, title: 'Changed' });
    await waitFor('the change', () => changesOf(watcher).length > 0);
    expect(changesOf(watcher)).toHaveLength(1);
    expect(changesOf(watcher)[0]).toMatchObject({
      sessionId,
      fromVersion: 1,
      items: [{ id: itemId, title: 'Changed' }],
      removed: [],
    });
  });

  it('streams what a run says, without secrets, even one that comes in pieces', async () => {
    const { id: sessionId } = await house.session({ items: [{ title: 'Only' }] });
    const watcher = await house.watch();
    await watcher.call('session.watch', { sessionId });
    await house.call('run.start', { sessionId });
    await waitFor('the end', () => changesOf(watcher).some((change) => change.planRun?.status === 'completed'));
    const outputs = watcher.notes
      .filter((note) => note.method === 'run.output')
      .map((note) => note.params as unknown as RunOutput);
    const said = outputs
      .filter((output) => output.stream === 'text')
      .map((output) => output.text)
      .join('');
    expect(said).toMatch(/^The key is \[redacted:[a-z-]+\], keep it\./);
    expect(JSON.stringify(watcher.notes)).not.toContain(secret);
    // What a run says is told after its start and before its end.
    const place = (find: (note: Watcher['notes'][number]) => boolean): number => watcher.notes.findIndex(find);
    const statusOfRun = (status: string) => place(({ params }) => (params as unknown as SessionChanged).run?.status === status);
    expect(statusOfRun('running')).toBeGreaterThanOrEqual(0);
    expect(statusOfRun('running')).toBeLessThan(place((note) => note.method === 'run.output'));
    expect(statusOfRun('completed')).toBeGreaterThan(watcher.notes.findLastIndex((note) => note.method === 'run.output'));
  });

  it('ends with unwatch, for this connection only', async () => {
    const { id: sessionId } = await house.session();
    const [one, other] = [await house.watch(), await house.watch()];
    await one.call('session.watch', { sessionId });
    await other.call('session.watch', { sessionId });
    await one.call('session.unwatch', { sessionId });
    await house.call('plan.setGoal', { sessionId, goal: 'Another' });
    await waitFor('the other to be told', () => changesOf(other).length === 1);
    await one.call('daemon.status', {});
    expect(one.notes).toEqual([]);
  });

  it('tells that the session was deleted, and ends', async () => {
    const { id: sessionId } = await house.session();
    const watcher = await house.watch();
    await watcher.call('session.watch', { sessionId });
    await house.call('session.delete', { sessionId });
    await waitFor('the word', () => changesOf(watcher).length > 0);
    expect(changesOf(watcher)).toEqual([{ sessionId, seq: expect.any(Number) as number, deleted: true }]);
  });

  it('tells of another title, although the plan stays', async () => {
    const { id: sessionId } = await house.session();
    const watcher = await house.watch();
    await watcher.call('session.watch', { sessionId });
    await house.call('session.rename', { sessionId, title: 'Renamed' });
    await waitFor('the change', () => changesOf(watcher).length === 1);
    expect(changesOf(watcher)[0]).toMatchObject({ session: { title: 'Renamed', planVersion: 1 } });
    expect(changesOf(watcher)[0]).not.toHaveProperty('items');
  });

  it('starts again when it is asked twice: one notification a change', async () => {
    const { id: sessionId } = await house.session();
    const watcher = await house.watch();
    await watcher.call('session.watch', { sessionId });
    await watcher.call('session.watch', { sessionId });
    await house.call('plan.setGoal', { sessionId, goal: 'Another' });
    await waitFor('the change', () => changesOf(watcher).length > 0);
    await watcher.call('daemon.status', {});
    expect(changesOf(watcher)).toHaveLength(1);
  });

  it('is refused where nothing can be told later, and for a session that is not there', async () => {
    const { id: sessionId } = await house.session();
    await expect(house.call('session.watch', { sessionId })).rejects.toMatchObject({
      code: -32010,
      data: { kind: 'invalid_state' },
    });
    const watcher = await house.watch();
    await expect(watcher.call('session.watch', { sessionId: 'nobody' })).rejects.toMatchObject({ code: -32004 });
    expect(await watcher.call('session.unwatch', { sessionId: 'nobody' })).toEqual({});
  });

  it('answers before it tells, in a batch as well', async () => {
    const { id: sessionId } = await house.session();
    const { send, messages } = await openRaw(`ws+unix:${house.socket}:/rpc`);
    // The answer to a batch waits for the slowest of it; what changes meanwhile must neither overtake it nor be lost.
    const slow = Array.from({ length: 20 }, (_, i) => request1('session.create', { workspace: house.workspace }, 10 + i));
    send([request1('session.watch', { sessionId }, 1), request1('plan.setGoal', { sessionId, goal: 'Told later' }, 2), ...slow]);
    await waitFor('the snapshot', () => messages.length >= 2);
    const [answers, ...notes] = messages as unknown as [{ result: Snapshot }[], ...{ params: SessionChanged }[]];
    expect(answers).toHaveLength(22);
    const known = fromSnapshot(answers[0]?.result as Snapshot);
    for (const { params } of notes) take(known, params);
    expect(known).toMatchObject({ goal: 'Told later', version: 2 });
  });

  it('answers before it tells of the end, in a batch as well', async () => {
    const { id: sessionId } = await house.session();
    const { send, messages } = await openRaw(`ws+unix:${house.socket}:/rpc`);
    send([request1('session.watch', { sessionId }, 1), request1('session.delete', { sessionId }, 2)]);
    await waitFor('both', () => messages.length === 2);
    expect(messages[0]).toMatchObject([
      { id: 1, result: { session: { id: sessionId } } },
      { id: 2, result: {} },
    ]);
    expect(messages[1]).toMatchObject({ method: 'session.changed', params: { sessionId, deleted: true } });
  });
});
