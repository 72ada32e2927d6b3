/** Session, snapshot and daemon status: what clients list and watch. */
import { z } from 'zod';
import { budgetSchema, inboxEntrySchema, noPlanner, outcomes, plannerStateSchema } from './mission.js';
import { countsSchema, itemIdSchema, itemSchema, listedItemSchema, sessionIdSchema } from './plan.js';
import { livenessSchema, planRunSchema, planRunStatuses, runIdSchema, runSchema, usageSchema } from './run.js';

export const sessionSchema = z.object({
  id: sessionIdSchema,
  title: z.string(),
  goal: z.string(),
  workspace: z.string(),
  profile: z.string(),
  /** That of its plan run. */
  status: z.enum(planRunStatuses),
  /** Set once, when a mission has ended. */
  outcome: z.enum(outcomes).nullable(),
  outcomeReason: z.string().nullable().default(null),
  /** Fired to run unattended: it ends with an outcome. */
  isMission: z.boolean().default(false),
  planner: plannerStateSchema.default(noPlanner),
  parentId: sessionIdSchema.nullable(),
  /** Its own model; null when it uses the daemon's, and from a daemon that does not tell it yet. */
  model: z.string().nullable().default(null),
  /** What its policy lets it spend; null when that has no bounds. */
  budget: budgetSchema.nullable().default(null),
  planVersion: z.number().int(),
  counts: countsSchema,
  usage: usageSchema,
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Session = z.infer<typeof sessionSchema>;

/** The whole state of a watched session at `seq`, the sequence of its last event. */
export const snapshotSchema = z.object({
  seq: z.number().int(),
  session: sessionSchema,
  planRun: planRunSchema,
  liveness: livenessSchema,
  items: z.array(listedItemSchema),
  run: runSchema.nullable(),
  inbox: z.array(inboxEntrySchema),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

/**
 * What changed since the last notification of this session. A client whose plan version is not `fromVersion`
 * has missed something and watches again. `snapshot` comes instead of parts when the client was too slow.
 */
export const sessionChangedSchema = z.object({
  sessionId: sessionIdSchema,
  seq: z.number().int(),
  fromVersion: z.number().int().optional(),
  session: sessionSchema.optional(),
  planRun: planRunSchema.optional(),
  liveness: livenessSchema.optional(),
  items: z.array(itemSchema).optional(),
  removed: z.array(itemIdSchema).optional(),
  run: runSchema.optional(),
  inbox: z.array(inboxEntrySchema).optional(),
  deleted: z.literal(true).optional(),
  snapshot: snapshotSchema.optional(),
});
export type SessionChanged = z.infer<typeof sessionChangedSchema>;

/** Streamed output of a run, already redacted; not durable. `text` of a tool carries the tool's name. */
export const runOutputSchema = z.object({
  sessionId: sessionIdSchema,
  runId: runIdSchema,
  itemId: itemIdSchema.nullable(),
  stream: z.enum(['text', 'reasoning', 'tool', 'tool_output', 'check', 'notice']),
  tool: z.string().optional(),
  text: z.string(),
});
/** A notice to a client that was too slow: what it was not told of a run is in the transcript. */
export const outputLeftOut = '[output left out: this client was too slow]';
export type RunOutput = z.infer<typeof runOutputSchema>;

export const daemonStatusSchema = z.object({
  version: z.string(),
  protocol: z.number().int(),
  pid: z.number().int(),
  uptimeMs: z.number(),
  home: z.string(),
  store: z.object({ kind: z.string(), path: z.string(), schemaVersion: z.number().int(), bytes: z.number().int() }),
  /** Null when no model is configured. */
  provider: z.object({ model: z.string(), baseUrl: z.string(), replay: z.boolean() }).nullable(),
  counts: z.object({ sessions: z.number().int(), running: z.number().int(), inbox: z.number().int(), clients: z.number().int() }),
  warnings: z.array(z.string()),
  /** How commands are confined; null from a daemon that does not tell. */
  sandbox: z
    .object({ kind: z.enum(['bubblewrap', 'sandbox-exec', 'none']), words: z.string() })
    .nullable()
    .default(null),
});
export type DaemonStatus = z.infer<typeof daemonStatusSchema>;
