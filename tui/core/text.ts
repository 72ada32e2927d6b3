/** Foreign text on a terminal: made harmless, and cut by the width that it takes. */
import stringWidth from 'string-width';

// Escape sequences whole (CSI, OSC, and the two-character ones), then every other control and format character.
const [bell, escape] = ['\u0007', '\u001b'];
const csi = String.raw`\[[0-?]*[ -/]*[@-~]`;
const osc = String.raw`\][^${bell}${escape}]*(?:${bell}|${escape}\\)?`;
const sequences = new RegExp(`${escape}(?:${csi}|${osc}|[@-_])`, 'g');
const controls = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** One line that can do nothing to a terminal: no escape sequences, no control or direction characters; tabs are spaces. */
export function sanitise(text: string): string {
  return text.replace(sequences, '').replaceAll('\t', '  ').replace(controls, '');
}

/** Code units that one column is reckoned to take at most. */
const longestCluster = 16;

/** At most `width` columns; cut ones end in the ellipsis. */
export function fit(text: string, width: number, ellipsis: string): string {
  // Measuring is slow, and a line of output may be a megabyte long.
  const start = text.slice(0, width * longestCluster);
  if (start.length === text.length && stringWidth(text) <= width) return text;
  const room = width - stringWidth(ellipsis);
  if (room <= 0) return '';
  let cut = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(start)) {
    const next = stringWidth(segment);
    if (used + next > room) break;
    cut += segment;
    used += next;
  }
  return cut + ellipsis;
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - stringWidth(text)));

/** `42 s`, `3 min`, `2 h 5 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `1 item`, `2 items`. */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
