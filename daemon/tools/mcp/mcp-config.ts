/** Which MCP servers there are: key `mcpServers` of the global configuration. A project cannot name any. */
import { z } from 'zod';
import { isSecretName } from '../../domain/secret-names.js';

const common = {
  enabled: z.boolean().default(true),
  /** Of one call, in milliseconds; progress of the server begins it anew. */
  timeoutMs: z.number().int().min(100).max(3_600_000).default(60_000),
  /** Until the server must have told its tools, in milliseconds. */
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

/**
 * A name neither holds `__` nor ends in `_`: so `server__tool` can be taken apart in one way only, and a policy's rule for
 * `a__*` never means a tool of another server.
 */
const serverName = /^(?!.*__)[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9-])?$/;

/** `${workspace}` in command, arguments, environment and folder stands for the session's workspace. */
export const mcpServersSchema = z.record(
  z.string().regex(serverName, 'a short name of lower-case letters, digits, hyphens and single underscores'),
  z.union([program, remote], 'either a `command` (with args, env, cwd) or a `url` (with headers)'),
);

export type ProgramServer = z.infer<typeof program>;
export type McpServerConfig = ProgramServer | z.infer<typeof remote>;
export type McpServersConfig = z.infer<typeof mcpServersSchema>;

/**
 * What is to be hidden wherever text is stored: values of environments and headers are mostly keys. Of a header such as
 * `Bearer KEY`, the key by itself as well.
 */
export function secretsOf(servers: McpServersConfig): string[] {
  const values = Object.values(servers).flatMap((server) => Object.values('command' in server ? server.env : server.headers));
  const credentials = values.flatMap((value) => /^[A-Za-z]+\s+(\S+)$/.exec(value.trim())?.[1] ?? []);
  const around = values
    .filter((value) => value.includes(placeholder))
    .flatMap((value) => value.split(placeholder).filter((part) => part !== ''));
  const named = Object.values(servers).flatMap((server) =>
    'command' in server ? inArguments(server.args) : inAddress(server.url),
  );
  return [...values.filter((value) => !value.includes(placeholder)), ...around, ...credentials, ...named];
}

/** `--token x`, `--api-key=x`. */
const inArguments = (args: readonly string[]): string[] =>
  args.flatMap((arg, index) => {
    const [, name = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    return isSecretName(name) ? [value ?? args[index + 1] ?? ''] : [];
  });

/** The password of an address, and what its query holds under the name of a secret. */
function inAddress(address: string): string[] {
  const { password, searchParams } = new URL(address);
  const named = [...searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  return [decodeURIComponent(password), ...named].filter((value) => value !== '');
}

const placeholder = '${workspace}';

/** Whether each workspace has a server of its own. */
export function isPerWorkspace(server: McpServerConfig): boolean {
  if (!('command' in server)) return false;
  const { command, args, env, cwd = '' } = server;
  return [command, ...args, ...Object.values(env), cwd].some((text) => text.includes(placeholder));
}

export function forWorkspace<S extends McpServerConfig>(server: S, workspace: string): S {
  const put = (text: string): string => text.replaceAll(placeholder, () => workspace);
  if (!('command' in server)) return server;
  return {
    ...server,
    command: put(server.command),
    args: server.args.map(put),
    env: Object.fromEntries(Object.entries(server.env).map(([name, value]) => [name, put(value)])),
    ...(server.cwd === undefined ? {} : { cwd: put(server.cwd) }),
  };
}
