/** What is sent in place of an old, large tool result: one line that says what was there. */
import type { ProviderMessage } from '../providers/provider.js';
import type { StoredMessage } from '../store/store.js';
import { resultElided } from './loop-texts.js';

/** From here on a result costs more than the line that replaces it is worth. UTF-16 units. */
const large = 800;

export const isLarge = (message: StoredMessage): boolean => message.content.length > large;

const elided = new WeakMap<StoredMessage, ProviderMessage>();

/** `turn`: the assistant's message with the call. */
export function elideResult(message: StoredMessage, turn: StoredMessage | undefined): ProviderMessage {
  const known = elided.get(message);
  if (known !== undefined) return known;
  const call = turn?.toolCalls?.find(({ id }) => id === message.toolCallId);
  const sent: ProviderMessage = {
    role: 'tool',
    content: resultElided(call?.name ?? 'a tool', message.content.length),
    ...(message.toolCallId === undefined ? {} : { toolCallId: message.toolCallId }),
  };
  elided.set(message, sent);
  return sent;
}
