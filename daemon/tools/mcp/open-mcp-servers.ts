/** The configured servers; without any, the client's library is not even loaded: most daemons start without. */
import type { McpServersConfig } from './mcp-config.js';
import type { McpServerParts } from './mcp-server.js';
import type { McpServers } from './mcp-servers.js';

export type { McpServers } from './mcp-servers.js';

const none: McpServers = {
  toolsFor: () => Promise.resolve({ tools: [], problems: [] }),
  stop: () => Promise.resolve(),
};

export async function openMcpServers(servers: McpServersConfig, parts: McpServerParts): Promise<McpServers> {
  if (!Object.values(servers).some(({ enabled }) => enabled)) return none;
  const { createMcpServers } = await import('./mcp-servers.js');
  return createMcpServers(servers, parts);
}
