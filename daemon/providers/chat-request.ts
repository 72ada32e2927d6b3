/** The body of a chat completion for a turn, as strict servers want it. */
import type { OpenAI } from 'openai';
import type { ProviderMessage, TurnRequest } from './provider.js';

type ChatRequest = Pick<OpenAI.ChatCompletionCreateParams, 'model' | 'messages' | 'tools'>;

/** Model, messages and tools of a request; `defaultModel` answers a request that names none. */
export function toChatRequest(request: TurnRequest, defaultModel: string): ChatRequest {
  const base = { model: request.model ?? defaultModel, messages: request.messages.map(toChatMessage) };
  // An empty list is refused by some servers.
  if (request.tools.length === 0) return base;
  return { ...base, tools: request.tools.map((tool) => ({ type: 'function', function: { ...tool } })) };
}

function toChatMessage(message: ProviderMessage): OpenAI.ChatCompletionMessageParam {
  const { role, content, toolCalls = [] } = message;
  if (role === 'tool') return { role, content, tool_call_id: message.toolCallId ?? '' };
  if (role !== 'assistant' || toolCalls.length === 0) return { role, content };
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: asObjectText(call.arguments) },
    })),
  };
}

/**
 * Servers parse the arguments of earlier calls to fill their template, and refuse the whole request when they are no
 * JSON object: one bad call of the model would end the session. It is shown what it wrote, inside an object.
 */
function asObjectText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // Wrapped below.
  }
  return JSON.stringify({ unreadable: text });
}
