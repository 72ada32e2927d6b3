import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../daemon/config.js';
import { projectKeys, readProject, withoutProject, type Project, type ProjectSettings } from '../../daemon/project-settings.js';
import { configOf } from './config-support.js';

const path = '/srv/tool/cairn.json';

const reading = (file: unknown, config: Config) =>
  readProject(typeof file === 'string' ? file : JSON.stringify(file), path, config);

function projectOf(file: unknown, config: Config = configOf()): Project {
  const project = reading(file, config);
  if (!project.ok) throw new Error(project.error.message);
  return project.value;
}

/** Key by key: what the global file says, what the project says, what then holds, and what is warned of. */
interface Row {
  readonly key: string;
  readonly global?: unknown;
  readonly project: unknown;
  readonly holds: (project: Project) => unknown;
  readonly is: unknown;
}

const settings =
  <K extends keyof ProjectSettings>(name: K) =>
  (project: Project): ProjectSettings[K] =>
    project.settings[name];
const planning =
  (name: 'enabled' | 'maxSteps' | 'maxRenderChars') =>
  (project: Project): unknown =>
    project.settings.planning[name];

const tighter: Row[] = [
  { key: 'policy', project: { policy: 'readonly' }, holds: ({ policy }) => policy, is: 'readonly' },
  { key: 'planning.enabled', project: { planning: { enabled: false } }, holds: planning('enabled'), is: false },
  { key: 'planning.max_steps', project: { planning: { max_steps: 5 } }, holds: planning('maxSteps'), is: 5 },
  { key: 'planning.max_steps', project: { planning: { max_steps: 12 } }, holds: planning('maxSteps'), is: 12 },
  {
    key: 'planning.max_render_chars',
    project: { planning: { max_render_chars: 300 } },
    holds: planning('maxRenderChars'),
    is: 300,
  },
  { key: 'turns', project: { turns: 10 }, holds: settings('turns'), is: 10 },
  { key: 'shellTimeoutMs', project: { shellTimeoutMs: 1_000 }, holds: settings('shellTimeoutMs'), is: 1_000 },
  { key: 'budget', project: { budget: { turns: 7 } }, holds: settings('budget'), is: { turns: 7 } },
  {
    key: 'budget',
    global: { budget: { turns: 9, tokens: 50, onExhausted: 'ask' } },
    project: { budget: { turns: 7, minutes: 3, onExhausted: 'block' } },
    holds: settings('budget'),
    is: { turns: 7, tokens: 50, minutes: 3, onExhausted: 'block' },
  },
  { key: 'leafBudget', project: { leafBudget: { tokens: 7 } }, holds: settings('leafBudget'), is: { tokens: 7 } },
  {
    key: 'leafBudget',
    global: { leafBudget: { tokens: 9, costUsd: 2 } },
    project: { leafBudget: { tokens: 7, costUsd: 0.5 } },
    holds: settings('leafBudget'),
    is: { tokens: 7, costUsd: 0.5 },
  },
  {
    key: 'sandbox.enabled',
    global: { sandbox: { enabled: false } },
    project: { sandbox: { enabled: true } },
    holds: ({ settings: { sandbox }, asksForSandbox }) => [sandbox, asksForSandbox],
    is: [true, true],
  },
  { key: 'contextTokens', project: { contextTokens: 8_000 }, holds: settings('contextTokens'), is: 8_000 },
  {
    key: 'contextTokens',
    global: { contextTokens: 10_000, contextWindows: { big: 200_000 } },
    project: { contextTokens: 100_000 },
    holds: settings('contextTokens'),
    is: 100_000,
  },
];

const looser: Row[] = [
  {
    key: 'planning.enabled',
    global: { planning: { enabled: false } },
    project: { planning: { enabled: true } },
    holds: planning('enabled'),
    is: false,
  },
  // The global file says nothing of it: what counts is the default.
  { key: 'planning.max_steps', project: { planning: { max_steps: 50 } }, holds: planning('maxSteps'), is: 12 },
  {
    key: 'planning.max_steps',
    global: { planning: { max_render_chars: 500 } },
    project: { planning: { max_steps: 13 } },
    holds: planning('maxSteps'),
    is: 12,
  },
  {
    key: 'planning.max_steps',
    global: { planning: { max_steps: 3 } },
    project: { planning: { max_steps: 4 } },
    holds: planning('maxSteps'),
    is: 3,
  },
  {
    key: 'planning.max_render_chars',
    project: { planning: { max_render_chars: 8_000 } },
    holds: planning('maxRenderChars'),
    is: 2_000,
  },
  { key: 'turns', project: { turns: 91 }, holds: settings('turns'), is: 90 },
  { key: 'turns', project: { turns: 1_000_000 }, holds: settings('turns'), is: 90 },
  { key: 'shellTimeoutMs', project: { shellTimeoutMs: 120_001 }, holds: settings('shellTimeoutMs'), is: 120_000 },
  {
    key: 'budget.turns',
    global: { budget: { turns: 9 } },
    project: { budget: { turns: 10 } },
    holds: settings('budget'),
    is: { turns: 9 },
  },
  {
    key: 'budget.onExhausted',
    global: { budget: { turns: 9 } },
    project: { budget: { onExhausted: 'ask' } },
    holds: settings('budget'),
    is: { turns: 9 },
  },
  {
    key: 'leafBudget.costUsd',
    global: { leafBudget: { costUsd: 1 } },
    project: { leafBudget: { costUsd: 1.01 } },
    holds: settings('leafBudget'),
    is: { costUsd: 1 },
  },
  { key: 'sandbox.enabled', project: { sandbox: { enabled: false } }, holds: settings('sandbox'), is: true },
  { key: 'contextTokens', project: { contextTokens: 128_001 }, holds: settings('contextTokens'), is: null },
];

