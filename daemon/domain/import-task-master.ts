/**
 * `tasks.json` of claude-task-master as a plan: `{tasks}`, or tagged `{<tag>: {tasks}}`.
 * Source: its docs/task-structure.md, and the files that it writes.
 */
import { z } from 'zod';
import { ok, refuse, type Result } from '../../shared/errors.js';
import { type ForeignTask, planOfForeign, priorityOfWord, statusOfWord } from './import-foreign.js';
import type { PlanText } from './plan-import.js';

const key = z.union([z.number(), z.string()]).transform(String);
const text = z.string().nullish();

interface Task {
  readonly id: string;
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly details?: string | null | undefined;
  readonly testStrategy?: string | null | undefined;
  readonly acceptanceCriteria?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly priority?: string | null | undefined;
  readonly dependencies?: readonly string[] | null | undefined;
  readonly subtasks?: readonly Task[] | null | undefined;
}

// It keeps more in its files than a plan has a place for (complexity, history): that is passed over.
const taskSchema: z.ZodType<Task> = z.lazy(() =>
  z.object({
    id: key,
    title: z.string(),
    description: text,
    details: text,
    testStrategy: text,
    acceptanceCriteria: text,
    status: text,
    priority: text,
    dependencies: z.array(key).nullish(),
    subtasks: z.array(taskSchema).nullish(),
  }),
);
const listSchema = z.object({ tasks: z.array(taskSchema) });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasTasks = (value: unknown): boolean => isObject(value) && Array.isArray(value.tasks);

/** True for what is laid out as one of its files: no plan of ours has `tasks`. */
export function isTaskMaster(value: unknown): boolean {
  return hasTasks(value) || (isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(hasTasks));
}

/** The tag `master`, or the only one. Refused (`invalid_params`) with the path of what is wrong, and for a choice of tags. */
export function parseTaskMaster(value: unknown): Result<PlanText> {
  const tagged = hasTasks(value) ? null : (value as Record<string, unknown>);
  const tags = Object.keys(tagged ?? {});
  const tag = tagged === null ? null : 'master' in tagged ? 'master' : tags.length === 1 ? tags[0] : undefined;
  if (tag === undefined) {
    return refuse('invalid_params', `The file has the tags ${tags.join(', ')}, and none is called master.`, {
      issues: [{ path: 'text', message: 'one tag' }],
      hint: 'Leave the one that you want in the file.',
    });
  }
  const parsed = listSchema.safeParse(tag === null || tagged === null ? value : tagged[tag]);
  const root = tag === null ? 'tasks' : `${tag}.tasks`;
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({
      path: [...(tag === null ? [] : [tag]), ...issue.path].join('.'),
      message: issue.message,
    }));
    return refuse('invalid_params', `${issues[0]?.path ?? 'text'}: ${issues[0]?.message ?? 'is not a task'}`, {
      issues: issues.slice(0, 20),
      hint: 'The file is read as tasks.json of claude-task-master.',
    });
  }
  return ok(planOfForeign(flatten(parsed.data.tasks, null), root));
}

/** A subtask is `5.2`; among its siblings a dependency may be written `2` for it. */
function flatten(tasks: readonly Task[], parent: string | null): ForeignTask[] {
  const own = new Set(tasks.map(({ id }) => id));
  const nameOf = (id: string): string => (parent !== null && own.has(id) ? `${parent}.${id}` : id);
  return tasks.flatMap((task) => {
    const name = nameOf(task.id);
    const check = task.testStrategy?.trim();
    const foreign: ForeignTask = {
      key: name,
      parent,
      title: task.title,
      detail: [task.description ?? '', task.details ?? ''],
      ...statusOfWord(task.status ?? ''),
      priority: priorityOfWord(task.priority ?? ''),
      acceptance: [task.acceptanceCriteria ?? '', check ?? ''].filter((line) => line !== ''),
      dependsOn: (task.dependencies ?? []).map(nameOf),
    };
    return [foreign, ...flatten(task.subtasks ?? [], name)];
  });
}
