/** What `solo`, which does the work itself, says in a snapshot that it has done: a claim, closed on the path of every other. */
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { Item, ItemId } from '../../shared/plan.js';
import { isOpen, itemAt } from '../../shared/plan-tree.js';
import { withClosing } from './item-state.js';
import type { PlanDraft } from './plan-draft.js';
import { nameItem } from './plan-refusal.js';
import type { TaskEntry } from './plan-snapshot.js';
import { placesOf } from './plan.js';
import type { RunState } from './run-state.js';

export interface Claims {
  /** The snapshot without them. */
  readonly entries: readonly TaskEntry[];
  /** Leaves whose checks have to run. */
  readonly checked: readonly ItemId[];
  /** Closes those without checks on a draft that has the snapshot already. Refuses more than one with checks at a time. */
  close(draft: PlanDraft, state: RunState): Result<void>;
}

function itemOf({ plan }: RunState, id: ItemId): Item | undefined {
  const place = placesOf(plan.tree).get(id);
  return place && itemAt(plan.tree, place);
}

/** Takes `done` out of the entries of open leaves. Anything else that is marked done is for `revise` to refuse. */
export function takeClaims(state: RunState, entries: readonly TaskEntry[]): Claims {
  const places = placesOf(state.plan.tree);
  const claimed: ItemId[] = [];
  const isClaim = (entry: { id?: ItemId | undefined; status?: string | undefined }): boolean => {
    const place = entry.id === undefined ? undefined : places.get(entry.id);
    const item = place && itemAt(state.plan.tree, place);
    const task = place && place.child < 0 ? state.plan.tree[place.task] : undefined;
    const isLeaf = item !== undefined && (task === undefined || task.children.length === 0);
    return entry.status === 'done' && isLeaf && isOpen(item.status);
  };
  const take = <E extends { id?: ItemId | undefined; status?: TaskEntry['status'] }>(entry: E): E => {
    if (!isClaim(entry)) return entry;
    claimed.push(entry.id as ItemId);
    const { status: _status, ...rest } = entry;
    return rest as E;
  };
  const left = entries.map((entry) => {
    const own = take(entry);
    return own.children === undefined ? own : { ...own, children: own.children.map(take) };
  });
  const checked: ItemId[] = [];
  return {
    entries: left,
    checked,
    close(draft, state) {
      const { checkpoint } = state;
      for (const id of claimed) {
        const item = draft.find(id);
        if (item === undefined || !isOpen(item.status)) continue;
        const before = itemOf(state, id)?.verify ?? [];
        if (JSON.stringify(before) !== JSON.stringify(item.verify ?? [])) {
          return refuse('invalid_state', `${nameItem(item)}: its checks cannot change in the snapshot that says it is done.`, {
            hint: 'Leave verify out; it stays as it is.',
          });
        }
        if (before.length > 0) {
          if (checked.length > 0) {
            return refuse('invalid_state', `${nameItem(item)} has checks, and one item is checked at a time.`, {
              hint: 'Mark items with checks done one by one, each when it is.',
            });
          }
          checked.push(id);
          continue;
        }
        if (item.status === 'active' && (checkpoint.status === 'running' || checkpoint.status === 'waiting')) {
          return refuse('invalid_state', `${nameItem(item)} is being worked on by a run of its own.`);
        }
        draft.replace(withClosing({ ...item, status: 'done' }, true, false));
      }
      return ok(undefined);
    },
  };
}

/** Of a planner that does no work itself. */
export const noClaims = (entries: readonly TaskEntry[]): Claims => ({ entries, checked: [], close: () => ok(undefined) });
