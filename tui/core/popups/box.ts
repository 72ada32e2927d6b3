/** The frame of a popup around its rows, as large as they need and the screen allows. */
import type { Size } from '../frame.js';
import type { Glyphs } from '../glyphs.js';
import type { Region, Row, Span } from '../press.js';
import { blankRow, fitSpans, rule, span, spansWidth } from '../panes/rows.js';
import type { Tone } from '../style.js';
import { sanitise, widthOf } from '../text/text.js';

export interface PopupView {
  readonly title: string;
  readonly tone?: Tone;
  readonly rows: readonly Row[];
  /** The first row that is shown; what is too far is brought back. */
  readonly scroll: number;
  /** As large as the screen allows, whatever it holds: so that it stays where it is while one turns its pages. */
  readonly isLarge?: true;
  /** Rows that always show, below the others. */
  readonly footer: readonly Row[];
  /** The text cursor: a row of `rows` or of the footer, and a column. */
  readonly cursor?: { readonly part: 'rows' | 'footer'; readonly row: number; readonly column: number };
}

/** Columns and rows inside the frame. */
export interface Inside {
  readonly width: number;
  readonly height: number;
}

const widest = 96;
const narrowest = 36;

/** What fits inside at most. Small terminals give all they have. */
export function insideOf({ columns, rows }: Size): Inside {
  const width = Math.min(widest, columns < 60 ? columns : columns - 6);
  return { width: Math.max(1, width - 4), height: Math.max(1, (rows < 16 ? rows : rows - 2) - 2) };
}

/** Where there is little room, the last rows of the footer: they are the answers. A row is left for the rest. */
const footerOf = ({ footer }: PopupView, { height }: Inside): readonly Row[] => footer.slice(-Math.max(1, height - 1));

/** How many of the rows are in sight at once. */
export const roomOf = (view: PopupView, inside: Inside): number => Math.max(1, inside.height - footerOf(view, inside).length);

/** How far the rows can be scrolled. */
export const lastScroll = (view: PopupView, inside: Inside): number => Math.max(0, view.rows.length - roomOf(view, inside));

const widthNeeded = ({ title, rows }: PopupView, footer: readonly Row[]): number =>
  [...rows, ...footer].reduce((widest, { spans }) => Math.max(widest, spansWidth(spans)), widthOf(title) + 4);

export interface Boxed {
  readonly region: Region;
  readonly cursor: { readonly x: number; readonly y: number } | null;
}

export function boxed(view: PopupView, size: Size, glyphs: Glyphs): Boxed {
  const inside = insideOf(size);
  const footer = footerOf(view, inside);
  const room = roomOf(view, inside);
  const shown = view.isLarge ? room : Math.min(view.rows.length, room);
  const scroll = Math.max(0, Math.min(view.scroll, view.rows.length - room));
  const innerWidth = view.isLarge ? inside.width : Math.min(inside.width, Math.max(narrowest, widthNeeded(view, footer)));
  const [width, height] = [innerWidth + 4, Math.min(size.rows, shown + footer.length + 2)];
  const rect = {
    x: Math.floor((size.columns - width) / 2),
    y: Math.max(0, Math.floor((size.rows - height) / 2)),
    width,
    height,
  };
  const { upright, corners } = glyphs.line;
  const tone = view.tone ?? 'accent';
  const framed = ({ spans, ...rest }: Row): Row => {
    const fitted = fitSpans(spans, innerWidth, glyphs);
    const blank = span(' '.repeat(Math.max(0, innerWidth - spansWidth(fitted))));
    return { ...rest, spans: [span(`${upright} `, tone), ...fitted, blank, span(` ${upright}`, tone)] };
  };
  const more = view.rows.length > room ? [span(`${scroll + shown}/${view.rows.length}`)] : [];
  const blanks = Array.from({ length: Math.max(0, shown - (view.rows.length - scroll)) }, () => framed(blankRow));
  const edge = (title: readonly Span[], end: readonly Span[], left: string, right: string): Row => ({
    spans: [
      span(left, tone),
      ...rule(title, end, width - 2, glyphs).map((part) => (part.tone === 'dim' ? { ...part, tone } : part)),
      span(right, tone),
    ],
  });
  const rows = [
    edge([span(view.title, 'strong')], [], corners[0], corners[1]),
    ...view.rows.slice(scroll, scroll + shown).map(framed),
    ...blanks,
    ...footer.map(framed),
    edge([], more, corners[2], corners[3]),
  ];
  const { cursor } = view;
  const line =
    cursor === undefined
      ? -1
      : cursor.part === 'rows'
        ? cursor.row - scroll
        : shown + cursor.row - (view.footer.length - footer.length);
  return {
    region: { id: 'popup', rect, rows },
    cursor:
      cursor === undefined || line < 0 ? null : { x: rect.x + 2 + Math.min(cursor.column, innerWidth - 1), y: rect.y + 1 + line },
  };
}

/** Buttons side by side, in as many rows as they need; the chosen one is what Enter takes. */
export function buttons(
  labels: readonly { readonly key: string; readonly label: string }[],
  chosen: number,
  width: number,
): readonly Row[] {
  const rows: Span[][] = [[]];
  for (const [index, { key, label }] of labels.entries()) {
    const press = { on: 'button', index } as const;
    const isChosen = index === chosen;
    const button = [
      span(isChosen ? '[' : ' ', isChosen ? 'accent' : 'plain', press),
      span(key === '' ? '' : `${key} `, 'accent', press),
      span(sanitise(label), isChosen ? 'strong' : 'plain', press),
      span(isChosen ? ']' : ' ', isChosen ? 'accent' : 'plain', press),
    ];
    const last = rows.at(-1) ?? [];
    if (last.length === 0) last.push(...button);
    else if (spansWidth(last) + 2 + spansWidth(button) <= width) last.push(span('  '), ...button);
    else rows.push(button);
  }
  return rows.map((spans) => ({ spans }));
}
