/** The provider that plays a recording: no model, no network. It keeps no position, so a restart changes nothing. */
import { readFile } from 'node:fs/promises';
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { Clock } from '../clock.js';
import { plainFailure } from './provider-failure.js';
import type { Provider, TurnResult } from './provider.js';
import { parseRecording, type Recording } from './recording.js';

export interface ReplayOptions {
  /** 1 plays at the pace of the recording, 2 at twice that; `Infinity` does not wait. */
  readonly speed: number;
  readonly clock: Pick<Clock, 'wait'>;
}

/** A provider for the recording in `file`. Refused with the line when the recording cannot be read. */
export async function createReplayProvider(file: string, options: ReplayOptions): Promise<Result<Provider>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return refuse('invalid_params', `the recording cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const recording = parseRecording(text, file);
  return recording.ok ? ok(playRecording(recording.value, file, options)) : recording;
}

function playRecording(recording: Recording, file: string, { speed, clock }: ReplayOptions): Provider {
  return {
    describe: () => ({ model: recording.model ?? 'recorded', baseUrl: `replay:${file}`, replay: true }),
    complete: async ({ key }, sink, signal): Promise<TurnResult> => {
      const recorded = recording.find(key);
      if (recorded === null) {
        const what = `turn ${key.turn} of attempt ${key.attempt} at ${JSON.stringify(key.item)}`;
        return { ok: false, error: plainFailure('bad_request', `The recording ${file} has no ${what}.`) };
      }
      for (const chunk of recorded.chunks) {
        const ms = chunk.ms / speed;
        if (ms > 0) await clock.wait(ms, signal);
        if (signal.aborted) break;
        if (chunk.reasoning !== undefined) sink.reasoning(chunk.reasoning);
        if (chunk.text !== undefined) sink.text(chunk.text);
        if (chunk.toolCall !== undefined) sink.toolCall(chunk.toolCall);
      }
      if (signal.aborted) return { ok: false, error: plainFailure('aborted', 'The turn was aborted.') };
      return recorded.result;
    },
  };
}
