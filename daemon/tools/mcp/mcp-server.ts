/** One server: started when it is needed, its tools listed, its calls made; started again after it has ended. */
import type { ToolContext, ToolOffer, ToolResult } from '../tool.js';
import type { ToolList } from './list-tools.js';
import type { McpServerConfig } from './mcp-config.js';
import { type ConnectionParts, createConnection, type McpConnection, notInTime } from './mcp-connection.js';
import { failureOf, isTimeout, NotSent } from './mcp-failure.js';
import type { ServerFacts } from './mcp-tool.js';
import { toResult } from './mcp-result.js';
import { cleanWords, messageOf } from './mcp-words.js';
import { offerTools } from './offer-tools.js';
import { within } from './within.js';

export interface McpServerParts extends ConnectionParts {
  readonly redact: (text: string) => string;
}

export interface McpServerStatus {
  readonly name: string;
  /** Null for a server that serves all workspaces. */
  readonly workspace: string | null;
  /** `idle`: nobody needed it yet, or it has ended and starts again at its next use. */
  readonly state: 'off' | 'idle' | 'starting' | 'ready' | 'failed';
  /** How many are offered; null while that is not known. */
  readonly tools: number | null;
  /** In words for people; empty when all is well. */
  readonly problems: readonly string[];
}

export interface McpServer {
  /** Its tools, and in words for people what is wrong with it or them. Never takes longer than its `startMs`. */
  tools(signal: AbortSignal): Promise<ToolOffer>;
  status(): McpServerStatus;
  stop(): Promise<void>;
}

/** After a failed start, until the next one is tried; doubled each time. Milliseconds. */
const backOffMs = { first: 5_000, most: 300_000 } as const;
const longestCause = 500;
const longestProgress = 500;

/** `config` is that of the workspace; `workspace` is null for a server that serves all of them. */
export function createMcpServer(
  name: string,
  config: McpServerConfig,
  workspace: string | null,
  parts: McpServerParts,
): McpServer {
  const { clock } = parts;
  const ending = new AbortController();
  /** All that were not closed yet: the current one, and those that still end. */
  const connections = new Set<McpConnection>();
  let current: McpConnection | null = null;
  let opening: Promise<McpConnection> | null = null;
  /** Of the last start; null when it went well. */
  let cause: string | null = null;
  let failures = 0;
  let notBefore = 0;
  let offered: { readonly list: ToolList; readonly offer: ToolOffer } | null = null;
  const facts: ServerFacts = { name, trusted: config.trusted, call };

  function fail(error: unknown, said: string): Error {
    failures += 1;
    notBefore = clock.monotonic() + Math.min(backOffMs.most, backOffMs.first * 2 ** (failures - 1));
    const words = [messageOf(error), said].filter((text) => text !== '').join(': ');
    cause = cleanWords(parts.redact(words), longestCause);
    return new Error(cause);
  }

  /** The open one, or a new one; starts at the same time are one start. */
  function connection(): Promise<McpConnection> {
    if (ending.signal.aborted) return Promise.reject(new Error('the daemon is stopping'));
    if (current?.isOpen === true) return Promise.resolve(current);
    if (opening !== null) return opening;
    if (cause !== null && clock.monotonic() < notBefore) return Promise.reject(new Error(cause));
    opening = open().finally(() => (opening = null));
    return opening;
  }

  async function open(): Promise<McpConnection> {
    const opened = createConnection(config, workspace, parts, () => connections.delete(opened));
    connections.add(opened);
    const deadline = new AbortController();
    const cancel = clock.after(config.startMs, () => deadline.abort(notInTime(config.startMs)));
    const stop = (): void => deadline.abort('the daemon is stopping');
    ending.signal.addEventListener('abort', stop, { once: true });
    try {
      await opened.open(deadline.signal);
      current = opened;
      failures = 0;
      cause = null;
      return opened;
    } catch (error) {
      throw fail(error, opened.errors);
    } finally {
      cancel();
      ending.signal.removeEventListener('abort', stop);
    }
  }

  async function listed(opened: McpConnection): Promise<ToolList> {
    try {
      return await opened.tools();
    } catch (error) {
      // Of several that wait for the same list, the first counts the failure.
      if (current !== opened || !opened.isOpen) throw new Error(cause ?? messageOf(error), { cause: error });
      current = null;
      void opened.close();
      throw fail(error, opened.errors);
    }
  }

  async function call(tool: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolResult> {
    const onProgress = (words: string): void => context.onOutput(`${words.slice(0, longestProgress)}\n`);
    for (let mayRepeat = true; ; mayRepeat = false) {
      const isNew = current?.isOpen !== true;
      const opened = await within(connection(), context.signal).catch((error: unknown) => {
        throw new NotSent(messageOf(error), { cause: error });
      });
      try {
        const result = await opened.call(tool, args, { signal: context.signal, onProgress });
        return await toResult(result, { folder: context.outputFolder, newId: parts.newId, redact: parts.redact });
      } catch (error) {
        if (!context.signal.aborted) settle(opened, error);
        if (failureOf(error) === 'stale' && !isNew && mayRepeat && !context.signal.aborted) continue;
        throw isTimeout(error) ? new Error(notInTime(config.timeoutMs), { cause: error }) : error;
      }
    }
  }

  /** What a failed call says about the connection. */
  function settle(opened: McpConnection, error: unknown): void {
    const failure = failureOf(error);
    if (failure === 'answered' || failure === 'refused') return;
    if (isTimeout(error)) {
      // Slow, or gone: one that does not even answer this is started anew at its next use.
      opened.ping().catch(() => void opened.close());
      return;
    }
    // A server over HTTP that was restarted does not say so: it only knows us no more.
    if (failure === 'stale' || 'url' in config) opened.retire();
  }

  const missing = (): string => `The MCP server ${name} is not there, so its tools are missing: ${cause ?? 'it has ended'}`;

  return {
    async tools(signal) {
      try {
        const opened = await within(connection(), signal);
        const list = await within(listed(opened), signal);
        if (offered?.list !== list) offered = { list, offer: offerTools(facts, config, list) };
        return offered.offer;
      } catch {
        return { tools: [], problems: signal.aborted ? [] : [missing()] };
      }
    },
    status() {
      const isReady = current?.isOpen === true;
      const state = isReady ? 'ready' : opening !== null ? 'starting' : cause !== null ? 'failed' : 'idle';
      return {
        name,
        workspace,
        state,
        tools: isReady ? (offered?.offer.tools.length ?? null) : null,
        problems: isReady ? (offered?.offer.problems ?? []) : cause === null ? [] : [missing()],
      };
    },
    async stop() {
      ending.abort();
      await opening?.catch(() => undefined);
      await Promise.all([...connections].map((one) => one.close()));
    },
  };
}
