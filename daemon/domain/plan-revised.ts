/** A revision in the words in which people are told of it: `+2 −1 — explanation`. */
import type { Item } from '../../shared/plan.js';
import type { EffectId, RunId } from '../../shared/run.js';
import { tellPerson } from './inbox-drafts.js';
import type { PlanChange } from './plan.js';
import type { InboxDraft } from './run-state.js';

/** What was added, removed and changed otherwise than in status, and why. */
function describeRevision(change: Pick<PlanChange, 'items' | 'explanation'>): string {
  const added = change.items.filter(({ before }) => before === null).length;
  const removed = change.items.filter(({ after }) => after === null).length;
  return `+${added} −${removed}${change.explanation === null ? '' : ` — ${change.explanation}`}`;
}

const shownTitles = 20;

/** The entry by which a person learns that a planner changed the plan. One for each revision: its call names it. */
export function revisedEntry(change: PlanChange, by: { readonly runId: RunId; readonly effectId: EffectId }): InboxDraft {
  const line = (sign: string, item: Item | null): string => `${sign} ${item?.title ?? ''}`;
  const lines = change.items.flatMap(({ before, after }) => {
    if (before === null) return [line('+', after)];
    if (after === null) return [line('−', before)];
    return [line('~', after)];
  });
  const more = lines.length - shownTitles;
  return tellPerson({
    kind: 'plan_revised',
    title: `Plan revised: ${describeRevision(change)}`,
    detail: [...lines.slice(0, shownTitles), ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
    effectId: by.effectId,
  });
}
