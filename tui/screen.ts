/**
 * The terminal as a screen: frames are shown, and what a person does comes back. Between `openScreen` and `close` the
 * terminal is in raw mode, on its other screen, and reports pastes and the mouse.
 */
import type { Frame, Size } from './core/frame.js';
import type { Input } from './core/input/input.js';
import { openCanvas } from './screen/canvas.js';
import { openKeyboard, type TerminalInput } from './screen/keyboard.js';
import { cancelSequence, enterScreen, leaveScreen } from './screen/modes.js';
import { openWriter, type TerminalOutput } from './screen/writer.js';

export { installExitGuard } from './screen/exit-guard.js';

export interface Screen {
  /**
   * Paints a frame now: only what differs from the last one is written. While the terminal is backed up or suspended the
   * newest frame is kept and painted afterwards.
   */
  paint(frame: Frame): void;
  /** Bytes are waiting in the terminal: frames should be skipped until `onDrain`. */
  readonly isBackedUp: boolean;
  readonly size: Size;
  onInput(listener: (input: Input) => void): void;
  onResize(listener: (size: Size) => void): void;
  onDrain(listener: () => void): void;
  /**
   * Leaves the terminal as it was found, for another program (`$EDITOR`) or a stop (Ctrl-z); input is not read meanwhile.
   * If `isBackedUp` is true afterwards, the other program must wait for `onDrain`.
   */
  suspend(): void;
  /** Takes it back, and repaints all. */
  resume(): void;
  /** Leaves the terminal as it was found, for good: waits half a second at most for one that does not read. */
  close(): void;
}

export interface ScreenOptions {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly colours: boolean;
  /** Whether the mouse is reported; yes unless told otherwise. */
  readonly mouse?: boolean;
}

const sizeOf = ({ columns, rows }: TerminalOutput): Size => ({ columns: columns ?? 0, rows: rows ?? 0 });

/** Takes the terminal. `installExitGuard(screen.close)` gives it back on every way out of the program. */
export function openScreen({ input, output, colours, mouse = true }: ScreenOptions): Screen {
  let state: 'shown' | 'suspended' | 'closed' = 'shown';
  let size = sizeOf(output);
  let newest: Frame | null = null;
  let isResizing = false;
  const listeners = {
    input: [] as ((input: Input) => void)[],
    resize: [] as ((size: Size) => void)[],
    drain: [] as (() => void)[],
  };
  const wasRaw = input.isRaw ?? false;
  const canvas = openCanvas(size, colours);
  const writer = openWriter(output, drained);
  const keyboard = openKeyboard(input, (one) => {
    for (const listener of listeners.input) listener(one);
  });

  output.on('resize', noticeResize);
  process.on('SIGCONT', continued);
  enter();

  return {
    paint(frame) {
      newest = frame;
      show();
    },
    get isBackedUp() {
      return writer.isBackedUp;
    },
    get size() {
      return size;
    },
    onInput: (listener) => listeners.input.push(listener),
    onResize: (listener) => listeners.resize.push(listener),
    onDrain: (listener) => listeners.drain.push(listener),
    suspend() {
      if (state !== 'shown') return;
      state = 'suspended';
      keyboard.stop();
      writer.write(leaveScreen);
      setRaw(wasRaw);
    },
    resume() {
      if (state !== 'suspended') return;
      state = 'shown';
      enter();
    },
    close() {
      if (state === 'closed') return;
      const isShown = state === 'shown';
      state = 'closed';
      output.off('resize', noticeResize);
      process.off('SIGCONT', continued);
      keyboard.stop();
      if (isShown) {
        writer.writeLast(cancelSequence + leaveScreen);
        setRaw(wasRaw);
      }
      canvas.close();
    },
  };

  function enter(): void {
    setRaw(true);
    writer.write(enterScreen(mouse));
    repaint();
    keyboard.start();
  }

  /** The terminal shows nothing that we know. */
  function repaint(): void {
    canvas.reset(size);
    show();
  }

  function show(): void {
    if (newest === null || state !== 'shown' || writer.isBackedUp) return;
    const bytes = canvas.draw(newest);
    if (bytes !== '') writer.write(bytes);
  }

  function drained(): void {
    for (const listener of listeners.drain) listener();
    show();
  }

  /** Dragging the edge of a window tells of many sizes; the one at the end of the turn counts. */
  function noticeResize(): void {
    if (isResizing) return;
    isResizing = true;
    setImmediate(() => {
      isResizing = false;
      if (state === 'closed') return;
      size = sizeOf(output);
      canvas.reset(size);
      for (const listener of listeners.resize) listener(size);
    });
  }

  /** Stopped from outside: the shell has meanwhile used the terminal as it likes. */
  function continued(): void {
    if (state !== 'shown') return;
    // Node would hold the terminal to be raw still.
    setRaw(false);
    enter();
  }

  function setRaw(isRaw: boolean): void {
    try {
      input.setRawMode?.(isRaw);
    } catch {
      // The terminal is gone.
    }
  }
}
