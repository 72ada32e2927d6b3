/**
 * Configuration: flag > environment > project (which may only tighten) > global > default, parsed once.
 * A fault is said with its file, the path of its key and what is allowed.
 */
import { z } from 'zod';
import { defaultPort } from '../shared/contract.js';
import { ok, refuse, type Result } from '../shared/errors.js';
import { policyInputSchema } from '../shared/mission.js';
import { logLevels } from './log.js';

const positive = z.number().int().positive();
const ms = z.number().int().min(0);

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
  baseUrl: z.url().optional(),
  apiKey: z.string().min(1).optional(),
  host: z.string().default('127.0.0.1'),
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
  planning: z.strictObject({ enabled: z.boolean().default(true) }).prefault({}),
});
export type Config = z.infer<typeof configSchema> & {
  readonly record: string | null;
  readonly replay: string | null;
  /** How fast a recording is played: 1 as it was, `Infinity` at once. */
  readonly replaySpeed: number;
};

/** `cairn.json` of a workspace: every key of it can only make things stricter. */
const projectSchema = z.strictObject({ policy: policyInputSchema.optional(), planning: z.strictObject({ enabled: z.boolean() }).optional() });

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

export function resolveConfig({ flags, environment, global }: ConfigInput): Result<Config> {
  const file = global === null ? ok({}) : parseFile(global.text, global.path);
  if (!file.ok) return file;
  const fromFile = configSchema.safeParse(file.value);
  if (!fromFile.success) return faults(fromFile.error, global?.path ?? '');
  const layered = structuredClone(file.value);
  for (const [name, { path, parse }] of Object.entries(variables)) {
    const text = environment[name];
    if (text !== undefined && text !== '') setAt(layered, path, parse ? parse(text) : text);
  }
  // Off anywhere wins over on.
  if (/^(false|0|no|off)$/i.test(environment.CAIRN_PLANNING ?? '')) setAt(layered, 'planning.enabled', false);
  if (flags.port !== undefined) setAt(layered, 'port', flags.port);
  const whole = configSchema.safeParse(layered);
  if (!whole.success) return faults(whole.error, 'the environment');
  const fault = checkHost(whole.data.host);
  if (fault !== null) return fault;
  const speed = Number(environment.CAIRN_REPLAY_SPEED ?? '1');
  return ok({
    ...whole.data,
    record: environment.CAIRN_RECORD || null,
    replay: environment.CAIRN_REPLAY || null,
    replaySpeed: speed > 0 ? speed : Infinity,
  });
}

/** What a workspace's own `cairn.json` asks for. `ignored`: keys that it may not set, for a warning. */
export function readProject(text: string, path: string): Result<{ policy: z.infer<typeof policyInputSchema> | null; ignored: string[] }> {
  const file = parseFile(text, path);
  if (!file.ok) return file;
  const ignored = Object.keys(file.value).filter((key) => !(key in projectSchema.shape));
  const own = Object.fromEntries(Object.entries(file.value).filter(([key]) => key in projectSchema.shape));
  const parsed = projectSchema.safeParse(own);
  return parsed.success ? ok({ policy: parsed.data.policy ?? null, ignored }) : faults(parsed.error, path);
}

function parseFile(text: string, path: string): Result<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return ok(value as Record<string, unknown>);
    return refuse('invalid_params', `${path} is not a JSON object.`);
  } catch (error) {
    return refuse('invalid_params', `${path} is not valid JSON: ${(error as Error).message}`);
  }
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

function faults(error: z.ZodError, where: string): Result<never> {
  const issues = error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  const told = issues.map(({ path, message }) => `${path || 'the file'}: ${message}`).join('; ');
  return refuse('invalid_params', `${where}: ${told}`, { issues, hint: 'The README lists the keys and what they may be.' });
}

function checkHost(host: string): Result<never> | null {
  if (['127.0.0.1', 'localhost', '::1'].includes(host)) return null;
  return refuse('invalid_params', `host: ${host} is not a loopback address. The daemon listens on 127.0.0.1 only.`, {
    hint: 'Use an SSH tunnel to reach it from elsewhere.',
  });
}

