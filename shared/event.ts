/**
 * `cairn.event/v1`: every durable event, in the order of its sequence.
 * Events carry counts, ids and statuses; never titles, notes or arguments.
 */
import { z } from 'zod';
import { inboxKinds, outcomes, reportKinds } from './mission.js';
import { itemIdSchema, itemStatuses, sessionIdSchema } from './plan.js';
import { effectClasses, planRunStatuses, runIdSchema, runKinds } from './run.js';

export const eventSchemaName = 'cairn.event/v1';

const effectData = z.object({ effectId: z.string(), name: z.string(), class: z.enum(effectClasses), argsDigest: z.string() });
const runEnd = z.object({ itemId: itemIdSchema.nullable(), kind: z.enum(runKinds), attempt: z.number().int() });
const inboxData = z.object({ id: z.string(), kind: z.enum(inboxKinds) });
const counts = z.number().int();

/** Type of event → shape of its `data`. */
export const eventData = {
  'session.created': z.object({}),
  'session.deleted': z.object({}),
  'session.outcome': z.object({ outcome: z.enum(outcomes) }),
  'plan.revised': z.object({
    version: z.number().int(),
    author: z.string(),
    /** The one free text in the stream: the one line that says why the plan changed. */
    explanation: z.string().nullable(),
    added: counts,
    removed: counts,
    changed: counts,
  }),
  'item.changed': z.object({
    id: itemIdSchema,
    from: z.enum(itemStatuses).nullable(),
    to: z.enum(itemStatuses).nullable(),
  }),
  'plan_run.changed': z.object({
    status: z.enum(planRunStatuses),
    from: z.enum(planRunStatuses),
    currentItemId: itemIdSchema.nullable(),
    stepNo: z.number().int(),
    attempt: z.number().int(),
  }),
  'run.started': runEnd.extend({ resumes: runIdSchema.nullable() }),
  'run.completed': runEnd,
  'run.blocked': runEnd,
  'run.failed': runEnd,
  'run.cancelled': runEnd,
  'run.interrupted': runEnd,
  'turn.completed': z.object({
    turn: z.number().int(),
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
    costUsd: z.number().nullable(),
    durationMs: z.number(),
    toolCalls: z.number().int(),
  }),
  'effect.started': effectData,
  'effect.completed': effectData,
  'effect.failed': effectData,
  'effect.unknown': effectData,
  'receipt.recorded': z.object({ id: z.string(), itemId: itemIdSchema, passed: z.boolean(), exitCode: z.number().nullable() }),
  'report.filed': z.object({ id: z.string(), kind: z.enum(reportKinds), itemId: itemIdSchema.nullable() }),
  'inbox.opened': inboxData,
  'inbox.answered': inboxData,
  'inbox.expired': inboxData,
  'inbox.acked': inboxData,
  'inbox.withdrawn': inboxData,
  'context.trimmed': z.object({ groups: counts, stage: z.number().int() }),
  'budget.exceeded': z.object({ budget: z.string() }),
  plan_created: z.object({ steps: counts, version: z.number().int() }),
  plan_updated: z.object({
    steps: counts,
    done: counts,
    in_progress: counts,
    blocked: counts,
    pending: counts,
    version: z.number().int(),
  }),
  plan_blocked: z.object({ version: z.number().int() }),
} as const;

export type EventType = keyof typeof eventData;
export const eventTypes = Object.keys(eventData) as EventType[];
export type EventDataOf<T extends EventType> = z.infer<(typeof eventData)[T]>;

/** An event before it has a sequence: what the domain and the runner hand to the store. */
export type NewEvent = {
  [T in EventType]: { readonly type: T; readonly runId?: string; readonly data: EventDataOf<T> };
}[EventType];

export const eventSchema = z.object({
  seq: z.number().int(),
  at: z.string(),
  sessionId: sessionIdSchema,
  runId: runIdSchema.optional(),
  type: z.enum(eventTypes),
  data: z.record(z.string(), z.unknown()),
});
export type CairnEvent = z.infer<typeof eventSchema>;
