/** All handlers together: the type says that none of the contract is missing. */
import { version } from '../../../shared/version.js';
import type { SessionCommands } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { EventStreams } from '../event-streams.js';
import type { Handlers } from '../handlers.js';
import type { WatchPublisher } from '../publish.js';
import { daemonHandlers, type DaemonParts } from './daemon.js';
import { eventHandlers } from './event.js';
import { inboxHandlers } from './inbox.js';
import { missionHandlers } from './mission.js';
import { planHistoryHandlers } from './plan-history.js';
import { planHandlers } from './plan.js';
import { reportHandlers } from './report.js';
import { runHandlers } from './run.js';
import { sessionHandlers } from './session.js';

export interface HandlerParts extends Omit<DaemonParts, 'discover'> {
  readonly store: Queries;
  readonly commands: SessionCommands;
  readonly publisher: WatchPublisher;
  readonly streams: EventStreams;
  /** Milliseconds since 1970, UTC. */
  readonly now: () => number;
}

export const createHandlers = ({ store, commands, publisher, streams, status, stop, now }: HandlerParts): Handlers => ({
  ...daemonHandlers({ status, stop, discover }),
  ...sessionHandlers(store, commands, publisher),
  ...planHandlers(store, commands),
  ...planHistoryHandlers(store, commands),
  ...runHandlers(store, commands),
  ...inboxHandlers(store, commands),
  ...missionHandlers(store, commands),
  ...reportHandlers(store, now),
  ...eventHandlers(store, streams),
});

/** Made when it is asked for: schemas of sixty methods are no part of a start. */
async function discover(): Promise<Record<string, unknown>> {
  const { createOpenRpc } = await import('../openrpc.js');
  return createOpenRpc(version);
}
