/**
 * `cairn.json` of a workspace. Whoever wrote the repository wrote it, so it can only make things stricter: each key that it
 * may set has a rule here, which compares it with what is resolved without it (defaults included, so that no hole in
 * the global file lets a project raise anything). Whatever would loosen, and every other key, is ignored with a warning.
 */
import { z } from 'zod';
import { ok, type Result } from '../shared/errors.js';
import { budgetSchema, policyInputSchema, type Budget, type PolicyInput } from '../shared/mission.js';
import { faults, parseFile } from './config-file.js';
import { clampPlanning, outOfRange, planningRanges, type Config, type PlanningNumber } from './config.js';

/** What holds in a workspace. */
export interface ProjectSettings {
  readonly planning: { readonly enabled: boolean; readonly maxSteps: number; readonly maxRenderChars: number };
  readonly turns: number;
  readonly shellTimeoutMs: number;
  /** Of a session whose policy names none; null: none. */
  readonly budget: Budget | null;
  /** For all runs of one item; null: none. */
  readonly leafBudget: Budget | null;
  /** Whether commands are to run in a sandbox. */
  readonly sandbox: boolean;
  /** Tokens of the context of each model, whatever its window is; null: its window counts. */
  readonly contextTokens: number | null;
}

/** A project's file, resolved. */
export interface Project {
  readonly settings: ProjectSettings;
  /** Rules that apply besides those of the session; null: none. */
  readonly policy: PolicyInput | null;
  /** What the project asks of every budget, whatever the session's own is. It never asks to go on: `onExhausted` only blocks. */
  readonly budget: Budget;
  /** The project wants commands confined, or asked for where they cannot be. */
  readonly asksForSandbox: boolean;
  /** In words for people, each with the file and the key. */
  readonly warnings: readonly string[];
}

const positive = z.number().int().positive();
const whole = z.number().int();
const leafBudgetSchema = budgetSchema.omit({ onExhausted: true });
const smallestContext = 1_000;
const namedKeys = 10;
const longestKey = 40;

interface Reading {
  readonly config: Config;
  readonly path: string;
  /** Why something of the file has no effect. */
  readonly warn: (text: string) => void;
}

type Writable<T> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T;

interface Draft {
  readonly settings: Writable<ProjectSettings>;
  policy: PolicyInput | null;
  budget: Budget;
  asksForSandbox: boolean;
}

/** A key that a project may set: what it may hold, and how it makes the draft stricter or is ignored. */
interface ProjectKey {
  readonly schema: z.ZodType;
  readonly apply: (value: unknown, draft: Draft, reading: Reading) => void;
}

function key<T>(schema: z.ZodType<T>, apply: (value: T, draft: Draft, reading: Reading) => void): ProjectKey {
  return { schema, apply: (value, draft, reading) => apply(value as T, draft, reading) };
}

/** Of two numbers the smaller one, with a warning for the larger. */
function lower(name: string, resolved: number | undefined, asked: number, { path, warn }: Reading): number {
  if (resolved === undefined || asked <= resolved) return asked;
  warn(`${path}: ignored ${name} ${asked}: it is ${resolved}, and a project may only lower it`);
  return resolved;
}

const lowered = (name: 'turns' | 'shellTimeoutMs') =>
  key(positive, (asked, draft, reading) => {
    draft.settings[name] = lower(name, draft.settings[name], asked, reading);
  });

const loweredPlanning = (name: PlanningNumber, setting: 'maxSteps' | 'maxRenderChars') =>
  key(whole, (asked, draft, reading) => {
    const { planning } = draft.settings;
    const [least] = planningRanges[name];
    if (asked < least) reading.warn(outOfRange(reading.path, name, asked));
    planning[setting] = lower(`planning.${name}`, planning[setting], asked < least ? clampPlanning(name, asked) : asked, reading);
  });

function lowerBudget(name: string, resolved: Budget | null, asked: Budget, reading: Reading): Budget {
  const least: Budget = { ...resolved };
  for (const kind of ['turns', 'toolCalls', 'tokens', 'costUsd', 'minutes'] as const) {
    const limit = asked[kind];
    if (limit !== undefined) least[kind] = lower(`${name}.${kind}`, resolved?.[kind], limit, reading);
  }
  if (asked.onExhausted === 'block') least.onExhausted = 'block';
  else if (asked.onExhausted === 'ask' && resolved?.onExhausted !== 'ask') {
    reading.warn(`${reading.path}: ignored ${name}.onExhausted ask: a project may not have a budget raised`);
  }
  return least;
}

/** A project has its work stopped at a budget, and never has it asked for more. */
function withoutAsking({ onExhausted, ...limits }: Budget): Budget {
  return onExhausted === 'block' ? { ...limits, onExhausted } : limits;
}

