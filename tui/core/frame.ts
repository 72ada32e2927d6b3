/** What the screen is to show, as data: regions of rows of spans. Made by the view, painted by the screen. */
import type { Tone } from './style.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** In cells, from the top left corner of the screen. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A piece of a row: harmless text, and what it is. `P` is what a click on it means. */
export interface Span<P = unknown> {
  readonly text: string;
  readonly tone: Tone;
  readonly press?: P;
}

/** One line of a region. What is longer than the region is cut by the painter. */
export interface Row<P = unknown> {
  readonly spans: readonly Span<P>[];
  /** It is under the cursor: of the region that has the focus (`here`), or of one that has not (`elsewhere`). */
  readonly chosen?: 'here' | 'elsewhere';
  /** What a click on the rest of the row means. */
  readonly press?: P;
}

export const regionIds = ['header', 'conversation', 'divider', 'plan', 'line', 'status', 'popup'] as const;
export type RegionId = (typeof regionIds)[number];

/** `rows` are its visible lines from its top; what they leave free is blank. */
export interface Region<P = unknown> {
  readonly id: RegionId;
  readonly rect: Rect;
  readonly rows: readonly Row<P>[];
}

/** Regions from the bottom to the top: a later one covers an earlier one. Where the text cursor is, if it shows. */
export interface Frame<P = unknown> {
  readonly size: Size;
  readonly regions: readonly Region<P>[];
  readonly cursor: { readonly x: number; readonly y: number } | null;
}
