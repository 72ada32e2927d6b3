import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const linter = new ESLint({ cwd: root });

/** Rules that a text breaks when it stands in this file, with what they say. */
async function complaints(file: string, text: string): Promise<string[]> {
  const [result] = await linter.lintText(text, { filePath: join(root, file) });
  return (result?.messages ?? []).map(({ ruleId, message }) => `${ruleId ?? 'syntax'}: ${message}`);
}

const importing = (specifier: string): string => `import * as part from '${specifier}';\nexport const taken = part;\n`;

describe('the linter refuses an import against the direction of the layers', () => {
  it.each([
    ['shared/plan-tree.ts', '../daemon/clock.js'],
    ['shared/client.ts', '../tui/connect.js'],
    ['daemon/domain/plan-order.ts', '../store/store.js'],
    ['daemon/domain/plan-order.ts', '../clock.js'],
    ['daemon/store/store.ts', '../runner/runner.js'],
    ['daemon/agent/context.ts', '../store/sqlite/open-store.js'],
    ['daemon/providers/openai.ts', '../tools/tools.js'],
    ['daemon/rpc/server.ts', '../runner/runner.js'],
    ['daemon/runner/runner.ts', '../rpc/server.js'],
    ['daemon/tools/read.ts', '../app.js'],
    ['daemon/app.ts', './daemon.js'],
    ['tui/connect.ts', '../daemon/home.js'],
    ['tui/core/view.ts', '../connect.js'],
    ['daemon/home.ts', '../tui/connect.js'],
    ['tui/connect.ts', '../scripts/bench.js'],
  ])('%s of %s', async (file, specifier) => {
    expect((await complaints(file, importing(specifier))).join('\n')).toContain('import-x/no-restricted-paths');
  });

  it.each([
    ['daemon/domain/plan-order.ts', '../../shared/plan.js'],
    ['daemon/store/store.ts', '../domain/plan.js'],
    ['daemon/agent/context.ts', '../store/store.js'],
    ['daemon/app.ts', './runner/runner.js'],
    ['tui/core/view.ts', '../../shared/plan-tree.js'],
    ['tui/connect.ts', './core/view.js'],
  ])('and lets %s have %s', async (file, specifier) => {
    expect(await complaints(file, importing(specifier))).toEqual([]);
  });

  it('has a rule for each room of the daemon', async () => {
    const entries = await readdir(join(root, 'daemon'), { withFileTypes: true });
    const rooms = entries.filter((entry) => entry.isDirectory() && entry.name !== 'domain').map(({ name }) => name);
    for (const room of rooms) {
      const [file] = (await readdir(join(root, 'daemon', room))).filter((name) => name.endsWith('.ts'));
      expect
        .soft(await complaints(`daemon/${room}/${file ?? ''}`, importing('../app.js')), room)
        .toContainEqual(expect.stringMatching(/no-restricted-paths/));
    }
  });
});

describe('the linter keeps the pure folders pure', () => {
  it.each(['daemon/domain/plan-order.ts', 'shared/plan-tree.ts', 'tui/core/view.ts'])('%s', async (file) => {
    const impure = [
      'Date.now()',
      'new Date()',
      'Math.random()',
      'performance.now()',
      'crypto.randomUUID()',
      'setTimeout(() => undefined, 1)',
    ];
    for (const expression of impure) {
      expect
        .soft((await complaints(file, `export const value: unknown = ${expression};\n`)).join(), expression)
        .toMatch(/no-restricted/);
    }
    expect.soft((await complaints(file, importing('node:fs'))).join()).toMatch(/no-restricted-imports/);
  });
});

describe('the linter catches what the compiler lets through', () => {
  it('a promise that nobody waits for', async () => {
    const text = 'const work = async (): Promise<void> => Promise.resolve();\nexport function start(): void {\n  work();\n}\n';
    expect((await complaints('daemon/rpc/server.ts', text)).join()).toContain('no-floating-promises');
  });

  it('a promise where a callback is to answer at once', async () => {
    const text = 'export const slow = [1].filter(async (n) => (await Promise.resolve(n)) > 0);\n';
    expect((await complaints('daemon/rpc/server.ts', text)).join()).toContain('no-misused-promises');
  });

  it('a case that a switch forgets', async () => {
    const text = "export function word(mark: 'a' | 'b'): void {\n  switch (mark) {\n    case 'a':\n  }\n}\n";
    expect((await complaints('daemon/domain/plan-order.ts', text)).join()).toContain('switch-exhaustiveness-check');
  });

  it('the environment read where it is handed on', async () => {
    expect((await complaints('daemon/log.ts', 'export const home = process.env.HOME;\n')).join()).toContain(
      'no-restricted-syntax',
    );
  });

  it('a word to the console from the daemon', async () => {
    expect((await complaints('daemon/log.ts', "console.log('hm');\nexport {};\n")).join()).toContain('no-console');
  });
});
