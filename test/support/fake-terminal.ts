/** A terminal in this process: what is written to it is shown by a real emulator, what is typed comes from `input`. */
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type xterm from '@xterm/headless';
import { linesShown, openEmulator, shown } from './emulator.js';

class FakeInput extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

class FakeOutput extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  private readonly sink: (chunk: Buffer) => void;
  private held: (() => void)[] | null = null;

  constructor(columns: number, rows: number, sink: (chunk: Buffer) => void) {
    super();
    this.columns = columns;
    this.rows = rows;
    this.sink = sink;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const take = (): void => {
      this.sink(chunk);
      done();
    };
    if (this.held === null) take();
    else this.held.push(take);
  }

  stall(): void {
    this.held ??= [];
  }

  flow(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const take of held) take();
  }
}

export interface FakeTerminal {
  readonly input: FakeInput;
  readonly output: FakeOutput;
  /** The emulator: its buffers and modes. */
  readonly terminal: xterm.Terminal;
  /** The visible lines, without trailing spaces. */
  text(): string[];
  resize(columns: number, rows: number): void;
  /** Until all that was written is shown, and all that was typed is read. */
  settle(): Promise<void>;
  /** How many bytes were written so far. */
  bytes(): number;
  /** Types keys, or any bytes of a terminal, as they are. */
  type(keys: string): void;
  /** It takes no more bytes until `flow`. */
  stall(): void;
  flow(): void;
}

export function openFakeTerminal(columns: number, rows: number): FakeTerminal {
  const terminal = openEmulator(columns, rows);
  let bytes = 0;
  const input = new FakeInput();
  const output = new FakeOutput(columns, rows, (chunk) => {
    bytes += chunk.length;
    terminal.write(chunk);
  });
  return {
    input,
    output,
    terminal,
    text: () => linesShown(terminal),
    resize(newColumns, newRows) {
      output.columns = newColumns;
      output.rows = newRows;
      // No emulator can be empty; a program may be told that its terminal is.
      if (newColumns > 0 && newRows > 0) terminal.resize(newColumns, newRows);
      output.emit('resize');
    },
    async settle() {
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      await shown(terminal);
    },
    bytes: () => bytes,
    type: (keys) => void input.write(keys),
    stall: () => output.stall(),
    flow: () => output.flow(),
  };
}
