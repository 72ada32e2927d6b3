/** A whole daemon on one home: opened in order, each step refusing with what to do; stopped in the reverse. */
import { protocolVersion } from '../shared/contract.js';
import { ok, type Result } from '../shared/errors.js';
import type { HomeFiles } from '../shared/paths.js';
import type { DaemonStatus } from '../shared/session.js';
import { version } from '../shared/version.js';
import { type App, createApp } from './app.js';
import { newId, random, systemClock as clock } from './clock.js';
import { type Config, resolveConfig } from './config.js';
import { createEventsFile } from './events-file.js';
import { prepareHome, readIfThere, readToken, writeWhole } from './home.js';
import { takeLock } from './lock.js';
import { createEventLog } from './log-events.js';
import { type Logger, openLog } from './log.js';
import { createProvider } from './model.js';
import { ownFolders } from './own-folders.js';
import { policyFor, runLimits } from './policies.js';
import type { Provider } from './providers/provider.js';
import { createDispatch } from './rpc/dispatch.js';
import { createEventStreams } from './rpc/event-streams.js';
import { createHandlers } from './rpc/handlers/index.js';
import { createWatchPublisher } from './rpc/publish.js';
import { startServer } from './rpc/server.js';
import type { SessionCommands } from './runner/commands.js';
import { createRedactor, isRedacted } from './secrets/redact.js';
import { openSqliteStore } from './store/sqlite/open-store.js';
import type { Store } from './store/store.js';
import { classifyCommand } from './tools/shell-class/classify-command.js';
import { secretsOf } from './tools/mcp/mcp-config.js';
import { type McpServers, openMcpServers } from './tools/mcp/open-mcp-servers.js';
import { policyPath } from './tools/paths.js';
import { confinementOf, isOffered, judge } from './tools/policy.js';
import { createCommandRunner } from './tools/process/command-runner.js';
import { scrubEnvironment } from './tools/process/environment.js';
import { reapGuards } from './tools/process/reap-guards.js';
import { detectSandbox } from './tools/sandbox/detect-sandbox.js';
import { describeSandbox, type Sandbox } from './tools/sandbox/sandbox.js';
import { builtinTools, parseArguments, toolSchema } from './tools/tools.js';
import { treeHash } from './workspace/tree-hash.js';

export interface DaemonOptions {
  readonly files: HomeFiles;
  readonly flags: { readonly port?: number | undefined; readonly eventsFile?: string | undefined };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asked to stop by a client. */
  readonly onStopAsked: (drainMs: number | undefined) => void;
}

export interface RunningDaemon {
  readonly port: number;
  readonly log: Logger;
  stop(drainMs: number | undefined): Promise<void>;
}

const limits = { maxInFlight: 1_000, maxBatch: 100, maxInFlightOfClient: 256 } as const;

export async function startDaemon(options: DaemonOptions): Promise<Result<RunningDaemon>> {
  const { files, flags, environment } = options;
  const prepared = prepareHome(files);
  if (!prepared.ok) return prepared;
  const global = readIfThere(files.config);
  if (!global.ok) return global;
  const config = resolveConfig({ flags, environment, global: global.value });
  if (!config.ok) return config;
  const lock = takeLock(files.lock, process.pid);
  if (!lock.ok) return lock;
  const opened = await open(options, config.value);
  if (!opened.ok) lock.value.release();
  return opened.ok
    ? ok({ ...opened.value, stop: (drainMs) => opened.value.stop(drainMs).then(() => lock.value.release()) })
    : opened;
}

