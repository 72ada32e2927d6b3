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
  const ids = (await allSessions(client)).map(({ id }) => id);
  return onlyOne(ids, reference, 's_') ?? unknown(`No session begins with ${reference}. See \`cairn list\`.`);
}

/** An entry of the inbox by id or unique prefix; those that stand open come first. */
export async function findEntry(client: Client, reference: string): Promise<string> {
  for (const state of ['open', undefined] as const) {
    const found = onlyOne(await entryIds(client, state), reference, 'i_');
    if (found !== null) return found;
  }
  return unknown(`No entry begins with ${reference}. See \`cairn inbox --all\`.`);
}

async function entryIds(client: Client, state: 'open' | undefined): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await client.call('inbox.list', {
      limit: listLimit,
      ...(state ? { state } : {}),
      ...(cursor ? { cursor } : {}),
    });
    ids.push(...page.entries.map(({ id }) => id));
    if (page.nextCursor === null) return ids;
    cursor = page.nextCursor;
  }
}

/** The one that begins so, with or without the letter of its kind; null for none. */
function onlyOne<Id extends string>(ids: readonly Id[], reference: string, kind: string): Id | null {
  const exact = ids.find((id) => id === reference);
  if (exact !== undefined) return exact;
  const matching = ids.filter((id) => id.startsWith(reference) || id.startsWith(`${kind}${reference}`));
  const [only = null] = matching;
  if (matching.length <= 1) return only;
  const what = kind === 's_' ? 'sessions' : 'entries';
  throw new UsageError(`${reference} begins ${matching.length} ${what}: ${matching.slice(0, 5).join(', ')}. Type more of it.`);
}

function unknown(message: string): never {
  throw new UsageError(message);
}

/** By id (`t7`) or number (`2.1`). */
export function findItem(items: readonly ListedItem[], reference: string): ListedItem {
  const item = items.find(({ id }) => id === reference) ?? items.find(({ number }) => number === reference.replace(/\.$/, ''));
  if (item) return item;
  throw new UsageError(`There is no item ${reference}. Name it by its number (2.1) or id, as \`cairn show\` lists them.`);
}
