/** What a handler is: one function a method, from parsed params to the result. It parses nothing and knows no rule. */
import type { MethodName, NotificationName, NotificationParams, Params, ResultOf } from '../../shared/contract.js';

/** A client that stays connected, and can be told things. */
export interface Connection {
  readonly id: string;
  readonly closed: boolean;
  notify<N extends NotificationName>(name: N, params: NotificationParams<N>): void;
  /** True while too much of what was told or answered has not left: whoever can wait should. */
  readonly busy: boolean;
  /** Called each time that it is busy no more, until it closes. */
  onDrain(callback: () => void): void;
  /** Called once; at once when it is closed already. */
  onClose(callback: () => void): void;
  /** Lets the client go. It comes back and asks anew, so nothing may be owed to it after this. */
  close(reason: string): void;
}

export interface CallContext {
  /** Null for a single HTTP request, which can be told nothing later. */
  readonly connection: Connection | null;
  /** Called once the answer to the message (of a batch: all of its answers) is on its way to the client. */
  readonly afterAnswer: (callback: () => void) => void;
}

export type Handler<M extends MethodName> = (params: Params<M>, call: CallContext) => Promise<ResultOf<M>>;
export type Handlers = { readonly [M in MethodName]: Handler<M> };
