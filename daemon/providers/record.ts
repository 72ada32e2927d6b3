/** Records the turns of a provider, redacted, so that they can be replayed without it. */
import { open, type FileHandle } from 'node:fs/promises';
import type { Clock } from '../clock.js';
import type { Redactor } from '../secrets/redactor.js';
import type { Provider, TurnResult, TurnSink } from './provider.js';
import { formatRecordedTurn, isWholeLine, recordingSchemaName, type RecordedChunk } from './recording.js';

export interface RecordOptions {
  /** Lines are appended; it is made with mode 0600. */
  readonly file: string;
  readonly redactor: Redactor;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Told when a turn could not be written. The turn itself goes on. */
  readonly onError: (error: Error) => void;
}

/**
 * The same provider; each turn that ends is on disk before it is handed on. A turn that was aborted is left out:
 * somebody stopped it, and a replay that stops there would never go on.
 */
export function recordProvider(provider: Provider, options: RecordOptions): Provider {
  const { file, redactor, clock, onError } = options;
  let writing: Promise<void> = prepareFile(file).catch(onErrorOf(onError));

  return {
    describe: () => provider.describe(),
    complete: async (request, sink, signal) => {
      const taker = takeChunks(sink, redactor, clock);
      const result = await provider.complete(request, taker.sink, signal);
      if (!result.ok && result.error.kind === 'aborted') return result;
      const key = { ...request.key, item: redactor.redact(request.key.item) };
      const line = formatRecordedTurn({
        schema: recordingSchemaName,
        key,
        chunks: taker.finish(),
        result: redactResult(result, redactor),
      });
      // In one row: lines of sessions that run in parallel must not mix.
      writing = writing.then(() => append(file, line)).catch(onErrorOf(onError));
      await writing;
      return result;
    },
  };
}

function takeChunks(
  sink: TurnSink,
  redactor: Redactor,
  clock: Pick<Clock, 'monotonic'>,
): { sink: TurnSink; finish(): RecordedChunk[] } {
  const chunks: RecordedChunk[] = [];
  const text = redactor.stream();
  const reasoning = redactor.stream();
  let last = clock.monotonic();
  const take = (part: Omit<RecordedChunk, 'ms'>): void => {
    const now = clock.monotonic();
    chunks.push({ ms: Math.max(0, Math.round(now - last)), ...part });
    last = now;
  };
  const takeFilled = (name: 'text' | 'reasoning', clean: string): void => {
    if (clean !== '') take({ [name]: clean });
  };
  return {
    sink: {
      // What was held back of a thought stands before the text that follows it, and the other way round.
      text: (delta) => {
        takeFilled('reasoning', reasoning.end());
        takeFilled('text', text.write(delta));
        sink.text(delta);
      },
      reasoning: (delta) => {
        takeFilled('text', text.end());
        takeFilled('reasoning', reasoning.write(delta));
        sink.reasoning(delta);
      },
      toolCall: (name) => {
        take({ toolCall: redactor.redact(name) });
        sink.toolCall(name);
      },
      notice: (words) => sink.notice(words),
    },
    finish: () => {
      takeFilled('reasoning', reasoning.end());
      takeFilled('text', text.end());
      return chunks;
    },
  };
}

function redactResult(result: TurnResult, redactor: Redactor): TurnResult {
  const redact = (text: string): string => redactor.redact(text);
  if (!result.ok) return { ok: false, error: { ...result.error, message: redact(result.error.message) } };
  const { turn } = result;
  const toolCalls = turn.toolCalls.map(({ id, name, arguments: args }) => ({
    id: redact(id),
    name: redact(name),
    arguments: redact(args),
  }));
  const { content, finishReason, model, usage } = turn;
  return {
    ok: true,
    turn: { content: redact(content), toolCalls, finishReason: redact(finishReason), model: redact(model), usage },
  };
}

/** Closes the file to others, and takes away a last line that a crash has cut off: the next one would be lost with it. */
async function prepareFile(file: string): Promise<void> {
  const handle = await open(file, 'a+', 0o600);
  try {
    await handle.chmod(0o600);
    const text = await handle.readFile('utf8');
    const start = text.lastIndexOf('\n') + 1;
    const rest = text.slice(start);
    if (rest === '') return;
    if (isWholeLine(rest)) await handle.appendFile('\n');
    else await handle.truncate(Buffer.byteLength(text.slice(0, start)));
  } finally {
    await handle.close();
  }
}

async function append(file: string, line: string): Promise<void> {
  const handle: FileHandle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(line);
  } finally {
    await handle.close();
  }
}

function onErrorOf(onError: (error: Error) => void): (thrown: unknown) => void {
  return (thrown) => onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
}
