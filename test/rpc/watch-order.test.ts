import { describe, expect, it } from 'vitest';
import type { Connection } from '../../daemon/rpc/handlers.js';
import { createWatchPublisher } from '../../daemon/rpc/publish.js';
import type { Committed } from '../../daemon/runner/publisher.js';
import type { Queries, SessionRow } from '../../daemon/store/queries.js';
import type { CairnEvent } from '../../shared/event.js';
import type { InboxEntry } from '../../shared/mission.js';
import type { Item, ItemId, SessionId } from '../../shared/plan.js';
import type { SessionChanged } from '../../shared/session.js';
import { waitFor } from '../support/wait.js';

const sessionId = 's1' as SessionId;
const noUsage = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 };

const row: SessionRow = {
  record: {
    id: sessionId,
    title: 'Title',
    workspace: '/w',
    profile: 'worker',
    context: 'leaf',
    policy: { default: 'ask', rules: [] },
    model: null,
    planner: 'never',
    planning: true,
    parentId: null,
    isMission: false,
    order: {},
    outcome: null,
    outcomeReason: null,
    createdAt: '',
    updatedAt: '',
  },
  goal: '',
  planner: { mode: 'never', state: 'none', reason: null },
  planVersion: 3,
  counts: { pending: 0, active: 0, done: 0, skipped: 0, leaves: 0 },
  planRun: {
    sessionId,
    status: 'idle',
    currentItemId: null,
    lastRunId: null,
    lastError: null,
    stepNo: 0,
    attempt: 0,
    epoch: 0,
    updatedAt: '',
  },
  usage: noUsage,
};

/** A store that is at `seq`, whatever has been published of it. */
function storeAt(at: { seq: number }): Queries {
  const reads: Partial<Queries> = {
    lastSeq: () => Promise.resolve(at.seq),
    sessionRow: () => Promise.resolve(row),
    loadState: () => Promise.resolve({ plan: { version: 3, goal: '', tree: [], nextItemNo: 1 } } as never),
    inbox: () => Promise.resolve({ rows: [], nextCursor: null }),
    runs: () => Promise.resolve({ rows: [], nextCursor: null }),
    run: () => Promise.resolve(null),
  };
  return reads as Queries;
}

function createClient(): { connection: Connection; told: SessionChanged[] } {
  const told: SessionChanged[] = [];
  const connection: Connection = {
    id: 'k1',
    closed: false,
    busy: false,
    notify: (_name, params) => void told.push(params as SessionChanged),
    onDrain: () => undefined,
    onClose: () => undefined,
    close: (reason) => {
      throw new Error(reason);
    },
  };
  return { connection, told };
}

async function watched(seq: number) {
  const at = { seq };
  const bugs: unknown[] = [];
  const publisher = createWatchPublisher(
    storeAt(at),
    () => Promise.resolve({ state: 'idle', cause: '', lastProgressAt: null }),
    (error) => bugs.push(error),
  );
  const { connection, told } = createClient();
  const answered: (() => void)[] = [];
  await publisher.watch({ connection, afterAnswer: (callback) => void answered.push(callback) }, sessionId);
  for (const callback of answered) callback();
  return { at, publisher, told, bugs };
}

const event = (seq: number, type: CairnEvent['type']): CairnEvent => ({ seq, at: '', sessionId, type, data: {} });

function revision(seq: number, fromVersion: number): Committed {
  const item = { id: `t${seq}` as ItemId } as Item;
  return {
    sessionId,
    events: [event(seq, 'plan.revised')],
    plan: { fromVersion, items: [{ id: item.id, before: null, after: item }] },
  };
}

describe('what is told to a watcher', () => {
  it('has the change that was stored before a new title was told of, and published after it', async () => {
    const { at, publisher, told, bugs } = await watched(9);
    // The store has the revision already when the title, which has no event of its own, is told of.
    at.seq = 10;
    publisher.committed({ sessionId, events: [] });
    publisher.committed(revision(10, 3));
    await waitFor('both to be told', () => told.length === 2, { describe: () => told });
    expect(told[1]).toMatchObject({ seq: 10, fromVersion: 3, items: [{ id: 't10' }] });
    expect(bugs).toEqual([]);
  });

  it('has both of two changes that are published in the other order than they were stored', async () => {
    const { at, publisher, told } = await watched(9);
    at.seq = 11;
    const entry = { id: 'i1', state: 'answered' } as InboxEntry;
    publisher.committed(revision(11, 3));
    publisher.committed({ sessionId, events: [event(10, 'inbox.answered')], inbox: [entry] });
    await waitFor('both to be told', () => told.length === 2, { describe: () => told });
    expect(told.map(({ items, inbox }) => [items?.map(({ id }) => id), inbox?.map(({ id }) => id)])).toEqual([
      [['t11'], undefined],
      [undefined, ['i1']],
    ]);
    // A client goes on from the last sequence that it was told: it never goes back.
    expect(told.map(({ seq }) => seq)).toEqual([11, 11]);
  });

  it('has nothing of what the snapshot had already', async () => {
    const { publisher, told } = await watched(9);
    publisher.committed(revision(9, 2));
    publisher.committed(revision(10, 3));
    await waitFor('the new one to be told', () => told.length > 0, { describe: () => told });
    expect(told.map(({ items }) => items?.map(({ id }) => id))).toEqual([['t10']]);
  });
});
