/**
 * Profiles: which tools exist for a run. Decided here and enforced twice, when a run is shown its tools and again when it calls
 * one; never by a prompt.
 */
import type { Profile } from '../../shared/mission.js';
import type { ToolOffer } from '../tools/tool.js';
import { type MissionTool, type MissionToolName, missionToolNames } from './mission-tool.js';

/** What configuration declares beside the three: tools by name (`*` at the end stands for the rest of a name), and a prompt. */
export interface DeclaredProfile {
  readonly tools: readonly string[];
  readonly prompt?: string | undefined;
}
export type DeclaredProfiles = Readonly<Record<string, DeclaredProfile>>;

/** A run works at a leaf, answers a person or drafts in a chat, or holds the plan of a mission. */
export type RunRole = 'leaf' | 'chat' | 'planner';

export interface RunProfile {
  readonly name: Profile;
  readonly isSolo: boolean;
  /** The words of a declared profile; null for the three, whose prompts are the engine's. */
  readonly prompt: string | null;
  readonly missionTools: ReadonlySet<MissionToolName>;
  /** The model keeps steps of its own. */
  readonly hasSteps: boolean;
  /** Whether a tool that does something in the workspace is given to it. */
  allows(tool: { readonly name: string; readonly class: string; readonly isBuiltin: boolean }): boolean;
}

/** All that a run is given: the tools that its profile and its policy leave, and why some are missing. */
export interface RunGear extends ToolOffer {
  readonly profile: RunProfile;
  readonly missionTools: readonly MissionTool[];
}

const of = (...names: MissionToolName[]): ReadonlySet<MissionToolName> => new Set(names);

const planner: RunProfile = {
  name: 'planner',
  isSolo: false,
  prompt: null,
  missionTools: new Set(missionToolNames),
  hasSteps: false,
  // It looks and does nothing: no command, no tool of another server, whatever the policy allows a worker.
  allows: (tool) => tool.isBuiltin && tool.class === 'safe',
};

const worker: RunProfile = {
  name: 'worker',
  isSolo: false,
  prompt: null,
  missionTools: of('mission_report', 'mission_ask_attention'),
  hasSteps: true,
  allows: () => true,
};

const solo: RunProfile = {
  name: 'solo',
  isSolo: true,
  prompt: null,
  missionTools: of('mission_plan', 'mission_report', 'mission_ask_attention', 'mission_expand', 'mission_finish'),
  hasSteps: true,
  allows: () => true,
};

/** The profile of a run of a session: a declared one for all its runs; otherwise leaves are worked at, and the rest is planned. */
export function profileOf(name: Profile, role: RunRole, declared: DeclaredProfiles): RunProfile {
  const own = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (own !== undefined) return fromDeclared(name, own);
  if (role === 'leaf') return worker;
  return name === 'solo' ? solo : planner;
}

function fromDeclared(name: Profile, { tools, prompt }: DeclaredProfile): RunProfile {
  const has = (tool: string): boolean =>
    tools.some((pattern) => (pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : pattern === tool));
  return {
    name,
    isSolo: false,
    prompt: prompt ?? null,
    missionTools: new Set(missionToolNames.filter(has)),
    hasSteps: has('plan'),
    allows: (tool) => has(tool.name),
  };
}
