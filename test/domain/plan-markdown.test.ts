import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, importEntries, type PlanText, type TextItem } from '../../daemon/domain/plan-import.js';
import { parseMarkdown } from '../../daemon/domain/plan-markdown-parse.js';
import { renderMarkdown } from '../../daemon/domain/plan-markdown-render.js';
import { setGoal, setStatus } from '../../daemon/domain/plan-edit.js';
import { parseJson, renderJson } from '../../daemon/domain/plan-json.js';
import { emptyPlan, type Plan } from '../../daemon/domain/plan.js';
import { leavesOf } from '../../shared/plan-tree.js';
import {
  activate,
  change,
  entriesArb,
  id,
  itemOf,
  lineArb,
  outline,
  planOf,
  refusalOf,
  textArb,
  valueOf,
} from './plan-samples.js';

const render = (plan: Plan, title = 'A plan', status = 'idle'): string =>
  renderMarkdown({ title, goal: plan.goal, status, tree: plan.tree });

const withoutLines = ({ entries, ...rest }: PlanText): PlanText => {
  const bare = ({ line: _line, ...item }: TextItem): TextItem => item;
  return {
    ...rest,
    entries: entries.map((task) => ({ ...bare(task), ...('children' in task ? { children: task.children?.map(bare) } : {}) })),
  };
};

const read = (text: string): PlanText => valueOf(parseMarkdown(text));
const shape = (text: string): unknown[] =>
  read(text).entries.map((task) => (task.children ? [task.title, ...task.children.map((child) => child.title)] : task.title));

