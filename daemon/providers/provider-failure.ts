/** Turns what went wrong with a request into the port's error, with words for people. */
import type { ProviderError } from './provider.js';

/** What an answer of the server said about its failure. */
export interface ServerFailure {
  /** Null for an error event in the middle of a stream that names no status. */
  readonly status: number | null;
  /** The server's own words. */
  readonly words: string;
  /** Its machine-readable code or type, where it has one. */
  readonly code: string | null;
  readonly retryAfterMs: number | null;
}

export const longestMessage = 2_000;

/**
 * How servers say that the prompt does not fit. In order: OpenAI and what copies it (vLLM, OpenRouter, DeepSeek),
 * Anthropic, Bedrock, Gemini, xAI, Groq, Mistral, Kimi, llama.cpp, LM Studio, Ollama.
 */
const contextLength = new RegExp(
  [
    'context[_ ]length[_ ]exceeded',
    'maximum context length',
    'maximum model length',
    'exceeds? (?:the |your )?(?:model.s )?context (?:window|length|limit|size)',
    'context window exceeds',
    'prompt (?:is )?too long',
    'exceed context limit',
    'input is too long',
    'input token count.{0,40}exceeds',
    'prompt token count.{0,40}exceeds',
    'maximum prompt length',
    'reduce the length of (?:the|your) (?:messages|prompt|input)',
    'exceeded model token limit',
    'exceed_context_size',
    'exceeds the available context size',
    'context size has been exceeded',
    '(?:greater|longer) than the context length',
    'exceeds (?:the )?maximum context',
    'overflows\\. However, the model is loaded with context length',
  ].join('|'),
  'i',
);

/**
 * The error for a refusal of the server, by status (or by code in the middle of a stream).
 * A prompt that is too long is told apart first: some servers give it 400, others 413 or 500.
 */
export function failureOfServer(failure: ServerFailure): ProviderError {
  const { status, words, code, retryAfterMs } = failure;
  const message = `The provider ${status === null ? 'reported an error' : `answered ${status}`}: ${words}`;
  return { kind: kindOf(status, code ?? '', words), message, status, retryAfterMs };
}

function kindOf(status: number | null, code: string, words: string): ProviderError['kind'] {
  if (status === 401 || status === 402 || status === 403) return 'auth';
  // An account without credit answers 429, but waiting does not fill it.
  if (/insufficient_quota|billing_hard_limit|invalid_api_key|authentication_error/.test(code)) return 'auth';
  if (status === 429) return 'rate_limit';
  if (status === 413 || contextLength.test(code) || contextLength.test(words)) return 'context_length';
  if (status === null) return kindOfCode(code);
  if (status === 408 || status === 409 || status === 425) return 'rate_limit';
  if (status >= 500) return 'server';
  return 'bad_request';
}

function kindOfCode(code: string): ProviderError['kind'] {
  if (/rate_?limit|too_many_requests/.test(code)) return 'rate_limit';
  return code.includes('invalid_request') ? 'bad_request' : 'server';
}

/** The error for a connection that was refused, reset or cut, from what `fetch` threw. */
export function failureOfConnection(thrown: unknown, baseUrl: string): ProviderError {
  const codes = causes(thrown).map((cause) => ('code' in cause && typeof cause.code === 'string' ? cause.code : ''));
  if (codes.includes('UND_ERR_HEADERS_TIMEOUT')) return plainFailure('first_byte', 'The provider did not begin to answer');
  if (codes.includes('UND_ERR_BODY_TIMEOUT'))
    return plainFailure('silence', 'The provider fell silent in the middle of its answer');
  const details = [...new Set(causes(thrown).map((cause) => cause.message))].filter((text) => text !== '');
  return plainFailure('connection', `The connection to ${baseUrl} failed: ${details.join(': ') || 'no reason given'}`);
}

/** An error that no answer of the server stands behind. */
export function plainFailure(kind: ProviderError['kind'], message: string): ProviderError {
  return { kind, message, status: null, retryAfterMs: null };
}

/** The same error with a message that is free of secrets and at most `longestMessage` characters long. */
export function fitForPeople(error: ProviderError, redact: (text: string) => string): ProviderError {
  // Redacted before it is cut: half a secret would not be recognised.
  const clean = redact(error.message);
  return { ...error, message: clean.length <= longestMessage ? clean : `${clean.slice(0, longestMessage - 1)}…` };
}

/**
 * Milliseconds that the server asks to wait: `retry-after-ms`, or `retry-after` as seconds or as an HTTP date
 * (RFC 9110, 10.2.3). Null when it does not say.
 */
export function readRetryAfter(headers: Headers, now: number): number | null {
  const milliseconds = readNumber(headers.get('retry-after-ms'));
  if (milliseconds !== null) return milliseconds;
  const text = headers.get('retry-after');
  const seconds = readNumber(text);
  if (seconds !== null) return Math.ceil(seconds * 1_000);
  // `Date.parse` takes almost anything for a date; one of HTTP ends like this.
  const date = text?.endsWith('GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\d{1,10}(?:\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;
}

/** An error and its chain of causes; at most five, as a chain may be a ring. */
function causes(thrown: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = thrown; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  return chain;
}
