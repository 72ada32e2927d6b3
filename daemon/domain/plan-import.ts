/** A plan that came as a text, whatever its format, and the one way by which it becomes the plan of a session. */
import type { Result } from '../../shared/errors.js';
import type { Author, Item } from '../../shared/plan.js';
import type { Tree } from '../../shared/plan-tree.js';
import type { PlanDraft } from './plan-draft.js';
import { revise } from './plan-revise.js';
import type { IdUse, SnapshotEntry } from './plan-snapshot.js';
import { cleanText, defaultExecutor } from './plan-text.js';

/** An item in a text. Defaults are left out: priority medium, no acceptance, the executor that follows from the command. */
export interface TextItem extends SnapshotEntry {
  readonly claimed?: boolean | undefined;
  readonly accepted?: boolean | undefined;
  readonly origin?: Author | undefined;
}

export interface TextTask extends TextItem {
  readonly children?: readonly TextItem[] | undefined;
}

/** What a text says of a plan: absent is what it does not say. */
export interface PlanText {
  readonly title?: string;
  readonly goal?: string;
  readonly entries: readonly TextTask[];
  /** What the entries are called in errors, where they have no lines. */
  readonly root?: string;
}

/** Everything that a plan holds of its items, as a text has it; positions become the order. */
export function entriesOf(tree: Tree): TextTask[] {
  return tree.map(({ item, children }) => ({
    ...entryOf(item),
    ...(children.length === 0 ? {} : { children: children.map(entryOf) }),
  }));
}

function entryOf(item: Item): TextItem {
  const { parentId: _parent, position: _position, priority, acceptance, executor, ...rest } = item;
  return {
    ...rest,
    ...(priority === 'medium' ? {} : { priority }),
    ...(acceptance.length === 0 ? {} : { acceptance }),
    ...(executor === defaultExecutor(item.command) ? {} : { executor }),
  };
}

/**
 * Makes the draft what the text says; a field that the text leaves out is cleared.
 * Into a plan that never had items, the ids of the text are taken over; into an emptied one, new ids are given, because
 * an id is never used again. Otherwise the ids must be those of the plan, and no done item may change.
 * Statuses: `active` becomes pending. Done is taken over by an empty plan and from a person, as claimed. Neither
 * `accepted` nor `origin` is believed: the first is what this daemon saw itself, and new commands are the import's, so
 * that a person must still say yes to them.
 */
export function importEntries(draft: PlanDraft, text: PlanText, author: 'import' | 'person'): Result<void> {
  if (text.goal !== undefined) {
    const goal = cleanText('goal', text.goal);
    if (!goal.ok) return goal;
    draft.setGoal(goal.value);
  }
  const ids: IdUse = draft.itemCount > 0 ? 'known' : draft.hadItems ? 'fresh' : 'adopt';
  return revise(draft, { entries: text.entries, root: text.root, author, origin: 'import', ids, complete: true });
}
