import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revise, type ReviseInput } from '../../daemon/domain/plan-revise.js';
import type { TaskEntry } from '../../daemon/domain/plan-snapshot.js';
import { addItem, updateItem } from '../../daemon/domain/plan-edit.js';
import type { Plan } from '../../daemon/domain/plan.js';
import { planLimits, type Item } from '../../shared/plan.js';
import {
  activate,
  change,
  changeOf,
  checkPlan,
  entriesArb,
  id,
  itemOf,
  itemsOf,
  outline,
  planOf,
  refused,
  titleArb,
} from './plan-samples.js';

/** t1 leaf · t2 section (t3 done, t4 pending) · t5 done leaf · t6 done section (t7 done, t8 skipped) · t9 active leaf · t10 skipped */
const plan = planOf(
  [
    { title: 'one', detail: 'why', priority: 'high', note: 'n' },
    { title: 'two', children: [{ title: 'two-a', status: 'done' }, { title: 'two-b' }] },
    { title: 'five', status: 'done' },
    {
      title: 'six',
      children: [
        { title: 'six-a', status: 'done' },
        { title: 'six-b', status: 'skipped' },
      ],
    },
    { title: 'nine' },
    { title: 'ten', status: 'skipped' },
  ],
  't9',
);

const entry = (itemId: string | null, extra: object = {}): TaskEntry => ({
  ...(itemId === null ? { title: 'new' } : { id: id(itemId), title: itemOf(plan, itemId).title }),
  ...extra,
});
/** The whole plan as a snapshot of titles and statuses, with what is given put in for some entries (null leaves one out). */
const snapshot = (changes: Record<string, object | null> = {}, more: TaskEntry[] = []): TaskEntry[] => [
  ...plan.tree.flatMap(({ item, children }) => {
    const of = (one: Item): TaskEntry[] =>
      changes[one.id] === null ? [] : [entry(one.id, { status: one.status, ...changes[one.id] })];
    const nested = children.flatMap(of);
    return of(item).map((task) => (nested.length > 0 && !task.children ? { ...task, children: nested } : task));
  }),
  ...more,
];

type Author = ReviseInput['author'];
const by = (author: Author, entries: TaskEntry[], extra: Partial<ReviseInput> = {}, on: Plan = plan): Plan =>
  change(on, (draft) => revise(draft, { entries, author, ...extra }), author);
const refusedBy = (author: Author, entries: TaskEntry[], extra: Partial<ReviseInput> = {}) =>
  refused(plan, (draft) => revise(draft, { entries, author, ...extra }));

describe('a snapshot', () => {
  it.each<Author>(['person', 'planner', 'import'])('changes nothing when it says what is there (%s)', (author) => {
    expect(by(author, snapshot())).toBe(plan);
  });

  it('keeps echoed ids, adds what has none and removes what is left out', () => {
    const next = by('person', [
      entry(null),
      entry('t9'),
      entry('t5'),
      entry('t1', { title: 'uno', children: [{ title: 'sub' }] }),
    ]);
    expect(outline(next)).toEqual(['t11 pending new', 't9 active nine', 't5 done five', 't1 pending uno', '  t12 pending sub']);
  });

  it('keeps the fields that an echoed entry leaves out, and clears empty ones', () => {
    expect(itemOf(by('planner', snapshot({ t1: { detail: '' } })), 't1')).toMatchObject({ priority: 'high', note: 'n' });
    expect(itemOf(by('planner', snapshot({ t1: { detail: '' } })), 't1').detail).toBeUndefined();
    expect(itemOf(by('planner', snapshot({ t1: { title: 'x' } })), 't1')).toMatchObject({ title: 'x', detail: 'why' });
  });

  it('may name parents instead of nesting, in any order', () => {
    const next = by('person', [entry(null, { parentId: id('t1') }), entry('t1'), entry('t9', { parentId: id('t1') })]);
    expect(outline(next)).toEqual(['t1 pending one', '  t11 pending new', '  t9 active nine']);
  });

  it('settles sections by their children', () => {
    const next = by('person', [
      entry('t2', { children: [entry('t3', { status: 'done' })] }),
      entry('t6', { children: [entry('t7'), entry(null)] }),
    ]);
    expect(outline(next)).toEqual(['t2 done two', '  t3 done two-a', 't6 pending six', '  t7 done six-a', '  t11 pending new']);
  });

  it('writes one item when one of many is moved', () => {
    const large = planOf(Array.from({ length: 50 }, (_, i) => ({ title: `i${i}` })));
    const entries = itemsOf(large).map(({ id: itemId, title }) => ({ id: itemId, title }));
    const moved = changeOf(large, (draft) =>
      revise(draft, { author: 'person', entries: [...entries.slice(-1), ...entries.slice(0, -1)] }),
    );
    expect(moved?.change.items.map((item) => item.id)).toEqual(['t50']);
  });

  it('keeps places that were made by putting items in front', () => {
    const front = change(
      change(plan, (d) => addItem(d, { title: 'x', index: 0 }, 'person')),
      (d) => addItem(d, { title: 'y', index: 0 }, 'person'),
    );
    expect(by('person', [{ id: id('t12'), title: 'y' }, { id: id('t11'), title: 'x' }, ...snapshot()], {}, front)).toBe(front);
  });

  it('may be ten thousand items', () => {
    const large = planOf(
      Array.from({ length: 100 }, (_, i) => ({
        title: `s${i}`,
        children: Array.from({ length: 99 }, (_, c) => ({ title: `c${c}` })),
      })),
    );
    const entries = large.tree.map(({ item, children }) => ({
      id: item.id,
      title: item.title,
      children: [...children].reverse().map((child) => ({ id: child.id, title: child.title })),
    }));
    const next = change(large, (draft) => revise(draft, { entries: entries.reverse(), author: 'planner' }));
    checkPlan(next);
    expect(itemsOf(next)).toHaveLength(planLimits.items);
    expect(itemsOf(next)[1]?.title).toBe('c98');
  });
});

