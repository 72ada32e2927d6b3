/** A terminal in this process that takes all bytes at once and only counts them. */
import { PassThrough, Writable } from 'node:stream';
import type { Size } from '../../tui/core/frame.js';

class Input extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

class Output extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  bytes = 0;
  onWrite: () => void = () => undefined;

  constructor({ columns, rows }: Size) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.bytes += chunk.length;
    this.onWrite();
    done();
  }
}

export interface CountingTerminal {
  readonly input: Input;
  readonly output: Output;
}

export const openCountingTerminal = (size: Size): CountingTerminal => ({ input: new Input(), output: new Output(size) });
