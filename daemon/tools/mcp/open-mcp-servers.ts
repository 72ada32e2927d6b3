/** The configured servers; without any, the client's library is not even loaded: most daemons start without. */
import type { McpServersConfig } from './mcp-config.js';
import type { McpServerParts } from './mcp-server.js';
import type { McpServers } from './mcp-servers.js';

export type { McpServers } from './mcp-servers.js';

export async function openMcpServers(servers: McpServersConfig, parts: McpServerParts): Promise<McpServers> {
  if (Object.values(servers).some(({ enabled }) => enabled)) {
    const { createMcpServers } = await import('./mcp-servers.js');
    return createMcpServers(servers, parts);
  }
  return {
    toolsFor: () => Promise.resolve({ tools: [], problems: [] }),
    status: () => Object.keys(servers).map((name) => ({ name, workspace: null, state: 'off', tools: null, problems: [] })),
    stop: () => Promise.resolve(),
  };
}