describe('a snapshot is refused', () => {
  it.each<[string, TaskEntry[], string, string, string]>([
    [
      'for an unknown id',
      [entry('t1'), { id: id('t77'), title: 'x' }],
      'invalid_params',
      'entries.1.id',
      't77 is not in the plan',
    ],
    [
      'for an id given twice',
      [entry('t1'), entry('t2', { children: [entry('t1')] })],
      'invalid_params',
      'entries.1.children.0.id',
      'given twice (first in entries.0)',
    ],
    [
      'for a parent and children at once',
      [entry('t1'), entry(null, { parentId: id('t1'), children: [{ title: 'x' }] })],
      'invalid_params',
      'entries.1',
      'both a parent and children',
    ],
    [
      'for a parent that is a subtask',
      [entry('t1', { children: [entry('t4')] }), entry(null, { parentId: id('t4') })],
      'invalid_params',
      'entries.1',
      't4 is a subtask',
    ],
    ['for a parent that is not in it', [entry(null, { parentId: id('t1') })], 'invalid_params', 'entries.0.parentId', 'names t1'],
    ['for an empty title', [entry('t1', { title: ' ' })], 'invalid_params', 'entries.0.title', 'must not be empty'],
    ['for a long title', [entry('t1', { title: 'x'.repeat(201) })], 'limit_exceeded', 'entries.0.title', 'is 201 characters'],
    [
      'for a command executor without one',
      [entry('t1', { executor: 'command' })],
      'invalid_params',
      'entries.0.executor',
      'has no command',
    ],
    [
      'for subtasks of the active leaf',
      [entry('t9', { children: [{ title: 'x' }] })],
      'invalid_state',
      'entries.0',
      'is being worked on',
    ],
    ['for a new text of a done item', [entry('t5', { title: 'x' })], 'invalid_state', 'entries.0', 't5 "five" is done'],
    [
      'for a new text of a done section',
      [entry('t6', { title: 'x', children: [entry('t7')] })],
      'invalid_state',
      'entries.0',
      't6 "six" is done',
    ],
    ['for a done item set to pending', [entry('t5', { status: 'pending' })], 'invalid_state', 'entries.0', 'does not reopen it'],
    ['for a done item set to skipped', [entry('t5', { status: 'skipped' })], 'invalid_state', 'entries.0', 'does not reopen it'],
    [
      'for a section closed over open subtasks',
      [entry('t2', { status: 'done', children: [entry('t3'), entry('t4')] })],
      'invalid_state',
      'entries.0',
      'open subtasks: t4',
    ],
    [
      'for a closed section reopened',
      [entry('t6', { status: 'pending', children: [entry('t7')] })],
      'invalid_state',
      'entries.0',
      'cannot be pending',
    ],
    [
      'for a new section closed over open subtasks',
      [entry(null, { status: 'done', children: [{ title: 'x' }] })],
      'invalid_state',
      'entries.0',
      'open subtasks',
    ],
  ])('%s', (_what, entries, kind, path, message) => {
    const refusal = refusedBy('person', entries);
    expect(refusal).toMatchObject({ kind, data: { path } });
    expect(refusal.message).toContain(path);
    expect(refusal.message).toContain(message);
    if (kind === 'invalid_params') expect(refusal.data).toMatchObject({ issues: [{ path }] });
  });

  it('for too many items', () => {
    const entries = Array.from({ length: planLimits.items + 1 }, () => ({ title: 'x' }));
    expect(refusedBy('person', entries)).toMatchObject({ kind: 'limit_exceeded', data: { limit: planLimits.items } });
    expect(refusedBy('planner', entries.slice(1))).toMatchObject({
      kind: 'limit_exceeded',
      data: { length: planLimits.items + 7 },
    });
  });
});

