/** What the screen wants done, done: one function for each `Cmd`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../shared/client.js';
import { ConnectionLost } from '../shared/client.js';
import { RpcError, unreachable } from '../shared/errors.js';
import type { HomeFiles } from '../shared/paths.js';
import type { DaemonStatus } from '../shared/session.js';
import { connect, connectIfRunning, OtherProtocol } from './connect.js';
import type { Answered, Call, Cmd, Msg, Refused } from './core/message.js';
import { type EditedText, editText, keepText } from './edit-text.js';
import { findLocalServers } from './local-servers.js';
import type { Screen } from './screen.js';

type Dispatch = (msg: Msg) => void;

export interface Performing {
  readonly screen: Screen;
  readonly files: HomeFiles;
  readonly environment: NodeJS.ProcessEnv;
  /** A client that is connected already. */
  readonly client: Client | null;
  readonly onStart: ((pid: number) => void) | undefined;
  /** Takes the guard of the terminal off while another program has it; gives what puts it back. */
  pauseGuard(): () => void;
  /**
   * `kept`: files with what could not go where it was meant for. `whyNoDaemon`: what was told, if none was there at any time;
   * null otherwise.
   */
  onLeave(next: 'nothing' | 'demo', kept: readonly string[], whyNoDaemon: string | null): void;
}

export interface Performer {
  perform(cmd: Cmd, dispatch: Dispatch): void;
  /** Takes up the connection that is there, or makes one. */
  begin(dispatch: Dispatch): void;
  close(): void;
}

/** How long a terminal may take what was written to it before another program has it. */
const drainMs = 5_000;
/** Where nobody could continue us (no shell above), a stop does nothing, and the screen comes back after this. */
const stopMs = 50;

