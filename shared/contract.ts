/**
 * Every RPC method and notification, once: params, result, the errors it may answer with, and one line of doc.
 * The server, the typed client, `cairn rpc`, the OpenRPC document and the reference page are made from this table.
 */
import { z } from 'zod';
import type { ErrorKind } from './errors.js';
import { eventSchema } from './event.js';
import {
  budgetSchema,
  inboxEntrySchema,
  inboxStates,
  missionNodeSchema,
  missionOrderSchema,
  outcomes,
  plannerModes,
  policyInputSchema,
  profileNameSchema,
  reportKinds,
  reportSchema,
  summarySchema,
} from './mission.js';
import * as p from './plan.js';
import * as r from './run.js';
import * as s from './session.js';

/** Goes up when a client of the previous number would misread an answer. */
export const protocolVersion = 1;
export const defaultPort = 7420;
export const messageBytesLimit = 4 * 1024 * 1024;

export interface MethodSpec<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly doc: string;
  readonly params: P;
  readonly result: R;
  readonly errors: readonly ErrorKind[];
}

function method<P extends z.ZodType, R extends z.ZodType>(
  doc: string,
  params: P,
  result: R,
  ...errors: ErrorKind[]
): MethodSpec<P, R> {
  return { doc, params, result, errors };
}

const none = z.strictObject({});
const S = { sessionId: p.sessionIdSchema };
const session = z.strictObject(S);
const item = z.strictObject({ ...S, itemId: p.itemIdSchema });
const run = z.strictObject({ runId: r.runIdSchema });
const page = {
  limit: z.number().int().min(1).max(1000).optional(),
  cursor: z.string().optional(),
};
const edit = { expectedVersion: z.number().int().min(0).optional() };
const once = { idempotencyKey: z.string().min(1).max(200).optional() };
const nextCursor = z.string().nullable();
const empty = z.object({});
const mutation = z.object({
  version: z.number().int(),
  changed: z.array(p.listedItemSchema),
  removed: z.array(p.itemIdSchema),
});
const itemMutation = mutation.extend({ item: p.listedItemSchema });
const format = z.enum(['markdown', 'json']);
const started = z.object({ runId: r.runIdSchema });

