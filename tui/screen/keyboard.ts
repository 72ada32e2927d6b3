/** What a person types, pastes and clicks, read from the terminal. blessed reads nothing: it loses and doubles keys. */
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Input } from '../core/input/input.js';
import { decode, emptyDecoder } from '../core/input/input-decoder.js';

/** A terminal to read from: `process.stdin`, or one like it. */
export type TerminalInput = Readable & { setRawMode?(isRaw: boolean): unknown; readonly isRaw?: boolean };

/** After this time a lone escape character is the key, not the beginning of a sequence. */
const escapeMs = 40;

export interface Keyboard {
  start(): void;
  /** Nothing is read, so that another program can. */
  stop(): void;
}

export function openKeyboard(input: TerminalInput, onInput: (input: Input) => void): Keyboard {
  let bytes = new StringDecoder('utf8');
  let state = emptyDecoder;
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  return {
    start() {
      if (isReading) return;
      isReading = true;
      input.on('data', take);
      input.resume();
    },
    stop() {
      if (!isReading) return;
      isReading = false;
      clearTimeout(timer);
      input.off('data', take);
      input.pause();
      bytes = new StringDecoder('utf8');
      state = emptyDecoder;
    },
  };

  function take(chunk: Buffer | string): void {
    feed(typeof chunk === 'string' ? chunk : bytes.write(chunk), false);
  }

  function feed(text: string, isFinal: boolean): void {
    clearTimeout(timer);
    const step = decode(state, text, isFinal);
    state = step.state;
    for (const one of step.inputs) {
      // What one does may stop the rest: Ctrl-z, or the end.
      if (!isReading) return;
      onInput(one);
    }
    if (step.isPending && isReading) timer = setTimeout(() => feed('', true), escapeMs);
  }
}
