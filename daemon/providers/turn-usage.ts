/** What a turn cost: tokens as the server counted them or as estimated, and money by the configured prices. */
import type { Turn, TurnRequest } from './provider.js';
import type { AssembledTurn } from './turn-assembly.js';

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly inputPerMTok: number;
  readonly outputPerMTok: number;
}

export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** Usage of a finished turn. The cost is null when no price is configured for the model. */
export async function countUsage(
  request: TurnRequest,
  turn: AssembledTurn,
  price: ModelPrice | undefined,
): Promise<Turn['usage']> {
  const { inputTokens, outputTokens } = turn.usage ?? (await estimate(request, turn));
  const costUsd =
    price === undefined ? null : (inputTokens * price.inputPerMTok + outputTokens * price.outputPerMTok) / 1_000_000;
  return { inputTokens, outputTokens, costUsd };
}

async function estimate(request: TurnRequest, turn: AssembledTurn): Promise<{ inputTokens: number; outputTokens: number }> {
  const { estimateTokenCount } = await import('tokenx');
  return {
    inputTokens: estimateTokenCount(JSON.stringify([request.messages, request.tools])),
    outputTokens: estimateTokenCount(
      [turn.reasoning, turn.content, ...turn.toolCalls.map((call) => call.name + call.arguments)].join('\n'),
    ),
  };
}
