import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import xterm from '@xterm/headless';
import { spawn as spawnTerminal } from 'node-pty';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { installExitGuard } from '../../tui/screen.js';
import { tempFolder } from '../support/daemon.js';
import { waitFor } from '../support/wait.js';

const root = join(import.meta.dirname, '../..');
const program = ['--import', 'tsx', join(import.meta.dirname, 'screen-program.ts')];

/**
 * Job control, as a person's shell has it: a stopped program finds its terminal changed when it is brought back, which is
 * after a line was typed.
 */
const underShell = 'echo "$ before"; set -m; "$0" "$@"; echo "stopped $?"; stty sane; read -r line; fg >/dev/null; exit $?';
const alone = 'echo "$ before"; exec "$0" "$@"';

/** The program on a pseudo-terminal, started by a shell, and what an emulator shows of it. */
async function begin(script = alone) {
  const logPath = join(await tempFolder(), 'log');
  const pty = spawnTerminal('bash', ['-c', script, process.execPath, ...program, logPath], {
    name: 'xterm-256color',
    cols: 60,
    rows: 10,
    cwd: root,
  });
  const terminal = new xterm.Terminal({ cols: 60, rows: 10, allowProposedApi: true });
  let written = '';
  pty.onData((data) => {
    written += data;
    terminal.write(data);
  });
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  const log = (): Promise<string> => readFile(logPath, 'utf8').catch(() => '');
  /** All lines, also those that have scrolled out. */
  const text = (): string[] => {
    const { active } = terminal.buffer;
    return Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString().trimEnd() ?? '');
  };
  const toShow = (what: RegExp) => waitFor(`${what} on the terminal`, () => what.test(text().join('\n')), { describe: text });
  await toShow(/the screen/);
  const pid = Number(await waitFor('its pid', async () => /^pid (\d+)$/m.exec(await log())?.[1]));
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
    pty.kill('SIGKILL');
  });
  return {
    pty,
    pid,
    ended,
    log,
    text,
    toShow,
    /** What a program may leave behind. */
    state: () => ({
      buffer: terminal.buffer.active.type,
      mouse: terminal.modes.mouseTrackingMode,
      paste: terminal.modes.bracketedPasteMode,
      isCursorShown: written.lastIndexOf('\u001b[?25h') > written.lastIndexOf('\u001b[?25l'),
    }),
    settle: () => new Promise<void>((resolve) => terminal.write('', resolve)),
  };
}

const asFound = { buffer: 'normal', mouse: 'none', paste: false, isCursorShown: true };
const taken = { buffer: 'alternate', mouse: 'drag', paste: true, isCursorShown: true };

describe('the end of the program', () => {
  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
  ] as const)('%s exits with %i and leaves the terminal as it was found', async (signal, code) => {
    const { pid, ended, settle, state, text } = await begin();
    await settle();
    expect(state()).toEqual(taken);
    process.kill(pid, signal);
    expect(await ended).toBe(code);
    await settle();
    expect(state()).toEqual(asFound);
    expect(text().filter((line) => line !== '')).toEqual(['$ before']);
  });

  it.each([
    ['an exception', 't', /^Error: it broke$/],
    ['a rejection', 'r', /^Error: a promise broke$/],
  ])('%s that nobody handled is told after the screen is gone', async (_what, key, message) => {
    const { pty, ended, settle, state, text } = await begin();
    pty.write(key);
    expect(await ended).toBe(1);
    await settle();
    expect(state()).toEqual(asFound);
    const [first, second] = text();
    expect([first, second]).toEqual(['$ before', expect.stringMatching(message)]);
  });

  it('by itself: what is printed afterwards stands below what was there', async () => {
    const { pty, ended, settle, state, text } = await begin();
    pty.write('q');
    expect(await ended).toBe(0);
    await settle();
    expect(state()).toEqual(asFound);
    expect(text().filter((line) => line !== '')).toEqual(['$ before', 'bye']);
  });

  it('comes with the end of its terminal', async () => {
    const { pty, log } = await begin();
    (pty as unknown as { destroy(): void }).destroy();
    await waitFor('its end', async () => (await log()).endsWith('exit 129\n'));
  });

  it('comes with the end of its input, or a terminal that went away', () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    onTestFinished(() => exit.mockRestore());
    const broken = (code: string): Error => Object.assign(new Error(code), { code });
    const ways: readonly ((input: PassThrough, output: PassThrough) => void)[] = [
      (input) => input.emit('end'),
      (input) => input.emit('error', broken('EIO')),
      (_input, output) => output.emit('error', broken('EIO')),
      (_input, output) => output.emit('error', broken('EPIPE')),
    ];
    for (const end of ways) {
      const [input, output, restore] = [new PassThrough(), new PassThrough(), vi.fn()];
      const remove = installExitGuard(restore, { input, output });
      end(input, output);
      expect([exit.mock.calls, restore.mock.calls.length]).toEqual([[[129]], 1]);
      exit.mockClear();
      remove();
      expect(() => output.emit('error', broken('EIO'))).toThrow('EIO');
    }
  });
});

describe('a stop', () => {
  it('by Ctrl-z gives the terminal back to the shell, and takes it again afterwards', async () => {
    const { pty, ended, settle, state, text, toShow } = await begin(underShell);
    pty.write('z');
    await toShow(/stopped 148/);
    expect(state()).toEqual(asFound);
    expect(text()[0]).toBe('$ before');
    pty.write('go on\r');
    await toShow(/^the screen/);
    await settle();
    expect(state()).toEqual(taken);
    pty.write('q');
    expect(await ended).toBe(0);
    await settle();
    expect(state()).toEqual(asFound);
  });

  it('from outside: everything is taken and painted again when it goes on', async () => {
    const { pty, pid, ended, settle, state, text, toShow } = await begin(underShell);
    process.kill(pid, 'SIGSTOP');
    await toShow(/stopped 147/);
    pty.write('go on\r');
    await waitFor('the screen alone', () => text().join('') === 'the screen', { describe: text });
    expect(state()).toEqual(taken);
    // Keys are read one by one: the terminal is raw again.
    pty.write('q');
    expect(await ended).toBe(0);
    await settle();
    expect(state()).toEqual(asFound);
  });
});

describe('a terminal that stops reading', () => {
  it('freezes nothing, piles up nothing, and does not hold up the end', async () => {
    const { pty, pid, log } = await begin();
    pty.write('f');
    pty.pause();
    const waiting = async (): Promise<number[]> =>
      [...(await log()).matchAll(/^tick backed up (\d+)$/gm)].map(([, bytes]) => Number(bytes));
    const counts = await waitFor('it to go on without its terminal', async () => {
      const seen = await waiting();
      return seen.length > 50 && seen;
    });
    expect(Math.max(...counts)).toBeLessThan(2_000);
    process.kill(pid, 'SIGTERM');
    await waitFor('its end', async () => (await log()).endsWith('exit 143\n'));
  });
});
