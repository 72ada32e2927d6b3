/** A person at the pure core: messages go in, and what is shown and wanted done comes out. Nothing of it is drawn. */
import type { MethodName } from '../../shared/contract.js';
import type { ItemId } from '../../shared/plan.js';
import type { DaemonStatus } from '../../shared/session.js';
import type { Frame, Size } from '../../tui/core/frame.js';
import { glyphsFor } from '../../tui/core/glyphs.js';
import type { Key, Mouse } from '../../tui/core/input/input.js';
import { keyName } from '../../tui/core/keymap.js';
import { characterKey, noModifiers } from '../../tui/core/input/keys.js';
import type { Answered, Call, Cmd, Msg } from '../../tui/core/message.js';
import { listedItem } from '../../tui/core/plan/plan-model.js';
import { initialState, type SessionView, type State } from '../../tui/core/state.js';
import { cells } from '../../tui/core/text/text.js';
import { graphemesOf } from '../../tui/core/text/text-position.js';
import { update } from '../../tui/core/update.js';
import { view } from '../../tui/core/view.js';

export const now = Date.parse('2026-03-01T10:00:42.000Z');
const folder = '/home/ann/export';

const keyNames: Readonly<Record<string, string>> = {
  ...{ Enter: 'enter', Tab: 'tab', Esc: 'escape', Backspace: 'backspace', Up: 'up', Down: 'down', Left: 'left' },
  ...{ Right: 'right', Home: 'home', End: 'end', PgUp: 'pageup', PgDn: 'pagedown', Delete: 'delete', F1: 'f1' },
};

/** The key that the keymap calls by this name: `r`, `Ctrl-n`, `Alt-Enter`, `Shift-Tab`, `Space`. */
export function keyOf(name: string): Key {
  const [, held = '', plain = ''] = /^((?:(?:Ctrl|Alt|Shift)-)*)(.+)$/u.exec(name) ?? [];
  const modifiers = { ctrl: held.includes('Ctrl'), alt: held.includes('Alt'), shift: held.includes('Shift') };
  const known = keyNames[plain];
  const key: Key =
    known === undefined
      ? characterKey(plain === 'Space' ? ' ' : plain, modifiers)
      : { type: 'key', name: known, ...modifiers, text: null };
  if (keyName(key) !== name) throw new Error(`no key ${name}: it would be ${keyName(key)}`);
  return key;
}

/** The keys that type a text. */
export const keysOf = (text: string): Key[] => graphemesOf(text).map((grapheme) => characterKey(grapheme, noModifiers));

export const clickAt = (x: number, y: number): Mouse => ({ type: 'mouse', action: 'press', button: 'left', x, y });

export interface Person {
  readonly state: State;
  /** The session that is shown; fails when there is none. */
  readonly session: SessionView;
  /** The item under the cursor. */
  readonly cursor: ItemId | null;
  take(...msgs: readonly Msg[]): void;
  /** Keys by their names, with spaces between them. */
  press(names: string): void;
  write(text: string): void;
  click(text: string): void;
  /** Commands that came of it since the last time this was asked. */
  wanted(): readonly Cmd[];
  /** The calls among them. */
  calls(): readonly Call[];
  /** Rows of the screen, without trailing blanks. */
  screen(): string[];
  /** All of them in one text, for a look at words. */
  text(): string;
}

export interface Begin {
  readonly size?: Size;
  readonly locale?: string;
}

export const sizeOf = (columns: number, rows: number): Size => ({ columns, rows });

export function newPerson({ size = sizeOf(132, 43), locale = 'C.UTF-8' }: Begin = {}): Person {
  let state = initialState({
    size,
    glyphs: glyphsFor(locale),
    now,
    folder,
    home: '/home/ann',
    clientId: 'c',
    sessionId: null,
  });
  let cmds: Cmd[] = [];
  const take = (...msgs: readonly Msg[]): void => {
    for (const msg of msgs) {
      const step = update(state, msg);
      state = step.state;
      cmds.push(...step.cmds);
    }
  };
  const person: Person = {
    get state() {
      return state;
    },
    get session() {
      if (state.session === null) throw new Error('no session is shown');
      return state.session;
    },
    get cursor() {
      return state.session?.planView.cursor ?? null;
    },
    take,
    press: (names) => take(...names.split(' ').map(keyOf)),
    write: (text) => take(...keysOf(text)),
    click(text) {
      const rows = person.screen();
      const y = rows.findIndex((row) => row.includes(text));
      if (y < 0) throw new Error(`nothing says ${text}:\n${rows.join('\n')}`);
      const before = rows[y]?.slice(0, rows[y].indexOf(text)) ?? '';
      take(clickAt(cells(before).length, y));
    },
    wanted() {
      const all = cmds;
      cmds = [];
      return all;
    },
    calls: () => person.wanted().filter((cmd) => cmd.type === 'call'),
    screen: () => linesOf(view(state)),
    text: () => person.screen().join('\n'),
  };
  return person;
}

/** A frame as lines of text: what a terminal would show of it. */
export function linesOf({ size, regions }: Frame): string[] {
  const grid = Array.from({ length: size.rows }, () => Array.from({ length: size.columns }, () => ' '));
  for (const { rect, rows } of regions) {
    for (let y = 0; y < rect.height; y += 1) {
      const found = (rows[y]?.spans ?? []).flatMap(({ text }) => cells(text));
      for (let x = 0; x < rect.width; x += 1) {
        const line = grid[rect.y + y];
        if (line?.[rect.x + x] !== undefined) line[rect.x + x] = found[x] ?? ' ';
      }
    }
  }
  return grid.map((line) => line.join('').trimEnd());
}

export const daemonOf = (part: Partial<DaemonStatus> = {}): DaemonStatus => ({
  version: '0.1.0',
  protocol: 1,
  pid: 4_242,
  uptimeMs: 60_000,
  home: '/home/ann/.cairn',
  store: { kind: 'sqlite', path: '/home/ann/.cairn/cairn.db', schemaVersion: 1, bytes: 4_096 },
  provider: { model: 'gpt-5-mini', baseUrl: 'https://api.openai.com/v1', replay: false },
  counts: { sessions: 1, running: 0, inbox: 0, clients: 1 },
  warnings: [],
  sandbox: null,
  ...part,
});

/** The answer to a call. */
export const answerTo = <M extends MethodName>(
  asked: Call,
  method: M,
  result: Extract<Answered, { method: M }>['result'],
): Msg => {
  if (asked.method !== method) throw new Error(`${asked.method} is answered as ${method}`);
  return { type: 'answered', method, params: asked.params, purpose: asked.purpose, result } as Answered;
};

/** Calls that change something at the daemon. */
const reading: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['session.list', 'session.get', 'session.watch', 'session.unwatch', 'plan.get', 'plan.history', 'plan.diff'] as const),
  ...(['run.get', 'run.explain', 'run.list', 'run.transcript', 'run.effects', 'run.steps', 'run.receipts'] as const),
  ...([
    'daemon.status',
    'inbox.list',
    'report.list',
    'event.list',
    'usage.get',
    'plan.export',
    'mission.tree',
    'report.summary',
  ] as const),
]);
export const changesSomething = (cmd: Cmd): cmd is Call => cmd.type === 'call' && !reading.has(cmd.method);

/** `2 Write it`, of the item under the cursor. */
export const titleAtCursor = ({ session, cursor }: Person): string => {
  const item = listedItem(session.plan, cursor);
  return item === null ? 'nothing' : `${item.number} ${item.title}`;
};
