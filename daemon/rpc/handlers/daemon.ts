/** `rpc.discover`, `daemon.status`, `daemon.stop`. */
import type { DaemonStatus } from '../../../shared/session.js';
import type { Handlers } from '../handlers.js';

export interface DaemonParts {
  readonly status: () => Promise<DaemonStatus>;
  /** Begins to stop; the answer leaves first. */
  readonly stop: (drainMs: number | undefined) => void;
  readonly discover: () => Promise<Record<string, unknown>>;
}

type Methods = 'rpc.discover' | 'daemon.status' | 'daemon.stop';

export const daemonHandlers = ({ status, stop, discover }: DaemonParts): Pick<Handlers, Methods> => ({
  'rpc.discover': () => discover(),
  'daemon.status': () => status(),
  'daemon.stop': ({ drainMs }) => {
    setImmediate(() => stop(drainMs));
    return Promise.resolve({ stopping: true as const });
  },
});
