/** A checklist in Markdown read as a plan: what `renderMarkdown` wrote, and what people write by hand. */
import { ok, type Result } from '../../shared/errors.js';
import type { PlanText, TextItem, TextTask } from './plan-import.js';
import { dedent, indentOf } from './plan-markdown.js';
import {
  closeItem,
  isThematicBreak,
  readBullet,
  readHead,
  readLabel,
  refuseLine,
  splitComment,
  unquote,
  type Bullet,
  type OpenItem,
} from './plan-markdown-item.js';

/**
 * Reads the text. An item two columns further in than another is its subtask; lists of `-`, `*`, `+` and numbers, and
 * items without mark, number or metadata, are read alike. Prose outside of items is passed over, except the goal.
 * An item without a mark under a closed one is closed like it.
 * Refused (`invalid_params` with `line`): a third level, unknown marks or metadata, fences and comments that do not
 * end, and lines that look like an item but are not part of a list, so that no item is lost by a slip.
 */
export function parseMarkdown(text: string): Result<PlanText> {
  return new MarkdownReader(text).read();
}

class MarkdownReader {
  readonly #lines: readonly string[];
  #at = 0;
  #title: string | undefined;
  #goal: string[] | null = null;
  #inGoal = false;
  readonly #tasks: OpenItem[] = [];
  /** The items that the next line may belong to: a task and perhaps its subtask. */
  #open: OpenItem[] = [];
  /** Blank lines just passed. */
  #blanks = 0;
  #afterField = false;

  constructor(text: string) {
    this.#lines = text
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .split('\n');
  }

