/** A program on a pseudo-terminal, with an emulator that shows what a person would see of it. */
import { spawn } from 'node-pty';
import { onTestFinished } from 'vitest';
import { linesShown, openEmulator, shown } from './emulator.js';
import { waitFor } from './wait.js';

/** What a program may leave behind in a terminal. */
export interface TerminalModes {
  readonly buffer: 'normal' | 'alternate';
  readonly mouse: string;
  readonly paste: boolean;
  readonly isCursorShown: boolean;
}

/** A terminal as a shell has it. */
export const asFound: TerminalModes = { buffer: 'normal', mouse: 'none', paste: false, isCursorShown: true };

export interface TerminalProgram {
  /** Of the program; of its shell under job control. */
  readonly pid: number;
  /** Waits for its end, and until the emulator shows all that it wrote. Its exit code; the number of a signal that killed it, negative. */
  end(): Promise<number>;
  /** Types keys, or any bytes of a terminal, as they are. */
  type(keys: string): void;
  /** Waits until the visible lines, joined by line ends, have this in them. */
  sees(what: string | RegExp): Promise<void>;
  /** Waits until they no longer have it. */
  seesNoMore(what: string | RegExp): Promise<void>;
  /** The visible lines, without trailing spaces. */
  text(): string[];
  /** All that it wrote to the terminal, as it came. */
  written(): string;
  modes(): TerminalModes;
  /** Until the emulator shows all that has come. */
  settle(): Promise<void>;
  resize(columns: number, rows: number): void;
  signal(signal: NodeJS.Signals): void;
  /** Nobody reads the terminal until `flow`. */
  stall(): void;
  flow(): void;
  /** The terminal goes away, as a window that is closed. */
  hangUp(): void;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly rows?: number;
  /** `TERM` of the program. */
  readonly term?: string;
  /** A shell command that changes the terminal before the program starts. */
  readonly before?: string;
  /** Under a shell that stops jobs: it says `stopped CODE`, and a line typed brings the job back. */
  readonly hasJobControl?: boolean;
}

/** What was on the terminal before. */
export const shellLine = '$ before';

/** The program takes the place of the shell: nobody above it could bring it back from a stop. */
const alone = 'exec "$0" "$@"';
const withJobs = `
  was=$(stty -g)
  look() { [ "$(stty -g)" = "$was" ] && echo 'settings as found' || echo 'settings changed'; }
  set -m
  "$0" "$@"
  code=$?
  while [ $code -ge 147 ] && [ $code -le 148 ]; do
    look
    echo "stopped $code"
    stty sane
    read -r line
    was=$(stty -g)
    fg >/dev/null
    code=$?
  done
  look
  exit $code`;

// No emulator can be smaller.
const [fewestColumns, fewestRows] = [2, 1];

/** Starts node with these arguments from a shell on a terminal of 80×24 unless told otherwise; it ends with the test. */
export function runInTerminal(args: readonly string[], options: TerminalOptions): TerminalProgram {
  const { cwd, env, columns = 80, rows = 24, term = 'xterm-256color', before = ':', hasJobControl = false } = options;
  const script = `${before}; echo '${shellLine}'; ${hasJobControl ? withJobs : alone}`;
  const terminal = openEmulator(columns, rows);
  const pty = spawn('bash', ['-c', script, process.execPath, ...args], { name: term, cols: columns, rows, cwd, env });
  let written = '';
  let code: number | null = null;
  pty.onData((data) => {
    written += data;
    terminal.write(data);
  });
  pty.onExit(({ exitCode, signal }) => (code = signal ? -signal : exitCode));
  onTestFinished(() => {
    if (code === null) pty.kill('SIGKILL');
  });
  const text = (): string[] => linesShown(terminal);
  const has = (what: string | RegExp): boolean => {
    const all = text().join('\n');
    return typeof what === 'string' ? all.includes(what) : what.test(all);
  };
  const settle = (): Promise<void> => shown(terminal);
  return {
    pid: pty.pid,
    text,
    async end() {
      await waitFor('the program to end', () => code !== null, { describe: text });
      await settle();
      return code ?? 0;
    },
    type: (keys) => pty.write(keys),
    async sees(what) {
      await waitFor(`${what} on the terminal`, () => has(what), { describe: text });
    },
    async seesNoMore(what) {
      await waitFor(`${what} to leave the terminal`, () => !has(what), { describe: text });
    },
    written: () => written,
    modes: () => ({
      buffer: terminal.buffer.active.type,
      mouse: terminal.modes.mouseTrackingMode,
      paste: terminal.modes.bracketedPasteMode,
      isCursorShown: written.lastIndexOf('\u001b[?25h') >= written.lastIndexOf('\u001b[?25l'),
    }),
    settle,
    resize(newColumns, newRows) {
      pty.resize(newColumns, newRows);
      terminal.resize(Math.max(fewestColumns, newColumns), Math.max(fewestRows, newRows));
    },
    signal: (signal) => void process.kill(pty.pid, signal),
    stall: () => pty.pause(),
    flow: () => pty.resume(),
    hangUp: () => (pty as unknown as { destroy(): void }).destroy(),
  };
}
