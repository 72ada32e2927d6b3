/** Kinds of terminals and of foreign text: what is written to them, byte by byte. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { startDaemon, waitForRun } from '../support/daemon.js';
import type { TerminalProgram } from '../support/terminal-program.js';
import { waitFor } from '../support/wait.js';
import { beginPlan, ctrl, goal, openCairn } from './life-support.js';
import { cairn as runCairn, newPlace } from './tui-support.js';

const escape = '\u001b';

/** The numbers of every SGR sequence. */
const attributesIn = (written: string): Set<number> =>
  new Set([...written.matchAll(/\u001b\[([\d;]*)m/g)].flatMap(([, numbers = '']) => numbers.split(';').map(Number)));

const isColour = (attribute: number): boolean =>
  (attribute >= 30 && attribute <= 38) || (attribute >= 40 && attribute <= 48) || attribute >= 90;

describe('without a screen', () => {
  it('a pipe gets plain lines', async () => {
    const { code, stdout } = await runCairn(await beginPlan(), []);
    expect(code).toBe(0);
    expect(stdout).toContain('Write the writer');
    expect(stdout).not.toContain(escape);
  });

  it('a terminal that can do nothing gets plain lines', async () => {
    const cairn = openCairn(await beginPlan(), { term: 'dumb' });
    expect(await cairn.end()).toBe(0);
    expect(cairn.text().join('\n')).toContain('Write the writer');
    expect(cairn.written()).not.toContain(escape);
  });

  it('a terminal without columns gets lines', async () => {
    const cairn = openCairn(await beginPlan(), { before: 'stty cols 0 rows 0' });
    await cairn.sees('Write the writer');
    expect(cairn.written()).not.toContain(`${escape}[?`);
    cairn.type(ctrl('c'));
    expect(await cairn.end()).toBe(130);
  });
});

/** Opens what these keys open, and closes it again. */
async function lookAround(cairn: TerminalProgram, keys: readonly string[]): Promise<void> {
  await cairn.settle();
  const shown = (): string => cairn.text().join('\n');
  const before = shown();
  for (const key of keys) {
    cairn.type(key);
    await waitFor(`something to open after ${JSON.stringify(key)}`, () => shown() !== before, { describe: shown });
    cairn.type(escape);
    await waitFor(`it to close after ${JSON.stringify(key)}`, () => shown() === before, { describe: shown });
  }
}

it('NO_COLOR leaves emphasis, but no colour', async () => {
  const begun = await beginPlan();
  const cairn = openCairn(begun, { env: { NO_COLOR: '1' }, columns: 120 });
  await cairn.sees(goal);
  await lookAround(cairn, ['?', ' ', 'x', 'a']);
  cairn.type('q');
  expect(await cairn.end()).toBe(0);
  const attributes = attributesIn(cairn.written());
  expect([...attributes].filter(isColour)).toEqual([]);
  expect([1, 4, 7].some((attribute) => attributes.has(attribute))).toBe(true);
  const coloured = openCairn(begun);
  await coloured.sees(goal);
  expect([...attributesIn(coloured.written())].some(isColour)).toBe(true);
});

it('a locale without UTF-8 gets ASCII alone', async () => {
  const begun = await beginPlan();
  const { workspace } = await newPlace();
  const shown = { env: { LC_ALL: 'C' }, columns: 120 };
  const [cairn, first] = [openCairn(begun, shown), openCairn({ ...begun, workspace }, shown)];
  await first.sees('For a model');
  await cairn.sees(goal);
  await lookAround(cairn, ['?', '\r', 'S', ' ', 'v', 'x', 'c', 'a', 'e', 'g', '/']);
  await lookAround(first, ['?', 'n', 'S']);
  await begun.daemon.kill();
  await cairn.sees('connection lost');
  await first.sees('No daemon answers');
  for (const one of [cairn, first]) {
    one.type('q');
    expect(await one.end()).toBe(0);
    expect(one.written().match(/[^\u0000-\u007f]/g)).toBeNull();
  }
});

describe('foreign text', () => {
  const hostile = [
    `${escape}]52;c;c3RvbGVu\u0007`,
    `${escape}]0;another title\u0007`,
    `${escape}[3J${escape}[6n${escape}c`,
    '\u009b3J\u009d52;c;c3RvbGVu\u009c',
    '\u202edesrever\u202c\u2066',
    '\b\b\b\u0000\u000e\t',
  ].join('');
  // The same as a shell says it, with octal numbers, in what it prints and in the name of a file.
  const printed = String.raw`\033]52;c;c3RvbGVu\007\033[3J\033[6n\033c\302\2333J\342\200\256out\rput\b\016`;
  const command = `printf '${printed}\\n'; touch "$(printf 'file\\033[3J\\007name')"; ls`;

  it('in titles, goals, output and names of files reaches the terminal as text alone', async () => {
    const place = await newPlace();
    const workspace = join(place.workspace, `work${escape}[3J${escape}]0;title\u0007`);
    await mkdir(workspace);
    const items = [
      { title: 'First', detail: 'Of it', command },
      { title: 'Second', command: 'true' },
    ];
    const { home, daemon, sessionId } = await beginPlan({ session: { workspace, title: 'Title', goal: 'Goal', items } });
    await daemon.stop();
    // No daemon stores such texts; the screen does not rely on that.
    const database = new Database(join(home, 'cairn.db'));
    database.prepare('UPDATE sessions SET title = title || @hostile, goal = goal || @hostile').run({ hostile });
    database.prepare('UPDATE items SET title = title || @hostile').run({ hostile });
    database.close();
    const again = await startDaemon(home);
    const cairn = openCairn({ home, workspace }, { columns: 120 });
    await cairn.sees('First');
    cairn.type('r');
    await waitForRun(again, sessionId, 'completed');
    await cairn.sees(/completed[^]*2\/2/);
    await cairn.sees('put');
    await cairn.sees('name');
    cairn.type('<');
    await lookAround(cairn, [' ', 'v', 'D', '\r', 'x', 'S', 'e', 'g', '?']);
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
    const written = cairn.written();
    for (const piece of [`${escape}]`, `${escape}[3J`, `${escape}[6n`, `${escape}c`, '\u0007', '\b', '\u0000', '\u000e']) {
      expect(written).not.toContain(piece);
    }
    expect(written).not.toMatch(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
  });
});
