/** The rules of the linter that keep the layers apart do fire: each is shown something that it must not let through. */
import { ESLint } from 'eslint';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
let eslint: ESLint;

beforeAll(async () => {
  eslint = new ESLint({ cwd: root });
  // The first file of each project has all of it read.
  await eslint.lintFiles(['shared/version.ts', 'daemon/domain/plan.ts', 'daemon/home.ts', 'tui/core/view.ts', 'tui/main.ts']);
}, 120_000);

/** The rules that object to `text` as the content of a file of the project. */
async function objections(path: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: join(root, path) });
  const messages = result?.messages ?? [];
  expect(messages.filter((message) => message.fatal)).toEqual([]);
  return [...new Set(messages.map((message) => message.ruleId ?? 'none'))];
}

const layer = 'import-x/no-restricted-paths';
const wrongImports: [string, string, string][] = [
  ['the domain the store', 'daemon/domain/plan.ts', "import '../store/store.js';"],
  ['the domain the clock', 'daemon/domain/plan.ts', "import '../clock.js';"],
  ['shared the daemon', 'shared/plan-tree.ts', "import '../daemon/domain/plan.js';"],
  ['shared the client', 'shared/plan-tree.ts', "import '../tui/core/view.js';"],
  ['the client the daemon', 'tui/connect.ts', "import '../daemon/home.js';"],
  ['the daemon the client', 'daemon/home.ts', "import '../tui/connect.js';"],
  ["the client's pure part the rest of it", 'tui/core/view.ts', "import '../connect.js';"],
  ['the runner an adapter of the store', 'daemon/runner/runner.ts', "import '../store/sqlite/open-store.js';"],
  ['a handler the inside of the runner', 'daemon/rpc/handlers/run.ts', "import '../../runner/session-states.js';"],
  ['the store another room', 'daemon/store/store.ts', "import '../runner/commands.js';"],
  ['a room what wires the rooms', 'daemon/agent/agent-loop.ts', "import '../app.js';"],
  ['a part what wires the parts', 'daemon/config.ts', "import './daemon.js';"],
  ['a program the tests', 'daemon/home.ts', "import '../test/support/wait.js';"],
];

const allowedImports: [string, string, string][] = [
  ['the domain shared', 'daemon/domain/plan.ts', "import '../../shared/plan.js';"],
  ['the runner the port of the store', 'daemon/runner/runner.ts', "import '../store/store.js';"],
  ['a room the domain', 'daemon/store/store.ts', "import '../domain/plan.js';"],
  ['what wires the parts an adapter', 'daemon/daemon.ts', "import './store/sqlite/open-store.js';"],
];

describe('who may import whom', () => {
  it.each(wrongImports)('not %s', async (_, path, text) => {
    expect(await objections(path, text)).toContain(layer);
  });

  it.each(allowedImports)('%s', async (_, path, text) => {
    expect(await objections(path, text)).toEqual([]);
  });
});

describe('blessed', () => {
  it.each(['tui/core/view.ts', 'tui/program.ts', 'daemon/home.ts'])('is not for %s', async (path) => {
    expect(await objections(path, "import 'neo-blessed';")).toContain('no-restricted-imports');
  });

  it('is for the screen', async () => {
    expect(await objections('tui/screen/canvas.ts', "import 'neo-blessed';")).toEqual([]);
  });
});

const impure: [string, string][] = [
  ['Date.now()', 'no-restricted-syntax'],
  ['new Date()', 'no-restricted-syntax'],
  ['Math.random()', 'no-restricted-syntax'],
  ['performance.now()', 'no-restricted-globals'],
  ['setTimeout(() => undefined, 1)', 'no-restricted-globals'],
  ['setInterval(() => undefined, 1)', 'no-restricted-globals'],
  ['process.pid', 'no-restricted-globals'],
  ['crypto.randomUUID()', 'no-restricted-globals'],
  ['globalThis.Date.now()', 'no-restricted-syntax'],
];

describe.each(['shared/plan-tree.ts', 'daemon/domain/plan.ts', 'tui/core/view.ts'])('%s is pure', (path) => {
  it.each(impure)('no %s', async (code, rule) => {
    expect(await objections(path, `export const value: unknown = ${code};`)).toContain(rule);
  });

  it('a time that was given may be read', async () => {
    expect(await objections(path, "export const value: unknown = Date.parse('2026-03-01T10:00:00Z');")).toEqual([]);
  });

  it('no module of Node', async () => {
    expect(await objections(path, "import 'node:fs';")).toContain('no-restricted-imports');
  });
});

const slips: [string, string, string][] = [
  [
    'a promise that nobody waits for',
    'export function go(): void { Promise.resolve(1).then(() => 2); }',
    '@typescript-eslint/no-floating-promises',
  ],
  [
    'a promise as a condition',
    'export const go = (wait: Promise<boolean>): number => (wait ? 1 : 2);',
    '@typescript-eslint/no-misused-promises',
  ],
  [
    'a case forgotten',
    "export function go(of: 'a' | 'b'): void { switch (of) { case 'a': break; } }",
    '@typescript-eslint/switch-exhaustiveness-check',
  ],
  [
    'a type imported as a value',
    "import { Plan } from './domain/plan.js';\nexport type P = Plan;",
    '@typescript-eslint/consistent-type-imports',
  ],
  ['the environment read anywhere', 'export const key = process.env.KEY;', 'no-restricted-syntax'],
  ['a clock besides the one', 'export const now = Date.now();', 'no-restricted-syntax'],
  ['chance besides the one door', 'export const n = Math.random();', 'no-restricted-syntax'],
  ['words on the console', "console.log('here');", 'no-console'],
  ['a file that is too long', Array.from({ length: 301 }, (_, i) => `export const a${i} = ${i};`).join('\n'), 'max-lines'],
];

describe('the daemon', () => {
  it.each(slips)('may not have %s', async (_, text, rule) => {
    expect(await objections('daemon/events-file.ts', text)).toContain(rule);
  });
});
