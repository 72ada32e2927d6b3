/** One server: started when it is needed, its tools listed, its calls made; started again after it has ended. */
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport, type Tool as ServerTool, type Transport } from '@modelcontextprotocol/client';
import { version } from '../../../shared/version.js';
import type { Tool, ToolContext } from '../tool.js';
import { GuardedTransport, type GuardParts } from './guarded-transport.js';
import type { McpServerConfig } from './mcp-config.js';
import { NotReached, toTool } from './mcp-tool.js';

export interface McpServerParts extends GuardParts {
  /** For programs: scrubbed already. */
  readonly environment: Readonly<Record<string, string>>;
  readonly redact: (text: string) => string;
}

export interface McpServer {
  /** Its tools; in words for people, why there are none. Never takes longer than its `startMs`. */
  tools(signal: AbortSignal): Promise<{ readonly tools: readonly Tool[]; readonly problem: string | null }>;
  stop(): Promise<void>;
}

interface Connection {
  readonly client: Client;
  readonly transport: Transport;
  tools: readonly Tool[] | null;
}

const mostTools = 64;
/** After a failed start, until the next one is tried; doubled each time. Milliseconds. */
const backOffMs = { first: 5_000, most: 300_000 } as const;

export function createMcpServer(name: string, config: McpServerConfig, workspace: string, parts: McpServerParts): McpServer {
  let connection: Promise<Connection> | null = null;
  let failures = 0;
  let notBefore = 0;
  let lastProblem = '';

  function connect(): Promise<Connection> {
    const opening = open();
    connection = opening;
    return opening;
  }

  async function open(): Promise<Connection> {
    const transport = transportOf(config, workspace, parts);
    const client = new Client({ name: 'cairn', version }, { capabilities: { roots: {} } });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(workspace).href, name: 'workspace' }] }));
    const opened: Connection = { client, transport, tools: null };
    client.setNotificationHandler('notifications/tools/list_changed', () => void (opened.tools = null));
    client.onclose = () => {
      connection = null;
    };
    try {
      await client.connect(transport, { timeout: config.startMs });
      return opened;
    } catch (error) {
      connection = null;
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
      const said = transport instanceof GuardedTransport ? transport.errors : '';
      throw new Error([messageOf(error), said].filter((text) => text !== '').join(': '), { cause: error });
    }
  }

  async function list(opened: Connection): Promise<readonly Tool[]> {
    if (opened.tools !== null) return opened.tools;
    const described: ServerTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await opened.client.listTools(cursor === undefined ? {} : { cursor }, { timeout: config.startMs });
      described.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined && described.length < mostTools);
    const wanted = described.filter((tool) => config.tools === undefined || config.tools.includes(tool.name));
    const tools = wanted.slice(0, mostTools).map((tool) => toTool(name, tool, config.trusted, call));
    opened.tools = [...new Map(tools.map((tool) => [tool.name, tool])).values()];
    return opened.tools;
  }

  async function call(tool: string, args: Record<string, unknown>, context: ToolContext) {
    const opened = await (connection ?? connect()).catch((error: unknown) => {
      throw new NotReached(messageOf(error));
    });
    return opened.client.callTool(
      { name: tool, arguments: args },
      {
        signal: context.signal,
        timeout: config.timeoutMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: config.timeoutMs * 10,
        onprogress: ({ progress, total, message }) =>
          context.onOutput(`${parts.redact(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`)}\n`),
      },
    );
  }

  return {
    async tools(signal) {
      if (connection === null && parts.clock.monotonic() < notBefore) return { tools: [], problem: lastProblem };
      const started = (async () => list(await (connection ?? connect())))();
      try {
        const tools = await within(started, config.startMs, signal, parts);
        failures = 0;
        return { tools, problem: null };
      } catch (error) {
        failures += 1;
        notBefore = parts.clock.monotonic() + Math.min(backOffMs.most, backOffMs.first * 2 ** (failures - 1));
        lastProblem = `The MCP server ${name} is not there, so its tools are missing: ${parts.redact(messageOf(error)).slice(0, 500)}`;
        started.catch(() => undefined);
        return { tools: [], problem: lastProblem };
      }
    },
    async stop() {
      const opened = await connection?.catch(() => null);
      await opened?.client.close().catch(() => undefined);
    },
  };
}

function transportOf(config: McpServerConfig, workspace: string, parts: McpServerParts): Transport {
  if (!('command' in config)) {
    return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: config.headers } });
  }
  const { command, args, cwd = workspace } = config;
  return new GuardedTransport({ command, args, cwd, env: { ...parts.environment, ...config.env } }, parts);
}

/** The promise, or a failure when it takes too long or the run is stopped. */
async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal, { clock }: GuardParts): Promise<T> {
  let cancel = (): void => undefined;
  let stop = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(ms, () => reject(new Error(`no answer within ${ms / 1000} s`)));
    stop = () => reject(new Error('stopped'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
