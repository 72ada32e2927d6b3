/**
 * How many tokens a request has, as estimated, and how much of a model's window may be filled. The estimate is corrected by
 * what the provider itself counts; it is only ever made more careful by that.
 */
import { estimateTokenCount } from 'tokenx';
import type { ProviderMessage, ToolSchema } from '../providers/provider.js';

/** What a chat format adds to each message, by OpenAI's own account of theirs (three, and one for the role). */
const tokensPerMessage = 4;

/** A transcript is sent again with each turn: a message is counted once. */
const counted = new WeakMap<object, number>();

function remember(key: object, count: () => number): number {
  const known = counted.get(key);
  if (known !== undefined) return known;
  const tokens = count();
  counted.set(key, tokens);
  return tokens;
}

export const tokensOf = (message: ProviderMessage): number =>
  remember(message, () => {
    const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`);
    return tokensPerMessage + estimateTokenCount([message.content, ...calls].join('\n'));
  });

export const tokensOfTool = (tool: ToolSchema): number =>
  remember(tool, () => tokensPerMessage + estimateTokenCount(JSON.stringify(tool)));

export interface TokenBudget {
  /** Estimated tokens that a request to this model may have; `atMost` of its window, when that is given. */
  limit(model: string | null, atMost?: number | null): number;
  /** A turn was counted by the provider. */
  counted(model: string | null, estimated: number, actual: number): void;
  /** The provider refused a request of this estimated size, in these words. */
  refused(model: string | null, estimated: number, words: string): void;
}

/** Of a window, the part that a request may fill: the rest is for the answer, and for what the estimate misses. */
const filled = 0.75;
/** Estimated tokens from which on a request says how good the estimate is, and how far it is believed to be wrong at most. */
const largeEnough = 2_000;
const mostCorrection = 2.5;

/** `windowOf`: tokens of a model's context. What is learned is kept for as long as the daemon runs. */
export function createTokenBudget(windowOf: (model: string | null) => number): TokenBudget {
  /** Tokens for each estimated one, by model; never below 1. */
  const ratios = new Map<string | null, number>();
  const windows = new Map<string | null, number>();
  const ratioOf = (model: string | null): number => ratios.get(model) ?? 1;
  const window = (model: string | null): number => Math.min(windowOf(model), windows.get(model) ?? Infinity);
  return {
    limit: (model, atMost) => Math.floor((Math.min(window(model), atMost ?? Infinity) * filled) / ratioOf(model)),
    counted(model, estimated, actual) {
      // What a provider adds to each request, whatever its size, says nothing about the estimate.
      if (estimated < largeEnough || actual <= estimated * ratioOf(model)) return;
      ratios.set(model, Math.min(mostCorrection, actual / estimated));
    },
    refused(model, estimated, words) {
      // It was too long for sure; how long it may be, some providers say.
      const size = Math.min(estimated * ratioOf(model), window(model));
      const said = windowIn(words) ?? 0;
      // A number that is far from what was sent means something else.
      windows.set(model, Math.min(window(model), said >= size / 2 ? said : Infinity, Math.max(1, size * 0.9)));
    },
  };
}

const number = String.raw`(\d[\d,_]*)\s*([km])?\b`;
/** From the plainest to the loosest; `max_tokens` is about the answer. */
const wordings = [
  String.raw`(?:context|model)[^.\d]{0,30}?(?:length|window|size|limit)[^.\d]{0,40}?${number}`,
  String.raw`${number}\s*(?:tokens?\s*)?(?:maximum|max)\s+(?:context|model)`,
  String.raw`>\s*${number}\s*(?:tokens?\s*)?(?:maximum|max|limit)`,
  String.raw`(?:maximum|max|limit)\s(?:number\sof\s)?(?:input\s|prompt\s)?tokens[^.\d]{0,30}?${number}`,
].map((source) => new RegExp(source, 'i'));
const units: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/** The size of the window in the words of a provider: `maximum context length is 8192 tokens`, `context window of 128k`. */
export function windowIn(words: string): number | null {
  for (const wording of wordings) {
    const [, digits, unit = ''] = wording.exec(words) ?? [];
    const tokens = Number(digits?.replaceAll(/[,_]/g, '')) * (units[unit.toLowerCase()] ?? 1);
    if (tokens > 0) return tokens;
  }
  return null;
}
