/**
 * The provider over any server that speaks OpenAI's chat completions. One call is one turn and at most one answer:
 * repeats are not made here, and the client library's own are off.
 */
import type * as Library from 'openai';
import type { Clock } from '../clock.js';
import { fetchAnswer, readRefusal } from './answer-fetch.js';
import { toChatRequest } from './chat-request.js';
import { failureOfConnection, failureOfServer, fitForPeople, plainFailure, readRetryAfter } from './provider-failure.js';
import type { Provider, ProviderError, TurnRequest, TurnResult, TurnSink } from './provider.js';
import { watchTurn, type TurnTimers, type TurnWatch } from './stream-timers.js';
import { TurnAssembly } from './turn-assembly.js';
import { countUsage, type PriceTable } from './turn-usage.js';

export interface OpenAiOptions {
  /** With the version path, as in `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** Null for servers that want none: no Authorization header is sent. */
  readonly apiKey: string | null;
  /** What a request without a model of its own is answered by. */
  readonly model: string;
  readonly timers: TurnTimers;
  /** By model. A model that is not in it has no cost. */
  readonly prices?: PriceTable;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Servers quote keys and requests in their errors: applied to every message. */
  readonly redact: (text: string) => string;
}

/** After the end is announced only the usage can follow; some servers then leave the connection open. */
const usageGraceMs = 2_000;

interface Client {
  readonly client: Library.OpenAI;
  readonly library: typeof Library;
}

/** A provider for one base URL. Loads the client library at the first turn: the daemon starts without it. */
export function createOpenAiProvider(options: OpenAiOptions): Provider {
  const { timers, clock, model: defaultModel } = options;
  const unusable = findFault(options.baseUrl);
  let loading: Promise<Client> | null = null;
  let wantsUsage = true;

  async function ask(request: TurnRequest, watch: TurnWatch): Promise<AsyncIterable<unknown>> {
    const { client } = await (loading ??= loadClient(options));
    const stream = await client.chat.completions.create(
      {
        ...toChatRequest(request, defaultModel),
        stream: true,
        ...(wantsUsage && { stream_options: { include_usage: true } }),
      },
      { signal: watch.signal },
    );
    watch.answered();
    return stream;
  }

  async function askWithUsage(request: TurnRequest, watch: TurnWatch): Promise<AsyncIterable<unknown>> {
    const asked = wantsUsage;
    try {
      return await ask(request, watch);
    } catch (thrown) {
      const error = await explain(thrown);
      const refused = error.status === 400 || error.status === 422;
      if (!asked || !refused || !/stream_options|include_usage/.test(error.message)) throw thrown;
      wantsUsage = false;
      return await ask(request, watch);
    }
  }

  /** Loops over the stream; the error that ended it, or null when it came to an end. */
  async function read(request: TurnRequest, assembly: TurnAssembly, watch: TurnWatch): Promise<ProviderError | null> {
    try {
      for await (const chunk of await askWithUsage(request, watch)) {
        if (assembly.push(chunk)) watch.content(assembly.finished ? Math.min(usageGraceMs, timers.silenceMs) : undefined);
        if (assembly.broken !== null || watch.ended() !== null) break;
      }
      return null;
    } catch (thrown) {
      return await explain(thrown);
    }
  }

  async function explain(thrown: unknown): Promise<ProviderError> {
    if (loading === null) return failureOfConnection(thrown, options.baseUrl);
    const { library } = await loading;
    if (thrown instanceof SyntaxError) return plainFailure('malformed', 'The stream contained an event that is not JSON.');
    if (!(thrown instanceof library.APIError) || thrown instanceof library.APIConnectionError) {
      return failureOfConnection(thrown, options.baseUrl);
    }
    const detail: unknown = thrown.error;
    const { message, code } = readRefusal(detail);
    const headers = thrown.headers as Headers | undefined;
    const status = thrown.status as number | undefined;
    return failureOfServer({
      status: status ?? readStatus(detail),
      words: message,
      code,
      retryAfterMs: headers === undefined ? null : readRetryAfter(headers, clock.now()),
    });
  }

  async function complete(request: TurnRequest, sink: TurnSink, watch: TurnWatch): Promise<TurnResult> {
    if (unusable !== null) return { ok: false, error: plainFailure('bad_request', unusable) };
    const aborted = watch.ended();
    if (aborted !== null) return { ok: false, error: aborted };
    const assembly = new TurnAssembly(sink, request.key.turn);
    const thrown = await read(request, assembly, watch);
    const ended = watch.ended();
    // An abort ends the loop without an error, and a turn that is complete outlives a cut of the connection.
    if (ended?.kind === 'aborted') return { ok: false, error: ended };
    const failure = ended ?? thrown;
    if (failure !== null && !assembly.finished) return { ok: false, error: failure };
    const assembled = assembly.finish();
    if (!assembled.ok) return { ok: false, error: plainFailure('malformed', `The provider failed: ${assembled.reason}.`) };
    const { turn } = assembled;
    const asked = request.model ?? defaultModel;
    const model = turn.model ?? asked;
    const usage = await countUsage(request, turn, options.prices?.[asked] ?? options.prices?.[model]);
    const { content, toolCalls, finishReason } = turn;
    return { ok: true, turn: { content, toolCalls, finishReason, model, usage } };
  }

  return {
    describe: () => ({ model: defaultModel, baseUrl: withoutCredentials(options.baseUrl), replay: false }),
    complete: async (request, sink, signal) => {
      const watch = watchTurn(timers, clock.after, signal);
      try {
        const result = await complete(request, sink, watch);
        return result.ok ? result : { ok: false, error: fitForPeople(result.error, options.redact) };
      } finally {
        watch.stop();
      }
    },
  };
}

async function loadClient({ baseUrl, apiKey, timers }: OpenAiOptions): Promise<Client> {
  const library = await import('openai');
  const client = new library.OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    ...(apiKey === null && { defaultHeaders: { Authorization: null } }),
    // What the library would take from the environment by itself, and send to whatever server this is.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // It prints requests and events to the console otherwise.
    logLevel: 'off',
    maxRetries: 0,
    timeout: Math.min(timers.totalMs + 1_000, 2 ** 31 - 1),
    fetch: fetchAnswer,
  });
  return { client, library };
}

/** The status in an error event in mid-stream, where a router names the one that it got itself. */
function readStatus(detail: unknown): number | null {
  const code = typeof detail === 'object' && detail !== null && 'code' in detail ? Number(detail.code) : Number.NaN;
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : null;
}

function findFault(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl))
    return `The base URL ${JSON.stringify(baseUrl)} is not a URL: set it as in http://127.0.0.1:11434/v1.`;
  const { protocol, username, password } = new URL(baseUrl);
  if (protocol !== 'http:' && protocol !== 'https:')
    return `The base URL has to begin with http:// or https://, not ${protocol}//.`;
  return username === '' && password === '' ? null : 'The base URL must not contain a user or a password: use the API key.';
}

function withoutCredentials(baseUrl: string): string {
  return baseUrl.replace(/\/\/[^/]*@/, '//');
}
