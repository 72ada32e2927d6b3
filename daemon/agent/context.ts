/**
 * What the provider is sent, in the order of `agent.md`: system prompt, the conversation, the plan prompt of the active
 * run, and this run's messages. Messages go by their kind, never by what their text looks like.
 */
import type { RunId } from '../../shared/run.js';
import type { ProviderMessage } from '../providers/provider.js';
import type { StoredMessage } from '../store/store.js';
import { wrapUntrusted } from './untrusted.js';

export interface ContextParts {
  readonly system: string;
  /** What a person said in the chat, and its answers. */
  readonly conversation: readonly StoredMessage[];
  /** The transcript that the run works on, with the plan prompts of the runs it resumes. */
  readonly transcript: readonly StoredMessage[];
}

export function buildContext({ system, conversation, transcript }: ContextParts): ProviderMessage[] {
  // Runs that go on with a transcript keep its one prompt; of several only the newest is the active run's.
  const prompt = transcript.findLast((message) => message.kind === 'plan_prompt');
  const rest = transcript.filter((message) => message.kind !== 'plan_prompt');
  // Words that were said into this very run stand in its transcript, at their place.
  const own = new Set(transcript.map((message) => message.runId));
  return [
    { role: 'system', content: system },
    ...repairCalls(conversation.filter((message) => message.kind !== 'plan_prompt' && !own.has(message.runId))).map(toProvider),
    ...(prompt ? [toProvider(prompt)] : []),
    ...repairCalls(rest).map(toProvider),
  ];
}

function toProvider(message: StoredMessage): ProviderMessage {
  const content = message.kind === 'tool' ? wrapUntrusted(message.content, 'tool', message.runId, message.seq) : message.content;
  return {
    role: message.role,
    content,
    ...(message.toolCalls && message.toolCalls.length > 0 ? { toolCalls: message.toolCalls } : {}),
    ...(message.toolCallId === undefined ? {} : { toolCallId: message.toolCallId }),
  };
}

/**
 * A provider is never sent a call without its result, nor a result without its call. Results move up behind their
 * call: a word from a person may have arrived between the two.
 */
export function repairCalls(messages: readonly StoredMessage[]): StoredMessage[] {
  const repaired: StoredMessage[] = [];
  const used = new Set<StoredMessage>();
  messages.forEach((message, at) => {
    if (used.has(message) || message.kind === 'tool') return;
    repaired.push(message);
    for (const call of message.toolCalls ?? []) {
      const result = findResult(messages, at, call.id, used);
      if (result) used.add(result);
      repaired.push(result ?? missingResult(message, call.id, message.runId));
    }
  });
  return repaired;
}

/** The first result of a call after it and before the next turn: providers use the same ids again in later turns. */
function findResult(
  messages: readonly StoredMessage[],
  at: number,
  callId: string,
  used: ReadonlySet<StoredMessage>,
): StoredMessage | undefined {
  for (let i = at + 1; i < messages.length; i++) {
    const message = messages[i] as StoredMessage;
    if (message.kind === 'assistant') return undefined;
    if (message.kind === 'tool' && message.toolCallId === callId && !used.has(message)) return message;
  }
  return undefined;
}

function missingResult(call: StoredMessage, toolCallId: string, runId: RunId): StoredMessage {
  return {
    kind: 'tool',
    role: 'tool',
    content: 'This call has no result: it was interrupted before it began.',
    toolCallId,
    at: call.at,
    seq: call.seq,
    runId,
  };
}
