/** Rows put together from spans: fitted, aligned, ruled. */
import type { Glyphs } from '../glyphs.js';
import type { Press, Row, Span } from '../press.js';
import type { Tone } from '../style.js';
import { fit, widthOf } from '../text/text.js';

export const span = (text: string, tone: Tone = 'plain', press?: Press): Span =>
  press === undefined ? { text, tone } : { text, tone, press };

export const row = (...spans: readonly Span[]): Row => ({ spans });
export const textRow = (text: string, tone: Tone = 'plain'): Row => ({ spans: [{ text, tone }] });
export const blankRow: Row = { spans: [] };

export const spansWidth = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

/** At most `width` columns; what is cut ends in the ellipsis. */
export function fitSpans(spans: readonly Span[], width: number, glyphs: Glyphs): readonly Span[] {
  let room = width;
  const fitted: Span[] = [];
  for (const [i, part] of spans.entries()) {
    const needed = widthOf(part.text);
    const follows = spans.slice(i + 1).some(({ text }) => text !== '');
    if (needed > room || (needed === room && follows)) {
      return [...fitted, { ...part, text: fit(part.text + (follows ? ' '.repeat(room + 1) : ''), room, glyphs.ellipsis) }];
    }
    fitted.push(part);
    room -= needed;
  }
  return fitted;
}

export const fitRow = (one: Row, width: number, glyphs: Glyphs): Row => ({ ...one, spans: fitSpans(one.spans, width, glyphs) });

/** `left` fitted into what `right` leaves, which stands at the right edge. */
export function apart(left: readonly Span[], right: readonly Span[], width: number, glyphs: Glyphs): readonly Span[] {
  const end = fitSpans(right, width, glyphs);
  const taken = spansWidth(end);
  if (taken === 0) return fitSpans(left, width, glyphs);
  const start = fitSpans(left, Math.max(0, width - taken - 1), glyphs);
  return [...start, span(' '.repeat(Math.max(0, width - taken - spansWidth(start)))), ...end];
}

/** A rule with a title in it, and what is told at its end. */
export function rule(title: readonly Span[], end: readonly Span[], width: number, glyphs: Glyphs): readonly Span[] {
  const { across } = glyphs.line;
  const endWidth = spansWidth(end);
  const shownEnd =
    endWidth > 0 && endWidth + 4 + spansWidth(title) + 4 <= width ? [span(' '), ...end, span(` ${across}`, 'dim')] : [];
  const start =
    title.length === 0 ? [] : [span(`${across} `, 'dim'), ...fitSpans(title, Math.max(0, width - 4), glyphs), span(' ')];
  const fill = Math.max(0, width - spansWidth(start) - spansWidth(shownEnd));
  return [...start, span(across.repeat(fill), 'dim'), ...shownEnd];
}

/** Segments from the most important on, as many as fit, with a separator between them. */
export function segments(all: readonly (readonly Span[])[], width: number, glyphs: Glyphs): readonly Span[] {
  const shown: Span[] = [];
  for (const segment of all) {
    if (segment.length === 0) continue;
    const separator = shown.length > 0 ? [span(` ${glyphs.dot} `, 'dim')] : [];
    if (spansWidth(shown) + spansWidth(separator) + spansWidth(segment) > width) continue;
    shown.push(...separator, ...segment);
  }
  return shown;
}

/** The first line to show of `count`, so that `chosen` is in sight with as little movement as the height allows. */
export function firstInSight(count: number, height: number, chosen: number): number {
  const last = Math.max(0, count - height);
  return Math.min(last, Math.max(0, chosen - Math.floor(height / 2)));
}