export const methods = {
  'rpc.discover': method('The OpenRPC document of this daemon.', none, z.record(z.string(), z.unknown())),

  'daemon.status': method('Version, home, store, model and counts of the running daemon.', none, s.daemonStatusSchema),
  'daemon.stop': method(
    'Stop the daemon. Runs under way get `drainMs` milliseconds to finish their turn; what is cut off is resumed at the next start.',
    z.strictObject({ drainMs: z.number().int().min(0).max(600_000).optional() }),
    z.object({ stopping: z.literal(true) }),
  ),

  'session.create': method(
    'Make a session, with a plan from `items` or `markdown` if given.',
    z.strictObject({
      goal: z.string().optional(),
      title: z.string().optional(),
      workspace: z.string().optional(),
      profile: profileNameSchema.optional(),
      context: z.enum(['leaf', 'session']).optional(),
      items: z.array(p.newItemSchema).optional(),
      markdown: z.string().optional(),
      policy: policyInputSchema.optional(),
      model: z.string().optional(),
      planner: z.enum(plannerModes).optional(),
      parentId: p.sessionIdSchema.optional(),
      ...once,
    }),
    s.sessionSchema,
    'not_found',
    'limit_exceeded',
    'invalid_state',
  ),
  'session.list': method(
    'Sessions, newest first.',
    z.strictObject({ status: z.enum(r.planRunStatuses).optional(), workspace: z.string().optional(), ...page }),
    z.object({ sessions: z.array(s.sessionSchema), nextCursor }),
  ),
  'session.get': method('One session.', session, s.sessionSchema, 'not_found'),
  'session.rename': method(
    'Give a session another title.',
    z.strictObject({ ...S, title: z.string() }),
    s.sessionSchema,
    'not_found',
    'limit_exceeded',
  ),
  'session.delete': method(
    'Delete a session with its plan and history. Refused while it runs.',
    session,
    empty,
    'not_found',
    'invalid_state',
  ),
  'session.watch': method(
    'A full snapshot now, then `session.changed` and `run.output` on this connection (WebSocket only).',
    session,
    s.snapshotSchema,
    'not_found',
    'invalid_state',
  ),
  'session.unwatch': method('End the notifications of a session on this connection.', session, empty),

  'plan.get': method(
    'The plan: its items flat, in display order.',
    session,
    z.object({ version: z.number().int(), goal: z.string(), items: z.array(p.listedItemSchema), counts: p.countsSchema }),
    'not_found',
  ),
  'plan.setGoal': method(
    'Change the goal.',
    z.strictObject({ ...S, goal: z.string(), ...edit }),
    mutation,
    'not_found',
    'version_conflict',
    'limit_exceeded',
    'invalid_state',
  ),
  'plan.addItem': method(
    'Add a task, or a subtask under `parentId`, at `index` among its siblings (the end unless given).',
    z.strictObject({
      ...S,
      parentId: p.itemIdSchema.optional(),
      index: z.number().int().min(0).optional(),
      ...p.itemTextSchema.shape,
      ...edit,
      ...once,
    }),
    itemMutation,
    'not_found',
    'version_conflict',
    'limit_exceeded',
    'invalid_state',
  ),
  'plan.updateItem': method(
    'Change the fields given; `null` clears one.',
    z.strictObject({ ...S, itemId: p.itemIdSchema, ...p.itemPatchSchema.shape, ...edit }),
    itemMutation,
    'not_found',
    'version_conflict',
    'limit_exceeded',
    'invalid_state',
  ),
  'plan.moveItem': method(
    'Move an item to `index` among the children of `parentId` (the tasks unless given).',
    z.strictObject({
      ...S,
      itemId: p.itemIdSchema,
      parentId: p.itemIdSchema.nullable().optional(),
      index: z.number().int().min(0),
      ...edit,
    }),
    mutation,
    'not_found',
    'version_conflict',
    'invalid_state',
  ),
  'plan.setStatus': method(
    'Close, skip or reopen an item by hand. Closing the running leaf cancels its run and goes on with the next.',
    z.strictObject({
      ...S,
      itemId: p.itemIdSchema,
      status: z.enum(['pending', 'done', 'skipped']),
      note: z.string().optional(),
      ...edit,
    }),
    mutation,
    'not_found',
    'version_conflict',
    'invalid_state',
    'limit_exceeded',
  ),
  'plan.removeItem': method(
    'Remove an item and its subtasks.',
    z.strictObject({ ...S, itemId: p.itemIdSchema, ...edit }),
    mutation,
    'not_found',
    'version_conflict',
    'invalid_state',
  ),
  'plan.clear': method(
    'Remove every item. Refused while running.',
    z.strictObject({ ...S, ...edit }),
    mutation,
    'not_found',
    'version_conflict',
    'invalid_state',
  ),
  'plan.revise': method(
    'Replace the plan by a full snapshot; what is left out is deleted. `within` limits it to one section.',
    z.strictObject({
      ...S,
      entries: z.array(p.planEntrySchema),
      explanation: z.string().optional(),
      within: p.itemIdSchema.optional(),
      expectedVersion: z.number().int().min(0),
    }),
    mutation,
    'not_found',
    'version_conflict',
    'invalid_state',
    'limit_exceeded',
  ),
  'plan.history': method(
    'Revisions, newest first. `statusOnly: false` leaves out those in which only statuses changed.',
    z.strictObject({ ...S, ...page, statusOnly: z.literal(false).optional() }),
    z.object({ revisions: z.array(p.revisionSchema), nextCursor }),
    'not_found',
  ),
  'plan.diff': method(
    'What differs between two versions.',
    z.strictObject({ ...S, from: z.number().int().min(0), to: z.number().int().min(0) }),
    z.object({ added: z.array(p.itemSchema), removed: z.array(p.itemSchema), changed: z.array(p.itemChangeSchema) }),
    'not_found',
  ),
  'plan.revert': method(
    'A new revision with the shape and text of an earlier version. Done work stays done.',
    z.strictObject({ ...S, version: z.number().int().min(0), ...edit }),
    mutation,
    'not_found',
    'version_conflict',
    'invalid_state',
  ),
  'plan.import': method(
    'Replace the plan by a text. A change to a done item is refused with its line.',
    z.strictObject({ ...S, format, text: z.string(), expectedVersion: z.number().int().min(0) }),
    mutation,
    'not_found',
    'version_conflict',
    'invalid_state',
    'limit_exceeded',
  ),
  'plan.export': method('The plan as a text.', z.strictObject({ ...S, format }), z.object({ text: z.string() }), 'not_found'),

  'plan.draft': method(
    'Have the planner make the plan, or refine it as `text` says. It reads files and changes nothing but the plan; nothing starts.',
    z.strictObject({ ...S, text: z.string().optional(), ...once }),
    started,
    'not_found',
    'no_model',
    'limit_exceeded',
    'invalid_state',
  ),

  'run.start': method(
    'Start or resume. `reset` first puts all leaves back to pending and the counters to 0; `budget` raises (or lowers) the kinds it names.',
    z.strictObject({
      ...S,
      reset: z.boolean().optional(),
      planning: z.boolean().optional(),
      budget: budgetSchema.optional(),
      ...once,
    }),
    r.planRunSchema,
    'not_found',
    'invalid_state',
  ),
  'run.pause': method(
    'Let the current leaf finish and start nothing new; `now` interrupts its turn.',
    z.strictObject({ ...S, now: z.boolean().optional() }),
    r.planRunSchema,
    'not_found',
    'invalid_state',
  ),
  'run.cancel': method(
    'Abort the run; its leaf goes back to pending. Final until start.',
    session,
    r.planRunSchema,
    'not_found',
    'invalid_state',
  ),
  'run.retry': method(
    'Try the blocked or failed leaf once more, with a word for it if given.',
    z.strictObject({ ...S, guidance: z.string().optional() }),
    r.planRunSchema,
    'not_found',
    'invalid_state',
    'limit_exceeded',
  ),
  'run.get': method(
    'The plan run, and whether it lives.',
    session,
    r.planRunSchema.extend({ liveness: r.livenessSchema }),
    'not_found',
  ),
  'run.explain': method('What a start would reuse, run, and possibly do twice.', session, r.explanationSchema, 'not_found'),
  'run.list': method(
    'Runs, newest first.',
    z.strictObject({ ...S, itemId: p.itemIdSchema.optional(), ...page }),
    z.object({ runs: z.array(r.runSchema), nextCursor }),
    'not_found',
  ),
  'run.transcript': method('The messages of a run.', run, z.object({ messages: z.array(r.messageSchema) }), 'not_found'),
  'run.effects': method('The tool calls of a run.', run, z.object({ effects: z.array(r.effectSchema) }), 'not_found'),
  'run.steps': method(
    "The model's own list inside a run; `found` is false when it kept none.",
    run,
    z.object({ found: z.boolean(), version: z.number().int(), steps: z.array(r.stepSchema) }),
    'not_found',
  ),
  'run.receipts': method(
    'What the daemon saw when it checked an item.',
    item,
    z.object({ receipts: z.array(r.receiptSchema) }),
    'not_found',
  ),

  'chat.send': method(
    'A turn with no leaf, or a word to the running one.',
    z.strictObject({ ...S, text: z.string().min(1), ...once }),
    started,
    'not_found',
    'no_model',
    'limit_exceeded',
    'invalid_state',
  ),

  'chat.cancel': method(
    'End the chats of a session that are under way or wait for an answer. The plan run is not touched.',
    session,
    z.object({ cancelled: z.number().int() }),
    'not_found',
  ),

  'mission.fire': method(
    'Make a session that runs unattended to its outcome: its planner is woken, and the first open leaf starts the run.',
    z.strictObject({
      goal: z.string().min(1),
      title: z.string().optional(),
      workspace: z.string().optional(),
      profile: profileNameSchema.optional(),
      context: z.enum(['leaf', 'session']).optional(),
      policy: policyInputSchema.optional(),
      model: z.string().optional(),
      items: z.array(p.newItemSchema).optional(),
      markdown: z.string().optional(),
      planner: z.enum(plannerModes).optional(),
      planning: z.boolean().optional(),
      parentId: p.sessionIdSchema.optional(),
      ...missionOrderSchema.shape,
      ...once,
    }),
    s.sessionSchema,
    'not_found',
    'limit_exceeded',
    'invalid_state',
  ),
  'mission.finish': method(
    'End a mission, once: the same outcome again changes nothing, a different one is refused, as is `landed` while a leaf is open.',
    z.strictObject({ ...S, outcome: z.enum(outcomes), reason: z.string().min(1) }),
    s.sessionSchema,
    'not_found',
    'invalid_state',
    'limit_exceeded',
  ),
  'mission.tree': method(
    'A session and the missions below it, in display order, each with its counts, state and what it and all below it have spent.',
    session,
    z.object({ nodes: z.array(missionNodeSchema) }),
    'not_found',
  ),

  'inbox.list': method(
    'What waits for a person, newest first; of a session, with the missions below it.',
    z.strictObject({ sessionId: p.sessionIdSchema.optional(), state: z.enum(inboxStates).optional(), ...page }),
    z.object({ entries: z.array(inboxEntrySchema), nextCursor }),
  ),
  'inbox.answer': method(
    'Answer an entry, once: `allow`, `always` or `deny` to an approval, a text to a question.',
    z.strictObject({ id: z.string(), answer: z.string().min(1) }),
    inboxEntrySchema,
    'not_found',
    'invalid_state',
  ),
  'inbox.ack': method(
    'Mark an entry that needs no answer as seen.',
    z.strictObject({ id: z.string() }),
    inboxEntrySchema,
    'not_found',
    'invalid_state',
  ),

  'report.list': method(
    'What runs have reported, newest first.',
    z.strictObject({ ...S, kind: z.enum(reportKinds).optional(), ...page }),
    z.object({ reports: z.array(reportSchema), nextCursor }),
    'not_found',
  ),

  'report.summary': method(
    'What was accepted, only claimed, blocked, revised and spent since a time (a day ago unless given), and what needs a person.',
    z.strictObject({ since: z.iso.datetime({ offset: true }).optional(), sessionId: p.sessionIdSchema.optional() }),
    summarySchema,
    'not_found',
  ),

  'event.list': method(
    'The durable events after a cursor, oldest first.',
    z.strictObject({
      after: z.number().int().min(0).optional(),
      sessionId: p.sessionIdSchema.optional(),
      limit: z.number().int().min(1).max(1000).optional(),
    }),
    z.object({ events: z.array(eventSchema), nextCursor: z.number().int() }),
  ),
  'event.subscribe': method(
    'The same as a stream of `event.appended` on this connection (WebSocket only). Without `after`, from now on.',
    z.strictObject({
      after: z.number().int().min(0).optional(),
      sessionId: p.sessionIdSchema.optional(),
      limit: z.number().int().min(1).max(1000).optional(),
    }),
    z.object({ subscriptionId: z.string(), after: z.number().int() }),
    'invalid_state',
    'limit_exceeded',
  ),
  'event.unsubscribe': method('End a stream of events.', z.strictObject({ subscriptionId: z.string() }), empty),

  'usage.get': method(
    'Tokens, cost and time, by session, item and model.',
    z.strictObject({ sessionId: p.sessionIdSchema.optional() }),
    z.object({
      total: r.usageSchema,
      bySession: z.array(r.usageSchema.extend({ sessionId: p.sessionIdSchema })),
      byItem: z.array(r.usageSchema.extend({ sessionId: p.sessionIdSchema, itemId: p.itemIdSchema.nullable() })),
      byModel: z.array(r.usageSchema.extend({ model: z.string().nullable() })),
      steps: r.stepsUsageSchema,
      forecast: r.forecastSchema.nullable(),
    }),
    'not_found',
  ),
} as const;

export type MethodName = keyof typeof methods;
export const methodNames = Object.keys(methods) as MethodName[];
/** What a caller writes. */
export type ParamsInput<M extends MethodName> = z.input<(typeof methods)[M]['params']>;
/** What a handler reads, after parsing. */
export type Params<M extends MethodName> = z.output<(typeof methods)[M]['params']>;
/** What comes back. */
export type ResultOf<M extends MethodName> = z.output<(typeof methods)[M]['result']>;

export const notifications = {
  'session.changed': { doc: 'What changed in a watched session.', params: s.sessionChangedSchema },
  'run.output': { doc: 'Streamed output of a run of a watched session.', params: s.runOutputSchema },
  'event.appended': {
    doc: 'Durable events of a subscription, in order, without gaps.',
    params: z.object({ subscriptionId: z.string(), events: z.array(eventSchema), nextCursor: z.number().int() }),
  },
} as const;

export type NotificationName = keyof typeof notifications;
export type NotificationParams<N extends NotificationName> = z.output<(typeof notifications)[N]['params']>;
