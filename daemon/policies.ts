/** What a session may do: the policy that was asked for, and the workspace's own `cairn.json`, which can only tighten it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../shared/errors.js';
import type { Policy, PolicyInput } from '../shared/mission.js';
import { readProject } from './config.js';
import { resolvePolicy, tighten } from './tools/policy.js';

/** Commands run in a sandbox; not yet, so the preset `workspace` asks for them. */
export const surroundings = { sandbox: false } as const;

export async function policyFor(
  workspace: string,
  asked: PolicyInput | undefined,
  fallback: PolicyInput,
  onWarning: (text: string) => void,
): Promise<Result<Policy>> {
  const policy = resolvePolicy(asked ?? fallback, surroundings);
  const path = join(workspace, 'cairn.json');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return ok(policy);
  const project = readProject(text, path);
  if (!project.ok) return project;
  if (project.value.ignored.length > 0) onWarning(`${path}: ignored ${project.value.ignored.join(', ')}; a project may only tighten policy and planning`);
  return ok(project.value.policy === null ? policy : tighten(policy, resolvePolicy(project.value.policy, surroundings)));
}
