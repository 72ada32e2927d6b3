/**
 * A person at the screen: the whole client in this process, on a terminal of its own, with a real daemon behind it.
 *
 *     const anna = await sitDown(story, { columns: 120, rows: 36 });
 *     await anna.press('a');
 *     await anna.write('Quote the fields');
 *     await anna.press('Enter', 'Esc', 'r');
 *     await anna.sees('completed');
 */
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Client } from '../../shared/client.js';
import type { SessionId } from '../../shared/plan.js';
import { connectIfRunning, filesOf } from '../../tui/connect.js';
import { glyphsFor } from '../../tui/core/glyphs.js';
import { createPerformer } from '../../tui/perform.js';
import { runProgram } from '../../tui/program.js';
import { openScreen } from '../../tui/screen.js';
import { plainEnvironment } from './daemon.js';
import { type FakeTerminal, openFakeTerminal } from './fake-terminal.js';
import { waitFor } from './wait.js';

export type Sight = string | RegExp;

export interface Person {
  /** Keys by their names in the keymap: `r`, `K`, `Down`, `Enter`, `Ctrl-n`. */
  press(...names: readonly string[]): Promise<void>;
  /** Types a text, key by key. */
  write(text: string): Promise<void>;
  paste(text: string): Promise<void>;
  /** Clicks on the first place in sight that has this text. */
  click(text: string): Promise<void>;
  wheel(direction: 'up' | 'down', over: string): Promise<void>;
  /** Waits until all of these are in sight at once. */
  sees(...what: readonly Sight[]): Promise<void>;
  /** Waits until none of these is in sight. */
  seesNot(...what: readonly Sight[]): Promise<void>;
  /** Waits until these stand below each other, in this order. */
  seesInOrder(...what: readonly string[]): Promise<void>;
  /** Waits until the cursor is on a line with this text. */
  pointsAt(text: string): Promise<void>;
  /** What is in sight, line by line. */
  screen(): string;
  /** The first line in sight that has this text. */
  line(text: string): string;
  resize(columns: number, rows: number): Promise<void>;
  /** What the daemon tells by itself while `work` goes on never arrives; something has to be told. */
  misses(work: () => Promise<unknown>): Promise<void>;
  /** True once they have left the screen. */
  hasLeft(): boolean;
}

export interface Seat {
  readonly columns?: number;
  readonly rows?: number;
  /** The session to open; the newest one of the folder unless given. */
  readonly sessionId?: SessionId;
  readonly env?: Record<string, string>;
}

/** Opens the screen in a folder, on the daemon of a home; it is left when the test ends. */
export async function sitDown(
  { home, workspace }: { readonly home: string; readonly workspace: string },
  { columns = 120, rows = 36, sessionId, env = {} }: Seat = {},
): Promise<Person> {
  const environment = plainEnvironment({ CAIRN_HOME: home, CAIRN_PORT: '0', ...env });
  const files = filesOf(environment);
  const found = await connectIfRunning(files);
  if (found === null) throw new Error('no daemon answers');
  const ears = hearing(found);
  const terminal = openFakeTerminal(columns, rows);
  const screen = openScreen({ ...terminal, colours: true });
  let hasLeft = false;
  const performer = createPerformer({
    screen,
    files,
    environment,
    client: ears.client,
    onStart: undefined,
    pauseGuard: () => () => undefined,
    onLeave: leave,
  });
  const program = runProgram(
    screen,
    {
      size: screen.size,
      glyphs: glyphsFor('C.UTF-8'),
      now: Date.now(),
      folder: workspace,
      home: '',
      clientId: randomBytes(8).toString('hex'),
      sessionId: sessionId ?? null,
    },
    performer.perform,
  );
  function leave(): void {
    if (hasLeft) return;
    hasLeft = true;
    program.stop();
    performer.close();
    screen.close();
  }
  onTestFinished(() => {
    leave();
    terminal.terminal.dispose();
  });
  performer.begin(program.dispatch);
  const person = personAt(terminal, () => hasLeft, ears.misses);
  await waitFor('the first look', () => /\S/.test(person.screen()) && !/Looking for the daemon|Reading\./.test(person.screen()), {
    describe: person.screen,
  });
  return person;
}

/** A client whose notifications can be kept from it. */
function hearing(found: Client): { readonly client: Client; misses: Person['misses'] } {
  let isDeaf = false;
  let missed = 0;
  const client: Client = {
    ...found,
    on: (name, listener) =>
      found.on(name, (params) => {
        if (isDeaf) missed++;
        else listener(params);
      }),
  };
  return {
    client,
    async misses(work) {
      [isDeaf, missed] = [true, 0];
      await work();
      await waitFor('something to be missed', () => missed > 0);
      isDeaf = false;
    },
  };
}

