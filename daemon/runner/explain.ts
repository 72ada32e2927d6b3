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
  summary: (commandOf(effect.args) ?? effect.args).slice(0, summaryLength),
});

/** The command among the arguments of a call, as one would type it. */
function commandOf(args: string): string | null {
  try {
    const { command } = JSON.parse(args) as { command?: unknown };
    return typeof command === 'string' ? command : null;
  } catch {
    return null;
  }
}

const isUnsettled = ({ state }: StoredEffect): boolean => state === 'intent' || state === 'unknown';

/** Several tries at the same thing are told once, as the last one ended. */
const newestOfEach = (effects: readonly StoredEffect[]): readonly StoredEffect[] => [
  ...new Map(effects.map((effect) => [`${effect.name} ${effect.args}`, effect])).values(),
];

const isByCommand = (item: Item | null): boolean => item?.command !== undefined;

function whyCutOff({ repeatable }: StoredEffect, item: Item | null): string {
  if (repeatable || (isByCommand(item) && item?.repeatable === true)) {
    return 'it was cut off, and is done again because repeating it is harmless';
  }
  const nobody = 'it was cut off and nobody knows how far it came';
  return isByCommand(item) ? `${nobody}; it is not run again unless you retry it` : `${nobody}; the model is told to look first`;
}

const whyEarlier = ({ state }: StoredEffect, item: Item | null): string =>
  isByCommand(item)
    ? `an earlier run of the item did it (${state}); it is run again`
    : `an earlier run of the item did it (${state}); the new run is told`;

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
    wouldRun: item ? wouldRun(item, state, goesOn, effects.some(isUnsettled)) : [],
    mightRepeat: [
      ...effects.filter(isUnsettled).map((effect) => ({ ...summarise(effect), why: whyCutOff(effect, item) })),
      ...newestOfEach(earlier.filter((effect) => !effect.repeatable)).map((effect) => ({
        ...summarise(effect),
        why: whyEarlier(effect, item),
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

function wouldRun(item: Item, state: RunState, goesOn: boolean, isCutOff: boolean): string[] {
  const checks = (item.verify ?? []).map((command) => `check: ${command}`);
  if (state.run?.claim != null && goesOn) return checks;
  if (item.command === undefined) return ['the model', ...checks];
  // Of a command that was cut off, the checks say whether it was done after all.
  if (isCutOff && item.repeatable !== true) return [...checks, 'nothing else: it is blocked unless its checks pass'];
  return [`command: ${item.command}`, ...checks];
}
