/** All configured servers: what tools they give to a run in a workspace. A dead or slow one is said, and stops nothing. */
import type { ToolOffer } from '../tool.js';
import { forWorkspace, isPerWorkspace, type McpServerConfig, type McpServersConfig } from './mcp-config.js';
import { createMcpServer, type McpServer, type McpServerParts, type McpServerStatus } from './mcp-server.js';

export interface McpServers {
  /** Starts what is not running yet, side by side: takes no longer than the slowest start may. */
  toolsFor(workspace: string, signal: AbortSignal): Promise<ToolOffer>;
  /** Of each configured server, and of each workspace where those have their own. */
  status(): readonly McpServerStatus[];
  stop(): Promise<void>;
}

export function createMcpServers(servers: McpServersConfig, parts: McpServerParts): McpServers {
  /** By name, then by workspace. */
  const running = new Map<string, Map<string | null, McpServer>>();
  const all = Object.entries(servers);

  function serverFor(name: string, config: McpServerConfig, session: string): McpServer {
    const workspace = isPerWorkspace(config) ? session : null;
    const ofName = running.get(name) ?? new Map<string | null, McpServer>();
    running.set(name, ofName);
    const known = ofName.get(workspace);
    if (known !== undefined) return known;
    const server = createMcpServer(name, workspace === null ? config : forWorkspace(config, workspace), workspace, parts);
    ofName.set(workspace, server);
    return server;
  }

  return {
    async toolsFor(workspace, signal) {
      const enabled = all.filter(([, config]) => config.enabled);
      const offers = await Promise.all(enabled.map(([name, config]) => serverFor(name, config, workspace).tools(signal)));
      return { tools: offers.flatMap(({ tools }) => tools), problems: offers.flatMap(({ problems }) => problems) };
    },
    status: () =>
      all.flatMap(([name, { enabled }]) => {
        const known = [...(running.get(name)?.values() ?? [])].map((server) => server.status());
        return known.length > 0 ? known : [untouched(name, enabled)];
      }),
    async stop() {
      await Promise.all([...running.values()].flatMap((ofName) => [...ofName.values()].map((server) => server.stop())));
    },
  };
}

/** A server that nobody has needed yet. */
const untouched = (name: string, enabled: boolean): McpServerStatus => ({
  name,
  workspace: null,
  state: enabled ? 'idle' : 'off',
  tools: null,
  problems: [],
});
