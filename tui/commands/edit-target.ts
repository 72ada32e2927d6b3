/** What the editing commands share: the session option, and the item they act on. */
import type { Command } from 'commander';
import type { Client } from '../../shared/client.js';
import type { ListedItem, SessionId } from '../../shared/plan.js';
import type { Cli } from '../cli.js';
import { sanitise } from '../core/text/text.js';
import { glyphOf } from '../core/glyphs.js';
import { findItem, findSession } from '../references.js';

export interface Target {
  readonly client: Client;
  readonly sessionId: SessionId;
  readonly items: readonly ListedItem[];
  item(reference: string): ListedItem;
}

export const withSession = (command: Command): Command =>
  command.option('-s, --session <id>', 'the session (the newest of this folder unless given)');

export async function targetOf(cli: Cli, { session }: { session?: string }): Promise<Target> {
  const client = await cli.client();
  const sessionId = await findSession(client, session);
  const { items } = await client.call('plan.get', { sessionId });
  return { client, sessionId, items, item: (reference) => findItem(items, reference) };
}

export const describeItem = (item: ListedItem, cli: Cli): string =>
  `${glyphOf(item, cli.glyphs)} ${item.number} ${sanitise(item.title)}  (${item.id})`;
