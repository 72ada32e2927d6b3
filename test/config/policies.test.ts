import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyFor, settingsFor } from '../../daemon/policies.js';
import { confinementOf, judge } from '../../daemon/tools/policy.js';
import type { Policy, PolicyInput } from '../../shared/mission.js';
import { tempFolder } from '../support/daemon.js';
import { configOf } from './config-support.js';

async function workspaceWith(project?: unknown): Promise<string> {
  const folder = await tempFolder();
  if (project !== undefined)
    await writeFile(join(folder, 'cairn.json'), typeof project === 'string' ? project : JSON.stringify(project));
  return folder;
}

async function policyIn(workspace: string, asked: PolicyInput | undefined, warnings: string[] = []): Promise<Policy> {
  const policy = await policyFor(workspace, asked, configOf(), (text) => warnings.push(text));
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
    const policy = await policyFor(workspace, undefined, configOf(), () => undefined);
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

describe('the budget of a session', () => {
  const budgetIn = async (project: unknown, asked: PolicyInput | undefined, config: unknown) => {
    const policy = await policyFor(await workspaceWith(project), asked, configOf(config), () => undefined);
    return policy.ok ? policy.value.budget : policy.error;
  };

  it('is that of the configuration where its policy names none', async () => {
    expect(await budgetIn(undefined, 'workspace', { budget: { turns: 9 } })).toEqual({ turns: 9 });
    const own: PolicyInput = { default: 'allow', rules: [], budget: { tokens: 5 } };
    expect(await budgetIn(undefined, own, { budget: { turns: 9 } })).toEqual({ tokens: 5 });
  });

  it('is lowered by the project, whoever named it', async () => {
    expect(await budgetIn({ budget: { turns: 4 } }, 'workspace', { budget: { turns: 9 } })).toEqual({ turns: 4 });
    const own: PolicyInput = { default: 'allow', rules: [], budget: { turns: 500 } };
    expect(await budgetIn({ budget: { turns: 4 } }, own, { budget: { turns: 9 } })).toEqual({ turns: 4 });
    expect(await budgetIn({ budget: { turns: 600 } }, own, {})).toEqual({ turns: 500 });
  });

  it('is never made to ask for more by a project', async () => {
    const project = { budget: { onExhausted: 'ask' }, policy: { default: 'allow', budget: { tokens: 7, onExhausted: 'ask' } } };
    expect(await budgetIn(project, 'workspace', { budget: { turns: 9 } })).toEqual({ turns: 9, tokens: 7 });
  });
});

describe('a project that wants a sandbox', () => {
  it('has commands confined, and asked for where they cannot be', async () => {
    const policy = await policyIn(await workspaceWith({ sandbox: { enabled: true } }), 'full');
    expect(confinementOf(policy)).toEqual({ network: 'open' });
    expect(judge(policy, shell, { sandbox: true }).action).toBe('allow');
    expect(judge(policy, shell, { sandbox: false }).action).toBe('ask');
    expect(judge(policy, write, { sandbox: false }).action).toBe('allow');
  });

  it('is the only one that confines what the session does not: other keys leave that alone', async () => {
    const policy = await policyIn(await workspaceWith({ budget: { turns: 4 }, turns: 3 }), 'full');
    expect(confinementOf(policy)).toBeNull();
  });
});

describe('the settings of a workspace', () => {
  it('are those of its file as it is now: an edit counts the next time', async () => {
    const workspace = await workspaceWith({ turns: 5, planning: { enabled: false } });
    const read = async () => {
      const settings = await settingsFor(workspace, configOf(), () => undefined);
      return settings.ok ? settings.value : null;
    };
    expect(await read()).toMatchObject({ turns: 5, planning: { enabled: false } });
    await writeFile(join(workspace, 'cairn.json'), '{"turns": 3}');
    expect(await read()).toMatchObject({ turns: 3, planning: { enabled: true } });
  });

  it('are refused, as the policy is, when the file cannot be understood', async () => {
    const workspace = await workspaceWith('{"turns": ');
    expect(await settingsFor(workspace, configOf(), () => undefined)).toMatchObject({ ok: false });
  });
});
