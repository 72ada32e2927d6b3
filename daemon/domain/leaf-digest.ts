/** A digest of what a run is told of its leaf, to notice that the leaf changed under it (invariant 13). */
import type { Item } from '../../shared/plan.js';
import { digestText } from './text-digest.js';

/** The part of a leaf that is its run's input. Checks are not: the current ones always hold. */
function inputOf(item: Item): string {
  const { title, detail, acceptance, command, scope, relevantFiles } = item;
  return JSON.stringify([title, detail, acceptance, command, scope, relevantFiles]);
}

export const leafDigest = (item: Item): string => digestText(inputOf(item));
