/** Makes a request that fits its model: arranges what is sent, and trims it (durably) when it is too long. */
import type { ItemId } from '../../shared/plan.js';
import type { Provider, ProviderMessage, ToolSchema, TurnRequest } from '../providers/provider.js';
import type { Clock } from '../clock.js';
import type { RunRef } from '../domain/run-state.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import type { SessionRecord, Store, StoredMessage, TrimState } from '../store/store.js';
import { arrange, flatten } from './context.js';
import { writeDigest } from './digest.js';
import { type TokenBudget, tokensOf, tokensOfTool } from './tokens.js';
import { planSurvival, planTrim, tokensOfContext, type TrimPlan } from './trimming.js';

export interface FitParts {
  readonly store: Store;
  readonly provider: Provider;
  readonly publisher: RunPublisher;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly redact: (text: string) => string;
  readonly tokens: TokenBudget;
}

export interface FitInput {
  readonly session: SessionRecord;
  readonly ref: RunRef;
  readonly itemId: ItemId | null;
  readonly model: string | null;
  readonly system: string;
  readonly conversation: readonly StoredMessage[];
  readonly transcript: readonly StoredMessage[];
  readonly tools: readonly ToolSchema[];
  readonly key: TurnRequest['key'];
  /** Whether the run keeps steps: without, those of an earlier time are not sent. */
  readonly planning: boolean;
  /** Tokens of the context that may be used at most, whatever the model has. */
  readonly contextTokens: number | null;
  /** The provider has just said that the context is too long. */
  readonly mustShrink: boolean;
  readonly signal: AbortSignal;
}

export interface Fitted {
  readonly messages: readonly ProviderMessage[];
  /** Estimated tokens of the whole request. */
  readonly estimated: number;
  /** Something was left out that the last request still had. */
  readonly isTrimmed: boolean;
  /** Of these, those of the steps; null without any. */
  readonly stepsTokens: number | null;
}

/** A character is at least a quarter of a token in any text that people write. */
const unitsPerToken = 3;

/** Null when the run is no longer the current one; `too_long` when nothing is left that could be left out. */
export async function fitContext(parts: FitParts, input: FitInput): Promise<Fitted | 'too_long' | null> {
  const { store, tokens } = parts;
  const { session, ref, model, tools } = input;
  const toolTokens = tools.reduce((sum, tool) => sum + tokensOfTool(tool), 0);
  let [placed, state] = await Promise.all([store.placedMessages(ref.runId), store.trimState(ref.runId)]);
  const planOf = () => (input.planning ? placed.plan : null);
  const arrangeNow = (trim: TrimState) => arrange({ ...input, digest: placed.digest, plan: planOf(), trim });
  let arranged = arrangeNow(state);
  const limit = tokens.limit(model, input.contextTokens);
  const trimInput = { arranged, state, toolTokens, limit };
  const plan = input.mustShrink ? planSurvival(trimInput) : planTrim(trimInput);
  if (plan === null && input.mustShrink) return 'too_long';
  if (plan !== null) {
    const written = await carryOut(parts, input, plan, placed.digest, limit);
    if (!written) return null;
    [placed, state] = await Promise.all([store.placedMessages(ref.runId), store.trimState(ref.runId)]);
    arranged = arrangeNow(state);
    parts.publisher.say(session.id, ref.runId, input.itemId, 'notice', describeTrim(plan));
  }
  const messages = flatten(arranged, state);
  const shown = planOf()?.content;
  const steps = messages.find((message) => message.role === 'system' && message.content === shown);
  return {
    messages,
    estimated: tokensOfContext(arranged, state, toolTokens),
    isTrimmed: plan !== null,
    stepsTokens: steps ? tokensOf(steps) : null,
  };
}

/** What goes is taken into the digest first; when that fails it goes all the same, and the old digest stays. */
async function carryOut(
  { store, provider, clock, publisher, redact }: FitParts,
  { session, ref, model, key, signal }: FitInput,
  plan: TrimPlan,
  before: StoredMessage | null,
  limit: number,
): Promise<boolean> {
  const { state, stage, dropped } = plan;
  const { text, usage } =
    dropped.length === 0
      ? { text: null, usage: null }
      : await writeDigest(
          { provider, clock, redact },
          { model, key, before, dropped, longestMaterial: Math.floor(limit * 0.5 * unitsPerToken), signal },
        );
  if (signal.aborted) return false;
  const events = await store.trimContext(ref, session.id, { state, digest: text, stage, groups: dropped.length, usage });
  if (events === null) return false;
  publisher.committed({ sessionId: session.id, events });
  return true;
}

const describeTrim = ({ stage, dropped }: TrimPlan): string =>
  stage === 1
    ? 'The conversation grew long: old tool results are shown to the model as a line each.'
    : `The conversation grew too long for the model: ${dropped.length} older ${dropped.length === 1 ? 'part is' : 'parts are'} kept as a digest.`;