/** What a terminal sends. Escape as newer terminals send it: a lone one is told from a sequence only by waiting. */
const keys: Readonly<Record<string, string>> = {
  Enter: '\r',
  'Alt-Enter': '\u001b\r',
  Esc: '\u001b[27u',
  Tab: '\t',
  'Shift-Tab': '\u001b[Z',
  Backspace: '\u007f',
  Space: ' ',
  Up: '\u001b[A',
  Down: '\u001b[B',
  Right: '\u001b[C',
  Left: '\u001b[D',
  Home: '\u001b[H',
  End: '\u001b[F',
  PgUp: '\u001b[5~',
  PgDn: '\u001b[6~',
};

function bytesOf(name: string): string {
  const known = keys[name];
  if (known !== undefined) return known;
  const control = /^Ctrl-([a-z])$/.exec(name)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) - 0x60);
  if (Array.from(name).length !== 1) throw new Error(`no key is called ${name}`);
  return name;
}

function personAt(at: FakeTerminal, hasLeft: () => boolean, misses: Person['misses']): Person {
  const screen = (): string => at.text().join('\n');
  const has = (what: Sight): boolean => (typeof what === 'string' ? screen().includes(what) : what.test(screen()));
  const see = async (what: string, look: () => boolean): Promise<void> => {
    await waitFor(what, look, { describe: () => at.text() });
  };
  const type = async (bytes: string): Promise<void> => {
    at.type(bytes);
    await at.settle();
  };
  /** A report of the mouse, as xterm's SGR mode has it: cells from 1. */
  const mouse = (button: number, { x, y }: Cell, end: 'M' | 'm'): string => `\u001b[<${button};${x + 1};${y + 1}${end}`;
  return {
    press: (...names) => type(names.map(bytesOf).join('')),
    write: type,
    paste: (text) => type(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`),
    async click(text) {
      const cell = await placeOf(at, text);
      await type(mouse(0, cell, 'M') + mouse(0, cell, 'm'));
    },
    async wheel(direction, over) {
      await type(mouse(direction === 'up' ? 64 : 65, await placeOf(at, over), 'M'));
    },
    sees: (...what) => see(`${what.join(' and ')} on the screen`, () => what.every(has)),
    seesNot: (...what) => see(`${what.join(' and ')} to leave the screen`, () => !what.some(has)),
    seesInOrder: (...what) =>
      see(what.join(', then '), () => {
        const places = what.map((text) => at.text().findIndex((line) => line.includes(text)));
        return places.every((y, i) => y >= 0 && y > (places[i - 1] ?? -1));
      }),
    pointsAt: (text) => see(`the cursor on ${text}`, () => chosenLines(at).some((line) => line.includes(text))),
    screen,
    line: (text) => at.text().find((line) => line.includes(text)) ?? '',
    async resize(columns, rows) {
      at.resize(columns, rows);
      await at.settle();
    },
    misses,
    hasLeft,
  };
}

interface Cell {
  readonly x: number;
  readonly y: number;
}

/** The first cell of a text, once it is in sight. Columns are those of the terminal: some characters take two. */
const placeOf = (at: FakeTerminal, text: string): Promise<Cell> =>
  waitFor<Cell>(
    `${text} to click on`,
    () => {
      const y = at.text().findIndex((line) => line.includes(text));
      if (y < 0) return undefined as never;
      const cells = cellsOf(at, y);
      const x = cells.findIndex((_, i) => cells.slice(i).join('').startsWith(text));
      return { x, y };
    },
    { describe: () => at.text() },
  );

const lineAt = ({ terminal }: FakeTerminal, y: number) => terminal.buffer.active.getLine(terminal.buffer.active.viewportY + y);

/** One entry for each column; empty for the right half of a wide character. */
function cellsOf(at: FakeTerminal, y: number): string[] {
  const line = lineAt(at, y);
  return Array.from({ length: at.terminal.cols }, (_, x) => {
    const cell = line?.getCell(x);
    return cell?.getWidth() === 0 ? '' : cell?.getChars() || ' ';
  });
}

/** What stands on the background of the cursor, line by line. */
function chosenLines(at: FakeTerminal): string[] {
  return at.text().map((_, y) => {
    const line = lineAt(at, y);
    return cellsOf(at, y)
      .filter((_cell, x) => line?.getCell(x)?.isBgDefault() === false)
      .join('');
  });
}