  read(): Result<PlanText> {
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] as string;
      const step = isBlank(line) ? this.#readBlank() : this.#readLine(line);
      if (!step.ok) return step;
    }
    return this.#finish();
  }

  #readBlank(): Result<void> {
    this.#blanks += 1;
    this.#at += 1;
    return ok(undefined);
  }

  #readLine(line: string): Result<void> {
    const bullet = readBullet(line);
    const read = bullet ? this.#readBullet(line, bullet) : this.#readText(line);
    this.#blanks = 0;
    return read;
  }

  #readBullet(line: string, bullet: Bullet): Result<void> {
    const indent = indentOf(line);
    const open = this.#open.filter((item) => item.indent + 2 <= indent);
    const parent = open.at(-1);
    const field = parent && readLabel(bullet);
    if (parent && field) return this.#readField(parent, field);
    this.#inGoal = false;
    this.#afterField = false;
    this.#at += 1;
    if (open.length > 1) {
      return refuseLine(this.#at, 'This item is deeper than two levels.', 'Indent it less, or make it detail of its subtask.');
    }
    const head = readHead(bullet, this.#at);
    if (!head.ok) return head;
    const item: OpenItem = { line: this.#at, indent, head: head.value, detail: [], detailIndent: null, fields: [], children: [] };
    (parent?.children ?? this.#tasks).push(item);
    this.#open = [...open, item];
    return ok(undefined);
  }

  #readField(item: OpenItem, { label, value }: NonNullable<ReturnType<typeof readLabel>>): Result<void> {
    const line = this.#at + 1;
    this.#at += 1;
    this.#open = this.#open.slice(0, this.#open.indexOf(item) + 1);
    this.#afterField = true;
    if (value !== '') {
      item.fields.push({ label, value: unquote(label, value), line });
      return ok(undefined);
    }
    const block = this.#readFencedValue();
    if (!block.ok) return block;
    if (block.value === null) return refuseLine(line, `${label} is empty.`, 'Write it behind the label, or in a fence under it.');
    item.fields.push({ label, value: block.value, line });
    return ok(undefined);
  }

  /** The text in the fence that comes next, without its indentation; null when something else comes. */
  #readFencedValue(): Result<string | null> {
    let at = this.#at;
    while (at < this.#lines.length && isBlank(this.#lines[at] as string)) at += 1;
    const opening = this.#lines[at];
    if (opening === undefined || fenceOf(opening) === null) return ok(null);
    this.#at = at;
    const block = this.#readBlock(opening);
    const indent = indentOf(opening);
    return block.ok
      ? ok(
          block.value
            .slice(1, -1)
            .map((line) => dedent(line, indent))
            .join('\n'),
        )
      : block;
  }

  /** A whole fence or comment, whose inside is never read as a list; or the one line that is neither. */
  #readBlock(opening: string): Result<string[]> {
    const start = this.#at;
    const ends = blockEnd(opening);
    this.#at += 1;
    if (ends === null) return ok([opening]);
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] as string;
      this.#at += 1;
      if (ends(line)) return ok(this.#lines.slice(start, this.#at));
    }
    return refuseLine(start + 1, `This ${fenceOf(opening) === null ? 'comment' : 'fence'} does not end.`);
  }

  #readText(line: string): Result<void> {
    const indent = indentOf(line);
    const heading = indent < 2 && (/^\s*#{1,6}(?:\s|$)/.test(line) || isThematicBreak(line));
    // Without a blank line between, text goes on with the item above it, wherever it starts (CommonMark's lazy lines).
    const owner = heading
      ? undefined
      : this.#blanks === 0
        ? this.#open.at(-1)
        : this.#open.findLast((item) => item.indent < indent);
    const number = this.#at + 1;
    if (owner && this.#afterField && this.#blanks === 0) {
      return refuseLine(number, 'A field has one line.', 'Put a longer text into a fence under its label.');
    }
    const bare = !heading && blockEnd(line) === null;
    const block = this.#readBlock(line);
    if (!block.ok) return block;
    if (bare && looksLikeItem(line)) {
      return refuseLine(number, 'This looks like an item but is in no list.', 'Begin it with "- ".');
    }
    if (owner) this.#addDetail(owner, block.value);
    else return this.#readOutside(block.value, heading);
    return ok(undefined);
  }

  #addDetail(item: OpenItem, lines: readonly string[]): void {
    this.#afterField = false;
    this.#open = this.#open.slice(0, this.#open.indexOf(item) + 1);
    const indent = (item.detailIndent ??= indentOf(lines[0] as string));
    if (item.detail.length > 0) for (let i = 0; i < this.#blanks; i += 1) item.detail.push('');
    for (const line of lines) item.detail.push(dedent(line, indent));
  }

  #readOutside(lines: readonly string[], heading: boolean): Result<void> {
    const [line] = lines as [string];
    const blanks = this.#blanks;
    this.#open = [];
    const goal = /^\*\*Goal:\*\*(?:[ \t]+(.*))?$/s.exec(line);
    if (goal) return this.#readGoal(goal[1] ?? '');
    if (heading || /^\*\*Status:\*\*/.test(line)) {
      this.#inGoal = false;
      const title = /^#[ \t]+(?:Plan:)?(.*)$/s.exec(line)?.[1];
      if (this.#tasks.length === 0) this.#title ??= title?.trim();
    } else if (this.#inGoal && this.#goal) {
      if (this.#goal.length > 0) for (let i = 0; i < blanks; i += 1) this.#goal.push('');
      this.#goal.push(...lines);
    }
    return ok(undefined);
  }

  #readGoal(first: string): Result<void> {
    if (this.#goal) return refuseLine(this.#at, 'The goal is given twice.');
    this.#goal = first === '' ? [] : [first];
    this.#inGoal = true;
    if (first !== '') return ok(undefined);
    const block = this.#readFencedValue();
    if (!block.ok) return block;
    if (block.value !== null) {
      this.#goal = [block.value];
      this.#inGoal = false;
    }
    return ok(undefined);
  }

  #finish(): Result<PlanText> {
    const entries: TextTask[] = [];
    for (const task of this.#tasks) {
      const item = closeItem(task);
      if (!item.ok) return item;
      const children: TextItem[] = [];
      for (const open of task.children) {
        const child = closeItem(open);
        if (!child.ok) return child;
        children.push(closeUnmarked(child.value, item.value));
      }
      entries.push(children.length === 0 ? item.value : { ...item.value, children });
    }
    return ok({
      ...(this.#title === undefined ? {} : { title: this.#title }),
      ...(this.#goal === null ? {} : { goal: this.#goal.join('\n') }),
      entries,
    });
  }
}

function closeUnmarked(child: TextItem, { status }: TextItem): TextItem {
  const closed = status === 'done' || status === 'skipped';
  return closed && child.status === undefined && child.id === undefined ? { ...child, status } : child;
}

const isBlank = (line: string): boolean => /^[ \t]*$/.test(line);

const fenceOf = (line: string): string | null => /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? null;

/** Says which line ends the fence or the comment that this line opens; null when it opens none. */
function blockEnd(line: string): ((line: string) => boolean) | null {
  const fence = fenceOf(line);
  if (fence !== null) {
    return (next) => {
      const row = next.trim();
      return row.length >= fence.length && row === (fence[0] as string).repeat(row.length);
    };
  }
  const comment = /^[ \t]*<!--/.test(line) && !line.includes('-->');
  return comment ? (next) => next.includes('-->') : null;
}

const looksLikeItem = (line: string): boolean =>
  /^[ \t]*(?:[-*+]|\d+[.)])?\[[ xX~-]\](?:[ \t]|$)/.test(line) || splitComment(line).comment?.includes('id:') === true;
