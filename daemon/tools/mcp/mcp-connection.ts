/** One connection to a server, from its start to its end; it is never opened again. */
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { version } from '../../../shared/version.js';
import { boundedFetch } from './bounded-fetch.js';
import { GuardedTransport, type GuardParts } from './guarded-transport.js';
import { listTools, type ToolList } from './list-tools.js';
import type { McpServerConfig } from './mcp-config.js';
import { type CallResult, callResultSchema } from './mcp-result.js';
import { within } from './within.js';

export interface ConnectionParts extends GuardParts {
  /** For programs: scrubbed already. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (words: string) => void;
}

export interface McpConnection {
  readonly isOpen: boolean;
  /** The last that a program said on standard error. */
  readonly errors: string;
  /** Until the tools are listed. Rejects when `deadline` comes first; the connection is then closed. */
  open(deadline: AbortSignal): Promise<void>;
  /** As listed at first, or again once the server said that they have changed. */
  tools(): Promise<ToolList>;
  call(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>;
  /** Rejects when the server does not answer at all any more. */
  ping(): Promise<void>;
  /** Takes no more calls, and closes once those that are under way have ended. */
  retire(): void;
  /** Resolves once nothing of it is left. */
  close(): Promise<void>;
}

/** A server that reports progress may take longer than the time of a call, but not for ever. */
const mostExtensions = 10;
/** For a server over HTTP to hear that we leave. Milliseconds. */
const farewellMs = 1_000;
const lastWordsMs = 500;

/** `workspace`: null for a server that serves all of them. `onEnd` is called once nothing of the connection is left. */
export function createConnection(
  config: McpServerConfig,
  workspace: string | null,
  parts: ConnectionParts,
  onEnd: () => void,
): McpConnection {
  const transport = transportOf(config, workspace, parts);
  // Neither sampling nor elicitation: a server gets no model and no person through us.
  const client = new Client({ name: 'cairn', version }, { capabilities: workspace === null ? {} : { roots: {} } });
  let state: 'open' | 'retired' | 'closed' = 'open';
  let calls = 0;
  let list: Promise<ToolList> | null = null;
  let closing: Promise<void> | null = null;

  if (workspace !== null) {
    const roots = [{ uri: pathToFileURL(workspace).href, name: 'workspace' }];
    client.setRequestHandler('roots/list', () => ({ roots }));
  }
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    list = null;
  });
  client.onclose = () => void close();

  async function closeAll(): Promise<void> {
    if (transport instanceof StreamableHTTPClientTransport) {
      await within(transport.terminateSession(), timeLimit(farewellMs, 'no answer')).catch(() => undefined);
    }
    await client.close().catch(() => undefined);
    await transport.close();
    onEnd();
  }

  function close(): Promise<void> {
    state = 'closed';
    return (closing ??= closeAll());
  }

  function timeLimit(ms: number, words: string): AbortSignal {
    const controller = new AbortController();
    parts.clock.after(ms, () => controller.abort(words));
    return controller.signal;
  }

  function listed(signal: AbortSignal): Promise<ToolList> {
    if (list === null) {
      const asked = within(listTools(client, { timeout: config.startMs, signal }), signal);
      list = asked;
      asked.catch(() => {
        if (list === asked) list = null;
      });
    }
    return list;
  }

  return {
    get isOpen() {
      return state === 'open';
    },
    get errors() {
      return transport instanceof GuardedTransport ? transport.errors : '';
    },
    async open(deadline) {
      try {
        await within(client.connect(transport, { timeout: config.startMs, signal: deadline }), deadline);
        await listed(deadline);
      } catch (error) {
        const closed = close();
        // What a program said last may still be on its way.
        if (!deadline.aborted) await within(closed, timeLimit(lastWordsMs, '')).catch(() => undefined);
        throw error;
      }
    },
    tools: () => listed(timeLimit(config.startMs, notInTime(config.startMs))),
    async call(name, args, { signal, onProgress }) {
      calls += 1;
      try {
        return await client.request({ method: 'tools/call', params: { name, arguments: args } }, callResultSchema, {
          signal,
          timeout: config.timeoutMs,
          resetTimeoutOnProgress: true,
          maxTotalTimeout: config.timeoutMs * mostExtensions,
          onprogress: ({ progress, total, message }) =>
            onProgress(message ?? `${progress}${total === undefined ? '' : ` of ${total}`}`),
        });
      } finally {
        calls -= 1;
        if (state === 'retired' && calls === 0) void close();
      }
    },
    async ping() {
      await client.ping({ timeout: config.startMs });
    },
    retire() {
      if (state !== 'open') return;
      state = 'retired';
      if (calls === 0) void close();
    },
    close,
  };
}

export const notInTime = (ms: number): string => `no answer within ${ms / 1_000} s`;

function transportOf(config: McpServerConfig, workspace: string | null, parts: ConnectionParts): Transport {
  if (!('command' in config)) {
    const options = { requestInit: { headers: config.headers }, fetch: boundedFetch };
    return new StreamableHTTPClientTransport(new URL(config.url), options);
  }
  const { command, args, env } = config;
  // One that serves all workspaces belongs to none of them.
  const cwd = config.cwd ?? workspace ?? parts.environment.HOME ?? '/';
  return new GuardedTransport({ command, args, cwd, env: { ...parts.environment, ...env } }, parts);
}
