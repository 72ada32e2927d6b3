/**
 * What a person wants changed, as data that names ids: worked out into a call only when its turn comes, against the plan as
 * it then is. So an edit never hits another row than the one that was meant, whatever moved meanwhile.
 */
import type { MethodName } from '../../../shared/contract.js';
import { unreachable } from '../../../shared/errors.js';
import type { Item, ItemId, SessionId } from '../../../shared/plan.js';
import { type Call, call } from '../message.js';
import { childrenOf, indexAmongSiblings, type PlanModel } from './plan-model.js';

export type Status = 'pending' | 'done' | 'skipped';

export type Intent =
  | {
      readonly kind: 'add';
      readonly parentId: ItemId | null;
      readonly afterId: ItemId | null;
      readonly title: string;
      readonly key: string;
    }
  | { readonly kind: 'title'; readonly itemId: ItemId; readonly base: string; readonly text: string }
  | { readonly kind: 'detail'; readonly itemId: ItemId; readonly base: string; readonly text: string }
  | { readonly kind: 'goal'; readonly base: string; readonly text: string }
  /** `cutsOff`: the person knows that it is running. */
  | { readonly kind: 'status'; readonly itemId: ItemId; readonly status: Status; readonly cutsOff?: true }
  | { readonly kind: 'move'; readonly itemId: ItemId; readonly by: -1 | 1 }
  | { readonly kind: 'place'; readonly itemId: ItemId; readonly parentId: ItemId | null; readonly index: number }
  /** `seen`: the item and its subtasks as the person saw them when they said yes. */
  | { readonly kind: 'remove'; readonly itemId: ItemId; readonly seen: readonly Item[] }
  | { readonly kind: 'clear'; readonly seen: readonly ItemId[] }
  /** `seen`: the version up to which it is known what is taken back with it. */
  | { readonly kind: 'revert'; readonly version: number; readonly seen: number }
  /** The plan as it was at a version. `seen`: the items that it had when the person said yes. */
  | { readonly kind: 'restore'; readonly version: number; readonly seen: readonly Item[] }
  /** Takes back the last change, whatever that is when its turn comes. */
  | { readonly kind: 'undo' };

/** How to take back what an intent did. `after`: the version that it made. */
export interface UndoEntry {
  readonly what: string;
  readonly after: number;
  readonly back: readonly Intent[];
}

/** An intent worked out: a call, nothing to do, or that it no longer fits, with what it met. */
export type Worked =
  | { readonly outcome: 'call'; readonly call: Call }
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'conflict'; readonly theirs: string }
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'undo' };

export interface Target {
  readonly sessionId: SessionId;
  readonly goal: string;
  readonly plan: PlanModel;
  /** The item that is being worked at. */
  readonly running: ItemId | null;
}

/** The item and its subtasks. */
export function subtree(plan: PlanModel, itemId: ItemId): readonly Item[] {
  const item = plan.items.get(itemId);
  return item === undefined ? [] : [item, ...childrenOf(plan, itemId)];
}

