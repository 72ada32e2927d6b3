/** Which MCP servers there are: key `mcpServers` of the global configuration. A project cannot name any. */
import { z } from 'zod';

const common = {
  enabled: z.boolean().default(true),
  /** Of one call, in milliseconds. */
  timeoutMs: z.number().int().min(100).max(3_600_000).default(60_000),
  /** Until the server must have answered for the first time, in milliseconds. */
  startMs: z.number().int().min(100).max(120_000).default(10_000),
  /** Only these of its tools are offered; all of them without it. */
  tools: z.array(z.string().min(1)).optional(),
  /** Whether its word is believed about what its tools do (its annotations). */
  trusted: z.boolean().default(false),
};

const program = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  ...common,
});
const remote = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'an address that begins with http:// or https://' }),
  headers: z.record(z.string(), z.string()).default({}),
  ...common,
});

/** `${workspace}` in arguments, environment and folder stands for the session's workspace. */
export const mcpServersSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a short name of lower-case letters, digits and hyphens'),
  z.union([program, remote], 'either a `command` (with args, env, cwd) or a `url` (with headers)'),
);

export type McpServerConfig = z.infer<typeof program> | z.infer<typeof remote>;
export type McpServersConfig = z.infer<typeof mcpServersSchema>;

/** What is to be hidden wherever text is stored: values of environments and headers are mostly keys. */
export const secretsOf = (servers: McpServersConfig): string[] =>
  Object.values(servers).flatMap((server) => Object.values('command' in server ? server.env : server.headers));

const placeholder = '${workspace}';

/** Whether each workspace has a server of its own. */
export const isPerWorkspace = (server: McpServerConfig): boolean => JSON.stringify(server).includes(placeholder);

export function forWorkspace<S extends McpServerConfig>(server: S, workspace: string): S {
  const put = (text: string): string => text.replaceAll(placeholder, workspace);
  if (!('command' in server)) return server;
  return {
    ...server,
    command: put(server.command),
    args: server.args.map(put),
    env: Object.fromEntries(Object.entries(server.env).map(([name, value]) => [name, put(value)])),
    ...(server.cwd === undefined ? {} : { cwd: put(server.cwd) }),
  };
}
