/**
 * Configuration: flag > environment > project (which may only tighten) > global > default, parsed once.
 * A fault is said with its file, the path of its key and what is allowed.
 */
import { z } from 'zod';
import { defaultPort } from '../shared/contract.js';
import { ok, type Result } from '../shared/errors.js';
import { budgetSchema, builtinProfiles, policyInputSchema, profileNameSchema } from '../shared/mission.js';
import { faults, parseFile } from './config-file.js';
import { renderCeiling, stepsCeiling } from './domain/steps/steps.js';
import { logLevels } from './log.js';
import { mcpServersSchema } from './tools/mcp/mcp-config.js';

const positive = z.number().int().positive();
const ms = z.number().int().min(0);

/** Least and most of the numbers of `planning`: one that is out of them counts as the nearer end, with a warning. */
export const planningRanges = { max_steps: [1, stepsCeiling], max_render_chars: [200, renderCeiling] } as const;
export type PlanningNumber = keyof typeof planningRanges;

export function clampPlanning(key: PlanningNumber, value: number): number {
  const [least, most] = planningRanges[key];
  return Math.min(most, Math.max(least, value));
}

const clamped = (key: PlanningNumber) =>
  z
    .number()
    .int()
    .transform((value) => clampPlanning(key, value));

const providerSchema = z.strictObject({
  firstByteMs: positive.default(60_000),
  silenceMs: positive.default(60_000),
  totalMs: positive.default(600_000),
  repeats: z.number().int().min(0).max(20).default(5),
  /** First delay before a turn is repeated; each one after it is twice as long, up to `maxBackoffMs`. */
  backoffMs: positive.default(1_000),
  maxBackoffMs: positive.default(60_000),
});

/** `config.json`. */
export const configSchema = z.strictObject({
  model: z.string().min(1).optional(),
  baseUrl: z.url({ protocol: /^https?$/, error: 'an address that begins with http:// or https://' }).optional(),
  apiKey: z.string().min(1).optional(),
  host: z
    .enum(['127.0.0.1', 'localhost', '::1'], 'a loopback address; use an SSH tunnel to reach the daemon from elsewhere')
    .default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(defaultPort),
  log: z.enum(logLevels).default('info'),
  policy: policyInputSchema.default('workspace'),
  parallelSessions: positive.max(1_000).default(4),
  parallelCalls: positive.max(64).default(4),
  /** One session with writing tools in a workspace at a time. */
  workspaceLock: z.boolean().default(true),
  tries: positive.max(100).default(3),
  backoffMs: z.array(ms).min(1).default([2_000, 8_000, 30_000]),
  turns: positive.max(10_000).default(90),
  shellTimeoutMs: positive.max(3_600_000).default(120_000),
  drainMs: ms.max(600_000).default(5_000),
  provider: providerSchema.prefault({}),
  /** US dollars for a million tokens, by model. */
  prices: z.record(z.string(), z.strictObject({ inputPerMTok: z.number().min(0), outputPerMTok: z.number().min(0) })).default({}),
  /** The model's own steps. Numbers outside of their range count as its nearest end. */
  planning: z
    .strictObject({
      enabled: z.boolean().default(true),
      max_steps: clamped('max_steps').default(12),
      max_render_chars: clamped('max_render_chars').default(2_000),
    })
    .prefault({}),
  /** Tokens of the model's context, and those of single models. */
  contextTokens: positive.min(1_000).default(128_000),
  contextWindows: z.record(z.string(), positive.min(1_000)).default({}),
  /** What a session may spend whose policy does not say, and all runs of one item. */
  budget: budgetSchema.optional(),
  leafBudget: budgetSchema.omit({ onExhausted: true }).optional(),
  /** Identical calls until a hint and until a stop; turns that bring nothing new until a stop. */
  guards: z
    .strictObject({
      hintAfter: positive.max(100).default(3),
      blockAfter: positive.max(1_000).default(6),
      noProgressTurns: positive.max(1_000).default(8),
    })
    .prefault({}),
  /** Profiles beside planner, worker and solo: a name, the tools (`*` at the end of a name for the rest of it), a prompt. */
  profiles: z
    .record(
      profileNameSchema,
      z.strictObject({ tools: z.array(z.string().min(1)).max(200), prompt: z.string().min(1).max(8_000).optional() }),
    )
    .superRefine((profiles, context) => {
      for (const name of builtinProfiles.filter((each) => Object.hasOwn(profiles, each))) {
        context.addIssue({ code: 'custom', path: [name], message: 'planner, worker and solo cannot be declared anew' });
      }
    })
    .default({}),
  mcpServers: mcpServersSchema.prefault({}),
  sandbox: z.strictObject({ enabled: z.boolean().default(true) }).prefault({}),
  /** More values to hide wherever text is stored or shown. */
  secrets: z.array(z.string().min(8, 'at least 8 characters: shorter ones would hide ordinary words')).default([]),
});
export type Config = z.infer<typeof configSchema> & {
  readonly record: string | null;
  readonly replay: string | null;
  /** How fast a recording is played: 1 as it was, `Infinity` at once. */
  readonly replaySpeed: number;
  /** What was taken otherwise than it was written, in words for people. */
  readonly warnings: readonly string[];
};

