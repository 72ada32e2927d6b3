/**
 * A server that speaks OpenAI's chat completions and says what a test tells it to: real HTTP, no model.
 *
 *     const provider = await startScriptedProvider((body, number) =>
 *       number === 1 ? [say('Looking.'), call('read', { path: 'a.txt' })] : say('Done.'));
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ScriptedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

export interface ScriptedRequest {
  readonly model: string;
  readonly messages: readonly ScriptedMessage[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
  }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

/** A request as it came; `at` is from a clock that only goes forward, in milliseconds. */
export interface RecordedRequest {
  readonly body: ScriptedRequest;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

export type Part =
  | { readonly type: 'say' | 'think' | 'stallAfter' | 'cutAfter' | 'endWithoutFinish'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: string; readonly id: string | null }
  | { readonly type: 'event'; readonly data: string }
  | { readonly type: 'finish'; readonly reason: string }
  | { readonly type: 'usage'; readonly inputTokens: number; readonly outputTokens: number }
  | { readonly type: 'fail'; readonly status: number; readonly body: unknown; readonly headers: Record<string, string> }
  | { readonly type: 'hang' };

/** The answer to one request: its parts, in this order. The end with a `finish_reason` and usage comes by itself. */
export type Script = Part | readonly Part[];
export type Handler = (body: ScriptedRequest, number: number) => Script | Promise<Script>;

/** Text, streamed word by word. */
export const say = (text: string): Part => ({ type: 'say', text });
/** Reasoning, streamed word by word. */
export const think = (text: string): Part => ({ type: 'think', text });
/** A tool call. Arguments as text are sent as they are, so they may be broken. Its id is `call_<request>_<n>` unless given. */
export const call = (name: string, args: unknown = {}, id: string | null = null): Part => ({
  type: 'call',
  name,
  args: typeof args === 'string' ? args : JSON.stringify(args),
  id,
});
/** An HTTP error; the body is sent as JSON unless it is text. */
export const fail = (status: number, body: unknown = '', headers: Record<string, string> = {}): Part => ({
  type: 'fail',
  status,
  body,
  headers,
});
/** Never a byte. */
export const hang = (): Part => ({ type: 'hang' });
/** Text, then only keep-alive comments. */
export const stallAfter = (text: string): Part => ({ type: 'stallAfter', text });
/** Text, then the connection is destroyed. */
export const cutAfter = (text: string): Part => ({ type: 'cutAfter', text });
/** Text, then the stream ends in order, but without a `finish_reason`. */
export const endWithoutFinish = (text: string): Part => ({ type: 'endWithoutFinish', text });
/** One server-sent event with this data, whatever it is. */
export const event = (data: unknown): Part => ({ type: 'event', data: typeof data === 'string' ? data : JSON.stringify(data) });
/** An event that is not JSON. */
export const malformed = (): Part => event('{"choices": [{');
/** Ends with this `finish_reason` in place of `stop` or `tool_calls`. */
export const finish = (reason: string): Part => ({ type: 'finish', reason });
/** Counts this usage in place of 10 in, 5 out. */
export const usage = (inputTokens: number, outputTokens: number): Part => ({ type: 'usage', inputTokens, outputTokens });

export interface ScriptedProvider {
  /** As the client wants it: `http://127.0.0.1:PORT/v1`. */
  readonly baseUrl: string;
  /** All requests for a completion, in the order of their arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Ends the server and all of its connections. */
  close(): Promise<void>;
}

export interface ScriptedOptions {
  /** Milliseconds between two chunks. Default: 0. */
  readonly pace?: number;
  /** Milliseconds between two keep-alive comments of a stall. Default: 5. */
  readonly keepAlive?: number;
  /** Answers as a whole, in JSON, although a stream was asked for. */
  readonly ignoresStream?: boolean;
  /** Says nothing about usage, although it was asked for. */
  readonly hidesUsage?: boolean;
}

/** Starts a server on a free port of 127.0.0.1. A handler that throws answers 500 with its message. */
export async function startScriptedProvider(handler: Handler, options: ScriptedOptions = {}): Promise<ScriptedProvider> {
  const requests: RecordedRequest[] = [];
  const closing = new AbortController();
  const server = createServer((request, response) => {
    // A client that vanishes ends its own answer and nothing else.
    response.on('error', () => response.destroy());
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url?.endsWith('/models')) {
      sendJson(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] });
      return;
    }
    const body = JSON.parse(await readBody(request)) as ScriptedRequest;
    requests.push({ body, headers: request.headers, at: performance.now() });
    const number = requests.length;
    let parts: readonly Part[];
    try {
      parts = [await handler(body, number)].flat();
    } catch (error) {
      parts = [fail(500, { error: { message: `the script failed: ${String(error)}` } })];
    }
    await perform(parts, { body, number, response, options, closed: closing.signal });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The texts of all messages of role `user`. Of the engine's own, only the plan prompt has that role. */
export function planPrompts(body: ScriptedRequest): string[] {
  return body.messages.filter((message) => message.role === 'user').map((message) => message.content ?? '');
}

/** The results of tool calls that the request carries, oldest first. */
export function toolResults(body: ScriptedRequest): { readonly id: string; readonly content: string }[] {
  return body.messages
    .filter((message) => message.role === 'tool')
    .map((message) => ({ id: message.tool_call_id ?? '', content: message.content ?? '' }));
}

interface Performance {
  readonly body: ScriptedRequest;
  readonly number: number;
  readonly response: ServerResponse;
  readonly options: ScriptedOptions;
  readonly closed: AbortSignal;
}

async function perform(parts: readonly Part[], { body, number, response, options, closed }: Performance): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, closed]);
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal });
  const head = { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 0, model: body.model };

  const refusal = parts.find((part) => part.type === 'fail');
  if (refusal !== undefined) {
    if (typeof refusal.body === 'string')
      response.writeHead(refusal.status, { 'content-type': 'text/plain', ...refusal.headers }).end(refusal.body);
    else sendJson(response, refusal.status, refusal.body, refusal.headers);
    return;
  }
  if (parts.some((part) => part.type === 'hang')) return;
  const whole = summarise(parts, number);
  const usageBody = {
    prompt_tokens: whole.inputTokens,
    completion_tokens: whole.outputTokens,
    total_tokens: whole.inputTokens + whole.outputTokens,
  };
  if (options.ignoresStream || body.stream !== true) {
    const choice = { index: 0, message: whole.message, finish_reason: whole.finishReason };
    sendJson(response, 200, {
      ...head,
      object: 'chat.completion',
      choices: [choice],
      ...(!options.hidesUsage && { usage: usageBody }),
    });
    return;
  }

  const sendEvent = async (data: string): Promise<void> => {
    if (options.pace) await pause(options.pace);
    signal.throwIfAborted();
    response.write(`data: ${data}\n\n`);
  };
  const sendDelta = (delta: unknown, reason: string | null = null): Promise<void> =>
    sendEvent(JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] }));
  const sendWords = async (field: string, text: string): Promise<void> => {
    for (const word of text.match(/\s*\S+\s*$|\s*\S+|\s+$/g) ?? []) await sendDelta({ [field]: word });
  };

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  await sendDelta({ role: 'assistant', content: '' });
  let calls = 0;
  for (const part of parts) {
    switch (part.type) {
      case 'say':
        await sendWords('content', part.text);
        break;
      case 'think':
        await sendWords('reasoning_content', part.text);
        break;
      case 'call': {
        const index = calls++;
        const id = part.id ?? `call_${number}_${index + 1}`;
        const half = Math.ceil(part.args.length / 2);
        await sendDelta({ tool_calls: [{ index, id, type: 'function', function: { name: part.name, arguments: '' } }] });
        for (const piece of [part.args.slice(0, half), part.args.slice(half)]) {
          await sendDelta({ tool_calls: [{ index, function: { arguments: piece } }] });
        }
        break;
      }
      case 'event':
        await sendEvent(part.data);
        break;
      case 'stallAfter':
        await sendWords('content', part.text);
        for (;;) {
          response.write(': keep-alive\n\n');
          await pause(options.keepAlive ?? 5);
        }
      case 'cutAfter':
        await sendWords('content', part.text);
        // What was written has to leave first.
        await new Promise((resolve) => response.write(': cut\n\n', resolve));
        response.destroy();
        return;
      case 'endWithoutFinish':
        await sendWords('content', part.text);
        response.end();
        return;
      case 'finish':
      case 'usage':
      case 'fail':
      case 'hang':
        break;
    }
  }
  await sendDelta({}, whole.finishReason);
  if (body.stream_options?.include_usage && !options.hidesUsage)
    await sendEvent(JSON.stringify({ ...head, choices: [], usage: usageBody }));
  response.end('data: [DONE]\n\n');
}

function summarise(parts: readonly Part[], number: number) {
  const calls = parts.filter((part) => part.type === 'call');
  const counted = parts.find((part) => part.type === 'usage');
  return {
    message: {
      role: 'assistant',
      content: parts.map((part) => (part.type === 'say' ? part.text : '')).join(''),
      ...(calls.length > 0 && {
        tool_calls: calls.map((part, index) => ({
          id: part.id ?? `call_${number}_${index + 1}`,
          type: 'function',
          function: { name: part.name, arguments: part.args },
        })),
      }),
    },
    finishReason: parts.find((part) => part.type === 'finish')?.reason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    inputTokens: counted?.inputTokens ?? 10,
    outputTokens: counted?.outputTokens ?? 5,
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
