/** Report, handover, inbox entry and outcome: what leaves a run for people and planners. */
import { z } from 'zod';
import { itemIdSchema, sessionIdSchema } from './plan.js';
import { effectClasses, effectIdSchema, runIdSchema } from './run.js';

export const outcomes = ['landed', 'derailed', 'stuck'] as const;
export const profiles = ['planner', 'worker', 'solo'] as const;
export type Profile = (typeof profiles)[number];

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
