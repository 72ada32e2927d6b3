/** Puts a turn together from the chunks of a stream. A tool call is given out only when it is whole. */
import { z } from 'zod';
import type { ToolCall } from '../../shared/run.js';
import type { TurnSink } from './provider.js';

/** More than any model writes in one turn; a stream that goes on is broken. */
const longestContent = 4_000_000;

const callDelta = z.object({
  index: z.number().int().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      // Some servers send the arguments as an object.
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
});

const delta = z.object({
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(callDelta).nullish(),
});

/** A chunk of `chat.completions`, as loosely as servers speak it. An answer as a whole has `message` for `delta`. */
const chunkSchema = z.object({
  model: z.string().nullish(),
  choices: z.array(z.object({ delta: delta.nullish(), message: delta.nullish(), finish_reason: z.string().nullish() })).nullish(),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});

interface OpenCall {
  readonly index: number | null;
  id: string;
  name: string;
  arguments: string;
}

export interface AssembledTurn {
  readonly content: string;
  /** Not in the turn, but paid for: its estimate needs it. */
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: string;
  readonly model: string | null;
  /** As the server counted them; null when it did not say. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

export type Assembled = { readonly ok: true; readonly turn: AssembledTurn } | { readonly ok: false; readonly reason: string };

export class TurnAssembly {
  #content = '';
  #reasoning = '';
  #length = 0;
  #chunks = 0;
  #finishReason: string | null = null;
  #model: string | null = null;
  #usage: AssembledTurn['usage'] = null;
  #broken: string | null = null;
  readonly #calls: OpenCall[] = [];
  readonly #sink: TurnSink;
  readonly #turn: number;

  /** `turn` is the number of the turn in its transcript: ids made here for calls without one are unique there. */
  constructor(sink: TurnSink, turn: number) {
    this.#sink = sink;
    this.#turn = turn;
  }

  /** The server has said why it ended: from here on only the usage can follow. */
  get finished(): boolean {
    return this.#finishReason !== null;
  }

  /** What made the stream unreadable; null while it is readable. */
  get broken(): string | null {
    return this.#broken;
  }

  /** Takes one chunk; true when there was content in it (text, reasoning, a piece of a call, or the end). */
  push(chunk: unknown): boolean {
    const parsed = chunkSchema.safeParse(chunk);
    if (!parsed.success) {
      this.#broken = 'the stream contained an event that is no chunk of a chat completion';
      return false;
    }
    this.#chunks += 1;
    const { model, choices, usage } = parsed.data;
    if (model) this.#model = model;
    if (usage && (usage.prompt_tokens ?? usage.completion_tokens ?? null) !== null) {
      this.#usage = { inputTokens: count(usage.prompt_tokens), outputTokens: count(usage.completion_tokens) };
    }
    const choice = choices?.[0];
    if (choice === undefined) return false;
    const grown = this.#takeDelta(choice.delta ?? choice.message ?? {});
    if (!choice.finish_reason) return grown;
    this.#finishReason = choice.finish_reason;
    return true;
  }

  /** The whole turn, or why there is none. */
  finish(): Assembled {
    if (this.#broken !== null) return failed(this.#broken);
    if (this.#chunks === 0) return failed('the stream contained no chunk');
    if (this.#finishReason === null) return failed('the stream ended without a finish_reason');
    if (this.#finishReason === 'error') return failed('the provider ended the stream with an error and no words');
    if (this.#calls.some((call) => call.name === '')) return failed('a tool call came without a name');
    const cut = this.#finishReason === 'length' && this.#calls.some((call) => !isJson(call.arguments));
    if (cut) return failed('the answer was cut off by the length limit inside a tool call');
    return {
      ok: true,
      turn: {
        content: this.#content,
        reasoning: this.#reasoning,
        toolCalls: this.#closeCalls(),
        finishReason: this.#finishReason,
        model: this.#model,
        usage: this.#usage,
      },
    };
  }

  #takeDelta(part: z.infer<typeof delta>): boolean {
    const text = part.content ?? '';
    // Some servers send both spellings with the same text.
    const reasoning = part.reasoning_content || part.reasoning || '';
    const before = this.#length;
    if (reasoning !== '') {
      this.#reasoning += reasoning;
      this.#sink.reasoning(reasoning);
    }
    if (text !== '') {
      this.#content += text;
      this.#sink.text(text);
    }
    this.#length += reasoning.length + text.length;
    for (const call of part.tool_calls ?? []) this.#takeCall(call);
    if (this.#length > longestContent) {
      this.#broken = `the answer is longer than ${longestContent.toLocaleString('en-US')} characters`;
    }
    return this.#length > before;
  }

  #takeCall(part: z.infer<typeof callDelta>): void {
    const name = part.function?.name ?? '';
    const given = part.function?.arguments ?? '';
    const args = typeof given === 'string' ? given : JSON.stringify(given);
    const call = this.#openCall(part.index ?? null, part.id ?? '', name);
    if (call.id === '') call.id = part.id ?? '';
    if (call.name === '' && name !== '') {
      call.name = name;
      this.#length += name.length;
      this.#sink.toolCall(name);
    }
    call.arguments += args;
    this.#length += args.length;
  }

  /**
   * The call that a piece belongs to: by index; without one, the last. A new id together with a name begins another
   * call even so: some servers give every call the index 0, or none. (An id alone does not: some invent one a piece.)
   */
  #openCall(index: number | null, id: string, name: string): OpenCall {
    const open = index === null ? this.#calls.at(-1) : this.#calls.findLast((call) => call.index === index);
    const another = open !== undefined && name !== '' && open.name !== '' && id !== '' && open.id !== '' && id !== open.id;
    if (open !== undefined && !another) return open;
    const call = { index, id, name: '', arguments: '' };
    this.#calls.push(call);
    return call;
  }

  /** In the order of their indexes, each with arguments and an id of its own. */
  #closeCalls(): ToolCall[] {
    const ordered = [...this.#calls].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const taken = new Set<string>();
    return ordered.map((call, position) => {
      const id = call.id === '' || taken.has(call.id) ? `call_${this.#turn}_${position + 1}` : call.id;
      taken.add(id);
      return { id, name: call.name, arguments: call.arguments.trim() === '' ? '{}' : call.arguments };
    });
  }
}

function failed(reason: string): Assembled {
  return { ok: false, reason };
}

function count(tokens: number | null | undefined): number {
  return Math.max(0, Math.round(tokens ?? 0));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
