/** A revision of a plan in one line for people. */
import type { Glyphs } from '../glyphs.js';
import { sanitise } from '../text/text.js';

interface Counted {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly explanation?: string | null | undefined;
}

/** `+2 −1 ~1 — explanation`, harmless; what was only changed is told where there is some. */
export function revisionWords({ added, removed, changed, explanation }: Counted, { minus, dash }: Glyphs): string {
  const counts = `+${added} ${minus}${removed}${changed > 0 ? ` ~${changed}` : ''}`;
  return explanation ? `${counts} ${dash} ${sanitise(explanation.replaceAll('\n', ' '))}` : counts;
}
