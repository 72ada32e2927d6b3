/**
 * What the provider is sent, in the order of `agent.md`: system prompt, digest, the steps, the conversation, the plan prompt
 * of the active run, and this run's messages. Messages go by their kind, never by what their text looks like.
 */
import type { RunId } from '../../shared/run.js';
import type { ProviderMessage } from '../providers/provider.js';
import type { StoredMessage, TrimState } from '../store/store.js';
import { attentionToolName } from '../missions/attention-tool.js';
import { elideResult, isLarge } from './elided-result.js';
import { digestHeader } from './loop-texts.js';
import { wrapStored } from './untrusted.js';

export interface ContextParts {
  readonly system: string;
  /** What stands for the messages that are not sent any more. */
  readonly digest?: StoredMessage | null;
  /** The protected message of the steps. */
  readonly plan?: StoredMessage | null;
  /** What a person said in the chat, and its answers; with `context: session` also what earlier leaves did. */
  readonly conversation: readonly StoredMessage[];
  /** The transcript that the run works on, with the plan prompts of the runs it resumes. */
  readonly transcript: readonly StoredMessage[];
  readonly trim?: TrimState;
}

/** An assistant's message with calls and all of its results, or any other message: it stays or goes as a whole. */
export interface Group {
  readonly from: 'conversation' | 'transcript';
  readonly messages: readonly StoredMessage[];
}

export interface Arranged {
  /** Never trimmed. */
  readonly before: readonly ProviderMessage[];
  readonly conversation: readonly Group[];
  /** The messages that those groups were made of. */
  readonly earlier: readonly StoredMessage[];
  /** The plan prompt, or the words that a chat answers: never trimmed either. */
  readonly task: readonly ProviderMessage[];
  readonly transcript: readonly Group[];
}

const untrimmed: TrimState = { resultsTo: 0, droppedTo: 0, conversationDropped: 0 };

export function buildContext(parts: ContextParts): ProviderMessage[] {
  return flatten(arrange(parts), parts.trim ?? untrimmed);
}

/** Everything that can be sent, with what an earlier trim has left out already left out. */
export function arrange({ system, digest, plan, conversation, transcript, trim = untrimmed }: ContextParts): Arranged {
  const { task, rest } = takeTask(transcript);
  // Words that were said into this very run stand in its transcript, at their place.
  const own = new Set(transcript.map((message) => message.runId));
  const earlier = conversation
    .filter((message) => message.kind !== 'plan_prompt' && !isPlaced(message) && !own.has(message.runId))
    .slice(trim.conversationDropped);
  return {
    before: [{ role: 'system', content: system }, ...(digest ? [toProvider(digest)] : []), ...(plan ? [toProvider(plan)] : [])],
    conversation: groupsOf(earlier, 'conversation'),
    earlier,
    task: task.map((message) => toProvider(message)),
    transcript: groupsOf(
      rest.filter((message) => message.seq > trim.droppedTo),
      'transcript',
    ),
  };
}

export function flatten({ before, conversation, task, transcript }: Arranged, trim: TrimState): ProviderMessage[] {
  const send = (group: Group): ProviderMessage[] => messagesOf(group, trim);
  return [...before, ...conversation.flatMap(send), ...task, ...transcript.flatMap(send)];
}

/** A group as it is sent: large results that were trimmed are a line each. */
export function messagesOf(group: Group, { resultsTo }: TrimState): ProviderMessage[] {
  const isOld = (message: StoredMessage): boolean => resultsTo > 0 && (group.from === 'conversation' || message.seq <= resultsTo);
  return group.messages.map((message) =>
    message.kind === 'tool' && isLarge(message) && isOld(message)
      ? elideResult(message, group.messages[0])
      : toProvider(message, isPersonsWord(message, group.messages[0])),
  );
}

/** Runs that go on with a transcript keep its one prompt; of several only the newest is the active run's. A chat has its words. */
function takeTask(transcript: readonly StoredMessage[]): { task: StoredMessage[]; rest: StoredMessage[] } {
  const prompt = transcript.findLast((message) => message.kind === 'plan_prompt');
  const task = prompt ?? (transcript[0]?.kind === 'chat' ? transcript[0] : undefined);
  const rest = transcript.filter((message) => message !== task && message.kind !== 'plan_prompt' && !isPlaced(message));
  return { task: task ? [task] : [], rest };
}

/** Messages that change in place have their own place in a request. */
const isPlaced = ({ kind }: StoredMessage): boolean => kind === 'plan_state' || kind === 'digest';

function groupsOf(messages: readonly StoredMessage[], from: Group['from']): Group[] {
  const groups: StoredMessage[][] = [];
  for (const message of repairCalls(messages)) {
    if (message.kind === 'tool') groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups.map((group) => ({ from, messages: group }));
}

/** The answer of a person to a question is no text from outside: it may well be an instruction. */
function isPersonsWord({ kind, toolCallId }: StoredMessage, turn: StoredMessage | undefined): boolean {
  const call = kind === 'tool' ? turn?.toolCalls?.find(({ id }) => id === toolCallId) : undefined;
  return call?.name === attentionToolName;
}

/** A stored message never changes, and a transcript is sent again with each turn. */
const asSent = new WeakMap<StoredMessage, ProviderMessage>();

function toProvider(message: StoredMessage, isTrusted = false): ProviderMessage {
  const known = asSent.get(message);
  if (known !== undefined) return known;
  const sent: ProviderMessage = {
    role: message.role,
    content: isTrusted ? message.content : contentOf(message),
    ...(message.toolCalls && message.toolCalls.length > 0 ? { toolCalls: message.toolCalls } : {}),
    ...(message.toolCallId === undefined ? {} : { toolCallId: message.toolCallId }),
  };
  asSent.set(message, sent);
  return sent;
}

function contentOf(message: StoredMessage): string {
  switch (message.kind) {
    case 'tool':
      return wrapStored(message, 'tool');
    case 'digest':
      return `${digestHeader}\n${wrapStored(message, 'digest')}`;
    default:
      return message.content;
  }
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
