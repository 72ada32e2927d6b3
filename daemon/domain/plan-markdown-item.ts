/** One item of a Markdown plan while it is read: its line, its metadata, its fields. */
import { type Result, ok } from '../../shared/errors.js';
import { authors, executors, priorities, type Author, type ItemId, type ItemStatus } from '../../shared/plan.js';
import { labels, statusOfMark, type Label } from './plan-markdown.js';
import type { TextItem } from './plan-import.js';
import { refuseAt } from './plan-refusal.js';

export const refuseLine = (line: number, message: string, hint?: string): Result<never> =>
  refuseAt('invalid_params', { path: 'text', line }, null, message, hint === undefined ? {} : { hint });

export interface Bullet {
  readonly body: string;
  /** Of a numbered list (`1.`): then no other number is taken off the title. */
  readonly numbered: boolean;
}

// `s` everywhere: only LF ends a line here, and `.` would stop at U+2028 as well.
const bulletLine = /^[ \t]*([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/s;
const thematicBreak = /^[ \t]*([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

export const isThematicBreak = (line: string): boolean => thematicBreak.test(line);

/** The line as a bullet of a list, or null. */
export function readBullet(line: string): Bullet | null {
  const match = bulletLine.exec(line);
  if (!match || isThematicBreak(line)) return null;
  return { body: match[2] ?? '', numbered: /\d/.test(match[1] as string) };
}

const labelStart = /^\*\*([A-Z][A-Za-z ()]*):\*\*(?:[ \t]+(.*))?$/s;

/** A field's label and what stands on its line, or null where the bullet is no field. */
export function readLabel(bullet: Bullet): { label: Label; value: string } | null {
  const match = labelStart.exec(bullet.body);
  const label = match?.[1];
  if (label === undefined || !Object.hasOwn(labels, label)) return null;
  return { label: label as Label, value: match?.[2]?.trim() ?? '' };
}

/** The value as written: code without its backticks. */
export const unquote = (label: Label, value: string): string =>
  labels[label].code ? (/^`([^`]+)`$/.exec(value)?.[1] ?? value) : value;

/** An item whose line has been read, to which details, fields and subtasks are still added. */
export interface OpenItem {
  readonly line: number;
  readonly indent: number;
  readonly head: Head;
  readonly detail: string[];
  /** Indentation of the first line of the detail: the others lose as much. */
  detailIndent: number | null;
  readonly fields: { label: Label; value: string; line: number }[];
  readonly children: OpenItem[];
}

interface Metadata {
  id?: ItemId;
  priority?: (typeof priorities)[number];
  executor?: (typeof executors)[number];
  repeatable?: true;
  claimed?: true;
  accepted?: true;
  origin?: Author;
}

interface Head extends Metadata {
  title: string;
  status?: ItemStatus;
}

/** The item's own line: mark, number, title and metadata. */
export function readHead({ body, numbered }: Bullet, line: number): Result<Head> {
  // A viewer would hide what follows, while it would be read here.
  if (body.startsWith('<!--') && !body.includes('-->')) return refuseLine(line, 'This comment does not end.');
  const box = /^\[([^\]])?\](?:[ \t]+(.*))?$/s.exec(body);
  const status = box ? statusOfMark(box[1] ?? '') : undefined;
  if (box && status === undefined) {
    return refuseLine(line, `[${box[1] ?? ''}] is no mark.`, 'Marks: [ ] pending, [~] active, [x] done, [-] skipped.');
  }
  const marked = box ? (box[2] ?? '') : body;
  const unnumbered = numbered ? marked : marked.replace(/^\d+(?:\.\d+)*[.)][ \t]+/, '');
  const { text, comment } = splitComment(unnumbered);
  const metadata = comment === null ? ok({}) : readMetadata(comment, line);
  if (!metadata.ok) return metadata;
  const title = text.trim();
  if (title === '') return refuseLine(line, 'The item has no title.');
  return ok({ ...metadata.value, title, ...(status === undefined ? {} : { status }) });
}

const metadataKeys = ['id', 'priority', 'executor', 'repeatable', 'claimed', 'accepted', 'origin'] as const;
const startsMetadata = new RegExp(`^(?:${metadataKeys.join('|')}):`);

/** The text before a closing comment with metadata, and what is in that. Any other comment is part of the text. */
export function splitComment(text: string): { text: string; comment: string | null } {
  const start = text.lastIndexOf('<!--');
  const end = text.trimEnd();
  const inner = start >= 0 && end.endsWith('-->') ? end.slice(start + 4, -3).trim() : '';
  return startsMetadata.test(inner) ? { text: text.slice(0, start), comment: inner } : { text, comment: null };
}

function readMetadata(comment: string, line: number): Result<Metadata> {
  const metadata: Record<string, unknown> = {};
  for (const part of comment.split(/\s+/)) {
    const [key = '', value = ''] = part.split(/:(.*)/s);
    const read = readValue(key, value);
    if (read === undefined) {
      return refuseLine(line, `"${part}" is no metadata of an item.`, `Known are ${metadataKeys.join(', ')}, each as key:value.`);
    }
    if (Object.hasOwn(metadata, key)) return refuseLine(line, `${key} is given twice.`);
    if (read !== false) metadata[key] = read;
  }
  return ok(metadata as Metadata);
}

/** Undefined for what is not known; false for a mark that is not set. */
function readValue(key: string, value: string): string | boolean | undefined {
  const oneOf = (values: readonly string[]): string | undefined => values.find((known) => known === value);
  switch (key) {
    case 'id':
      return value === '' ? undefined : value;
    case 'priority':
      return oneOf(priorities);
    case 'executor':
      return oneOf(executors);
    case 'origin':
      return oneOf(authors);
    case 'repeatable':
    case 'claimed':
    case 'accepted':
      return oneOf(['yes', 'no']) && value === 'yes';
    default:
      return undefined;
  }
}

/** The finished item. Refused: a field that can come once and comes twice. */
export function closeItem(item: OpenItem): Result<TextItem> {
  const { detail, head, fields, line } = item;
  const seen = new Set<Label>(detail.length > 0 ? ['Detail'] : []);
  for (const field of fields) {
    if (seen.has(field.label) && !labels[field.label].many) return refuseLine(field.line, `${field.label} is given twice.`);
    seen.add(field.label);
  }
  const all = (label: Label): string[] => fields.filter((field) => field.label === label).map((field) => field.value);
  const optional = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
    (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
  const some = <V>(list: V[]): V[] | undefined => (list.length === 0 ? undefined : list);
  const files = fields.flatMap(({ label, value: path }) =>
    label.startsWith('File (') ? [{ path, action: label.slice(6, -1) as 'read' | 'change' | 'create' }] : [],
  );
  const scope = { included: all('In scope'), excluded: all('Out of scope') };
  return ok({
    ...head,
    line,
    ...optional('detail', detail.length > 0 ? detail.join('\n') : all('Detail')[0]),
    ...optional('note', all('Note')[0]),
    ...optional('acceptance', some(all('Acceptance'))),
    ...optional('command', all('Command')[0]),
    ...optional('verify', some(all('Verify'))),
    ...optional('model', all('Model')[0]),
    ...optional('relevantFiles', some(files)),
    ...optional('scope', scope.included.length + scope.excluded.length > 0 ? scope : undefined),
  });
}