export function createPerformer(parts: Performing): Performer {
  let { client } = parts;
  let isClosed = false;
  let hasMetDaemon = false;
  /** What was told last of why there is no daemon. */
  let whyNoDaemon: string | null = null;
  /** Why none could be started, for as long as none answers: a look whether one runs by now knows no better. */
  let whyNotStarted: string | null = null;
  /** The one try to connect that is under way. */
  let attempt = new AbortController();
  const kept: string[] = [];
  let onDrained: () => void = () => undefined;
  parts.screen.onDrain(() => onDrained());

  return {
    begin(dispatch) {
      if (client === null) void connectAfter({ type: 'connect', start: true, delayMs: 0 }, dispatch);
      else void greet(client, dispatch);
    },
    perform(cmd, dispatch) {
      switch (cmd.type) {
        case 'call':
          void send(cmd, dispatch);
          return;
        case 'connect':
          void connectAfter(cmd, dispatch);
          return;
        case 'findServers':
          void findLocalServers().then((servers) => dispatch({ type: 'serversFound', servers }));
          return;
        case 'editText':
          void edit(cmd, dispatch);
          return;
        case 'keepText':
          keep(cmd, dispatch);
          return;
        case 'suspend':
          void suspend();
          return;
        case 'leave':
          parts.onLeave(cmd.next, kept, hasMetDaemon ? null : whyNoDaemon);
          return;
        default:
          unreachable(cmd);
      }
    },
    close() {
      isClosed = true;
      attempt.abort();
      client?.close();
    },
  };

  async function send(call: Call, dispatch: Dispatch): Promise<void> {
    const { method, params, purpose } = call;
    try {
      if (client === null) throw new ConnectionLost('The daemon does not answer');
      // The union of all calls: each method goes with its own params.
      const result = await client.call(method, params);
      dispatch({ type: 'answered', method, params, purpose, result } as Answered);
    } catch (error) {
      dispatch({ type: 'refused', call, error: toRefused(error) });
    }
  }

  async function connectAfter({ start, delayMs }: Extract<Cmd, { type: 'connect' }>, dispatch: Dispatch): Promise<void> {
    // A later wish replaces an earlier one: each that fails brings the next, and they must not become more.
    attempt.abort();
    attempt = new AbortController();
    const { signal } = attempt;
    await delay(delayMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || client !== null) return;
    const onStart = (pid: number): void => {
      parts.onStart?.(pid);
      if (!signal.aborted) dispatch({ type: 'starting' });
    };
    let found: Client | null;
    try {
      found = start
        ? await connect(parts.files, parts.environment, { onStart, signal })
        : await connectIfRunning(parts.files, signal);
    } catch (error) {
      if (signal.aborted) return;
      // Of whatever kind: without a daemon the screen goes on.
      const reason = error instanceof Error ? error.message : String(error);
      const isOther = error instanceof OtherProtocol;
      if (start && !isOther) whyNotStarted = reason;
      tellNoDaemon(reason, isOther, dispatch);
      return;
    }
    if (signal.aborted) found?.close();
    else if (found === null) tellNoDaemon(whyNotStarted ?? 'None is running.', false, dispatch);
    else await greet(found, dispatch);
  }

  function tellNoDaemon(reason: string, otherProtocol: boolean, dispatch: Dispatch): void {
    whyNoDaemon = reason;
    dispatch({ type: 'notConnected', reason, otherProtocol });
  }

  async function greet(found: Client, dispatch: Dispatch): Promise<void> {
    client = found;
    found.on('session.changed', (change) => dispatch({ type: 'changed', change }));
    found.on('run.output', (output) => dispatch({ type: 'output', output }));
    found.onClose((reason) => {
      if (client !== found) return;
      client = null;
      if (!isClosed) dispatch({ type: 'lost', reason });
    });
    let daemon: DaemonStatus;
    try {
      daemon = await found.call('daemon.status', {});
    } catch (error) {
      // One that went away has been told of.
      if (client !== found) return;
      client = null;
      found.close();
      const { message, hint } = toRefused(error);
      tellNoDaemon(hint === null ? message : `${message}\n${hint}`, false, dispatch);
      return;
    }
    if (client !== found) return;
    hasMetDaemon = true;
    whyNotStarted = null;
    dispatch({ type: 'connected', daemon });
  }

  async function edit({ sessionId, itemId, base, text }: Extract<Cmd, { type: 'editText' }>, dispatch: Dispatch): Promise<void> {
    const edited = await editElsewhere(text);
    if (isClosed) return;
    parts.screen.resume();
    if (edited.outcome === 'failed') dispatch({ type: 'editFailed', reason: edited.reason });
    else if (edited.outcome === 'changed') dispatch({ type: 'textEdited', sessionId, itemId, base, text: edited.text });
  }

  /** In the editor, with the terminal to itself; the screen is left suspended. */
  async function editElsewhere(text: string): Promise<EditedText> {
    parts.screen.suspend();
    if (!(await isDrained())) return { outcome: 'failed', reason: 'The terminal takes nothing just now: no editor was opened.' };
    const putBack = parts.pauseGuard();
    try {
      return await editText(text, parts.environment);
    } finally {
      putBack();
    }
  }

  /** Whether the terminal has taken what was written to it, within a while: before that it is nobody else's. */
  async function isDrained(): Promise<boolean> {
    if (parts.screen.isBackedUp) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainMs);
        onDrained = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return !parts.screen.isBackedUp;
  }

  function keep({ text, reason }: Extract<Cmd, { type: 'keepText' }>, dispatch: Dispatch): void {
    try {
      const path = keepText(text);
      kept.push(path);
      dispatch({ type: 'editFailed', reason: `${reason}\nWhat you wrote is in\n${path}` });
    } catch (error) {
      dispatch({ type: 'editFailed', reason: `${reason}\nIt could not be kept: ${(error as Error).message}\n${text}` });
    }
  }

  /** Stops the whole job, as Ctrl-z at a shell does; goes on here when it is continued. */
  async function suspend(): Promise<void> {
    parts.screen.suspend();
    // One that takes nothing for so long may be what is to be got away from.
    await isDrained();
    if (isClosed) return;
    process.kill(0, 'SIGTSTP');
    setTimeout(() => parts.screen.resume(), stopMs);
  }
}

function toRefused(error: unknown): Refused {
  if (error instanceof RpcError) {
    const { hint, currentVersion } = error.data;
    return { kind: error.kind, message: error.message, hint: hint ?? null, currentVersion: currentVersion ?? null };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ConnectionLost) return { kind: 'connection_lost', message, hint: null, currentVersion: null };
  return { kind: 'internal_error', message, hint: null, currentVersion: null };
}
