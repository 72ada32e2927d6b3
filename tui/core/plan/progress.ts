/** How far a plan is, in leaves. */
import type { Counts } from '../../../shared/plan.js';
import type { Glyphs } from '../glyphs.js';

const barWidth = 12;

/** Leaves that are to be done or were done. */
export const openLeaves = ({ leaves, skipped }: Counts): number => leaves - skipped;

/** The two parts of a bar. Full only when all is done. */
export function progressBar(counts: Counts, { bar }: Glyphs): { readonly done: string; readonly rest: string } {
  const open = openLeaves(counts);
  const full = open === 0 ? 0 : Math.floor((counts.done / open) * barWidth);
  return { done: bar[0].repeat(full), rest: bar[1].repeat(barWidth - full) };
}
