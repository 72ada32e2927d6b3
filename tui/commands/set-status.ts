/** `done`, `skip` and `reopen` differ in one word. */
import type { Cli } from '../cli.js';
import { findItem } from '../references.js';
import { describeItem, targetOf } from './edit-target.js';

export async function setStatusByHand(
  cli: Cli,
  reference: string,
  status: 'pending' | 'done' | 'skipped',
  { note, ...options }: { session?: string; note?: string },
): Promise<void> {
  const target = await targetOf(cli, options);
  const { id } = target.item(reference);
  await target.client.call('plan.setStatus', {
    sessionId: target.sessionId,
    itemId: id,
    status,
    ...(note === undefined ? {} : { note }),
  });
  const { items } = await target.client.call('plan.get', { sessionId: target.sessionId });
  cli.print(describeItem(findItem(items, id), cli));
}
