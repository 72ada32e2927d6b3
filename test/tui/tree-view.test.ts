import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTree, countLeaves } from '../../shared/plan-tree.js';
import type { Item } from '../../shared/plan.js';
import type { PlanRun } from '../../shared/run.js';
import { widthOf } from '../../tui/core/text/text.js';
import { renderTree, type ViewOptions } from '../../tui/core/lines/tree-view.js';
import { ascii, colours, everyMark, itemOf, listedOf, narrow, planRunOf, wide } from './tui-support.js';

function render(
  options: ViewOptions,
  { items = everyMark, planRun = planRunOf() }: { items?: readonly Item[]; planRun?: PlanRun } = {},
): string {
  const view = {
    title: 'Export',
    goal: 'Ship the export\nwith all its columns',
    items: listedOf(items),
    counts: countLeaves(buildTree(items)),
    planRun,
    liveness: { state: 'working', cause: 'shell npm test (12 s)', lastProgressAt: null },
  } as const;
  return `\n${renderTree(view, options).join('\n')}\n`;
}

describe('the tree of a plan', () => {
  it('shows every status by a mark and a word, and what the running leaf does', () => {
    expect(render(wide)).toMatchInlineSnapshot(`
      "
      Goal: Ship the export
      running · step 3 · try 1   ██████░░░░░░ 2/4 (1 skipped)
       ✔ 1 Read the current exporter                done, accepted
       ▾ 2 Write the CSV writer
           ✓ 2.1 Quote fields                       done, claimed
           ▶ 2.2 Stream rows                        working: shell npm test (12 s)
           ○ 2.3 Handle the byte order mark
       ⊘ 3 Ask for a sample                         skipped
      "
    `);
  });

  it('uses ASCII marks where the locale has no others', () => {
    const shown = render(ascii);
    expect(shown).toMatchInlineSnapshot(`
      "
      Goal: Ship the export
      running - step 3 - try 1   ######...... 2/4 (1 skipped)
       V 1 Read the current exporter                done, accepted
       + 2 Write the CSV writer
           v 2.1 Quote fields                       done, claimed
           > 2.2 Stream rows                        working: shell npm test (12 s)
           - 2.3 Handle the byte order mark
       / 3 Ask for a sample                         skipped
      "
    `);
    expect(shown).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it('cuts what a narrow terminal cannot hold', () => {
    const shown = render(narrow);
    expect(shown).toMatchInlineSnapshot(`
      "
      Goal: Ship the export
      running · step 3 · try 1
      ██████░░░░░░ 2/4 (1 skipped)
       ✔ 1 Read the current e…  done, accepted
       ▾ 2 Write the CSV writer
           ✓ 2.1 Quote fields    done, claimed
           ▶ 2.2 Stream rows  working: shell …
           ○ 2.3 Handle the byte order mark
       ⊘ 3 Ask for a sample            skipped
      "
    `);
    expect(Math.max(...shown.split('\n').map((line) => widthOf(line)))).toBeLessThanOrEqual(40);
  });

  it('says under a blocked leaf why it is blocked', () => {
    const planRun = planRunOf({
      status: 'blocked',
      attempt: 2,
      lastError: 'The sample is missing.\n\nAsk for it at the office.',
    });
    expect(render(wide, { planRun })).toMatchInlineSnapshot(`
      "
      Goal: Ship the export
      blocked · step 3 · try 2   ██████░░░░░░ 2/4 (1 skipped)
       ✔ 1 Read the current exporter                done, accepted
       ▾ 2 Write the CSV writer
           ✓ 2.1 Quote fields                       done, claimed
           ▶ 2.2 Stream rows                        blocked
               The sample is missing.
               Ask for it at the office.
           ○ 2.3 Handle the byte order mark
       ⊘ 3 Ask for a sample                         skipped
      "
    `);
  });

  it('cuts a reason of many lines', () => {
    const lastError = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
    const shown = render(wide, { planRun: planRunOf({ status: 'failed', lastError }) });
    expect(shown).toContain('line 4\n');
    expect(shown).not.toContain('line 5');
  });

  it('says the reason at the end when there is no leaf to put it at', () => {
    const planRun = planRunOf({ status: 'cancelled', currentItemId: null, lastError: 'cancelled by a person' });
    expect(render(wide, { planRun }).trimEnd()).toMatch(/cancelled by a person$/);
  });

  it('says what to do with an empty plan', () => {
    expect(render(wide, { items: [], planRun: planRunOf({ status: 'idle', currentItemId: null, stepNo: 0 }) }))
      .toMatchInlineSnapshot(`
      "
      Goal: Ship the export
      idle   ░░░░░░░░░░░░ 0/0
      The plan is empty. Add an item: cairn add TITLE
      "
    `);
  });

  it('lets no title reach the terminal with more than text', () => {
    const items = [itemOf({ id: 't1', title: '\u001b[2Jgone\u0007 \u202Etxt.exe' })];
    expect(render(wide, { items, planRun: planRunOf({ currentItemId: null }) })).toContain('1 gone txt.exe');
  });

  it('has a full bar only when all is done', () => {
    const done = (n: number) => Array.from({ length: 24 }, (_, i) => itemOf({ id: `t${i}`, status: i < n ? 'done' : 'pending' }));
    expect(render(wide, { items: done(23) })).toContain('███████████░ 23/24');
    expect(render(wide, { items: done(24) })).toContain('████████████ 24/24');
  });

  it('has colours only where they are wanted', () => {
    expect(render(wide)).not.toContain('\u001b');
    expect(render(colours)).toContain('\u001b[32m');
    // The same text, colours aside.
    expect(render(colours).replaceAll(/\u001b\[\d+m/g, '')).toBe(render(wide));
  });

  it('is never wider than the terminal', () => {
    const titles = fc.array(fc.string({ unit: 'grapheme', maxLength: 120 }), { maxLength: 5 });
    fc.assert(
      fc.property(titles, fc.integer({ min: 40, max: 200 }), (titles, width) => {
        const items = [
          ...everyMark,
          ...titles.map((title, n) => itemOf({ id: `n${n}`, title, position: 10 + n, status: 'done' })),
        ];
        const lines = render({ ...wide, width }, { items }).split('\n');
        expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('is quick for ten thousand items', () => {
    const sections = Array.from({ length: 100 }, (_, n) => itemOf({ id: `s${n}`, position: n }));
    const leaves = sections.flatMap(({ id }) =>
      Array.from({ length: 99 }, (_, n) => itemOf({ id: `${id}.${n}`, parentId: id, position: n })),
    );
    expect(render(wide, { items: [...sections, ...leaves] }).split('\n')).toHaveLength(10_000 + 4);
  });
});
