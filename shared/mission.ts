/** Report, handover, inbox entry and outcome: what leaves a run for people and planners. */
import { z } from 'zod';
import { countsSchema, itemIdSchema, planLimits, relevantFileSchema, scopeSchema, sessionIdSchema } from './plan.js';
import { effectClasses, effectIdSchema, planRunStatuses, runIdSchema, usageSchema } from './run.js';

export const outcomes = ['landed', 'derailed', 'stuck'] as const;
export type Outcome = (typeof outcomes)[number];

/** Which tools a run has. Configuration may declare more of them, by name. */
export const builtinProfiles = ['planner', 'worker', 'solo'] as const;
export const profileNameSchema = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a lower-case name of at most 32 letters');
export type Profile = z.infer<typeof profileNameSchema>;

/** When the resident planner of a session is woken: for nothing, for what stops the work, or for all that is reported. */
export const plannerModes = ['never', 'on_blocked', 'always'] as const;
export type PlannerMode = (typeof plannerModes)[number];

/**
 * What the resident planner of a session is about to do. `none`: it has none, or has ended. `idle`: it has seen everything.
 * `due`: something waits for it. `running`, `waiting`: its turn is under way, or waits for a person. `held`: it is not woken
 * until a person does something (`reason` says what).
 */
export const plannerStateSchema = z.object({
  mode: z.enum(plannerModes),
  state: z.enum(['none', 'idle', 'due', 'running', 'waiting', 'held']),
  reason: z.string().nullable(),
});
export type PlannerState = z.infer<typeof plannerStateSchema>;
export const noPlanner: PlannerState = { mode: 'never', state: 'none', reason: null };

/** The structured half of what a mission is asked to do. */
export const missionOrderSchema = z.object({
  acceptance: z.array(z.string().min(1)).max(planLimits.listLength).optional(),
  relevantFiles: z.array(relevantFileSchema).max(planLimits.listLength).optional(),
  scope: scopeSchema.optional(),
});
export type MissionOrder = z.infer<typeof missionOrderSchema>;

export const reportKinds = ['progress', 'finding', 'blocker', 'result'] as const;
export type ReportKind = (typeof reportKinds)[number];

/** What a report is answered with when it was filed; any other answer refuses it. */
export const filedAs = (kind: string): string => `Filed as ${kind}.`;

export const handoverSchema = z.strictObject({
  outcome: z.string(),
  artifacts: z.array(z.string()).default([]),
  handoverForNext: z.string().default(''),
  caveats: z.array(z.string()).default([]),
});
export type Handover = z.infer<typeof handoverSchema>;

/** The substance of a report, which the model owns; ids and times are the daemon's. */
export const reportTextSchema = z.strictObject({
  kind: z.enum(reportKinds),
  summary: z.string().min(1),
  detail: z.string().optional(),
  refs: z.array(z.string()).optional(),
  handover: handoverSchema.optional(),
});
export type ReportText = z.infer<typeof reportTextSchema>;

export const reportSchema = z.object({
  id: z.string(),
  sessionId: sessionIdSchema,
  runId: runIdSchema.nullable(),
  itemId: itemIdSchema.nullable(),
  kind: z.enum(reportKinds),
  summary: z.string(),
  detail: z.string().optional(),
  refs: z.array(z.string()).optional(),
  handover: handoverSchema.optional(),
  /** True when the daemon filed it because the model did not. */
  byRuntime: z.boolean(),
  at: z.string(),
});
export type Report = z.infer<typeof reportSchema>;

export const inboxKinds = ['approval', 'question', 'blocker', 'plan_revised', 'outcome', 'budget'] as const;
export type InboxKind = (typeof inboxKinds)[number];
export const inboxStates = ['open', 'answered', 'expired', 'acked', 'withdrawn'] as const;
export type InboxState = (typeof inboxStates)[number];

export const inboxEntrySchema = z.object({
  id: z.string(),
  sessionId: sessionIdSchema,
  runId: runIdSchema.nullable(),
  itemId: itemIdSchema.nullable(),
  kind: z.enum(inboxKinds),
  state: z.enum(inboxStates),
  /** One line: what is asked or what happened. */
  title: z.string(),
  /** The full command or question, or why the leaf is blocked. */
  detail: z.string(),
  /** For an approval: the one effect that it allows, and the tool that would do it. */
  effectId: effectIdSchema.nullable(),
  tool: z.string().nullable(),
  options: z.array(z.string()),
  answer: z.string().nullable(),
  default: z.string().nullable(),
  deadline: z.string().nullable(),
  openedAt: z.string(),
  closedAt: z.string().nullable(),
});
export type InboxEntry = z.infer<typeof inboxEntrySchema>;

export const policyActions = ['allow', 'ask', 'deny'] as const;
export type PolicyAction = (typeof policyActions)[number];
export const policyPresets = ['readonly', 'workspace', 'ask', 'full'] as const;