export function workOut(intent: Intent, target: Target): Worked {
  const { sessionId, plan } = target;
  const purpose = { for: 'edit' } as const;
  const expectedVersion = plan.version;
  const edit = (method: MethodName, params: object): Worked => ({
    outcome: 'call',
    call: call(method, { sessionId, ...params }, purpose),
  });
  switch (intent.kind) {
    case 'add': {
      if (intent.parentId !== null && !plan.items.has(intent.parentId)) return { outcome: 'gone' };
      const siblings = childrenOf(plan, intent.parentId);
      const before = intent.afterId === null ? -1 : siblings.findIndex(({ id }) => id === intent.afterId);
      const parent = intent.parentId === null ? {} : { parentId: intent.parentId };
      // Behind a neighbour that has gone it stands at the end.
      const place = intent.afterId !== null && before < 0 ? {} : { index: before + 1 };
      return edit('plan.addItem', { ...parent, ...place, title: intent.title, expectedVersion, idempotencyKey: intent.key });
    }
    case 'title':
    case 'detail': {
      const item = plan.items.get(intent.itemId);
      if (item === undefined) return { outcome: 'gone' };
      const now = (intent.kind === 'title' ? item.title : item.detail) ?? '';
      if (now === intent.text) return { outcome: 'nothing' };
      if (now !== intent.base) return { outcome: 'conflict', theirs: now };
      const value = intent.kind === 'detail' && intent.text === '' ? null : intent.text;
      return edit('plan.updateItem', { itemId: intent.itemId, [intent.kind]: value, expectedVersion });
    }
    case 'goal':
      if (target.goal === intent.text) return { outcome: 'nothing' };
      if (target.goal !== intent.base) return { outcome: 'conflict', theirs: target.goal };
      return edit('plan.setGoal', { goal: intent.text, expectedVersion });
    case 'status': {
      const item = plan.items.get(intent.itemId);
      if (item === undefined) return { outcome: 'gone' };
      if (item.status === intent.status) return { outcome: 'nothing' };
      const isRunning = subtree(plan, item.id).some(({ id }) => id === target.running);
      if (isRunning && !intent.cutsOff) return { outcome: 'changed' };
      return edit('plan.setStatus', { itemId: intent.itemId, status: intent.status });
    }
    case 'move': {
      const item = plan.items.get(intent.itemId);
      if (item === undefined) return { outcome: 'gone' };
      const index = indexAmongSiblings(plan, intent.itemId) + intent.by;
      if (index < 0 || index >= childrenOf(plan, item.parentId).length) return { outcome: 'nothing' };
      return edit('plan.moveItem', { itemId: item.id, parentId: item.parentId, index, expectedVersion });
    }
    case 'place':
      if (!plan.items.has(intent.itemId)) return { outcome: 'gone' };
      return edit('plan.moveItem', { itemId: intent.itemId, parentId: intent.parentId, index: intent.index, expectedVersion });
    case 'remove': {
      const now = subtree(plan, intent.itemId);
      if (now.length === 0) return { outcome: 'gone' };
      if (!isSame(now, intent.seen)) return { outcome: 'changed' };
      return edit('plan.removeItem', { itemId: intent.itemId, expectedVersion });
    }
    case 'clear':
      if (plan.items.size === 0) return { outcome: 'nothing' };
      if (!intent.seen.every((id) => plan.items.has(id)) || plan.items.size !== intent.seen.length) return { outcome: 'changed' };
      return edit('plan.clear', { expectedVersion });
    case 'revert':
      // What has come since would go with it: it is looked up anew.
      if (plan.version !== intent.seen) return { outcome: 'undo' };
      return edit('plan.revert', { version: intent.version, expectedVersion });
    case 'restore':
      if (!isSame(plan.listed, intent.seen)) return { outcome: 'changed' };
      return edit('plan.revert', { version: intent.version, expectedVersion });
    case 'undo':
      return { outcome: 'undo' };
    default:
      return unreachable(intent);
  }
}

/** Texts and number of items; a status that went on meanwhile is no reason to ask again. */
function isSame(now: readonly Item[], seen: readonly Item[]): boolean {
  return now.length === seen.length && now.every((item, i) => item.id === seen[i]?.id && item.title === seen[i].title);
}

const named = (title: string | undefined): string => `"${title ?? ''}"`;

/** How to take back an intent that is about to be carried out on this plan; null when nothing can. `added`: the new item. */
export function undoOf(intent: Intent, before: Target, after: number, added: Item | null): UndoEntry | null {
  const { plan } = before;
  const entry = (what: string, ...back: readonly Intent[]): UndoEntry => ({ what, after, back });
  switch (intent.kind) {
    case 'add':
      return added && entry(`adding ${named(added.title)}`, { kind: 'remove', itemId: added.id, seen: [added] });
    case 'title':
    case 'detail': {
      const what = `the new ${intent.kind} of ${named(plan.items.get(intent.itemId)?.title)}`;
      return entry(what, { ...intent, base: intent.text, text: intent.base });
    }
    case 'goal':
      return entry('the new goal', { ...intent, base: intent.text, text: intent.base });
    case 'status': {
      const items = subtree(plan, intent.itemId);
      const leaves = items.length > 1 ? items.slice(1) : items;
      const back = leaves.flatMap(({ id, status }): Intent[] =>
        status === intent.status ? [] : [{ kind: 'status', itemId: id, status: status === 'active' ? 'pending' : status }],
      );
      return entry(
        `${intent.status === 'pending' ? 'reopening' : `marking as ${intent.status}`} ${named(items[0]?.title)}`,
        ...back,
      );
    }
    case 'move':
    case 'place': {
      const item = plan.items.get(intent.itemId);
      if (item === undefined) return null;
      const index = indexAmongSiblings(plan, item.id);
      return entry(`moving ${named(item.title)}`, { kind: 'place', itemId: item.id, parentId: item.parentId, index });
    }
    case 'remove':
      return entry(`removing ${named(plan.items.get(intent.itemId)?.title)}`, {
        kind: 'revert',
        version: plan.version,
        seen: after,
      });
    case 'clear':
      return entry('clearing the plan', { kind: 'revert', version: plan.version, seen: after });
    case 'restore':
      return entry(`going back to version ${intent.version}`, { kind: 'revert', version: plan.version, seen: after });
    case 'revert':
    case 'undo':
      return null;
    default:
      return unreachable(intent);
  }
}
