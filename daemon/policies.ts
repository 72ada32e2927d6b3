/** What a session may do: the policy that was asked for, and the workspace's own `cairn.json`, which can only tighten it. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, refuse, type Result } from '../shared/errors.js';
import type { Policy, PolicyInput } from '../shared/mission.js';
import type { Config } from './config.js';
import { readProject, withoutProject, type Project, type ProjectSettings } from './project-settings.js';
import { confinementOf, resolvePolicy, tighten } from './tools/policy.js';

const projectFile = 'cairn.json';
const longestProjectFile = 256 * 1024;

type Warn = (text: string) => void;

/**
 * `above`: that of the session that fires it, which can only be tightened. `asked`: in place of the policy of the configuration, whose budget counts where none is asked for. Refuses when the
 * project's file cannot be understood.
 */
export async function policyFor(
  workspace: string,
  asked: PolicyInput | undefined,
  config: Config,
  onWarning: Warn,
  above: Policy | null = null,
): Promise<Result<Policy>> {
  const project = await projectIn(workspace, config, onWarning);
  if (!project.ok) return project;
  if (above !== null) return ok(tightenByProject(belowPolicy(above, asked), project.value));
  const policy = resolvePolicy(asked ?? config.policy);
  const budget = policy.budget ?? config.budget;
  return ok(tightenByProject(budget === undefined ? policy : { ...policy, budget }, project.value));
}

/**
 * Of a session below another: what that may do, and no more. Its budget is only its own, since what it spends counts against
 * that of the one above as well.
 */
function belowPolicy(above: Policy, asked: PolicyInput | undefined): Policy {
  const { budget: _above, ...rules } = above;
  if (asked === undefined) return rules;
  const own = resolvePolicy(asked);
  const { budget: _both, ...both } = tighten(rules, own);
  return own.budget === undefined ? both : { ...both, budget: own.budget };
}

/**
 * What else holds in a workspace: turns, steps, budget of an item and so on. Read when a session is made and when a run starts,
 * so an edit counts from the next run on. Refuses as `policyFor` does.
 */
export async function settingsFor(workspace: string, config: Config, onWarning: Warn): Promise<Result<ProjectSettings>> {
  const project = await projectIn(workspace, config, onWarning);
  return project.ok ? ok(project.value.settings) : project;
}

async function projectIn(workspace: string, config: Config, onWarning: Warn): Promise<Result<Project>> {
  const path = join(workspace, projectFile);
  const text = await readProjectFile(path);
  if (!text.ok) return text;
  if (text.value === null) return ok(withoutProject(config));
  const project = readProject(text.value, path, config);
  if (project.ok) for (const warning of project.value.warnings) onWarning(warning);
  return project;
}

/** Changes nothing: what a project adds to it is all that it asks for. */
const nothing: Policy = { default: 'allow', rules: [], sandbox: false, network: true };

function tightenByProject(policy: Policy, { policy: own, budget, asksForSandbox }: Project): Policy {
  const parts: Policy[] = [];
  if (own !== null) parts.push(resolvePolicy(own));
  if (Object.keys(budget).length > 0) parts.push({ ...nothing, budget });
  // A sandbox that the project wants and that there is not: somebody is asked instead.
  if (asksForSandbox) {
    parts.push({ ...nothing, sandbox: true, rules: [{ tool: 'shell', when: { sandboxed: false }, action: 'ask' }] });
  }
  return parts.reduce(tighten, policy);
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

/** What holds for a run of a session, read when it is taken up. `isConfined`: commands really run in a sandbox where the policy says so. */
export function runLimits(config: Config, isConfined: boolean, onWarning: Warn) {
  /** The rules that a session was made with hold on; of a file that cannot be read any more, only the limits are the daemon's own. */
  const holdsIn = async (session: RunSession): Promise<ProjectSettings> => {
    const project = await settingsFor(session.workspace, config, onWarning);
    if (project.ok) return project.value;
    onWarning(project.error.message);
    return withoutProject(config).settings;
  };
  return {
    settingsFor: async (session: RunSession) => {
      const { planning, turns, leafBudget, contextTokens } = await holdsIn(session);
      return {
        planning: session.planning && planning.enabled ? planning : null,
        maxTurns: turns,
        leafBudget,
        contextTokens,
        confinement: isConfined ? confinementOf(session.policy) : null,
      };
    },
    timeoutFor: async (session: RunSession): Promise<number> => (await holdsIn(session)).shellTimeoutMs,
  };
}

interface RunSession {
  readonly workspace: string;
  readonly planning: boolean;
  readonly policy: Policy;
}