/** All that a project may set. */
export const projectKeys: ReadonlyMap<string, ProjectKey> = new Map([
  [
    'policy',
    key(policyInputSchema, (policy, draft) => {
      draft.policy =
        typeof policy === 'string' || policy.budget === undefined ? policy : { ...policy, budget: withoutAsking(policy.budget) };
    }),
  ],
  [
    'planning.enabled',
    key(z.boolean(), (enabled, { settings }, { config, path, warn }) => {
      if (!enabled) settings.planning.enabled = false;
      else if (!config.planning.enabled)
        warn(`${path}: ignored planning.enabled true: planning is off, and a project may only switch it off`);
    }),
  ],
  ['planning.max_steps', loweredPlanning('max_steps', 'maxSteps')],
  ['planning.max_render_chars', loweredPlanning('max_render_chars', 'maxRenderChars')],
  ['turns', lowered('turns')],
  ['shellTimeoutMs', lowered('shellTimeoutMs')],
  [
    'budget',
    key(budgetSchema, (asked, draft, reading) => {
      draft.settings.budget = lowerBudget('budget', draft.settings.budget, asked, reading);
      draft.budget = withoutAsking(asked);
    }),
  ],
  [
    'leafBudget',
    key(leafBudgetSchema, (asked, { settings }, reading) => {
      settings.leafBudget = lowerBudget('leafBudget', settings.leafBudget, asked, reading);
    }),
  ],
  [
    'sandbox.enabled',
    key(z.boolean(), (enabled, draft, { config, path, warn }) => {
      if (enabled) draft.settings.sandbox = draft.asksForSandbox = true;
      else if (config.sandbox.enabled) warn(`${path}: ignored sandbox.enabled false: a project may only switch it on`);
    }),
  ],
  [
    'contextTokens',
    key(positive.min(smallestContext), (asked, { settings }, reading) => {
      const { contextTokens, contextWindows } = reading.config;
      const widest = Math.max(contextTokens, ...Object.values(contextWindows));
      if (lower('contextTokens', widest, asked, reading) === asked) settings.contextTokens = asked;
    }),
  ],
]);

const groups = new Set([...projectKeys.keys()].filter((path) => path.includes('.')).map((path) => path.split('.')[0]));

/** What holds where no project says anything. */
export function withoutProject(config: Config): Project {
  return { ...draftOf(config), warnings: [] };
}

/** Refuses a file that cannot be understood: it might have been stricter. */
export function readProject(text: string, path: string, config: Config): Result<Project> {
  const file = parseFile(text, path);
  if (!file.ok) return file;
  const given = new Map<string, unknown>();
  for (const [name, value] of Object.entries(file.value)) {
    if (groups.has(name) && value !== null && typeof value === 'object' && !Array.isArray(value)) {
      for (const [inner, each] of Object.entries(value)) given.set(`${name}.${inner}`, each);
    } else given.set(name, value);
  }
  const draft = draftOf(config);
  const warnings: string[] = [];
  const ignored: string[] = [];
  const wrong: z.core.$ZodIssue[] = [];
  for (const [name, value] of given) {
    const known = projectKeys.get(name);
    const parsed = (known?.schema ?? groupSchema).safeParse(value);
    if (known === undefined && !groups.has(name)) ignored.push(name);
    else if (!parsed.success) wrong.push(...parsed.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] })));
    else known?.apply(parsed.data, draft, { config, path, warn: (warning) => warnings.push(warning) });
  }
  if (wrong.length > 0) return faults(new z.ZodError(wrong), () => path);
  if (ignored.length > 0) warnings.unshift(ignoredKeys(path, ignored));
  return ok({ ...draft, warnings });
}

/** A group that is no object holds nothing that could be taken apart. */
const groupSchema = z.record(z.string(), z.unknown());

function ignoredKeys(path: string, ignored: readonly string[]): string {
  const names = ignored.slice(0, namedKeys).map((name) => name.slice(0, longestKey));
  return `${path}: ignored ${names.join(', ')}${ignored.length > namedKeys ? ', …' : ''}; a project may only tighten the policy and what the README lists`;
}

function draftOf(config: Config): Draft {
  const { planning, turns, shellTimeoutMs, budget = null, leafBudget = null, sandbox } = config;
  return {
    settings: {
      planning: { enabled: planning.enabled, maxSteps: planning.max_steps, maxRenderChars: planning.max_render_chars },
      turns,
      shellTimeoutMs,
      budget,
      leafBudget,
      sandbox: sandbox.enabled,
      contextTokens: null,
    },
    policy: null,
    budget: {},
    asksForSandbox: false,
  };
}
