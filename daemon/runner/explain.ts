/** What a start would do, told before anything happens: what is reused, what runs, what might happen twice. */
import { itemAt, leavesOf, nextLeaf, numberAt } from '../../shared/plan-tree.js';
import type { Item } from '../../shared/plan.js';
import type { Explanation } from '../../shared/run.js';
import { placesOf } from '../domain/plan.js';
import type { RunState } from '../domain/run-state.js';
import { visibleStatus } from '../domain/run-machine.js';
import type { StoredEffect } from '../store/queries.js';
import type { Store } from '../store/store.js';

const summaryLength = 200;
const summarise = (effect: StoredEffect): { name: string; summary: string } => ({
  name: effect.name,
  summary: effect.args.slice(0, summaryLength),
});

export async function explainStart(state: RunState, store: Store): Promise<Explanation> {
  const { checkpoint, plan } = state;
  const item = leafOf(state);
  const place = item && placesOf(plan.tree).get(item.id);
  const goesOn = item !== null && checkpoint.lastRunId !== null && checkpoint.currentItemId === item.id && willResume(state);
  const transcript = goesOn && checkpoint.lastRunId ? await store.transcript(checkpoint.lastRunId) : [];
  const effects = goesOn && checkpoint.lastRunId ? await store.transcriptEffects(checkpoint.lastRunId) : [];
  const earlier = item && !goesOn ? await store.itemEffects(state.sessionId, item.id) : [];
  const finished = effects.filter((effect) => effect.state === 'done' || effect.state === 'failed');
  return {
    wouldStart: item !== null && state.outcome === null,
    reason: reasonOf(state, item),
    next: item && place ? { itemId: item.id, number: numberAt(place), title: item.title } : null,
    reused: {
      runId: goesOn ? checkpoint.lastRunId : null,
      turns: transcript.filter((message) => message.kind === 'assistant').length,
      effects: finished.map(summarise),
    },
    wouldRun: item ? wouldRun(item, state, goesOn) : [],
    mightRepeat: [
      ...effects
        .filter((effect) => effect.state === 'intent' || effect.state === 'unknown')
        .map((effect) => ({
          ...summarise(effect),
          why: effect.repeatable
            ? 'it was cut off, and is done again because repeating it is harmless'
            : 'it was cut off and nobody knows how far it came; the model is told to look first',
        })),
      ...earlier
        .filter((effect) => !effect.repeatable)
        .map((effect) => ({
          ...summarise(effect),
          why: `an earlier run of the item did it (${effect.state}); the new run is told`,
        })),
    ],
    remainingLeaves: [...leavesOf(plan.tree)].filter((leaf) => leaf.status === 'pending' || leaf.status === 'active').length,
  };
}

function leafOf({ plan, checkpoint }: RunState): Item | null {
  const place = checkpoint.currentItemId === null ? undefined : placesOf(plan.tree).get(checkpoint.currentItemId);
  return (place && itemAt(plan.tree, place)) ?? nextLeaf(plan.tree);
}

/** The same transcript is gone on with after a pause, an interruption or a raised budget, and while it is under way. */
const willResume = ({ checkpoint, run }: RunState): boolean =>
  checkpoint.resume || (run !== null && (run.status === 'running' || run.status === 'waiting'));

function reasonOf(state: RunState, item: Item | null): string {
  const status = visibleStatus(state.checkpoint);
  if (state.outcome !== null) return `The mission has ended (${state.outcome}).`;
  if (item === null) return state.plan.tree.length === 0 ? 'The plan is empty.' : 'Nothing is open.';
  if (status === 'running' || status === 'pausing') return `It is ${status} already.`;
  if (status === 'waiting') return 'It waits for an answer: see the inbox.';
  return `It is ${status}.`;
}

function wouldRun(item: Item, state: RunState, goesOn: boolean): string[] {
  const checks = (item.verify ?? []).map((command) => `check: ${command}`);
  if (state.run?.claim != null && goesOn) return checks;
  const work = item.command === undefined ? 'the model' : `command: ${item.command}`;
  return [work, ...checks];
}
