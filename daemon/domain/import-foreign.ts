/** Tasks of other programs as a plan: two levels, an order in which nothing comes before what it depends on, nothing left out. */
import { planLimits, type Item, type ItemStatus } from '../../shared/plan.js';
import type { PlanText, TextItem, TextTask } from './plan-import.js';

export interface ForeignTask {
  /** As the other program names it; unique. */
  readonly key: string;
  readonly parent: string | null;
  readonly title: string;
  /** Paragraphs, in order; empty ones are left out. */
  readonly detail: readonly string[];
  readonly status: Exclude<ItemStatus, 'active'>;
  /** What the status of the other program says beyond ours. */
  readonly note: string | null;
  readonly priority: Item['priority'] | undefined;
  readonly acceptance: readonly string[];
  /** Keys; unknown ones are kept in the text. */
  readonly dependsOn: readonly string[];
  readonly line?: number | undefined;
}

/**
 * Tasks with their subtasks. A third level has no place in a plan: it becomes text of the second. Dependencies have none
 * either: they decide the order, and are said in the detail.
 */
export function planOfForeign(tasks: readonly ForeignTask[], root: string): PlanText {
  const known = new Set(tasks.map(({ key }) => key));
  const parentOf = (task: ForeignTask): string | null => (task.parent !== null && known.has(task.parent) ? task.parent : null);
  const below = new Map<string | null, ForeignTask[]>();
  for (const task of tasks) {
    const parent = parentOf(task);
    below.set(parent, [...(below.get(parent) ?? []), task]);
  }
  const childrenOf = (key: string | null): readonly ForeignTask[] => inOrder(below.get(key) ?? []);
  const folded = (task: ForeignTask): TextItem =>
    entryOf({ ...task, detail: [...task.detail, ...outline(childrenOf(task.key), childrenOf)] });
  return {
    root,
    entries: childrenOf(null).map((task): TextTask => {
      const children = childrenOf(task.key).map(folded);
      const { status, ...entry } = entryOf(task);
      // A section is what its subtasks make of it.
      return children.length === 0 ? { status, ...entry } : { ...entry, children };
    }),
  };
}

/** Stable: as they came, but for what has to wait for a later one. In a circle the first of them goes first. */
function inOrder(tasks: readonly ForeignTask[]): ForeignTask[] {
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const placed = new Set<ForeignTask>();
  const ordered: ForeignTask[] = [];
  const place = (task: ForeignTask): void => {
    if (placed.has(task)) return;
    placed.add(task);
    for (const key of task.dependsOn) {
      const before = byKey.get(key);
      if (before !== undefined) place(before);
    }
    ordered.push(task);
  };
  tasks.forEach(place);
  return ordered;
}

function outline(tasks: readonly ForeignTask[], childrenOf: (key: string) => readonly ForeignTask[], indent = ''): string[] {
  if (tasks.length === 0) return [];
  const lines = tasks.flatMap((task): string[] => [
    `${indent}- ${task.status === 'pending' ? '' : `(${task.status}) `}${task.title}`,
    ...task.detail.flatMap((text) => text.split('\n')).map((line) => `${indent}  ${line}`),
    ...outline(childrenOf(task.key), childrenOf, `${indent}  `),
  ]);
  return [lines.join('\n')];
}

const cutMark = '… (cut here: the rest is in the file it came from)';

function entryOf(task: ForeignTask): TextItem {
  const letters = Array.from(task.title.replaceAll(/\s+/g, ' ').trim());
  const isLong = letters.length > planLimits.title;
  const title = isLong ? `${letters.slice(0, planLimits.title - 1).join('')}…` : letters.join('');
  const tooLong = task.acceptance.filter((text) => Array.from(text).length > planLimits.listEntry);
  const detail = cutTo(
    planLimits.detail,
    [
      ...(isLong ? [letters.join('')] : []),
      ...task.detail,
      ...tooLong,
      ...(task.dependsOn.length > 0 ? [`Depends on: ${task.dependsOn.join(', ')}`] : []),
    ]
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .join('\n\n'),
  );
  const acceptance = task.acceptance
    .filter((text) => text.trim() !== '' && !tooLong.includes(text))
    .slice(0, planLimits.listLength);
  return {
    title,
    status: task.status,
    ...(detail === '' ? {} : { detail }),
    ...(task.priority === undefined || task.priority === 'medium' ? {} : { priority: task.priority }),
    ...(task.note === null ? {} : { note: task.note }),
    ...(acceptance.length === 0 ? {} : { acceptance }),
    ...(task.line === undefined ? {} : { line: task.line }),
  };
}

function cutTo(length: number, text: string): string {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - cutMark.length - 1).join('')}\n${cutMark}`;
}

/** The status of another program by its word. What is put off is skipped, with a note: a plan that runs would do it. */
export function statusOfWord(word: string): Pick<ForeignTask, 'status' | 'note'> {
  const plain = word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');
  if (['done', 'completed', 'complete', 'closed'].includes(plain)) return { status: 'done', note: null };
  if (['cancelled', 'canceled', 'deferred', 'archived', 'draft', "won't do"].includes(plain)) {
    return { status: 'skipped', note: `It was “${word.trim()}” where it came from.` };
  }
  const isPlain = plain === '' || plain === 'pending' || plain === 'to do' || plain === 'todo';
  return { status: 'pending', note: isPlain ? null : `It was “${word.trim()}” where it came from.` };
}

export function priorityOfWord(word: string): ForeignTask['priority'] {
  const plain = word.trim().toLowerCase();
  if (plain === 'critical' || plain === 'urgent') return 'high';
  return plain === 'high' || plain === 'medium' || plain === 'low' ? plain : undefined;
}
