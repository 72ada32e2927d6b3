/** A terminal emulator, and what it shows. */
import unicode11 from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';

/** Widths as of Unicode 11, as terminals of today have them: the emulator's own are those of 2000. */
export function openEmulator(columns: number, rows: number): xterm.Terminal {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  return terminal;
}

/** The visible lines, without trailing spaces. */
export function linesShown(terminal: xterm.Terminal): string[] {
  const { active } = terminal.buffer;
  return Array.from(
    { length: terminal.rows },
    (_, y) =>
      active
        .getLine(active.viewportY + y)
        ?.translateToString()
        .trimEnd() ?? '',
  );
}

/** Until all that was written is shown. */
export const shown = (terminal: xterm.Terminal): Promise<void> => new Promise((resolve) => terminal.write('', resolve));
