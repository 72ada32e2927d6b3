/** Rows of the store in the shapes of the contract. */
import type { ItemChange, ListedItem } from '../../shared/plan.js';
import { listItem } from '../../shared/plan-tree.js';
import type { Session, Snapshot } from '../../shared/session.js';
import type { SessionId } from '../../shared/plan.js';
import { listTree } from '../../shared/plan-tree.js';
import type { Liveness } from '../../shared/run.js';
import { placesOf, type Plan } from '../domain/plan.js';
import type { Queries, SessionRow } from '../store/queries.js';

export function toSession({ record, goal, planVersion, counts, planRun, planner, usage }: SessionRow): Session {
  const { id, title, workspace, profile, outcome, outcomeReason, isMission, parentId, model, policy } = record;
  const { createdAt, updatedAt } = record;
  return {
    id,
    title,
    goal,
    workspace,
    profile,
    status: planRun.status,
    outcome,
    outcomeReason,
    isMission,
    planner,
    parentId,
    model,
    budget: policy.budget ?? null,
    planVersion,
    counts,
    usage,
    createdAt,
    updatedAt,
  };
}

/** What a mutation answers: the items that changed and are still there, as listed, and the ids of those that are gone. */
export function toMutation(
  plan: Plan,
  changes: readonly ItemChange[],
): { version: number; changed: ListedItem[]; removed: ItemChange['id'][] } {
  const places = placesOf(plan.tree);
  const changed = changes.flatMap(({ after }) => {
    const place = after && places.get(after.id);
    return after && place ? [listItem(after, place)] : [];
  });
  return { version: plan.version, changed, removed: changes.filter(({ after }) => after === null).map(({ id }) => id) };
}

/** Everything that a watcher starts from. All reads are asked for in one turn, so that they see one state. */
export async function readSnapshot(
  store: Queries,
  liveness: (id: SessionId) => Promise<Liveness>,
  id: SessionId,
): Promise<Snapshot | null> {
  const [row, state, seq, inbox, runs] = await Promise.all([
    store.sessionRow(id),
    store.loadState(id),
    store.lastSeq(),
    store.inbox({ sessionId: id, state: 'open' }, { limit: 200, cursor: null }),
    store.runs(id, null, { limit: 1, cursor: null }),
  ]);
  if (row === null || state === null) return null;
  return {
    seq,
    session: toSession(row),
    planRun: row.planRun,
    liveness: await liveness(id),
    items: listTree(state.plan.tree),
    run: runs.rows[0] ?? null,
    inbox: [...inbox.rows],
  };
}
