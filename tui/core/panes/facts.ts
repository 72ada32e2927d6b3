/** What a session runs on: model, spending, folder. In the status where there is room for it, and in the help. */
import { cost, count } from '../text/numbers.js';
import { shortPath, type State } from '../state.js';
import type { Tone } from '../style.js';
import { sanitise } from '../text/text.js';

export interface Fact {
  readonly label: string;
  /** Harmless, and without its unit. */
  readonly text: string;
  /** What it counts, where the label does not stand beside it; empty when the text says it. */
  readonly unit: string;
  readonly tone: Tone;
  /** A part of the budget that is used up, or nearly. */
  readonly isNearEnd: boolean;
}

/** From here on a budget is near its end. */
const nearEnd = 0.8;

/** From the most important on; what is not known or not limited is left out. */
export function factsOf(state: State): Fact[] {
  const { session, daemon } = state;
  const model = session?.run?.model ?? session?.session.model ?? daemon?.provider?.model ?? null;
  const folder = session?.session.workspace ?? state.folder;
  return [
    factOf('Model', model === null ? 'no model' : sanitise(model), model === null ? 'warn' : 'plain'),
    ...spendingOf(state),
    factOf('Folder', sanitise(shortPath(folder, state)), 'dim'),
  ];
}

const factOf = (label: string, text: string, tone: Tone): Fact => ({ label, text, unit: '', tone, isNearEnd: false });

function spendingOf({ session }: State): Fact[] {
  if (session === null) return [];
  const { usage, budget } = session.session;
  const tokens = usage.inputTokens + usage.outputTokens;
  return [
    ...(tokens > 0 || budget?.tokens !== undefined ? [spent('Tokens', ' tokens', tokens, budget?.tokens, count)] : []),
    ...(usage.costUsd === null ? [] : [spent('Cost', '', usage.costUsd, budget?.costUsd, cost)]),
    ...(budget?.turns === undefined ? [] : [spent('Turns', ' turns', usage.turns, budget.turns, String)]),
  ];
}

function spent(label: string, unit: string, amount: number, most: number | undefined, show: (n: number) => string): Fact {
  const isNearEnd = most !== undefined && amount >= most * nearEnd;
  const text = `${show(amount)}${most === undefined ? '' : ` of ${show(most)}`}`;
  return { label, text, unit, tone: isNearEnd ? 'warn' : 'dim', isNearEnd };
}
