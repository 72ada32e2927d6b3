/** What a run is given: the tools that exist, as far as its profile has them and the session's policy leaves them to a model. */
import type { SessionRecord } from '../store/store.js';
import type { Tool, ToolOffer } from '../tools/tool.js';
import { missionTools } from './mission-tools.js';
import { type DeclaredProfiles, profileOf, type RunGear, type RunRole } from './profiles.js';

export interface GearParts {
  readonly tools: readonly Tool[];
  /** Tools from elsewhere (MCP servers), and why some are missing. */
  readonly moreTools: (workspace: string, signal: AbortSignal) => Promise<ToolOffer>;
  /** Whether the policy leaves a tool to a model at all. */
  readonly isOffered: (session: SessionRecord, tool: Tool) => boolean;
  readonly profiles: DeclaredProfiles;
}

export type GearFor = (session: SessionRecord, role: RunRole, signal: AbortSignal) => Promise<RunGear>;

export function createGear({ tools, moreTools, isOffered, profiles }: GearParts): GearFor {
  return async (session, role, signal) => {
    const profile = profileOf(session.profile, role, profiles);
    const given = (from: readonly Tool[], isBuiltin: boolean): Tool[] =>
      from.filter((tool) => isOffered(session, tool) && profile.allows({ name: tool.name, class: tool.class, isBuiltin }));
    // A server is not even started for a run that has none of its tools.
    const more = profile.name === 'planner' ? nothingMore : await moreTools(session.workspace, signal);
    return {
      profile,
      tools: [...given(tools, true), ...given(more.tools, false)],
      problems: more.problems,
      missionTools: missionTools.filter((tool) => profile.missionTools.has(tool.name)),
    };
  };
}

const nothingMore: ToolOffer = { tools: [], problems: [] };
