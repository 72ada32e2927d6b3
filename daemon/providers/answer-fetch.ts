/**
 * The `fetch` that the client library is given. It makes every answer one that the library reads well:
 * bodies of refusals are bounded and brought to one shape, and a plain JSON answer becomes a stream of one event.
 */
import { longestMessage } from './provider-failure.js';

const noWords = 'no words given';
const longestRefusal = 64 * 1_024;
const longestAnswer = 16 * 1_024 * 1_024;

/** Fetches, and rewrites the answer where that is needed. Throws what `fetch` throws. */
export async function fetchAnswer(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (!response.ok) {
    const { text } = await readBounded(response, longestRefusal);
    return rebuilt(response, JSON.stringify({ error: readRefusal(parseJson(text) ?? text) }), 'application/json');
  }
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/html')) {
    const message = 'the server answered with a web page, not with a model: check the base URL';
    return rebuilt(response, toEvent(JSON.stringify({ error: { message, code: 'invalid_request' } })), 'text/event-stream');
  }
  // Some servers ignore `stream: true` and answer as a whole.
  if (!type.includes('application/json')) return response;
  const { text, whole } = await readBounded(response, longestAnswer);
  return rebuilt(response, whole ? toEvent(text.replaceAll(/[\r\n]+/g, ' ')) : '', 'text/event-stream');
}

function toEvent(json: string): string {
  return `data: ${json}\n\ndata: [DONE]\n\n`;
}

function rebuilt(response: Response, body: string, contentType: string): Response {
  const headers = new Headers(response.headers);
  // The body is decoded by now and has another length.
  headers.delete('content-encoding');
  headers.delete('content-length');
  headers.set('content-type', contentType);
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}

async function readBounded(response: Response, limit: number): Promise<{ text: string; whole: boolean }> {
  if (response.body === null) return { text: '', whole: true };
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    // Leaving the loop cancels the rest of the body.
    if (bytes + chunk.byteLength > limit) return { text: text + decoder.decode(chunk.subarray(0, limit - bytes)), whole: false };
    bytes += chunk.byteLength;
    text += decoder.decode(chunk, { stream: true });
  }
  return { text: text + decoder.decode(), whole: true };
}

/**
 * The words and the code of a refusal, whatever its shape: `{error: {message, code, type}}` (OpenAI, llama.cpp),
 * `{error: "words"}` (Ollama), `{message, code}` (vLLM), `{detail}` (FastAPI), or plain text.
 */
export function readRefusal(body: unknown): { readonly message: string; readonly code: string | null } {
  if (!isRecord(body)) return { message: cut(asText(body)) || noWords, code: null };
  const error = isRecord(body['error']) ? body['error'] : body;
  const words = [error['message'], body['error'], body['detail'], body['message']].find(isFilled);
  const code = [error['code'], error['type'], body['code']].find(isFilled);
  const own = error['message'] === '' ? noWords : asText(body);
  return { message: cut(words ?? own), code: code === undefined ? null : cut(code) };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : (JSON.stringify(value) ?? '');
}

/** Leaves more than is shown, so that a secret at the end of it is still whole when it is redacted. */
function cut(text: string): string {
  return text.slice(0, 2 * longestMessage);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
