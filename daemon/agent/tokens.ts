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
      if (estimated > 0 && actual > estimated * ratioOf(model)) ratios.set(model, actual / estimated);
    },
    refused(model, estimated, words) {
      // It was too long for sure; how long it may be, some providers say.
      const size = Math.min(estimated * ratioOf(model), window(model));
      windows.set(model, Math.min(window(model), windowIn(words) ?? Infinity, Math.max(1, size * 0.9)));
    },
  };
}

/** The size of the window in the words of a provider: `maximum context length is 8192 tokens`, `200005 tokens > 199999 maximum`. */
export function windowIn(words: string): number | null {
  const patterns = [
    /(?:maximum|max)[^.\d]{0,60}?(?:context|model|input|prompt)?[^.\d]{0,40}?(?:length|window|size|limit|tokens?|is|of)[^.\d]{0,20}?(\d[\d,_]{2,})/i,
    />\s*(\d[\d,_]{2,})\s*(?:tokens?\s*)?(?:maximum|max|limit)/i,
    /(?:context|window|n_ctx)[^.\d]{0,40}?(\d[\d,_]{2,})/i,
  ];
  for (const pattern of patterns) {
    const digits = pattern.exec(words)?.[1]?.replaceAll(/[,_]/g, '');
    if (digits !== undefined && Number(digits) > 0) return Number(digits);
  }
  return null;
}
