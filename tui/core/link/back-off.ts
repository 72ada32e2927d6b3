/** How long to wait before the daemon that was lost is looked for again. */

const waitsMs = [200, 500, 1_000, 2_000, 5_000] as const;
export const longestWaitMs = 5_000;

/** Milliseconds; `tries`: how often it was looked for in vain. */
export const waitMs = (tries: number): number => waitsMs[tries] ?? longestWaitMs;
