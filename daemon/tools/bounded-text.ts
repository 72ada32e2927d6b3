/** Keeps texts for the model bounded: head and tail, with a line between that says what was left out. */

/** Characters of any tool's result (UTF-16 units, so never more than that many code points). */
export const resultLimit = 30_000;

/** Room for the line between head and tail. */
const noticeRoom = 400;
const half = (resultLimit - noticeRoom) / 2;

/** Collects a text of any length in bounded memory. */
export interface BoundedText {
  add(text: string): void;
  /** True once more than the limit was added: from then on only head and tail are kept. */
  readonly isOver: boolean;
  /** Everything while `isOver` is false; afterwards only what is kept. */
  kept(): string;
  /** The text, or its head and tail around a line with the number left out and `hint`, which says where the rest is. */
  render(hint: string): string;
}

export function createBoundedText(): BoundedText {
  let head = '';
  let tail = '';
  let total = 0;
  return {
    add(text) {
      total += text.length;
      const toHead = cutHead(text, half - head.length);
      head += toHead;
      tail += text.slice(toHead.length);
      // Trimmed by halves, so that a text that comes in small pieces is not copied each time.
      if (tail.length > 2 * resultLimit) tail = tail.slice(-resultLimit);
    },
    get isOver() {
      return total > resultLimit;
    },
    kept: () => head + tail,
    render(hint) {
      if (total <= resultLimit) return head + tail;
      const end = cutTail(tail, half);
      const left = total - head.length - end.length;
      return `${head}\n[… ${left.toLocaleString('en-US')} characters left out; ${hint} …]\n${end}`;
    },
  };
}

/** `text` within the limit of a result. `hint` says how to see what was left out. */
export function boundText(text: string, hint: string): string {
  const bounded = createBoundedText();
  bounded.add(text);
  return bounded.render(hint);
}

/** At most `length` units from the start, never half of a surrogate pair. */
export function cutHead(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.max(0, length);
  return text.slice(0, isHighSurrogate(text, end - 1) ? end - 1 : end);
}

function cutTail(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.length - length;
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start);
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