export interface ConfigInput {
  readonly flags: { readonly port?: number | undefined };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Text and name of the global file; null when there is none. */
  readonly global: { readonly text: string; readonly path: string } | null;
}

/** Environment variable → key of `config.json`. Those with a parser hold numbers or lists. */
const variables: Record<string, { path: string; parse?: (text: string) => unknown }> = {
  CAIRN_PORT: { path: 'port', parse: Number },
  CAIRN_MODEL: { path: 'model' },
  CAIRN_LOG: { path: 'log' },
  OPENAI_API_KEY: { path: 'apiKey' },
  OPENAI_BASE_URL: { path: 'baseUrl' },
  CAIRN_PARALLEL_SESSIONS: { path: 'parallelSessions', parse: Number },
  CAIRN_BACKOFF_MS: { path: 'backoffMs', parse: (text) => text.split(',').map(Number) },
  CAIRN_TURN_BACKOFF_MS: { path: 'provider.backoffMs', parse: Number },
};

/** Variables that are no keys of the file. Off in `CAIRN_PLANNING` wins over on anywhere; on changes nothing. */
const ownVariables = z.object({
  CAIRN_RECORD: z.string().optional(),
  CAIRN_REPLAY: z.string().optional(),
  CAIRN_REPLAY_SPEED: z.coerce.number('a number; 0 plays at once').min(0).default(1),
  CAIRN_PLANNING: z.stringbool('on or off').default(true),
});

/** Puts the layers on each other. Refuses with the source of a fault (file, variable or flag), its key, and what is allowed. */
export function resolveConfig({ flags, environment, global }: ConfigInput): Result<Config> {
  const file = global === null ? ok({}) : parseFile(global.text, global.path);
  if (!file.ok) return file;
  const fromFile = configSchema.safeParse(file.value);
  if (!fromFile.success) return faults(fromFile.error, () => global?.path ?? '');
  // An empty variable is as good as none.
  const set = Object.fromEntries(Object.entries(environment).filter(([, text]) => text !== undefined && text.trim() !== ''));
  const own = ownVariables.safeParse(set);
  if (!own.success) return faults(own.error, () => 'The environment');

  const layered = structuredClone(file.value);
  const sources = new Map<string, string>();
  const put = (source: string, path: string, value: unknown): void => {
    setAt(layered, path, value);
    sources.set(path, source);
  };
  for (const [name, { path, parse }] of Object.entries(variables)) {
    const text = set[name];
    if (text !== undefined) put(name, path, parse ? parse(text) : text);
  }
  if (!own.data.CAIRN_PLANNING) put('CAIRN_PLANNING', 'planning.enabled', false);
  if (flags.port !== undefined) put('--port', 'port', flags.port);
  const whole = configSchema.safeParse(layered);
  if (!whole.success) return faults(whole.error, (path) => sourceOf(path, sources) ?? 'The configuration');
  const { CAIRN_RECORD: record = null, CAIRN_REPLAY: replay = null, CAIRN_REPLAY_SPEED: speed } = own.data;
  return ok({
    ...whole.data,
    record,
    replay,
    replaySpeed: speed > 0 ? speed : Infinity,
    warnings: clampsOf(layered, whole.data.planning, global?.path ?? ''),
  });
}

function clampsOf(written: Record<string, unknown>, taken: Record<PlanningNumber, number>, path: string): string[] {
  const planning = (written.planning ?? {}) as Partial<Record<PlanningNumber, number>>;
  return (Object.keys(planningRanges) as PlanningNumber[])
    .filter((key) => planning[key] !== undefined && planning[key] !== taken[key])
    .map((key) => outOfRange(path, key, planning[key] ?? 0));
}

export function outOfRange(path: string, key: PlanningNumber, value: number): string {
  return `${path}: planning.${key} is ${value}; it counts as ${clampPlanning(key, value)}, as it may be ${planningRanges[key].join(' to ')}`;
}

function sourceOf(path: string, sources: ReadonlyMap<string, string>): string | null {
  for (const [key, source] of sources) if (path === key || path.startsWith(`${key}.`)) return source;
  return null;
}

function setAt(target: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) target[first] = value;
  else {
    const inner = (target[first] ?? {}) as Record<string, unknown>;
    target[first] = inner;
    setAt(inner, rest.join('.'), value);
  }
}
