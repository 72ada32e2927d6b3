/** Plan run (the checkpoint row), run, message, effect, receipt and usage. Times are ISO 8601 UTC, durations milliseconds. */
import { z } from 'zod';
import { itemIdSchema, sessionIdSchema } from './plan.js';

export const runIdSchema = z.string().min(1).brand<'RunId'>();
export type RunId = z.infer<typeof runIdSchema>;
export const effectIdSchema = z.string().min(1).brand<'EffectId'>();
export type EffectId = z.infer<typeof effectIdSchema>;

export const planRunStatuses = [
  'idle',
  'running',
  'pausing',
  'paused',
  'waiting',
  'blocked',
  'failed',
  'completed',
  'cancelled',
] as const;
export type PlanRunStatus = (typeof planRunStatuses)[number];

export const planRunSchema = z.object({
  sessionId: sessionIdSchema,
  status: z.enum(planRunStatuses),
  currentItemId: itemIdSchema.nullable(),
  lastRunId: runIdSchema.nullable(),
  lastError: z.string().nullable(),
  /** How often a leaf has been newly selected. */
  stepNo: z.number().int(),
  /** Which try at the current leaf this is, from 1; 0 before the first leaf. */
  attempt: z.number().int(),
  /** The owner's fence: a commit that carries an older one is refused. */
  epoch: z.number().int(),
  updatedAt: z.string(),
});
export type PlanRun = z.infer<typeof planRunSchema>;

export const livenessSchema = z.object({
  state: z.enum(['working', 'waiting', 'looping', 'stalled', 'interrupted', 'idle']),
  cause: z.string(),
  lastProgressAt: z.string().nullable(),
});
export type Liveness = z.infer<typeof livenessSchema>;

export const runKinds = ['leaf', 'chat', 'planner'] as const;
export const runStatuses = ['running', 'waiting', 'completed', 'blocked', 'failed', 'cancelled', 'interrupted'] as const;
export type RunStatus = (typeof runStatuses)[number];

export const usageSchema = z.object({
  turns: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  costUsd: z.number().nullable(),
  durationMs: z.number(),
});
export type Usage = z.infer<typeof usageSchema>;

export const runSchema = z.object({
  id: runIdSchema,
  sessionId: sessionIdSchema,
  itemId: itemIdSchema.nullable(),
  kind: z.enum(runKinds),
  status: z.enum(runStatuses),
  attempt: z.number().int(),
  epoch: z.number().int(),
  /** The run whose transcript this one goes on with (after a crash, a pause, a failed check). */
  resumes: runIdSchema.nullable(),
  planVersion: z.number().int(),
  model: z.string().nullable(),
  error: z.string().nullable(),
  summary: z.string().nullable(),
  usage: usageSchema,
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
});
export type Run = z.infer<typeof runSchema>;

export const messageKinds = ['system', 'plan_state', 'digest', 'plan_prompt', 'chat', 'assistant', 'tool', 'notice'] as const;

export const toolCallSchema = z.object({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.infer<typeof toolCallSchema>;

export const messageSchema = z.object({
  kind: z.enum(messageKinds),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  toolCalls: z.array(toolCallSchema).optional(),
  toolCallId: z.string().optional(),
  at: z.string(),
});
export type Message = z.infer<typeof messageSchema>;

/** From harmless to worst. */
export const effectClasses = [
  'safe',
  'local_write',
  'install',
  'network_egress',
  'code_execution',
  'system_write',
  'persistence',
  'unknown',
  'destructive',
  'blocked',
] as const;
export type EffectClass = (typeof effectClasses)[number];
export const effectStates = ['intent', 'done', 'failed', 'unknown'] as const;
export type EffectState = (typeof effectStates)[number];

export const effectSchema = z.object({
  id: effectIdSchema,
  runId: runIdSchema,
  name: z.string(),
  args: z.string(),
  class: z.enum(effectClasses),
  repeatable: z.boolean(),
  state: z.enum(effectStates),
  startedAt: z.string(),
  finishedAt: z.string().optional(),
});
export type Effect = z.infer<typeof effectSchema>;

/** What the daemon saw when it ran a check itself. Bound to item, attempt and workspace tree. */
export const receiptSchema = z.object({
  id: z.string(),
  itemId: itemIdSchema,
  runId: runIdSchema,
  attempt: z.number().int(),
  command: z.string(),
  exitCode: z.number().int().nullable(),
  passed: z.boolean(),
  outputHash: z.string(),
  outputTail: z.string(),
  /** Hash of the git tree the check saw (tracked and untracked files); null outside a git repository. */
  treeHash: z.string().nullable(),
  durationMs: z.number(),
  at: z.string(),
});
export type Receipt = z.infer<typeof receiptSchema>;

/** What a start would do, told before anything happens. */
export const explanationSchema = z.object({
  wouldStart: z.boolean(),
  reason: z.string(),
  next: z.object({ itemId: itemIdSchema, number: z.string(), title: z.string() }).nullable(),
  reused: z.object({
    runId: runIdSchema.nullable(),
    turns: z.number().int(),
    effects: z.array(z.object({ name: z.string(), summary: z.string() })),
  }),
  wouldRun: z.array(z.string()),
  mightRepeat: z.array(z.object({ name: z.string(), summary: z.string(), why: z.string() })),
  remainingLeaves: z.number().int(),
});
export type Explanation = z.infer<typeof explanationSchema>;

/** One step of the model's own list. */
export const stepSchema = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(['pending', 'in_progress', 'done', 'blocked']),
  note: z.string().optional(),
});
export type Step = z.infer<typeof stepSchema>;

/** How much the model's own lists are used (adoption), and what they cost (overhead). */
export const stepsUsageSchema = z.object({
  /** Tries and chats in which a model took turns. */
  runs: z.number().int(),
  runsWithSteps: z.number().int(),
  /** Calls of the `plan` tool. */
  calls: z.number().int(),
  /** Requests that carried the list, and the tokens that it took in them, as estimated. */
  turnsShown: z.number().int(),
  tokensShown: z.number().int(),
});

/** What the open leaves of a plan may take, by the mean of those that were finished. */
export const forecastSchema = z.object({
  /** Leaves that it is reckoned from, and those that it is for. */
  finishedLeaves: z.number().int(),
  openLeaves: z.number().int(),
  turns: z.number(),
  tokens: z.number(),
  /** Null when the price of a model is not known. */
  costUsd: z.number().nullable(),
  durationMs: z.number(),
});
export type Forecast = z.infer<typeof forecastSchema>;
