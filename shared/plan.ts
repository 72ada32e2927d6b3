/**
 * Plan, item and revision: their schemas and the types made from them.
 * An item with children is a section, one without is a leaf; two levels at most.
 */
import { z } from 'zod';

export const sessionIdSchema = z.string().min(1).brand<'SessionId'>();
export type SessionId = z.infer<typeof sessionIdSchema>;
export const itemIdSchema = z.string().min(1).brand<'ItemId'>();
export type ItemId = z.infer<typeof itemIdSchema>;

export const itemStatuses = ['pending', 'active', 'done', 'skipped'] as const;
export type ItemStatus = (typeof itemStatuses)[number];
export const priorities = ['high', 'medium', 'low'] as const;
export const executors = ['model', 'command', 'agent'] as const;

/** Lengths in Unicode code points, counted after normalisation; counts in pieces. */
export const planLimits = {
  items: 10_000,
  title: 200,
  detail: 12_000,
  goal: 12_000,
  note: 2_000,
  command: 8_000,
  listEntry: 2_000,
  listLength: 50,
  explanation: 1_000,
  itemId: 32,
} as const;

export const relevantFileSchema = z.strictObject({
  path: z.string(),
  action: z.enum(['read', 'change', 'create']),
});
export const scopeSchema = z.strictObject({
  included: z.array(z.string()).default([]),
  excluded: z.array(z.string()).default([]),
});

/** What a person or a planner writes of an item. Everything else is the daemon's. */
const itemTextShape = {
  title: z.string(),
  detail: z.string().optional(),
  priority: z.enum(priorities).optional(),
  note: z.string().optional(),
  acceptance: z.array(z.string()).optional(),
  command: z.string().optional(),
  verify: z.array(z.string()).optional(),
  repeatable: z.boolean().optional(),
  executor: z.enum(executors).optional(),
  model: z.string().optional(),
  relevantFiles: z.array(relevantFileSchema).optional(),
  scope: scopeSchema.optional(),
};

export const itemTextSchema = z.strictObject(itemTextShape);
export type ItemText = z.infer<typeof itemTextSchema>;

/** A patch: a field left out stays, `null` clears an optional one. */
export const itemPatchSchema = z.strictObject({
  title: z.string().optional(),
  detail: z.string().nullable().optional(),
  priority: z.enum(priorities).optional(),
  note: z.string().nullable().optional(),
  acceptance: z.array(z.string()).optional(),
  command: z.string().nullable().optional(),
  verify: z.array(z.string()).optional(),
  repeatable: z.boolean().nullable().optional(),
  executor: z.enum(executors).optional(),
  model: z.string().nullable().optional(),
  relevantFiles: z.array(relevantFileSchema).nullable().optional(),
  scope: scopeSchema.nullable().optional(),
});
export type ItemPatch = z.infer<typeof itemPatchSchema>;

/** An item with its subtasks, as `session.create` and imports take it. */
export const newItemSchema = z.strictObject({ ...itemTextShape, children: z.array(itemTextSchema).optional() });

/** Who made a change. `origin` of an item's commands decides whether a person must still say yes to them. */
export const authors = ['person', 'planner', 'runner', 'import'] as const;
export type Author = (typeof authors)[number];

/** An item as stored and as sent in changes. `position` orders siblings; numbers (`2.1`) are computed on reading. */
export const itemSchema = z.object({
  id: itemIdSchema,
  parentId: itemIdSchema.nullable(),
  position: z.number(),
  title: z.string(),
  detail: z.string().optional(),
  status: z.enum(itemStatuses),
  priority: z.enum(priorities),
  note: z.string().optional(),
  acceptance: z.array(z.string()),
  command: z.string().optional(),
  verify: z.array(z.string()).optional(),
  repeatable: z.boolean().optional(),
  executor: z.enum(executors),
  model: z.string().optional(),
  relevantFiles: z.array(relevantFileSchema).optional(),
  scope: scopeSchema.optional(),
  /** The work says that it is done. */
  claimed: z.boolean().optional(),
  /** The daemon itself saw that it is done (every check exited 0). */
  accepted: z.boolean().optional(),
  /** Who last wrote `command` or `verify`. */
  origin: z.enum(authors).optional(),
});
export type Item = z.infer<typeof itemSchema>;

/** An item as listed: in display order, with its depth (0 task, 1 subtask) and number. */
export const listedItemSchema = itemSchema.extend({ depth: z.number().int(), number: z.string() });
export type ListedItem = z.infer<typeof listedItemSchema>;

/** Counts of leaves by status; `leaves` is their sum. */
export const countsSchema = z.object({
  pending: z.number().int(),
  active: z.number().int(),
  done: z.number().int(),
  skipped: z.number().int(),
  leaves: z.number().int(),
});
export type Counts = z.infer<typeof countsSchema>;

/** One entry of a full snapshot (`plan.revise`): an echoed id is kept, one without is new. */
const entryShape = {
  ...itemTextShape,
  id: itemIdSchema.optional(),
  status: z.enum(itemStatuses).optional(),
};
export const planEntrySchema = z.strictObject({
  ...entryShape,
  parentId: itemIdSchema.optional(),
  children: z.array(z.strictObject(entryShape)).optional(),
});

/** What a revision did to one item, enough to compare and to take it back. */
export const itemChangeSchema = z.object({
  id: itemIdSchema,
  before: itemSchema.nullable(),
  after: itemSchema.nullable(),
});
export type ItemChange = z.infer<typeof itemChangeSchema>;

export const revisionSchema = z.object({
  version: z.number().int(),
  at: z.string(),
  author: z.enum(authors),
  explanation: z.string().optional(),
  /** True when only statuses changed, as the runner does at each leaf. */
  statusOnly: z.boolean(),
  added: z.array(itemIdSchema),
  removed: z.array(itemIdSchema),
  changed: z.array(itemIdSchema),
});
export type Revision = z.infer<typeof revisionSchema>;