export const policyRuleSchema = z.strictObject({
  /** A tool's name, or `*`. */
  tool: z.string().min(1),
  /** Glob patterns; `command` matches the whole command line. */
  when: z
    .strictObject({
      path: z.string().optional(),
      command: z.string().optional(),
      /** Every host that an allowed call names, any host of one that is asked for or denied. */
      host: z.string().optional(),
      /** One of these classes. */
      class: z.union([z.enum(effectClasses), z.array(z.enum(effectClasses)).min(1)]).optional(),
      /** This class or a worse one. */
      classAtLeast: z.enum(effectClasses).optional(),
      /** Only where commands really run in a sandbox. */
      sandboxed: z.boolean().optional(),
    })
    .optional(),
  action: z.enum(policyActions),
  /** Seconds an approval waits for its answer. */
  deadline: z.number().int().positive().optional(),
  onDeadline: z.enum(['allow', 'deny']).optional(),
});
export type PolicyRule = z.infer<typeof policyRuleSchema>;

export const budgetSchema = z.strictObject({
  turns: z.number().int().positive().optional(),
  toolCalls: z.number().int().positive().optional(),
  tokens: z.number().int().positive().optional(),
  costUsd: z.number().positive().optional(),
  minutes: z.number().positive().optional(),
  onExhausted: z.enum(['block', 'ask']).optional(),
});
export type Budget = z.infer<typeof budgetSchema>;

const policyRulesSchema = z.strictObject({
  default: z.enum(policyActions),
  rules: z.array(policyRuleSchema).default([]),
});

/** A policy document: what tools may do, first matching rule wins, and what may be spent. */
export const policySchema = policyRulesSchema.extend({
  /** Commands run in a sandbox where one works; yes unless it says no. */
  sandbox: z.boolean().optional(),
  /** Whether a command in the sandbox reaches the network; no unless it says so. */
  network: z.boolean().optional(),
  budget: budgetSchema.optional(),
  /** Rules of others (a project's) that apply as well: each list judges by itself, and the strictest verdict counts. */
  also: z.array(policyRulesSchema).optional(),
});
export type Policy = z.infer<typeof policySchema>;

/** A policy is named by preset or given whole. */
export const policyInputSchema = z.union([z.enum(policyPresets), policySchema]);
export type PolicyInput = z.input<typeof policyInputSchema>;

/** A mission in its tree, in display order; `usage` and `openInbox` are sums of it and all below it. */
export const missionNodeSchema = z.object({
  sessionId: sessionIdSchema,
  parentId: sessionIdSchema.nullable(),
  depth: z.number().int(),
  title: z.string(),
  goal: z.string(),
  isMission: z.boolean(),
  status: z.enum(planRunStatuses),
  lastError: z.string().nullable(),
  outcome: z.enum(outcomes).nullable(),
  outcomeReason: z.string().nullable(),
  planner: plannerStateSchema,
  counts: countsSchema,
  /** Its own alone. */
  ownUsage: usageSchema,
  usage: usageSchema,
  openInbox: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type MissionNode = z.infer<typeof missionNodeSchema>;

/** What the first plan said, and what became of it. Leaves only; each list by title, the first fifty. */
export const landedSchema = z.object({
  planned: z.number().int(),
  added: z.number().int(),
  dropped: z.number().int(),
  done: z.number().int(),
  skipped: z.number().int(),
  addedTitles: z.array(z.string()),
  droppedTitles: z.array(z.string()),
});
export type Landed = z.infer<typeof landedSchema>;

const namedItem = {
  sessionId: sessionIdSchema,
  session: z.string(),
  itemId: itemIdSchema,
  number: z.string(),
  title: z.string(),
};

/** What happened since a time, for somebody who was away. */
export const summarySchema = z.object({
  since: z.string(),
  until: z.string(),
  /** Closed by checks that the daemon saw pass. */
  accepted: z.array(z.object({ ...namedItem, at: z.string() })),
  /** Closed because the work says so. */
  claimed: z.array(z.object({ ...namedItem, at: z.string(), summary: z.string().nullable() })),
  /** Sessions that stand still now, and why. */
  blocked: z.array(
    z.object({
      sessionId: sessionIdSchema,
      session: z.string(),
      status: z.enum(planRunStatuses),
      itemId: itemIdSchema.nullable(),
      number: z.string().nullable(),
      title: z.string().nullable(),
      why: z.string(),
      since: z.string(),
    }),
  ),
  /** Missions that ended in this time. */
  outcomes: z.array(
    z.object({
      sessionId: sessionIdSchema,
      session: z.string(),
      outcome: z.enum(outcomes),
      reason: z.string(),
      at: z.string(),
      landed: landedSchema,
    }),
  ),
  /** How often plans were revised, and why, newest last. */
  revisions: z.array(
    z.object({
      sessionId: sessionIdSchema,
      session: z.string(),
      version: z.number().int(),
      author: z.string(),
      explanation: z.string().nullable(),
      added: z.number().int(),
      removed: z.number().int(),
      changed: z.number().int(),
      at: z.string(),
    }),
  ),
  /** By the turns of this time. */
  spent: usageSchema,
  /** Open entries of the inbox, oldest first. */
  needsPerson: z.array(inboxEntrySchema),
  /** Sessions that work or will by themselves. */
  underWay: z.array(z.object({ sessionId: sessionIdSchema, session: z.string(), status: z.enum(planRunStatuses) })),
  /** True when a list was cut at a thousand. */
  isCut: z.boolean(),
});
export type Summary = z.infer<typeof summarySchema>;
