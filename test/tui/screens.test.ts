/**
 * Golden screens: each state of `screen-states.ts` as a real emulator shows it, at four sizes. `UPDATE_SCREENS=1` writes what
 * is shown now: read it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Frame, Size } from '../../tui/core/frame.js';
import { view } from '../../tui/core/view.js';
import { openScreen } from '../../tui/screen.js';
import { type FakeTerminal, openFakeTerminal } from '../support/fake-terminal.js';
import { type Begin, sizeOf } from './core-support.js';
import { inAscii, type Reach, states } from './screen-states.js';

const folder = join(import.meta.dirname, 'screens');
const isUpdate = process.env.UPDATE_SCREENS === '1';
const sizes = [sizeOf(40, 12), sizeOf(80, 24), sizeOf(132, 43), sizeOf(200, 60)];

const nameOf = (name: string, { columns, rows }: Size): string => `${name}-${columns}x${rows}`;

interface Golden {
  readonly name: string;
  readonly reach: Reach;
  readonly begin: Begin & { readonly size: Size };
}

const goldens: readonly Golden[] = [
  ...Object.entries(states).flatMap(([name, reach]) =>
    sizes.map((size) => ({ name: nameOf(name, size), reach, begin: { size } })),
  ),
  ...inAscii.map((name) => {
    const size = sizeOf(80, 24);
    return { name: `${nameOf(name, size)}-ascii`, reach: reachOf(name), begin: { size, locale: 'C' } };
  }),
  { name: 'too-small-15x5', reach: reachOf('plan-running'), begin: { size: sizeOf(15, 5) } },
  { name: 'smallest-16x6', reach: reachOf('plan-running'), begin: { size: sizeOf(16, 6) } },
];

function reachOf(name: string): Reach {
  const reach = states[name];
  if (reach === undefined) throw new Error(`no state ${name}`);
  return reach;
}

/** Rows under the cursor that the terminal shows in inverse, as it does without colours. */
function markedRows({ terminal }: FakeTerminal, { regions }: Frame): number[] {
  const chosen = regions.flatMap(({ rect, rows }) => rows.flatMap((row, y) => (row.chosen === undefined ? [] : [rect.y + y])));
  const isInverse = (y: number): boolean =>
    Array.from({ length: terminal.cols }, (_, x) => terminal.buffer.active.getLine(y)?.getCell(x)?.isInverse() ?? 0).some(
      Boolean,
    );
  return [...new Set(chosen)].filter(isInverse).sort((a, b) => a - b);
}

/** The screen as text, then where the text cursor is, and which rows are marked; both from 0. */
async function shown({ reach, begin }: Golden): Promise<string> {
  const terminal = openFakeTerminal(begin.size.columns, begin.size.rows);
  const screen = openScreen({ ...terminal, colours: false });
  const frame = view(reach(begin).state);
  screen.paint(frame);
  await terminal.settle();
  const { cursorX, cursorY } = terminal.terminal.buffer.active;
  const lines = terminal.text();
  const rows = markedRows(terminal, frame);
  screen.close();
  terminal.terminal.dispose();
  const facts = [
    ...(frame.cursor === null ? [] : [`cursor ${cursorX},${cursorY}`]),
    ...(rows.length > 0 ? [`marked ${rows.join(' ')}`] : []),
  ];
  return [...lines, `-- ${facts.join(' · ')}`].map((line) => `${line.trimEnd()}\n`).join('');
}

describe('the screen', () => {
  for (const golden of goldens) {
    it(golden.name.replaceAll('-', ' '), async () => {
      const path = join(folder, `${golden.name}.txt`);
      const seen = await shown(golden);
      if (isUpdate) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(path, seen);
      }
      expect(seen).toBe(isUpdate ? seen : readFileSync(path, 'utf8'));
    });
  }

  it('has no golden text that no state belongs to', () => {
    const files = new Set(goldens.map(({ name }) => `${name}.txt`));
    const strays = readdirSync(folder).filter((file) => !files.has(file));
    if (isUpdate) for (const file of strays) rmSync(join(folder, file));
    expect(isUpdate ? [] : strays).toEqual([]);
  });
});
