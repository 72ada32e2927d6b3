/** What a simulated daemon tells of missions and revisions: the tree of one session, its report, what differs between versions. */
import type { Plan } from '../../daemon/domain/plan.js';
import type { ResultOf } from '../../shared/contract.js';
import type { MissionNode, Summary } from '../../shared/mission.js';
import type { Item, ItemId, Revision } from '../../shared/plan.js';
import { listTree } from '../../shared/plan-tree.js';
import type { Session, Snapshot } from '../../shared/session.js';

export function nodeOf(session: Session, part: Partial<MissionNode> = {}): MissionNode {
  const { id, parentId, title, goal, isMission, status, outcome, outcomeReason, planner, counts, usage, createdAt, updatedAt } =
    session;
  return {
    ...{ sessionId: id, parentId, title, goal, isMission, status, outcome, outcomeReason, planner, counts, usage },
    ...{ createdAt, updatedAt, depth: 0, lastError: null, ownUsage: usage, openInbox: 0 },
    ...part,
  };
}

export const treeOf = ({ session, inbox, planRun }: Snapshot): MissionNode[] => [
  nodeOf(session, { openInbox: inbox.length, lastError: planRun.lastError }),
];

export function summaryOf({ session, items, inbox }: Snapshot): Summary {
  const until = '2026-03-01T10:00:42.000Z';
  const done = items.filter(({ status }) => status === 'done');
  const named = (item: (typeof items)[number]) => ({
    ...{ sessionId: session.id, session: session.title, itemId: item.id, number: item.number, title: item.title, at: until },
    summary: null,
  });
  return {
    ...{ since: '2026-02-28T10:00:42.000Z', until, blocked: [], outcomes: [], revisions: [], isCut: false },
    accepted: done.filter(({ accepted }) => accepted === true).map(named),
    claimed: done.filter(({ accepted }) => accepted !== true).map(named),
    spent: session.usage,
    needsPerson: [...inbox],
    underWay: [{ sessionId: session.id, session: session.title, status: session.status }],
  };
}

type Diff = ResultOf<'plan.diff'>;

export function diffBetween(from: Plan | undefined, to: Plan | undefined): Diff {
  const [before, after] = [itemsOf(from), itemsOf(to)];
  return {
    added: [...after.values()].filter(({ id }) => !before.has(id)),
    removed: [...before.values()].filter(({ id }) => !after.has(id)),
    changed: [...after.values()].flatMap((item) => {
      const was = before.get(item.id);
      return was === undefined || JSON.stringify(was) === JSON.stringify(item) ? [] : [{ id: item.id, before: was, after: item }];
    }),
  };
}

function itemsOf(plan: Plan | undefined): ReadonlyMap<ItemId, Item> {
  const listed = plan === undefined ? [] : listTree(plan.tree);
  return new Map(listed.map(({ depth: _depth, number: _number, ...item }): [ItemId, Item] => [item.id, item]));
}

/** A page of revisions. The cursor is the last version of the page before. */
export function pageOf(
  all: readonly Revision[],
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): ResultOf<'plan.history'> {
  const rest = cursor === undefined ? all : all.filter(({ version }) => version < Number(cursor));
  const revisions = rest.slice(0, limit);
  const last = revisions.at(-1);
  return { revisions, nextCursor: rest.length > limit && last !== undefined ? String(last.version) : null };
}
