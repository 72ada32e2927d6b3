/** What the screen wants done, done: one function for each `Cmd`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../shared/client.js';
import { ConnectionLost } from '../shared/client.js';
import { RpcError, unreachable } from '../shared/errors.js';
import type { HomeFiles } from '../shared/paths.js';
import { connect, connectIfRunning, NoDaemon, OtherProtocol } from './connect.js';
import type { Answered, Call, Cmd, Msg, Refused } from './core/message.js';
import { editText, keepText } from './edit-text.js';
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
  /** `kept`: files with what could not go where it was meant for. */
  onLeave(next: 'nothing' | 'demo', kept: readonly string[]): void;
}

export interface Performer {
  perform(cmd: Cmd, dispatch: Dispatch): void;
  /** Takes up the connection that is there, or makes one. */
  begin(dispatch: Dispatch): void;
  close(): void;
}

export function createPerformer(parts: Performing): Performer {
  let { client } = parts;
  let isClosed = false;
  /** The one try to connect that is under way. */
  let attempt = new AbortController();
  const kept: string[] = [];

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
          suspend();
          return;
        case 'leave':
          parts.onLeave(cmd.next, kept);
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
    try {
      await delay(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted || client !== null) return;
      const found = start
        ? await connect(parts.files, parts.environment, { onStart: parts.onStart, signal })
        : await connectIfRunning(parts.files, signal);
      if (signal.aborted) found?.close();
      else if (found === null) dispatch({ type: 'notConnected', reason: 'None is running.', otherProtocol: false });
      else await greet(found, dispatch);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NoDaemon) && !(error instanceof ConnectionLost)) throw error;
      dispatch({ type: 'notConnected', reason: error.message, otherProtocol: error instanceof OtherProtocol });
    }
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
    const daemon = await found.call('daemon.status', {}).catch(() => null);
    if (daemon !== null && client === found) dispatch({ type: 'connected', daemon });
  }

  async function edit({ sessionId, itemId, base, text }: Extract<Cmd, { type: 'editText' }>, dispatch: Dispatch): Promise<void> {
    parts.screen.suspend();
    const putBack = parts.pauseGuard();
    const edited = await editText(text, parts.environment);
    putBack();
    if (isClosed) return;
    parts.screen.resume();
    if (edited.outcome === 'failed') dispatch({ type: 'editFailed', reason: edited.reason });
    else if (edited.outcome === 'changed') dispatch({ type: 'textEdited', sessionId, itemId, base, text: edited.text });
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
  function suspend(): void {
    parts.screen.suspend();
    process.kill(0, 'SIGTSTP');
    // Where nobody could continue us (no shell above), the signal does nothing, and the screen comes straight back.
    setTimeout(() => parts.screen.resume(), 50);
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
