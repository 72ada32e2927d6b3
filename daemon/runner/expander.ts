/** Splits one item on paper: a cheap look says whether and how far, a second request proposes the parts. Nothing changes. */
import { z } from 'zod';
import { itemTextSchema, type Item } from '../../shared/plan.js';
import { critiqueRequest, expandSystem, splitRequest } from '../agent/planner-prompts.js';
import { nonceOf } from '../agent/untrusted.js';
import type { Clock } from '../clock.js';
import type { Plan } from '../domain/plan.js';
import { wrapUntrusted } from '../domain/untrusted.js';
import type { MissionAnswer, MissionCall } from '../missions/mission-tool.js';
import type { Provider } from '../providers/provider.js';
import type { Store } from '../store/store.js';

export interface Expander {
  expand(call: MissionCall, plan: Plan, item: Item): Promise<MissionAnswer>;
}

export interface ExpanderParts {
  readonly store: Pick<Store, 'charge'>;
  readonly provider: Provider;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly redact: (text: string) => string;
}

const critiqueSchema = z.object({
  split: z.boolean(),
  into: z.number().int().min(1).max(20).default(3),
  why: z.string().default(''),
  prompt: z.string().default(''),
});
const partsSchema = z.object({
  children: z
    .array(itemTextSchema.pick({ title: true, detail: true, acceptance: true, verify: true }))
    .min(2)
    .max(20),
});

const silent = { text: () => undefined, reasoning: () => undefined, toolCall: () => undefined, notice: () => undefined };

export function createExpander({ store, provider, clock, redact }: ExpanderParts): Expander {
  /** One request beside the turns of the run, charged to it. Null when nothing usable came of it. */
  async function ask<T>(call: MissionCall, item: Item, turn: number, request: string, schema: z.ZodType<T>): Promise<T | string> {
    const startedAt = clock.monotonic();
    const result = await provider.complete(
      {
        model: call.model,
        messages: [
          { role: 'system', content: expandSystem },
          { role: 'user', content: request },
        ],
        tools: [],
        key: { item: `${item.title} (expand)`, attempt: 1, turn },
      },
      silent,
      call.signal,
    );
    if (!result.ok) return result.error.message;
    const durationMs = Math.round(clock.monotonic() - startedAt);
    const charge = { turns: 1, toolCalls: 0, ...result.turn.usage, durationMs, activeMs: durationMs };
    await store.charge(call.ref, call.session.id, charge);
    const parsed = schema.safeParse(jsonIn(redact(result.turn.content)));
    return parsed.success ? parsed.data : 'the answer was not of the form that was asked for';
  }

  return {
    async expand(call, plan, item) {
      const described = describe(plan, item, nonceOf(`expand:${call.effectId}`));
      const critique = await ask(call, item, 0, critiqueRequest(described), critiqueSchema);
      if (call.signal.aborted) return { type: 'stopped' };
      if (typeof critique === 'string') return failed(item, critique);
      if (!critique.split) {
        return { type: 'answered', content: JSON.stringify({ itemId: item.id, split: false, why: critique.why }) };
      }
      const parts = await ask(call, item, 1, splitRequest(described, critique.into, critique.prompt), partsSchema);
      if (call.signal.aborted) return { type: 'stopped' };
      if (typeof parts === 'string') return failed(item, parts);
      const proposal = { itemId: item.id, split: true, why: critique.why, children: parts.children };
      const how = `To take it, in whole or in part: mission_plan with within "${item.id}" and these as entries.`;
      return { type: 'answered', content: `${JSON.stringify(proposal)}\n${how}` };
    },
  };
}

const failed = (item: Item, why: string): MissionAnswer => ({
  type: 'refused',
  content: `No proposal for ${item.id} could be made: ${why}. Split it yourself, or leave it whole.`,
});

function describe({ goal }: Plan, item: Item, nonce: string): string {
  const lines = [
    `Goal: ${goal}`,
    `Item: ${item.title}`,
    ...(item.detail === undefined ? [] : [`Detail: ${item.detail}`]),
    ...item.acceptance.map((each) => `Done when: ${each}`),
    ...(item.verify ?? []).map((each) => `Checked by: ${each}`),
  ];
  return wrapUntrusted(lines.join('\n'), 'item', nonce);
}

/** The first object in a text: models like to put words or a fence around it. */
function jsonIn(text: string): unknown {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  try {
    return JSON.parse(text.slice(from, to + 1));
  } catch {
    return null;
  }
}
