/** All configured servers: what tools they give to a run in a workspace. A dead or slow one is said, and stops nothing. */
import type { ToolOffer } from '../tool.js';
import { forWorkspace, isPerWorkspace, type McpServersConfig } from './mcp-config.js';
import { createMcpServer, type McpServer, type McpServerParts } from './mcp-server.js';

export interface McpServers {
  toolsFor(workspace: string, signal: AbortSignal): Promise<ToolOffer>;
  stop(): Promise<void>;
}

export function createMcpServers(servers: McpServersConfig, parts: McpServerParts): McpServers {
  const running = new Map<string, McpServer>();
  const enabled = Object.entries(servers).filter(([, server]) => server.enabled);

  function serverFor(name: string, workspace: string): McpServer {
    const config = servers[name] as McpServersConfig[string];
    const key = isPerWorkspace(config) ? `${name}\n${workspace}` : name;
    const known = running.get(key);
    if (known !== undefined) return known;
    const server = createMcpServer(name, forWorkspace(config, workspace), workspace, parts);
    running.set(key, server);
    return server;
  }

  return {
    async toolsFor(workspace, signal) {
      const offers = await Promise.all(enabled.map(([name]) => serverFor(name, workspace).tools(signal)));
      return {
        tools: offers.flatMap(({ tools }) => tools),
        problems: offers.flatMap(({ problem }) => problem ?? []),
      };
    },
    async stop() {
      await Promise.all([...running.values()].map((server) => server.stop()));
      running.clear();
    },
  };
}
