/** Real MCP servers under a real manager, on folders that are removed after the test. */
import { onTestFinished } from 'vitest';
import { newId, systemClock } from '../../daemon/clock.js';
import { mcpServersSchema } from '../../daemon/tools/mcp/mcp-config.js';
import { createMcpServers, type McpServers } from '../../daemon/tools/mcp/mcp-servers.js';
import { scrubEnvironment } from '../../daemon/tools/process/environment.js';
import type { Tool, ToolContext, ToolOffer, ToolResult } from '../../daemon/tools/tool.js';
import { makeFolder } from './command-support.js';

export const bin = (name: string): string => new URL(`../../node_modules/.bin/${name}`, import.meta.url).pathname;

/** Configuration of a server that misbehaves in that manner. */
export const bad = (manner: string, more: object = {}): object => ({
  command: process.execPath,
  args: [new URL('mcp-bad-server.mjs', import.meta.url).pathname, manner],
  startMs: 5_000,
  ...more,
});

export interface McpBench {
  readonly servers: McpServers;
  readonly home: string;
  readonly workspace: string;
  readonly outputFolder: string;
  offer(workspace?: string): Promise<ToolOffer>;
  /** Calls a tool of the offer. */
  run(offer: ToolOffer, name: string, args?: object, changes?: Partial<ToolContext>): Promise<ToolResult>;
}

export function makeMcpBench(servers: object, redact: (text: string) => string = (text) => text): McpBench {
  const [home, workspace, outputFolder] = [makeFolder(), makeFolder(), makeFolder()];
  const made = createMcpServers(mcpServersSchema.parse(servers), {
    home,
    clock: systemClock,
    newId,
    environment: scrubEnvironment(process.env),
    redact,
  });
  onTestFinished(() => made.stop());
  return {
    servers: made,
    home,
    workspace,
    outputFolder,
    offer: (where = workspace) => made.toolsFor(where, new AbortController().signal),
    run: (offer, name, args = {}, changes = {}) =>
      toolOf(offer, name).run(args, {
        workspace,
        outputFolder,
        signal: new AbortController().signal,
        commands: { run: () => Promise.reject(new Error('no commands')) },
        onOutput: () => undefined,
        ...changes,
      }),
  };
}

export function toolOf({ tools }: ToolOffer, name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no ${name} among ${namesOf({ tools }).join(', ')}`);
  return tool;
}

export const namesOf = ({ tools }: Pick<ToolOffer, 'tools'>): string[] => tools.map(({ name }) => name);