describe('a person', () => {
  it('closes, skips and takes up again what is open', () => {
    const next = by(
      'person',
      snapshot({ t1: { status: 'done' }, t4: { status: 'skipped' }, t10: { status: 'pending' }, t9: { status: 'done' } }),
    );
    expect(itemOf(next, 't1')).toMatchObject({ status: 'done', claimed: true });
    expect(outline(next)).toEqual(
      expect.arrayContaining(['t2 done two', '  t4 skipped two-b', 't9 done nine', 't10 pending ten']),
    );
  });

  it('removes done work and the active leaf by leaving them out, and changes a note', () => {
    expect(outline(by('person', [entry('t1')]))).toEqual(['t1 pending one']);
    expect(itemOf(by('person', snapshot({ t5: { note: 'nice' } })), 't5').note).toBe('nice');
  });

  it('skips the open subtasks of a section with it', () => {
    expect(outline(by('person', snapshot({ t2: { status: 'skipped' }, t3: null }))).slice(1, 3)).toEqual([
      't2 skipped two',
      '  t4 skipped two-b',
    ]);
  });

  it('makes nothing active, and takes pending for an old echo of active', () => {
    const next = by(
      'person',
      snapshot({ t1: { status: 'active' }, t9: { status: 'pending' }, t5: { status: 'active' } }, [
        { title: 'x', status: 'active' },
      ]),
    );
    expect([itemOf(next, 't1').status, itemOf(next, 't9').status, itemOf(next, 't5').status, itemOf(next, 't11').status]).toEqual(
      ['pending', 'active', 'done', 'pending'],
    );
  });
});