/** With the lock held: nobody else works on this home. */
async function open({ files, flags, environment, onStopAsked }: DaemonOptions, config: Config): Promise<Result<RunningDaemon>> {
  const startedAt = clock.iso();
  const token = readToken(files.token);
  if (!token.ok) return token;
  const redactor = createRedactor({
    environment,
    extra: [
      token.value,
      ...config.secrets,
      ...secretsOf(config.mcpServers),
      ...(config.apiKey === undefined ? [] : [config.apiKey]),
    ],
  });
  const redact = (text: string): string => redactor.redact(text);
  const opened = openLog(files.logs, config.log, redact);
  if (!opened.ok) return opened;
  const log = opened.value;
  // It runs a program: the database is opened meanwhile.
  const detecting = detectSandbox({
    platform: process.platform,
    path: environment.PATH,
    own: ownFolders(files).paths,
    enabled: config.sandbox.enabled,
    isRoot: process.getuid?.() === 0,
  });
  const store = await openSqliteStore(files.database, { clock: () => clock.now(), newId, redact });
  if (!store.ok) return store;
  const provider = await createProvider({
    config,
    redactor,
    clock,
    random,
    onRecordError: (error) => log.error({ err: error }, 'a turn could not be recorded'),
  });
  if (!provider.ok) {
    await store.value.close();
    return provider;
  }

  const sandbox = await detecting;
  if (sandbox.kind === 'none') log.warn({ reason: sandbox.reason }, describeSandbox(sandbox));
  const warnings = new Set<string>();
  const warn = (text: string): void => {
    // They quote files that are not ours, and clients are told them.
    warnings.add(redact(text));
    log.warn(text);
  };
  config.warnings.forEach(warn);
  let commands: SessionCommands | null = null;
  const liveness: SessionCommands['liveness'] = (id) =>
    commands?.liveness(id) ?? Promise.resolve({ state: 'idle', cause: 'starting', lastProgressAt: null });
  const onRpcBug = (error: unknown, method: string): void => log.error({ err: error, method }, 'bug');
  const publisher = createWatchPublisher(store.value, liveness, onRpcBug);
  const streams = createEventStreams(store.value, newId, onRpcBug);
  publisher.onCommitted(() => streams.wake());
  publisher.onCommitted(createEventLog(log, store.value));
  if (flags.eventsFile !== undefined) {
    const file = createEventsFile(flags.eventsFile, store.value, (error) => log.error({ err: error }, 'events file'));
    if (!file.ok) {
      await store.value.close();
      return file;
    }
    publisher.onCommitted(file.value.wake);
    file.value.wake();
  }

  const mcp = await openMcpServers(config.mcpServers, {
    home: files.home,
    clock,
    newId,
    environment: scrubEnvironment(environment),
    redact,
  });
  const app = appOf({
    mcp,
    files,
    sandbox,
    config,
    environment,
    store: store.value,
    provider: provider.value,
    publisher,
    redactor,
    log,
    warn,
  });
  commands = app.commands;
  await app.start();

  const describe = provider.value.describe();
  const status = async (): Promise<DaemonStatus> => ({
    version,
    protocol: protocolVersion,
    pid: process.pid,
    uptimeMs: Math.round(process.uptime() * 1000),
    home: files.home,
    store: {
      kind: store.value.kind,
      path: files.database,
      schemaVersion: store.value.schemaVersion(),
      bytes: await store.value.sizeBytes(),
    },
    provider: describe,
    counts: { ...(await store.value.counts()), clients: server.ok ? server.value.clients() : 0 },
    warnings: [...warnings],
    sandbox: { kind: sandbox.kind, words: describeSandbox(sandbox) },
  });
  const dispatch = createDispatch({
    handlers: createHandlers({
      store: store.value,
      commands,
      publisher,
      streams,
      status,
      stop: onStopAsked,
      now: () => clock.now(),
    }),
    redact,
    ...limits,
    onBug: onRpcBug,
  });
  const server = await startServer({
    dispatch,
    socketPath: files.socket,
    host: config.host,
    port: config.port,
    token: token.value,
    newId,
  });
  if (!server.ok) {
    await app.stop(0);
    await store.value.close();
    return server;
  }
  const { port } = server.value;
  const facts = { pid: process.pid, port, protocol: protocolVersion, version, startedAt };
  const announced = writeWhole(files.daemon, `${JSON.stringify(facts)}\n`);
  if (!announced.ok) {
    await app.stop(0);
    await server.value.close();
    await store.value.close();
    return announced;
  }
  log.info({ port, home: files.home, model: describe?.model ?? null }, 'ready');
  return ok({
    port,
    log,
    stop: async (drainMs) => {
      log.info('stopping');
      await app.stop(drainMs ?? config.drainMs);
      await mcp.stop();
      await server.value.close();
      await store.value.close();
      log.info('stopped');
    },
  });
}

const denied = { action: 'deny', deadlineSeconds: 0, onDeadline: 'deny' } as const;

interface AppContext extends Pick<DaemonOptions, 'files' | 'environment'> {
  readonly config: Config;
  readonly sandbox: Sandbox;
  readonly mcp: McpServers;
  readonly store: Store;
  readonly provider: Provider;
  readonly publisher: ReturnType<typeof createWatchPublisher>;
  readonly redactor: ReturnType<typeof createRedactor>;
  readonly log: Logger;
  readonly warn: (text: string) => void;
}

function appOf({ mcp, files, sandbox, config, environment, store, provider, publisher, redactor, log, warn }: AppContext): App {
  const own = ownFolders(files);
  return createApp({
    store,
    publisher,
    provider,
    redactor,
    isRedacted,
    commands: createCommandRunner({
      home: files.home,
      outputFolder: files.outputs,
      environment,
      clock,
      newId,
      redactor,
      sandbox,
    }),
    tools: builtinTools,
    toolSchema,
    parseArguments,
    canonicalPath: policyPath,
    judge: (session, wish) => {
      // Nobody's policy gives the daemon's own settings, token and store to a model, wherever the workspace begins.
      if (wish.path !== undefined && own.has(session.workspace, wish.path)) return denied;
      return judge(session.policy, wish, { sandbox: sandbox.kind !== 'none' });
    },
    isOffered: (session, tool) => isOffered(session.policy, tool.name),
    classify: classifyCommand,
    confinementOf: (session) => confinementOf(session.policy),
    moreTools: mcp.toolsFor,
    ...runLimits(config, sandbox.kind !== 'none', warn),
    contextWindow: (model) => config.contextWindows[model ?? config.model ?? ''] ?? config.contextTokens,
    onSteps: (session, ref, { state, message }) =>
      log.info(
        { sessionId: session.id, runId: ref.runId, version: state.version, characters: message.length },
        'injected context: plan',
      ),
    treeHash: (workspace, signal) => treeHash(workspace, { signal }),
    reapGuards: async () => {
      for (const reaped of await reapGuards(files.home, clock)) log.warn({ reaped }, 'ended what a dead daemon had left running');
    },
    policyFor: (workspace, asked, above) => policyFor(workspace, asked, config, warn, above),
    profiles: config.profiles,
    clock,
    random,
    newId,
    onBug: (error, sessionId) => log.error({ err: error, sessionId }, 'bug'),
    settings: {
      outputs: files.outputs,
      defaultWorkspace: process.cwd(),
      parallelSessions: config.parallelSessions,
      parallelCalls: config.parallelCalls,
      workspaceLock: config.workspaceLock,
      limits: { tries: config.tries, backoffMs: config.backoffMs, deaths: 3 },
      guards: config.guards,
      stalledAfterMs: config.provider.silenceMs,
      planning: config.planning.enabled,
    },
  });
}
