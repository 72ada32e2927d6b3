/** What stories of missions share: firing one, waiting for what becomes of it, and looking at what it left. */
import type { ParamsInput } from '../../shared/contract.js';
import type { InboxEntry } from '../../shared/mission.js';
import type { SessionId } from '../../shared/plan.js';
import type { Session } from '../../shared/session.js';
import type { ScriptedRequest } from './scripted-provider.js';
import type { Story } from './story.js';
import { waitFor } from './wait.js';

export const fire = (story: Story, params: Partial<ParamsInput<'mission.fire'>> = {}): Promise<Session> =>
  story.daemon.call('mission.fire', { goal: 'Ship the export', workspace: story.workspace, policy: 'full', ...params });

export const sessionOf = (story: Story, sessionId: SessionId): Promise<Session> =>
  story.daemon.call('session.get', { sessionId });

/** Waits until the mission has ended; gives it as it then is. */
export const outcomeOf = (story: Story, sessionId: SessionId): Promise<Session> =>
  waitFor(
    'an outcome',
    async () => {
      const session = await sessionOf(story, sessionId);
      return session.outcome === null ? undefined : session;
    },
    { describe: () => story.daemon.call('mission.tree', { sessionId }), deadlineMs: 20_000 },
  );

/** Waits until something of this kind stands open in the inbox. */
export const openEntry = (story: Story, sessionId: SessionId, kind: InboxEntry['kind']): Promise<InboxEntry> =>
  waitFor(`an open ${kind}`, async () => {
    const { entries } = await story.daemon.call('inbox.list', { sessionId, state: 'open' });
    return entries.find((entry) => entry.kind === kind);
  });

export async function eventsOf(story: Story, sessionId: SessionId) {
  return (await story.daemon.call('event.list', { sessionId })).events;
}

export async function plannerRuns(story: Story, sessionId: SessionId) {
  const { runs } = await story.daemon.call('run.list', { sessionId, limit: 1_000 });
  return runs.filter(({ kind }) => kind === 'planner').toReversed();
}

/** The first request of which this is true. */
export function requestOf(story: Story, isMeant: (body: ScriptedRequest) => boolean): ScriptedRequest {
  const found = story.provider.requests.find(({ body }) => isMeant(body));
  if (found === undefined) throw new Error('no such request was made');
  return found.body;
}