describe('a planner', () => {
  it('loses neither done work nor the active leaf by leaving it out: they stay where they were', () => {
    expect(outline(by('planner', []))).toEqual([
      't2 done two',
      '  t3 done two-a',
      't5 done five',
      't6 done six',
      '  t7 done six-a',
      '  t8 skipped six-b',
      't9 active nine',
    ]);
    expect(outline(by('planner', [entry('t10'), entry('t2', { children: [entry(null), entry('t4')] }), entry('t1')]))).toEqual([
      't10 skipped ten',
      't2 pending two',
      '  t3 done two-a',
      '  t11 pending new',
      '  t4 pending two-b',
      't5 done five',
      't6 done six',
      '  t7 done six-a',
      '  t8 skipped six-b',
      't9 active nine',
      't1 pending one',
    ]);
  });

  it('has its old echoes taken as it stands now', () => {
    const echoes = { t3: { status: 'pending' }, t5: { status: 'skipped' }, t6: { status: 'pending' }, t9: { status: 'pending' } };
    expect(by('planner', snapshot(echoes))).toBe(plan);
  });

  it('skips, takes up again, and reorders done work', () => {
    const next = by('planner', [entry('t5'), ...snapshot({ t1: { status: 'skipped' }, t10: { status: 'pending' }, t5: null })]);
    expect(outline(next)).toEqual(expect.arrayContaining(['t1 skipped one', 't10 pending ten']));
    expect(outline(next)[0]).toBe('t5 done five');
    expect(itemOf(by('planner', snapshot({ t9: { status: 'skipped' } })), 't9').status).toBe('skipped');
  });

  it('puts the active leaf back to pending only when it may', () => {
    expect(itemOf(by('planner', snapshot({ t9: { status: 'pending' } }), { mayRelease: true }), 't9').status).toBe('pending');
  });

  it.each<[string, TaskEntry[], string]>([
    ['marks an open item done', snapshot({ t1: { status: 'done' } }), 'planner cannot mark t1'],
    ['adds an item that is done', [entry(null, { status: 'done' })], 'planner cannot mark'],
    ['closes a section', snapshot({ t2: { status: 'done' } }), 'open subtasks'],
    ['rewrites done work', snapshot({ t3: { title: 'x' } }), 't3 "two-a" is done'],
    ['notes something on done work', snapshot({ t5: { note: 'x' } }), 't5 "five" is done'],
    ['adds to a done section', [entry('t6', { children: [entry('t7'), entry(null)] })], 'it cannot take open items: t11'],
    ['adds to a done section that it leaves out', [entry(null, { parentId: id('t6') })], 'it cannot take open items'],
    ['adds to a done leaf', [entry('t5', { children: [{ title: 'x' }] })], 'it cannot take open items'],
    [
      'moves the work out of a done section',
      [entry('t6', { children: [entry('t8')] }), entry('t7')],
      'what was done in it stays in it',
    ],
    ['moves a section with done work under another', [entry('t1', { children: [entry('t2')] })], 't2 "two" holds t3'],
  ])('is refused when it %s', (_what, entries, message) => {
    const refusal = refusedBy('planner', entries);
    expect(refusal.kind).toBe('invalid_state');
    expect(refusal.message).toContain(message);
  });

  it('cannot reopen in one revision to rewrite in the next', () => {
    const reopened = by('planner', snapshot({ t5: { status: 'pending' } }));
    expect(itemOf(reopened, 't5').status).toBe('done');
    expect(
      refused(reopened, (draft) => revise(draft, { entries: snapshot({ t5: { title: 'x' } }), author: 'planner' })).kind,
    ).toBe('invalid_state');
  });

  it('answers for the commands that it writes, and only for those', () => {
    const mine = change(plan, (draft) => updateItem(draft, { itemId: id('t1'), command: 'make' }, 'person'));
    const echoed = change(mine, (draft) =>
      revise(draft, { entries: snapshot({ t1: { command: 'make', title: 'x' } }), author: 'planner' }),
    );
    expect(itemOf(echoed, 't1').origin).toBe('person');
    const rewritten = change(mine, (draft) =>
      revise(draft, { entries: snapshot({ t1: { command: 'make all' } }), author: 'planner' }),
    );
    expect(itemOf(rewritten, 't1').origin).toBe('planner');
  });
});

describe('an import', () => {
  it('cannot leave out done work or the active leaf', () => {
    expect(refusedBy('import', snapshot({ t3: null }))).toMatchObject({ kind: 'invalid_state', data: { itemId: 't3' } });
    expect(refusedBy('import', snapshot({ t9: null }))).toMatchObject({ kind: 'invalid_state', data: { itemId: 't9' } });
  });
});

describe('a revision within one section', () => {
  const within = id('t2');

  it('leaves the rest of the plan alone', () => {
    const made = changeOf(plan, (draft) =>
      revise(draft, { within, author: 'planner', entries: [entry(null), entry('t4', { title: 'B' })] }),
    );
    expect(outline(made?.plan as Plan).slice(0, 5)).toEqual([
      't1 pending one',
      't2 pending two',
      '  t3 done two-a',
      '  t11 pending new',
      '  t4 pending B',
    ]);
    expect(made?.change.items.map((item) => item.id).sort()).toEqual(['t11', 't4']);
  });

  it('deletes what a person leaves out of it, and only that', () => {
    expect(outline(by('person', [entry('t3')], { within })).slice(1)).toEqual([
      't2 done two',
      '  t3 done two-a',
      ...outline(plan).slice(4),
    ]);
  });

  it.each<[string, TaskEntry[], string, string, string]>([
    ['an item from elsewhere', [entry('t1')], 't2', 'invalid_params', 't1 is not in section t2'],
    ['children of its entries', [entry(null, { children: [{ title: 'x' }] })], 't2', 'invalid_params', 'two levels'],
    ['another parent', [entry(null, { parentId: id('t1') })], 't2', 'invalid_params', 'is not t2'],
    ['a section that is not there', [], 't77', 'not_found', 'no item t77'],
    ['a subtask', [], 't3', 'invalid_state', 't3 is a subtask'],
    ['the active leaf', [entry(null)], 't9', 'invalid_state', 'is being worked on'],
  ])('is refused for %s', (_what, entries, section, kind, message) => {
    const refusal = refusedBy('planner', entries, { within: id(section) });
    expect(refusal.kind).toBe(kind);
    expect(refusal.message).toContain(message);
  });
});

