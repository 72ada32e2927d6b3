/** What people type for a session or an item: an id, a part of one, a number, or nothing. */
import { realpathSync } from 'node:fs';
import type { Client } from '../shared/client.js';
import type { ListedItem, SessionId } from '../shared/plan.js';
import type { Session } from '../shared/session.js';
import { UsageError } from './cli.js';

const listLimit = 1_000;

async function allSessions(client: Client, workspace?: string): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.call('session.list', {
      limit: listLimit,
      ...(workspace ? { workspace } : {}),
      ...(cursor ? { cursor } : {}),
    });
    sessions.push(...page.sessions);
    if (page.nextCursor === null) return sessions;
    cursor = page.nextCursor;
  }
}

/** The newest session of a workspace, or null. */
export async function newestSession(client: Client, workspace: string): Promise<Session | null> {
  const { sessions } = await client.call('session.list', { workspace: realpathSync(workspace), limit: 1 });
  return sessions[0] ?? null;
}

/** By id or unique prefix; without one, the newest of this workspace. */
export async function findSession(client: Client, reference: string | undefined): Promise<SessionId> {
  if (reference === undefined) {
    const newest = await newestSession(client, process.cwd());
    if (newest !== null) return newest.id;
    throw new UsageError('There is no session for this folder yet. Make one with `cairn new GOAL`, or name one (`cairn list`).');
  }
  const all = await allSessions(client);
  const matching = all.filter(({ id }) => id.startsWith(reference) || id.startsWith(`s_${reference}`));
  const exact = matching.find(({ id }) => id === reference);
  if (exact) return exact.id;
  const [only, ...others] = matching;
  if (only === undefined) throw new UsageError(`No session begins with ${reference}. See \`cairn list\`.`);
  if (others.length > 0)
    throw new UsageError(
      `${reference} begins ${matching.length} sessions: ${matching
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}. Type more of it.`,
    );
  return only.id;
}

/** By id (`t7`) or number (`2.1`). */
export function findItem(items: readonly ListedItem[], reference: string): ListedItem {
  const item = items.find(({ id }) => id === reference) ?? items.find(({ number }) => number === reference.replace(/\.$/, ''));
  if (item) return item;
  throw new UsageError(`There is no item ${reference}. Name it by its number (2.1) or id, as \`cairn show\` lists them.`);
}
