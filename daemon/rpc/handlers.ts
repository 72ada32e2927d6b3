/** What a handler is: one function a method, from parsed params to the result. It parses nothing and knows no rule. */
import type { MethodName, NotificationName, NotificationParams, Params, ResultOf } from '../../shared/contract.js';

/** A client that stays connected, and can be told things. */
export interface Connection {
  readonly id: string;
  notify<N extends NotificationName>(name: N, params: NotificationParams<N>): void;
  /** True while what was told has not left: whoever can wait should. */
  readonly busy: boolean;
  /** Called each time that everything has left. */
  onDrain(callback: () => void): void;
  onClose(callback: () => void): void;
}

export interface CallContext {
  /** Null for a single HTTP request, which can be told nothing later. */
  readonly connection: Connection | null;
}

export type Handler<M extends MethodName> = (params: Params<M>, call: CallContext) => Promise<ResultOf<M>>;
export type Handlers = { readonly [M in MethodName]: Handler<M> };
