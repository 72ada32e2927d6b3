/** Whether a session has spent what its policy lets it: asked before each turn, so that none is begun beyond it. */
import type { Queries } from '../store/queries.js';
import type { SessionRecord } from '../store/store.js';

const msPerMinute = 60_000;

/** The first budget that is used up, in words; null while there is something left of each. */
export async function usedUp(store: Queries, { id, policy }: SessionRecord): Promise<string | null> {
  const budget = policy.budget;
  if (budget === undefined) return null;
  const usage = (await store.sessionRow(id))?.usage;
  if (usage === undefined) return null;
  const calls = budget.toolCalls === undefined ? 0 : await store.countToolCalls(id);
  const spent: readonly [name: string, used: number, limit: number | undefined][] = [
    ['turns', usage.turns, budget.turns],
    ['tool calls', calls, budget.toolCalls],
    ['tokens', usage.inputTokens + usage.outputTokens, budget.tokens],
    ['US dollars', usage.costUsd ?? 0, budget.costUsd],
    // Of the model's turns: what a person takes to answer does not count.
    ['minutes', usage.durationMs / msPerMinute, budget.minutes],
  ];
  const gone = spent.find(([, used, limit]) => limit !== undefined && used >= limit);
  return gone ? `${gone[2]} ${gone[0]}` : null;
}
