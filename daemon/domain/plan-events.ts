/** What the durable stream says of a change of a plan: counts, and each item whose status changed. */
import type { NewEvent } from '../../shared/event.js';
import type { PlanChange } from './plan.js';

export function planEvents(change: PlanChange): NewEvent[] {
  const count = (keep: (c: PlanChange['items'][number]) => boolean): number => change.items.filter(keep).length;
  const { version, author, explanation } = change;
  const events: NewEvent[] = [
    {
      type: 'plan.revised',
      data: {
        version,
        author,
        explanation,
        added: count((c) => c.before === null),
        removed: count((c) => c.after === null),
        changed: count((c) => c.before !== null && c.after !== null),
      },
    },
  ];
  for (const { id, before, after } of change.items) {
    if (before && after && before.status !== after.status) {
      events.push({ type: 'item.changed', data: { id, from: before.status, to: after.status } });
    }
  }
  return events;
}
