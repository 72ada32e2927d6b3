/** Whatever happens, at every size: the screen can be drawn, and nothing is done that nobody wanted. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frame, Size } from '../../tui/core/frame.js';
import { widthOf } from '../../tui/core/text/text.js';
import { view } from '../../tui/core/view.js';
import { openScreen } from '../../tui/screen.js';
import { type FakeTerminal, openFakeTerminal } from '../support/fake-terminal.js';
import { changesSomething, keyOf } from './core-support.js';
import { size, step, steps, World } from './simulated-world.js';

/** Every region within the screen, no row wider than its region, the cursor on the screen. */
function check({ size: { columns, rows }, regions, cursor }: Frame, isTooSmall: boolean): void {
  for (const { id, rect, rows: lines } of regions) {
    const right = rect.x + rect.width;
    const bottom = rect.y + rect.height;
    if (rect.x < 0 || rect.y < 0 || right > columns || bottom > rows)
      throw new Error(`${id} at ${JSON.stringify(rect)} leaves ${columns}×${rows}`);
    if (isTooSmall) continue;
    for (const { spans } of lines) {
      const text = spans.map((span) => span.text).join('');
      if (widthOf(text) > rect.width) throw new Error(`a row of ${id} is wider than ${rect.width}: ${text}`);
      if (/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/.test(text))
        throw new Error(`${id} would act on the terminal: ${JSON.stringify(text)}`);
    }
  }
  if (cursor !== null && !(cursor.x >= 0 && cursor.x < columns && cursor.y >= 0 && cursor.y < rows))
    throw new Error(`the cursor at ${cursor.x}, ${cursor.y} leaves ${columns}×${rows}`);
}

const isTooSmall = ({ columns, rows }: Size): boolean => columns < 16 || rows < 6;

describe('the screen, whatever happens', () => {
  it('can be drawn at every size, with all of it within', () => {
    fc.assert(
      fc.property(size, steps, (begin, all) => {
        const world = new World(begin);
        for (const one of all) {
          world.play(one);
          check(view(world.state), isTooSmall(world.state.size));
        }
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('shows the pane that the keys go to', () => {
    fc.assert(
      fc.property(size, steps, (begin, all) => {
        const world = new World(begin);
        for (const one of all) {
          world.play(one);
          const { focus, session, size: now } = world.state;
          if (session === null || isTooSmall(now)) continue;
          expect(view(world.state).regions.map(({ id }) => id)).toContain(focus);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('moves the focus, opens a pane or moves the cursor for nobody but the person', () => {
    fc.assert(
      fc.property(size, steps, (begin, all) => {
        const world = new World(begin);
        world.onMessage = (msg, before, after) => {
          if (msg.type === 'key' || msg.type === 'paste' || msg.type === 'mouse') return;
          const was = before.session;
          const is = after.session;
          if (was === null || is === null || was.session.id !== is.session.id) return;
          expect([after.focus, after.tab, after.isPlanShown]).toEqual([before.focus, before.tab, before.isPlanShown]);
          const isArrival = was.edits.cursorTo !== null || (msg.type === 'answered' && msg.method === 'plan.addItem');
          const cursor = was.planView.cursor;
          if (!isArrival && after.ahead === before.ahead && cursor !== null && is.plan.items.has(cursor))
            expect(is.planView.cursor).toBe(cursor);
        };
        for (const one of all) world.play(one);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('acts on the item under the cursor, however the plan has moved', () => {
    const itemKey = fc.constantFrom('d', 's', 'o', 'J', 'K');
    const moved = fc.array(
      step.filter(({ does }) => does === 'edit' || does === 'run' || does === 'stream'),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), moved, itemKey, (down, others, key) => {
        const world = new World({ columns: 100, rows: 30 });
        world.take(keyOf('Home'), ...Array.from({ length: down }, () => keyOf('j')));
        for (const one of others) world.play(one);
        const under = world.state.session?.planView.cursor ?? null;
        const marked = view(world.state)
          .regions.flatMap(({ rows }) => rows)
          .find(({ chosen }) => chosen === 'here');
        expect(marked?.press).toEqual({ on: 'item', itemId: under });
        world.waiting = [];
        world.take(keyOf(key));
        for (const call of world.waiting.filter(changesSomething)) expect(call.params).toMatchObject({ itemId: under });
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('removes, clears and cancels only after a yes', () => {
    const withoutYes = fc.array(
      step.filter(
        (one) =>
          one.does !== 'input' ||
          !one.inputs.some(
            (typed) =>
              typed.type === 'mouse' ||
              (typed.type === 'key' && ['y', 'm', 'u', 'left', 'right', 'tab', 'A', 'a'].includes(typed.name)),
          ),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(withoutYes, (all) => {
        const world = new World({ columns: 120, rows: 40 });
        for (const one of all) {
          world.play(one);
          for (const { method } of world.waiting)
            expect(['plan.removeItem', 'plan.clear', 'plan.revert', 'run.cancel']).not.toContain(method);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

/** What is shown in each cell, and how. */
function look({ terminal }: FakeTerminal): string[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, y) =>
    Array.from({ length: terminal.cols }, (__, x) => {
      const cell = buffer.getLine(buffer.viewportY + y)?.getCell(x);
      const isBlank = cell?.getWidth() === 1 && cell.getChars() === '';
      return `${isBlank ? ' ' : (cell?.getChars() ?? '')}/${cell?.getWidth() ?? 0}/${cell?.isInverse() ?? 0}/${cell?.isBold() ?? 0}`;
    }).join(' '),
  );
}

describe('the terminal', () => {
  const small = fc.record({ columns: fc.integer({ min: 16, max: 110 }), rows: fc.integer({ min: 6, max: 24 }) });

  it('shows after any number of frames what it would show if only the last one were drawn', async () => {
    await fc.assert(
      fc.asyncProperty(small, fc.array(step, { maxLength: 25 }), async (begin, all) => {
        const world = new World(begin);
        const at = openFakeTerminal(begin.columns, begin.rows);
        const screen = openScreen({ ...at, colours: false });
        for (const one of all) {
          if (one.does === 'resize') continue;
          world.play(one);
          screen.paint(view(world.state));
        }
        screen.paint(view(world.state));
        await at.settle();
        const fresh = openFakeTerminal(begin.columns, begin.rows);
        const anew = openScreen({ ...fresh, colours: false });
        anew.paint(view(world.state));
        await fresh.settle();
        expect(look(at)).toEqual(look(fresh));
        for (const [opened, { terminal }] of [
          [screen, at],
          [anew, fresh],
        ] as const) {
          opened.close();
          terminal.dispose();
        }
      }),
      { numRuns: 50 },
    );
  }, 60_000);
});