describe("a project's file", () => {
  it.each(tighter)('may make $key stricter: $project over $global', ({ global, project, holds, is }) => {
    const read = projectOf(project, configOf(global));
    expect(holds(read)).toEqual(is);
    expect(read.warnings).toEqual([]);
  });

  it.each(looser)('may not loosen $key: $project over $global is ignored', ({ key, global, project, holds, is }) => {
    const read = projectOf(project, configOf(global));
    expect(holds(read)).toEqual(is);
    expect(read.warnings).toEqual([expect.stringContaining(`${path}: ignored ${key} `)]);
  });

  it('has a test of each key that it may set', () => {
    const tested = new Set(tighter.map(({ key }) => key));
    expect([...projectKeys.keys()].filter((key) => !tested.has(key))).toEqual([]);
  });

  it('changes nothing when it says nothing', () => {
    expect(projectOf({})).toEqual(withoutProject(configOf()));
    expect(projectOf({ planning: {}, sandbox: {} })).toEqual(withoutProject(configOf()));
  });

  it('says nothing against what holds anyway', () => {
    const same = { planning: { enabled: true, max_steps: 12 }, sandbox: { enabled: true }, turns: 90 };
    expect(projectOf(same).warnings).toEqual([]);
  });

  it('has too small a number of planning counted as the smallest, and says so', () => {
    const read = projectOf({ planning: { max_steps: 0, max_render_chars: 10 } });
    expect(read.settings.planning).toEqual({ enabled: true, maxSteps: 1, maxRenderChars: 200 });
    expect(read.warnings.map((text) => text.split(';')[0])).toEqual([
      `${path}: planning.max_steps is 0`,
      `${path}: planning.max_render_chars is 10`,
    ]);
  });

  const others = ['model', 'baseUrl', 'apiKey', 'mcpServers', 'prices', 'host', 'port', 'log', 'secrets', 'provider', 'guards'];
  const more = ['contextWindows', 'parallelSessions', 'parallelCalls', 'workspaceLock', 'backoffMs', 'drainMs', 'constructor'];
  it.each([...others, ...more, 'planning.prompt', 'sandbox.network'])('may not set %s: it is ignored by name', (name) => {
    const [outer = '', inner] = name.split('.');
    const file = { [outer]: inner === undefined ? { anything: 1 } : { [inner]: true } };
    const { warnings, ...rest } = projectOf(file);
    expect(warnings).toEqual([expect.stringContaining(`ignored ${name};`)]);
    expect({ ...rest, warnings: [] }).toEqual(withoutProject(configOf()));
  });

  it('is not fooled by the names of an object', () => {
    const { policy, warnings } = projectOf('{"__proto__": {"policy": "full"}, "planning": {"__proto__": {"enabled": true}}}');
    expect(policy).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('ignored __proto__, planning.__proto__;')]);
  });

  const wrong: [unknown, RegExp][] = [
    ['{', /cairn\.json is not valid JSON/],
    ['[]', /cairn\.json is not a JSON object/],
    [{ policy: 'anything' }, /cairn\.json: policy/],
    [{ policy: { default: 'allow', rules: 'all' } }, /cairn\.json: policy/],
    [{ turns: 0 }, /cairn\.json: turns: /],
    [{ turns: '5' }, /cairn\.json: turns: .*number/],
    [{ turns: 1.5 }, /cairn\.json: turns: /],
    [{ planning: 'off' }, /cairn\.json: planning: /],
    [{ planning: { enabled: 'no' } }, /cairn\.json: planning\.enabled: /],
    [{ sandbox: [] }, /cairn\.json: sandbox: /],
    [{ budget: { turn: 5 } }, /cairn\.json: budget: .*"turn"/],
    [{ leafBudget: { onExhausted: 'ask' } }, /cairn\.json: leafBudget: /],
    [{ contextTokens: 10 }, /cairn\.json: contextTokens: /],
    [{ turns: null, shellTimeoutMs: null }, /turns: .*shellTimeoutMs: /],
  ];
  it.each(wrong)('is refused when it cannot be understood, as it might have been stricter: %j', (file, words) => {
    const project = reading(file, configOf());
    expect(project.ok ? '' : project.error.message).toMatch(words);
  });

  it('never loosens anything, whatever it says', () => {
    const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
    const limits = fc.record({ turns: some(fc.integer({ min: 1, max: 99 })), minutes: some(fc.integer({ min: 1, max: 99 })) });
    const file = fc.record({
      planning: fc.record({
        enabled: fc.boolean(),
        max_steps: some(fc.integer({ min: -5, max: 99 })),
        max_render_chars: some(fc.integer({ min: 0, max: 9_999 })),
      }),
      turns: some(fc.integer({ min: 1, max: 200 })),
      budget: some(limits),
      leafBudget: some(limits),
      sandbox: fc.record({ enabled: fc.boolean() }),
    });
    fc.assert(
      fc.property(file, file, (global, project) => {
        const config = configOf(global);
        const before = withoutProject(config).settings;
        const { settings: after } = projectOf(project, config);
        expect(after.planning.enabled && !before.planning.enabled).toBe(false);
        expect(before.sandbox && !after.sandbox).toBe(false);
        expect(after.planning.maxSteps).toBeLessThanOrEqual(before.planning.maxSteps);
        expect(after.planning.maxRenderChars).toBeLessThanOrEqual(before.planning.maxRenderChars);
        expect(after.turns).toBeLessThanOrEqual(before.turns);
        for (const name of ['budget', 'leafBudget'] as const) {
          for (const kind of ['turns', 'minutes'] as const) {
            expect(after[name]?.[kind] ?? Infinity).toBeLessThanOrEqual(before[name]?.[kind] ?? Infinity);
          }
        }
      }),
    );
  });
});
