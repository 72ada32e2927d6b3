/** The plan of a simulated daemon: the real domain, with its versions and revisions in memory. */
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { emptyPlan, type Plan, type PlanChange } from '../../daemon/domain/plan.js';
import type { Refusal, Result } from '../../shared/errors.js';
import type { Author, Item, ItemId, ListedItem, Revision } from '../../shared/plan.js';
import { buildTree, itemAt, indexTree, listItem } from '../../shared/plan-tree.js';

export type Edit = (draft: PlanDraft) => Result<unknown>;

export interface SimulatedPlan {
  readonly now: Plan;
  /** The plan as it was at a version. */
  at(version: number): Plan | undefined;
  /** Newest first. */
  revisions(): readonly Revision[];
  find(id: ItemId): Item | undefined;
  /** An item as it is listed, if it still is. */
  listed(item: Item): ListedItem;
  /** The change that was made, null when there was nothing to change, or why not. */
  change(edit: Edit, author: Author, explanation?: string): PlanChange | Refusal | null;
}

export function simulatePlan(items: readonly Item[]): SimulatedPlan {
  let now: Plan = { ...emptyPlan, version: 1, tree: buildTree(items), goal: 'Ship the export', nextItemNo: 1_000 };
  const versions = new Map<number, Plan>([[1, now]]);
  const revisions: Revision[] = [];

  const find = (id: ItemId): Item | undefined => {
    const place = indexTree(now.tree).get(id);
    return place && itemAt(now.tree, place);
  };
  return {
    get now() {
      return now;
    },
    at: (version) => versions.get(version),
    revisions: () => revisions,
    find,
    listed: (item) => listItem(item, indexTree(now.tree).get(item.id) ?? { task: 0, child: -1 }),
    change(edit, author, explanation) {
      const draft = new PlanDraft(now);
      const result = edit(draft);
      if (!result.ok) return result.error;
      const done = draft.finish(author, explanation ?? null);
      if (done === null) return null;
      now = done.plan;
      versions.set(now.version, now);
      revisions.unshift(revisionOf(done.change));
      return done.change;
    },
  };
}

function revisionOf({ version, author, statusOnly, items, explanation }: PlanChange): Revision {
  const ids = (has: (one: PlanChange['items'][number]) => boolean): ItemId[] => items.filter(has).map(({ id }) => id);
  return {
    ...{ version, author, statusOnly, at: '2026-03-01T10:00:00.000Z' },
    ...(explanation === null ? {} : { explanation }),
    added: ids(({ before }) => before === null),
    removed: ids(({ after }) => after === null),
    changed: ids(({ before, after }) => before !== null && after !== null),
  };
}
