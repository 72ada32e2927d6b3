/** Plans of other programs: claude-task-master's tasks.json, and the task files of Backlog.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBacklog, parseBacklog } from '../../daemon/domain/import-backlog.js';
import { type ForeignTask, planOfForeign, statusOfWord } from '../../daemon/domain/import-foreign.js';
import { isTaskMaster, parseTaskMaster } from '../../daemon/domain/import-task-master.js';
import { importEntries } from '../../daemon/domain/plan-import.js';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { emptyPlan } from '../../daemon/domain/plan.js';
import { listTree } from '../../shared/plan-tree.js';
import { refusalOf, valueOf } from './plan-samples.js';

const folder = join(import.meta.dirname, '../data/imports');
const sample = (name: string): string => readFileSync(join(folder, name), 'utf8');
const taskFiles = readdirSync(folder).filter((name) => name.endsWith('.md'));

function imported(text: Parameters<typeof importEntries>[1]) {
  const draft = new PlanDraft(emptyPlan);
  valueOf(importEntries(draft, text, 'import'));
  return listTree(draft.finish('import', null)?.plan.tree ?? []);
}

describe('tasks.json of claude-task-master', () => {
  const value = JSON.parse(sample('tasks.json')) as { master: { tasks: unknown[] } };

  it('becomes a plan: what is done stays done, what others wait for comes first, nothing is left out', () => {
    const items = imported(valueOf(parseTaskMaster(value)));
    expect(items.map(({ number, title, status }) => `${number} ${title}: ${status}`)).toEqual([
      '1 Initialize the repository: done',
      '2 Write the CSV writer: pending',
      '2.1 Quote fields: done',
      '2.2 Stream rows: pending',
      '3 Translate it: skipped',
    ]);
    expect(items[1]).toMatchObject({
      priority: 'high',
      detail: 'Stream rows to a file.\n\nQuote fields that hold a comma.\n\nDepends on: 1',
      note: 'It was “in-progress” where it came from.',
      acceptance: ['Open the file in a spreadsheet.'],
    });
    expect(items[3]?.detail).toContain('Depends on: 2.1');
    expect(items[4]).toMatchObject({ note: 'It was “deferred” where it came from.', detail: 'Depends on: 2, 9' });
  });

  it('is read without tags as well, and by the one tag that there is', () => {
    expect(imported(valueOf(parseTaskMaster(value.master)))).toHaveLength(5);
    expect(imported(valueOf(parseTaskMaster({ feature: value.master })))).toHaveLength(5);
    expect(refusalOf(parseTaskMaster({ a: value.master, b: value.master })).message).toContain('tags a, b');
  });

  it('is told from our own form, and a fault in it is named by its path', () => {
    expect([
      isTaskMaster(value),
      isTaskMaster(value.master),
      isTaskMaster({ schema: 'cairn.plan/v1', items: [] }),
      isTaskMaster({}),
    ]).toEqual([true, true, false, false]);
    const refused = refusalOf(parseTaskMaster({ master: { tasks: [{ id: 1, title: 'A', subtasks: [{ id: 1 }] }] } }));
    expect(refused.data?.issues?.[0]?.path).toBe('master.tasks.0.subtasks.0.title');
  });
});

describe('task files of Backlog.md', () => {
  it('become a plan: several in one text, subtasks by their parent, criteria as acceptance', () => {
    const text = taskFiles.map(sample).join('\n');
    expect(isBacklog(text)).toBe(true);
    const items = imported(valueOf(parseBacklog(text)));
    expect(items.map(({ number, title, status, priority }) => [number, title, status, priority])).toEqual([
      ['1', 'Add a type field: bug, feature, enhancement', 'pending', 'medium'],
      ['1.1', 'Core: Add type to the model', 'done', 'medium'],
      ['1.2', 'CLI: Add --type flag', 'pending', 'high'],
    ]);
    expect(items[0]).toMatchObject({
      acceptance: ['A task has a type', 'An unknown type is refused'],
      detail: 'Tasks say of what kind they are.\n\nImplementation Notes:\nThe model has it.',
      note: 'It was “In Progress” where it came from.',
    });
    expect(items[2]?.detail).toBe('Create and edit take the flag.\n\nDepends on: 355.1');
  });

  it.each([
    ['front matter that does not end', '---\nid: task-1\ntitle: A\n', 1, 'does not end'],
    ['no YAML', '\n---\nid: task-1\ntitle: "A\n---\n', 4, 'quote'],
    ['no title', '---\nid: task-1\n---\n\n---\nid: task-2\nstatus: Done\n---\n', 1, 'title'],
    ['the same task twice', '---\nid: task-1\ntitle: A\n---\n---\nid: TASK-1\ntitle: B\n---\n', 5, 'twice (first in line 1)'],
  ])('with %s are refused with the line', (_name, text, line, words) => {
    const refused = refusalOf(parseBacklog(text));
    expect(refused.message).toContain(words);
    expect(refused.data?.['line']).toBe(line);
  });

  it('are told from a Markdown list behind a line of dashes', () => {
    expect(isBacklog('---\n- [ ] A\n---\n')).toBe(false);
    expect(isBacklog('# Plan\n')).toBe(false);
  });
});

describe('any tasks', () => {
  const words = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 300 }).filter((text) => text.trim() !== '');
  const tasksArb = fc.uniqueArray(fc.nat(30), { maxLength: 15 }).chain((keys) =>
    fc.tuple(
      ...keys.map((key) =>
        fc.record({
          key: fc.constant(String(key)),
          parent: fc.option(fc.constantFrom(...keys.filter((other) => other < key).map(String), 'nobody'), { nil: null }),
          title: words,
          detail: fc.array(words, { maxLength: 2 }),
          status: fc.constantFrom('pending', 'done', 'skipped'),
          note: fc.constant(null),
          priority: fc.constant(undefined),
          acceptance: fc.array(words, { maxLength: 2 }),
          dependsOn: fc.array(fc.constantFrom(...keys.map(String)), { maxLength: 2 }),
        }),
      ),
    ),
  ) as fc.Arbitrary<ForeignTask[]>;

  it('are all in the plan, as an item or in the text of one, whatever circles they make', () => {
    fc.assert(
      fc.property(tasksArb, (tasks) => {
        const all = JSON.stringify(planOfForeign(tasks, 'tasks'));
        for (const { title } of tasks) {
          const start = JSON.stringify(title.replaceAll(/\s+/g, ' ').trim().slice(0, 100)).slice(1, -1);
          const asIs = JSON.stringify(title.slice(0, 100)).slice(1, -1);
          expect(all.includes(start) || all.includes(asIs)).toBe(true);
        }
      }),
    );
  });

  it('have a status in a plan, whatever word it was', () => {
    fc.assert(fc.property(fc.string(), (word) => ['pending', 'done', 'skipped'].includes(statusOfWord(word).status)));
  });
});