describe('a plan in Markdown', () => {
  it('reads well', () => {
    const plan = change(
      planOf([
        { title: 'Ship it', priority: 'high', detail: 'First line.\n\nLast line.', status: 'pending' },
        {
          title: 'Test',
          children: [
            { title: 'Unit', status: 'done', note: 'went well' },
            { title: 'End to end', status: 'skipped', command: 'npm test', acceptance: ['all green'], verify: ['echo `date`'] },
          ],
        },
      ]),
      (draft) => setGoal(draft, { goal: 'Get it out' }),
    );
    expect(render(plan, 'Release', 'running')).toBe(`# Plan: Release

**Goal:** Get it out

**Status:** running

## Steps

- [ ] 1. Ship it <!-- id:t1 priority:high -->
  First line.

  Last line.
- [x] 2. Test <!-- id:t2 claimed:yes -->
  - [x] 2.1. Unit <!-- id:t3 claimed:yes -->
    - **Note:** went well
  - [-] 2.2. End to end <!-- id:t4 origin:person -->
    - **Acceptance:** all green
    - **Command:** \`npm test\`
    - **Verify:**
      \`\`\`text
      echo \`date\`
      \`\`\`
`);
  });

  it('comes back as it was, whatever is in it', () => {
    fc.assert(
      fc.property(entriesArb, textArb, lineArb, fc.nat(), (entries, goal, title, pick) => {
        let plan = change(planOf(entries), (draft) => setGoal(draft, { goal }));
        const open = [...leavesOf(plan.tree)].filter((leaf) => leaf.status === 'pending');
        const active = open[pick % Math.max(1, open.length)];
        if (active) plan = activate(plan, active.id);
        const back = read(render(plan, title));
        expect(withoutLines(back)).toEqual({
          title: title.replace(/\s+/g, ' ').trim(),
          goal: plan.goal,
          entries: entriesOf(plan.tree),
        });
        expect(withoutLines(read(render(plan, title).replace(/\n/g, '\r\n')))).toEqual(withoutLines(back));
      }),
      { numRuns: 500 },
    );
  });

  it('imports into a new session as the same plan, and exports the same again', () => {
    fc.assert(
      fc.property(entriesArb, (entries) => {
        const plan = planOf(entries);
        const copy = change(emptyPlan, (draft) => importEntries(draft, read(render(plan)), 'import'));
        const trusted = (text: string): string => text.replaceAll('origin:person', 'origin:import');
        expect(render(copy)).toBe(trusted(render(plan)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a list written by hand', () => {
  it.each<[string, string, unknown[]]>([
    ['bullets', '- a\n- b', ['a', 'b']],
    ['stars and pluses', '* a\n+ b', ['a', 'b']],
    ['numbers', '1. a\n2) b\n10. c', ['a', 'b', 'c']],
    ['numbers that line up at the right', ' 9. a\n10. b', ['a', 'b']],
    ['two columns', '- a\n  - b\n- c', [['a', 'b'], 'c']],
    ['two columns under a number', '1. a\n  - b\n  - c\n2. d', [['a', 'b', 'c'], 'd']],
    ['eight columns', '- a\n        - b\n- c', [['a', 'b'], 'c']],
    ['tabs', '- a\n\t- b\n\t- c', [['a', 'b', 'c']]],
    ['an indented list', '    - a\n      - b', [['a', 'b']]],
    ['numbers behind the mark', '- [ ] 1. a\n  - [ ] 1.1. b', [['a', 'b']]],
    ['blank lines between', '- a\n\n  - b\n\n- c', [['a', 'b'], 'c']],
    ['a title that begins with a quantity', '- 3 apples', ['3 apples']],
    ['a comment that is no metadata', '- a <!-- really -->', ['a <!-- really -->']],
    ['headings between', '# x\n## Phase 1\n- a\n## Phase 2\n- b', ['a', 'b']],
    ['prose, fences, comments and rules around', 'Hello:\n```\n- no\n```\n<!--\n- no\n-->\n\n- a\n\n---\n\nBye.', ['a']],
    ['CRLF and a byte order mark', '\ufeff- a\r\n  - b\r\n', [['a', 'b']]],
  ])('may have %s', (_what, text, expected) => {
    expect(shape(text)).toEqual(expected);
  });

  it('may be a GitHub task list', () => {
    const { entries } = read('- [x] a\n- [X] b\n- [ ] c\n- [~] d\n- [-] e\n- f');
    expect(entries.map((entry) => entry.status)).toEqual(['done', 'done', 'pending', 'active', 'skipped', undefined]);
  });

  it('closes what has no mark with the task above it', () => {
    expect(read('- [x] a\n  - b\n  - [ ] c').entries[0]?.children?.map((child) => child.status)).toEqual(['done', 'pending']);
  });

  it('takes indented text as detail, with its code and lists kept as they are', () => {
    const text = '- a\n  one\n\n    two\n  ```\n  - code\n  ```\n  - b\n    three\nlazy\n- c';
    const [a, c] = read(text).entries;
    expect(a?.detail).toBe('one\n\n  two\n```\n- code\n```');
    expect(a?.children?.[0]?.detail).toBe('three\nlazy');
    expect(c?.detail).toBeUndefined();
  });

  it('may have a title, and a goal of several paragraphs', () => {
    expect(read('# Release\n\n**Goal:** one\ntwo\n\nthree\n\n**Status:** idle\n\nprose\n\n- a')).toMatchObject({
      title: 'Release',
      goal: 'one\ntwo\n\nthree',
    });
    expect(read('- a').goal).toBeUndefined();
    expect(read('**Goal:**\n\n- a').goal).toBe('');
  });

  it('may have fields', () => {
    const [entry] = read(
      '- a\n  - **Command:** npm test\n  - **Verify:** `npm run lint`\n  - **File (change):** `a.ts`\n  - **In scope:** `src/`',
    ).entries;
    expect(entry).toMatchObject({
      command: 'npm test',
      verify: ['npm run lint'],
      relevantFiles: [{ path: 'a.ts', action: 'change' }],
      scope: { included: ['src/'], excluded: [] },
    });
  });

  it.each<[string, string, number, string]>([
    ['a third level', '- a\n  - b\n    - c', 3, 'deeper than two levels'],
    ['an unknown mark', '- [?] a', 1, '[?] is no mark'],
    ['an item without a title', '- a\n- [ ] <!-- id:t1 -->', 2, 'no title'],
    ['unknown metadata', '- a <!-- id:t1 colour:red -->', 1, 'colour:red'],
    ['a priority that there is not', '- a <!-- priority:urgent -->', 1, 'priority:urgent'],
    ['metadata given twice', '- a <!-- id:t1 id:t2 -->', 1, 'id is given twice'],
    ['a field given twice', '- a\n  - **Note:** x\n  - **Note:** y', 3, 'Note is given twice'],
    ['an empty field', '- a\n  - **Note:**\n- b', 2, 'Note is empty'],
    ['a field that goes on', '- a\n  - **Command:** x\n    y', 3, 'A field has one line'],
    ['a fence that does not end', '- a\n  ```\n  x', 2, 'fence does not end'],
    ['a comment that does not end', '- a\n\n<!-- x\n- b', 3, 'comment does not end'],
    ['an item that opens a comment', '- <!--\n  - b\n  -->', 1, 'comment does not end'],
    ['an item that is in no list by a slip', '- a\n\n-[ ] b', 3, 'looks like an item'],
    ['metadata outside of a list', 'b <!-- id:t1 -->', 1, 'looks like an item'],
    ['two goals', '**Goal:** a\n\n**Goal:** b', 3, 'goal is given twice'],
  ])('is refused with its line for %s', (_what, text, line, message) => {
    const refusal = refusalOf(parseMarkdown(text));
    expect(refusal).toMatchObject({ kind: 'invalid_params', data: { line } });
    expect(refusal.message).toContain(`line ${line}: `);
    expect(refusal.message).toContain(message);
  });
});

describe('an import', () => {
  const plan = change(
    planOf([
      { title: 'a', detail: 'why' },
      { title: 'b', children: [{ title: 'c' }, { title: 'd' }] },
    ]),
    (draft) => setStatus(draft, { itemId: id('t3'), status: 'done' }),
  );
  const importInto = (into: Plan, text: string, author: 'import' | 'person' = 'person'): Plan =>
    change(into, (draft) => importEntries(draft, read(text), author), author);
  const refuseInto = (into: Plan, text: string, author: 'import' | 'person' = 'person') => {
    let refusal: ReturnType<typeof refusalOf> | undefined;
    change(into, (draft) => {
      refusal = refusalOf(importEntries(draft, read(text), author));
      return { ok: true, value: null };
    });
    return refusal;
  };

  it('changes nothing when the text is the plan', () => {
    expect(importInto(plan, render(plan))).toBe(plan);
    expect(importInto(plan, render(plan), 'import')).toBe(plan);
  });

  it('takes over the ids of the text in a plan that never had items, and never gives them out again', () => {
    const fresh = importInto(emptyPlan, '- new\n- [x] a <!-- id:t1 -->\n- [~] b <!-- id:my-task -->', 'import');
    expect(outline(fresh)).toEqual(['t2 pending new', 't1 done a', 'my-task pending b']);
    expect(itemOf(fresh, 't1').claimed).toBe(true);
    expect(outline(importInto(fresh, `${render(fresh)}- c`)).at(-1)).toBe('t3 pending c');
  });

  it('gives new ids in a plan that was emptied', () => {
    const emptied = importInto(planOf([{ title: 'a' }]), '');
    expect(outline(importInto(emptied, '- again <!-- id:t1 -->'))).toEqual(['t2 pending again']);
    const named = importInto(importInto(emptyPlan, '- a <!-- id:only -->'), '');
    expect(outline(importInto(named, '- b <!-- id:only -->'))).not.toContain('only pending b');
  });

  it('does not believe that a check was seen or who wrote a command', () => {
    const text = '- [x] a <!-- id:t1 claimed:yes accepted:yes origin:person -->\n  - **Command:** `rm -rf build`';
    const item = itemOf(importInto(emptyPlan, text), 't1');
    expect(item).toMatchObject({ status: 'done', claimed: true, origin: 'import' });
    expect(item.accepted).toBeUndefined();
  });

  it('clears what the text leaves out, adds what has no id and removes what is gone', () => {
    const next = importInto(plan, '- [ ] b <!-- id:t2 -->\n  - [x] c <!-- id:t3 -->\n  - e\n- [ ] a <!-- id:t1 -->');
    expect(outline(next)).toEqual(['t2 pending b', '  t3 done c', '  t5 pending e', 't1 pending a']);
    expect(itemOf(next, 't1').detail).toBeUndefined();
  });

  it('lets a person mark an item done, and nobody else', () => {
    const text = render(plan).replace('[ ] 2.2.', '[x] 2.2.');
    expect(itemOf(importInto(plan, text), 't4')).toMatchObject({ status: 'done', claimed: true });
    expect(refuseInto(plan, text, 'import')).toMatchObject({ kind: 'invalid_state', data: { line: 13 } });
  });

  it.each<[string, (text: string) => string, string, number | undefined]>([
    ['an id that is not in the plan', (text) => `${text}- x <!-- id:t77 -->`, 'invalid_params', 14],
    ['an id given twice', (text) => `${text}- x <!-- id:t1 -->`, 'invalid_params', 14],
    ['another title for a done item', (text) => text.replace('1. c', '1. C'), 'invalid_state', 12],
    ['a new detail for a done item', (text) => text.replace(/(2\.1.*)/, '$1\n    more'), 'invalid_state', 12],
    ['a done item reopened', (text) => text.replace('[x] 2.1.', '[ ] 2.1.'), 'invalid_state', 12],
    ['a title that is too long', (text) => text.replace('1. a', `1. ${'a'.repeat(201)}`), 'limit_exceeded', 9],
  ])('is refused with its line for %s', (_what, edit, kind, line) => {
    const refusal = refuseInto(plan, edit(render(plan)));
    expect(refusal).toMatchObject({ kind, data: { line } });
    expect(refusal?.message).toContain(`line ${line}: `);
  });

  it('says how an unknown id becomes a new item', () => {
    expect(refuseInto(plan, '- x <!-- id:t77 -->')?.data?.hint).toContain('Remove the id');
  });

  it('may leave out done work only for a person', () => {
    expect(outline(importInto(plan, '- [ ] a <!-- id:t1 -->'))).toEqual(['t1 pending a']);
    expect(refuseInto(plan, '- [ ] a <!-- id:t1 -->', 'import')).toMatchObject({ kind: 'invalid_state', data: { itemId: 't3' } });
  });

  it('refuses ids that are no names', () => {
    for (const bad of ['a/b', '-a', 'x'.repeat(33), 't9999999999999999']) {
      expect(refuseInto(emptyPlan, `- a <!-- id:${bad} -->`)).toMatchObject({ kind: 'invalid_params', data: { line: 1 } });
    }
  });
});

describe('a plan in JSON', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(entriesArb, textArb, (entries, goal) => {
        const plan = change(planOf(entries), (draft) => setGoal(draft, { goal }));
        const text = valueOf(parseJson(renderJson(plan)));
        expect(text).toEqual({ goal: plan.goal, entries: entriesOf(plan.tree), root: 'items' });
        expect(change(plan, (draft) => importEntries(draft, text, 'import'))).toBe(plan);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, string, string]>([
    ['what is no JSON', '{', 'text'],
    ['another schema', '{"schema":"x/v1","items":[]}', 'schema'],
    ['an item without a title', '{"schema":"cairn.plan/v1","items":[{"title":"a"},{}]}', 'items.1.title'],
    ['an unknown field', '{"schema":"cairn.plan/v1","items":[{"title":"a","colour":"red"}]}', 'items.0'],
    [
      'a third level',
      '{"schema":"cairn.plan/v1","items":[{"title":"a","children":[{"title":"b","children":[]}]}]}',
      'items.0.children.0',
    ],
  ])('is refused with its path for %s', (_what, text, path) => {
    const refusal = refusalOf(parseJson(text));
    expect(refusal).toMatchObject({ kind: 'invalid_params', data: { issues: [{ path }] } });
  });

  it('names the item in what the plan refuses', () => {
    const text = valueOf(parseJson('{"schema":"cairn.plan/v1","items":[{"title":"a","children":[{"title":"b\\nc"}]}]}'));
    change(emptyPlan, (draft) => {
      expect(refusalOf(importEntries(draft, text, 'person')).message).toContain('items.0.children.0.title must be one line');
      return { ok: true, value: null };
    });
  });
});
