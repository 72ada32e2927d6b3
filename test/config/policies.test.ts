import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyFor } from '../../daemon/policies.js';
import { judge } from '../../daemon/tools/policy.js';
import type { Policy, PolicyInput } from '../../shared/mission.js';
import { tempFolder } from '../support/daemon.js';

async function workspaceWith(project?: unknown): Promise<string> {
  const folder = await tempFolder();
  if (project !== undefined)
    await writeFile(join(folder, 'cairn.json'), typeof project === 'string' ? project : JSON.stringify(project));
  return folder;
}

async function policyIn(workspace: string, asked: PolicyInput | undefined, warnings: string[] = []): Promise<Policy> {
  const policy = await policyFor(workspace, asked, 'workspace', (text) => warnings.push(text));
  if (!policy.ok) throw new Error(policy.error.message);
  return policy.value;
}

const write = { tool: 'write', class: 'local_write', path: 'a.txt' } as const;
const shell = { tool: 'shell', class: 'code_execution', command: 'rm -rf build' } as const;
const actions = (policy: Policy): string[] => [write, shell].map((call) => judge(policy, call, { sandbox: false }).action);

describe('what a session may do', () => {
  it('is what the configuration says where nothing else is asked for', async () => {
    expect(actions(await policyIn(await workspaceWith(), undefined))).toEqual(['allow', 'ask']);
    expect(actions(await policyIn(await workspaceWith(), 'full'))).toEqual(['allow', 'allow']);
  });

  const tightened: [string, PolicyInput, string[]][] = [
    ['the same where the project allows more', 'full', ['allow', 'ask']],
    ['less where the project allows less', 'readonly', ['deny', 'deny']],
    ['the stricter of each', { default: 'ask', rules: [{ tool: 'shell', action: 'allow' }] }, ['ask', 'ask']],
    [
      'not loosened by a rule for one command',
      { default: 'allow', rules: [{ tool: 'shell', action: 'allow', when: { command: 'rm *' } }] },
      ['allow', 'ask'],
    ],
  ];
  it.each(tightened)('is %s', async (_, policy, expected) => {
    expect(actions(await policyIn(await workspaceWith({ policy }), undefined))).toEqual(expected);
  });

  it('keeps the smaller budget of two', async () => {
    const workspace = await workspaceWith({ policy: { default: 'allow', budget: { turns: 500, tokens: 10 } } });
    const policy = await policyIn(workspace, { default: 'allow', rules: [], budget: { turns: 5 } });
    expect(policy.budget).toEqual({ turns: 5, tokens: 10 });
  });

  it('warns of the keys of a project that have no effect, a few of many', async () => {
    const warnings: string[] = [];
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`key${i}`, 1]));
    await policyIn(await workspaceWith({ model: 'theirs', ...many }), undefined, warnings);
    expect(warnings).toEqual([expect.stringMatching(/cairn\.json: ignored model, key0, .*key8, …; a project may only tighten/)]);
  });
});

describe("a project's file that cannot be read", () => {
  async function refusalIn(workspace: string): Promise<string> {
    const policy = await policyFor(workspace, undefined, 'workspace', () => undefined);
    return policy.ok ? 'taken' : policy.error.message;
  }

  it('lets nothing run: it might have been stricter', async () => {
    expect(await refusalIn(await workspaceWith('{"policy": '))).toMatch(/cairn\.json is not valid JSON/);
    const folder = await workspaceWith();
    await mkdir(join(folder, 'cairn.json'));
    expect(await refusalIn(folder)).toMatch(/cairn\.json cannot be read: it is not a plain file/);
  });

  it('is not followed out of the workspace, and never read without end', async () => {
    const linked = await workspaceWith();
    await symlink('/dev/zero', join(linked, 'cairn.json'));
    expect(await refusalIn(linked)).toMatch(/not a plain file/);
    const huge = await workspaceWith('{}');
    await truncate(join(huge, 'cairn.json'), 2 ** 40);
    expect(await refusalIn(huge)).toMatch(/at most 262144 bytes/);
  });
});
