/** What happens to the client (`Msg`), and what it wants done (`Cmd`). Data both, so that every step can be told and tested. */
import type { MethodName, ParamsInput, ResultOf } from '../../shared/contract.js';
import type { ErrorKind } from '../../shared/errors.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { DaemonStatus, RunOutput, SessionChanged } from '../../shared/session.js';
import type { Intent, UndoEntry } from './plan/edits.js';
import type { Size } from './frame.js';
import type { Input } from './input/input.js';

/** A model server that answers on this machine. */
export interface LocalServer {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** What a call was made for; its answer brings it back. */
export type Purpose =
  | { readonly for: 'view' }
  /** Runs as they are by now; nothing of the conversation is read anew for them. */
  | { readonly for: 'runs' }
  /** What the planner has revised while the person looks on. */
  | { readonly for: 'revised' }
  /** Runs before those that are listed. */
  | { readonly for: 'earlier' }
  | { readonly for: 'popup' }
  /** `andThen`: edits that follow when it was done. */
  | { readonly for: 'run'; readonly andThen?: readonly Intent[] }
  | { readonly for: 'edit' }
  /** `seen`: the version of the plan when it was asked. */
  | { readonly for: 'undo'; readonly entry: UndoEntry | null; readonly seen: number }
  /** `isAgain`: an earlier try may have arrived, and its answer was not heard. */
  | { readonly for: 'say'; readonly key: string; readonly isAgain: boolean }
  | { readonly for: 'prompt' };

interface CallOf<M extends MethodName> {
  readonly type: 'call';
  readonly method: M;
  readonly params: ParamsInput<M>;
  readonly purpose: Purpose;
}

export type Call = { [M in MethodName]: CallOf<M> }[MethodName];

export type Cmd =
  | Call
  /** Connect; `start` makes a daemon where none runs. */
  | { readonly type: 'connect'; readonly start: boolean; readonly delayMs: number }
  | { readonly type: 'findServers' }
  /** Let the person edit a text in their own editor. */
  | {
      readonly type: 'editText';
      readonly sessionId: SessionId;
      readonly itemId: ItemId;
      readonly base: string;
      readonly text: string;
    }
  /** Put a text that cannot go where it was meant for into a file, and tell the reason and the place. */
  | { readonly type: 'keepText'; readonly text: string; readonly reason: string }
  | { readonly type: 'suspend' }
  /** `next`: what runs in the place of the screen. */
  | { readonly type: 'leave'; readonly next: 'nothing' | 'demo' };

/** A refusal as the person is told it. */
export interface Refused {
  readonly kind: ErrorKind | 'connection_lost';
  readonly message: string;
  readonly hint: string | null;
  readonly currentVersion: number | null;
}

/** In one line, with what to do. */
export const reasonOf = ({ message, hint }: Refused): string => (hint === null ? message : `${message} ${hint}`);

type AnsweredOf<M extends MethodName> = {
  readonly type: 'answered';
  readonly method: M;
  readonly params: ParamsInput<M>;
  readonly purpose: Purpose;
  readonly result: ResultOf<M>;
};
export type Answered = { [M in MethodName]: AnsweredOf<M> }[MethodName];

export type Msg =
  | Input
  | Answered
  | { readonly type: 'refused'; readonly call: Call; readonly error: Refused }
  | { readonly type: 'resized'; readonly size: Size }
  /** `now`: milliseconds since 1970. */
  | { readonly type: 'ticked'; readonly now: number }
  /** None answered: one is being started. */
  | { readonly type: 'starting' }
  | { readonly type: 'connected'; readonly daemon: DaemonStatus }
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'notConnected'; readonly reason: string; readonly otherProtocol: boolean }
  | { readonly type: 'changed'; readonly change: SessionChanged }
  | { readonly type: 'output'; readonly output: RunOutput }
  | { readonly type: 'serversFound'; readonly servers: readonly LocalServer[] }
  /** `base`: the text that was given to the editor. */
  | {
      readonly type: 'textEdited';
      readonly sessionId: SessionId;
      readonly itemId: ItemId;
      readonly base: string;
      readonly text: string;
    }
  | { readonly type: 'editFailed'; readonly reason: string };

/** A call as data. */
export function call<M extends MethodName>(method: M, params: ParamsInput<M>, purpose: Purpose): Call {
  return { type: 'call', method, params, purpose } as Call;
}