/** Random snapshots of a plan: some items echoed anywhere, some renamed, some new. */
interface Pick {
  readonly at: number;
  readonly under: number | null;
  readonly title: string | null;
  readonly status: 'pending' | 'done' | 'skipped' | null;
}
const pickArb: fc.Arbitrary<Pick> = fc.record({
  at: fc.nat(),
  under: fc.option(fc.nat(), { freq: 2 }),
  title: fc.option(titleArb, { freq: 1 }),
  status: fc.option(fc.constantFrom('pending' as const, 'done' as const, 'skipped' as const), { freq: 1 }),
});

function snapshotOf(from: Plan, picks: readonly Pick[]): TaskEntry[] {
  const left = itemsOf(from);
  const tasks: (TaskEntry & { children: TaskEntry[] })[] = [];
  for (const { at, under, title, status } of picks) {
    const [item] = at % 4 === 0 || left.length === 0 ? [] : left.splice(at % left.length, 1);
    const one: TaskEntry = {
      title: title ?? item?.title ?? 'new',
      ...(item ? { id: item.id } : {}),
      ...(status === null ? {} : { status }),
    };
    const parent = under === null ? undefined : tasks[under % Math.max(1, tasks.length)];
    if (parent) parent.children.push(one);
    else tasks.push({ ...one, children: [] });
  }
  return tasks;
}

describe('any snapshot', () => {
  const entriesAndPicks = fc.tuple(entriesArb, fc.array(pickArb, { maxLength: 10 }), fc.nat());
  const start = (entries: TaskEntry[], n: number): Plan => {
    const made = planOf(entries);
    const open = itemsOf(made).filter(
      (item) => item.status === 'pending' && !itemsOf(made).some((child) => child.parentId === item.id),
    );
    return open.length > 0 && n % 2 === 0 ? activate(made, (open[n % open.length] as Item).id) : made;
  };

  it('by a person, when it is taken, is what the plan then holds', () => {
    fc.assert(
      fc.property(entriesAndPicks, ([entries, picks, n]) => {
        const from = start(entries, n);
        const wanted = snapshotOf(from, picks);
        const made = tryRevise(from, wanted, 'person');
        if (made === null) return;
        checkPlan(made);
        const titles = made.tree.map(({ item, children }) => [item.title, children.map((child) => child.title)]);
        expect(titles).toEqual(wanted.map((task) => [clean(task.title), task.children?.map((child) => clean(child.title))]));
        const kept = (plan: Plan) => new Set(itemsOf(plan).map((item) => item.id));
        for (const { id: echoed } of wanted.flatMap((task) => [task, ...(task.children ?? [])]))
          if (echoed) expect(kept(made)).toContain(echoed);
      }),
      { numRuns: 300 },
    );
  });

  it('by a planner leaves every done item done and as it was', () => {
    fc.assert(
      fc.property(entriesAndPicks, ([entries, picks, n]) => {
        const from = start(entries, n);
        const made = tryRevise(from, snapshotOf(from, picks), 'planner');
        if (made === null) return;
        checkPlan(made);
        for (const before of itemsOf(from)) {
          if (before.status !== 'done') continue;
          const { position: _p, parentId: _i, accepted: _a, ...now } = itemOf(made, before.id);
          expect(now).toEqual(
            expect.objectContaining({ title: before.title, status: 'done', claimed: true, acceptance: before.acceptance }),
          );
        }
        const active = itemsOf(from).find((item) => item.status === 'active');
        if (active) expect(['active', 'skipped']).toContain(itemOf(made, active.id).status);
      }),
      { numRuns: 300 },
    );
  });
});

const clean = (title: string): string => title.normalize('NFC').trim();

function tryRevise(from: Plan, entries: TaskEntry[], author: Author): Plan | null {
  let taken = false;
  const next = change(from, (draft) => {
    const result = revise(draft, { entries, author });
    taken = result.ok;
    return result.ok ? result : { ok: true, value: null };
  });
  return taken ? next : null;
}
