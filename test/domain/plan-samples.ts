/** Plans for tests: built from entries, changed by a function, drawn at random. */
import fc from 'fast-check';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { emptyPlan, type Plan, type PlanChange } from '../../daemon/domain/plan.js';
import { revise } from '../../daemon/domain/plan-revise.js';
import type { TaskEntry } from '../../daemon/domain/plan-snapshot.js';
import type { Refusal, Result } from '../../shared/errors.js';
import type { Author, Item, ItemId, ItemStatus } from '../../shared/plan.js';
import { isTerminal, leavesOf } from '../../shared/plan-tree.js';

export const id = (text: string): ItemId => text as ItemId;

/** What a refused edit says; fails when it was not refused. */
export function refusalOf(result: Result<unknown>): Refusal {
  if (result.ok) throw new Error(`not refused: ${JSON.stringify(result.value)}`);
  return result.error;
}

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${result.error.message}`);
  return result.value;
}

/** The plan after one accepted change, and what it changed (null when nothing did). */
export function change(plan: Plan, edit: (draft: PlanDraft) => Result<unknown>, author: Author = 'person'): Plan {
  return changeOf(plan, edit, author)?.plan ?? plan;
}

export function changeOf(
  plan: Plan,
  edit: (draft: PlanDraft) => Result<unknown>,
  author: Author = 'person',
): { plan: Plan; change: PlanChange } | null {
  const draft = new PlanDraft(plan);
  valueOf(edit(draft));
  return draft.finish(author, null);
}

/** What one edit is refused with; the plan is thrown away. */
export const refused = (plan: Plan, edit: (draft: PlanDraft) => Result<unknown>): Refusal => refusalOf(edit(new PlanDraft(plan)));

/** A plan of these entries with ids t1, t2, … in order; `active` names the leaf that is being worked on. */
export function planOf(entries: readonly TaskEntry[], active?: string): Plan {
  const plan = change(emptyPlan, (draft) => revise(draft, { entries, author: 'person' }));
  return active === undefined ? plan : activate(plan, id(active));
}

export function activate(plan: Plan, leaf: ItemId): Plan {
  const draft = new PlanDraft(plan);
  draft.replace({ ...(draft.find(leaf) as Item), status: 'active' });
  return draft.finish('runner', null)?.plan ?? plan;
}

export const itemsOf = (plan: Plan): Item[] => plan.tree.flatMap((task) => [task.item, ...task.children]);

export function itemOf(plan: Plan, itemId: string): Item {
  const item = itemsOf(plan).find((candidate) => candidate.id === itemId);
  if (item === undefined) throw new Error(`no item ${itemId}`);
  return item;
}

/** The plan as lines: `t1 pending Title`, subtasks indented. */
export const outline = (plan: Plan): string[] =>
  plan.tree.flatMap(({ item, children }) => [
    `${item.id} ${item.status} ${item.title}`,
    ...children.map((child) => `  ${child.id} ${child.status} ${child.title}`),
  ]);

/** What must hold of every plan, whatever was done to it. */
export function checkPlan(plan: Plan): void {
  const ids = itemsOf(plan).map((item) => item.id);
  if (new Set(ids).size !== ids.length) throw new Error('an id is there twice');
  const active = itemsOf(plan).filter((item) => item.status === 'active');
  if (active.length > 1) throw new Error('more than one item is active');
  const leaves = new Set([...leavesOf(plan.tree)].map((leaf) => leaf.id));
  if (active.some((item) => !leaves.has(item.id))) throw new Error('a section is active');
  checkAscending(plan.tree.map((task) => task.item));
  for (const { item, children } of plan.tree) {
    if (item.parentId !== null) throw new Error('a task has a parent');
    if (children.some((child) => child.parentId !== item.id)) throw new Error('a subtask has another parent');
    checkAscending(children);
    if (children.length > 0 && item.status !== sectionStatus(children, item.status)) {
      throw new Error(`section ${item.id} is ${item.status} over ${children.map((child) => child.status).join()}`);
    }
  }
}

function checkAscending(siblings: readonly Item[]): void {
  siblings.forEach((item, i) => {
    if (!Number.isFinite(item.position)) throw new Error('an item has no position');
    if (i > 0 && item.position <= (siblings[i - 1] as Item).position) throw new Error('positions do not ascend');
  });
}

function sectionStatus(children: readonly Item[], now: ItemStatus): ItemStatus {
  if (children.some((child) => !isTerminal(child.status))) return isTerminal(now) ? 'pending' : now;
  return children.some((child) => child.status === 'done') ? 'done' : 'skipped';
}

/** Words that have broken a checklist format somewhere. */
const hostile = fc.constantFrom(
  '- [ ] 1. x',
  '* y',
  '1. z',
  '<!-- id:t9 -->',
  '<!--',
  '-->',
  '`',
  '``',
  '```',
  '~~~',
  '# Plan: h',
  '**Goal:** g',
  '**Status:** s',
  '**Note:** n',
  '- **Command:** `rm`',
  '  ',
  '\t',
  '[x] ',
  '1.1. ',
  '\\',
  '---',
  '===',
  '|',
  '>',
  '&amp;',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\u0301',
  'é',
  '日本',
  '👩‍👩‍👧',
  '🏳️‍🌈',
  '\u202e',
  '{',
  '"',
  "'",
);
const letters = fc.string({ unit: 'grapheme', maxLength: 6 });
const fragments = fc.array(fc.oneof(hostile, letters), { maxLength: 5 }).map((parts) => parts.join(''));

// What is refused on the way in cannot be in a plan: controls and halves of characters.
const storable = (text: string): boolean => !/(?![\t\n])\p{Cc}/u.test(text) && !/\p{Surrogate}/u.test(text);
export const lineArb = fragments.filter((text) => storable(text) && !/[\n\t\u2028\u2029]/.test(text));
export const textArb = fc
  .array(fragments, { minLength: 1, maxLength: 4 })
  .map((lines) => lines.join('\n'))
  .filter(storable);
export const titleArb = lineArb.filter((text) => text.normalize('NFC').trim() !== '');

const optional = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arb, { nil: undefined, freq: 3 });
const listArb = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(arb, { maxLength: 3 });
const entryShape = {
  title: titleArb,
  status: optional(fc.constantFrom('pending' as const, 'done' as const, 'skipped' as const)),
  detail: optional(textArb),
  note: optional(textArb),
  priority: optional(fc.constantFrom('high' as const, 'medium' as const, 'low' as const)),
  acceptance: optional(listArb(textArb)),
  command: optional(textArb),
  verify: optional(listArb(textArb)),
  repeatable: optional(fc.boolean()),
  executor: optional(fc.constantFrom('model' as const, 'agent' as const)),
  model: optional(lineArb),
  relevantFiles: optional(
    listArb(fc.record({ path: titleArb, action: fc.constantFrom('read' as const, 'change' as const, 'create' as const) })),
  ),
  scope: optional(fc.record({ included: listArb(lineArb), excluded: listArb(lineArb) })),
};

/** Entries of new items with everything that an item can hold; sections leave their status to their children. */
export const entriesArb: fc.Arbitrary<TaskEntry[]> = fc.array(
  fc
    .record({ ...entryShape, children: optional(fc.array(fc.record(entryShape), { minLength: 1, maxLength: 3 })) })
    .map((entry) => (entry.children ? { ...entry, status: undefined } : entry)),
  { maxLength: 4 },
);
