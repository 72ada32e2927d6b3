/**
 * Task files of Backlog.md as a plan: Markdown behind YAML front matter, one file after the other in one text.
 * Source: the files of its own repository (`backlog/tasks`) and its README.
 */
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { ok, type Result } from '../../shared/errors.js';
import { type ForeignTask, planOfForeign, priorityOfWord, statusOfWord } from './import-foreign.js';
import { refuseLine } from './plan-markdown-item.js';
import type { PlanText } from './plan-import.js';

interface TaskFile {
  /** The line of its first `---`, from 1. */
  readonly line: number;
  readonly head: string;
  readonly body: readonly string[];
}

const word = z.union([z.string(), z.number()]).transform(String);
const headSchema = z.object({
  id: word,
  title: word,
  status: word.nullish(),
  priority: word.nullish(),
  parent_task_id: word.nullish(),
  dependencies: z.union([z.array(word), word.transform((one) => [one])]).nullish(),
  ordinal: z.number().nullish(),
});

type Numbered = ForeignTask & { readonly ordinal: number | null };

const fence = '---';
const startsFile = (lines: readonly string[], at: number): boolean =>
  lines[at]?.trim() === fence && /^(id|title)\s*:/i.test(lines[at + 1] ?? '');

/** True for a text that begins as such a file does. */
export const isBacklog = (text: string): boolean => {
  const lines = linesOf(text);
  return startsFile(
    lines,
    lines.findIndex((line) => line.trim() !== ''),
  );
};

const linesOf = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');

/** Refused (`invalid_params` with `line`): front matter that does not end, is no YAML, or has no id and title. */
export function parseBacklog(text: string): Result<PlanText> {
  const files = splitFiles(linesOf(text));
  if (!files.ok) return files;
  const tasks: Numbered[] = [];
  for (const file of files.value) {
    const task = taskOf(file);
    if (!task.ok) return task;
    const twice = tasks.find(({ key }) => key === task.value.key);
    if (twice !== undefined) {
      return refuseLine(
        file.line,
        `${task.value.key} is there twice (first in line ${twice.line}).`,
        'Leave one of the two out.',
      );
    }
    tasks.push(task.value);
  }
  tasks.sort(byOrdinal);
  return ok(planOfForeign(tasks, 'tasks'));
}

function splitFiles(lines: readonly string[]): Result<TaskFile[]> {
  const files: TaskFile[] = [];
  const starts = lines.flatMap((_, at) => (startsFile(lines, at) ? [at] : []));
  for (const [n, start] of starts.entries()) {
    const end = starts[n + 1] ?? lines.length;
    const close = lines.findIndex((line, at) => at > start && at < end && line.trim() === fence);
    if (close < 0) return refuseLine(start + 1, 'The front matter does not end.', 'Close it with a line of ---.');
    files.push({ line: start + 1, head: lines.slice(start + 1, close).join('\n'), body: lines.slice(close + 1, end) });
  }
  return ok(files);
}

function taskOf({ line, head, body }: TaskFile): Result<Numbered> {
  const counter = new LineCounter();
  // A date stays the text that it is.
  const document = parseDocument(head, { schema: 'core', lineCounter: counter });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const [first = ''] = fault.message.split('\n');
    return refuseLine(
      line + counter.linePos(fault.pos[0]).line,
      first.replace(/ at line \d+.*$/, '.'),
      'The front matter is YAML.',
    );
  }
  const parsed = headSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuseLine(line, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}.`, 'A task has an id and a title.');
  }
  const { id, title, status, priority, parent_task_id: parent, dependencies, ordinal } = parsed.data;
  const sections = sectionsOf(body);
  return ok({
    key: keyOf(id),
    parent: parent ? keyOf(parent) : parentByDots(keyOf(id)),
    title,
    detail: sections.detail,
    ...statusOfWord(status ?? ''),
    priority: priorityOfWord(priority ?? ''),
    acceptance: sections.acceptance,
    dependsOn: (dependencies ?? []).map(keyOf),
    line,
    ordinal: ordinal ?? null,
  });
}

/** The prefix is a setting and changes over the years (`task-7`, `BACK-7`): the number alone names a task. */
const keyOf = (id: string): string => {
  const number = /(\d+(?:\.\d+)*)$/.exec(id.trim())?.[1];
  return number === undefined ? id.trim().toLowerCase() : number.split('.').map(Number).join('.');
};

const parentByDots = (key: string): string | null => (key.includes('.') ? key.slice(0, key.lastIndexOf('.')) : null);

/** By ordinal where both have one, else by number. */
function byOrdinal(a: Numbered, b: Numbered): number {
  if (a.ordinal !== null && b.ordinal !== null && a.ordinal !== b.ordinal) return a.ordinal - b.ordinal;
  return a.key.localeCompare(b.key, 'en', { numeric: true });
}

const marker = /^\s*<!--\s*(?:SECTION:|AC:|DOD:).*-->\s*$/;
const criterion = /^\s*[-*]\s+\[[ xX]\]\s+(?:#\d+\s+)?(.+)$/;

/** Acceptance criteria are a list of their own; all other sections are detail, each under its heading but the description. */
function sectionsOf(body: readonly string[]): { detail: string[]; acceptance: string[] } {
  const detail: string[] = [];
  const acceptance: string[] = [];
  let heading = '';
  let lines: string[] = [];
  const close = (): void => {
    const text = lines.join('\n').trim();
    if (text !== '') detail.push(heading === '' || heading === 'Description' ? text : `${heading}:\n${text}`);
    lines = [];
  };
  for (const line of body) {
    const next = /^##\s+(.+?)\s*$/.exec(line)?.[1];
    if (next !== undefined) {
      close();
      heading = next;
    } else if (!marker.test(line)) {
      const met = heading === 'Acceptance Criteria' || heading === 'Definition of Done' ? criterion.exec(line)?.[1] : undefined;
      if (met === undefined) lines.push(line);
      else acceptance.push(met.trim());
    }
  }
  close();
  return { detail, acceptance };
}
