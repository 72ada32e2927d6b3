/** What a session may do: the policy that was asked for, and the workspace's own `cairn.json`, which can only tighten it. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, refuse, type Result } from '../shared/errors.js';
import type { Policy, PolicyInput } from '../shared/mission.js';
import { readProject } from './config.js';
import { resolvePolicy, tighten } from './tools/policy.js';

const projectFile = 'cairn.json';
const longestProjectFile = 256 * 1024;
const namedKeys = 10;

/** `asked`: in place of `fallback`, which the configuration gives. Refuses when the project's file cannot be understood. */
export async function policyFor(
  workspace: string,
  asked: PolicyInput | undefined,
  fallback: PolicyInput,
  onWarning: (text: string) => void,
): Promise<Result<Policy>> {
  const policy = resolvePolicy(asked ?? fallback);
  const path = join(workspace, projectFile);
  const text = await readProjectFile(path);
  if (!text.ok) return text;
  if (text.value === null) return ok(policy);
  const project = readProject(text.value, path);
  if (!project.ok) return project;
  const { ignored, policy: own } = project.value;
  if (ignored.length > 0) {
    const names = ignored.slice(0, namedKeys).map((key) => key.slice(0, 40));
    onWarning(
      `${path}: ignored ${names.join(', ')}${ignored.length > namedKeys ? ', …' : ''}; a project may only tighten the policy`,
    );
  }
  return ok(own === null ? policy : tighten(policy, resolvePolicy(own)));
}

/** Null when there is none. One that is there and cannot be read is refused: without it the session would be allowed more. */
async function readProjectFile(path: string): Promise<Result<string | null>> {
  try {
    // A repository can hold a link to a device that never ends.
    const facts = await lstat(path);
    if (!facts.isFile() || facts.size > longestProjectFile) {
      return unreadable(path, `it is not a plain file of at most ${longestProjectFile} bytes`);
    }
    return ok(await readFile(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? ok(null) : unreadable(path, message);
  }
}

function unreadable(path: string, why: string): Result<never> {
  return refuse('invalid_params', `${path} cannot be read: ${why}.`, {
    hint: 'It may tighten the policy, so nothing runs without it.',
  });
}
