/** Names that somebody who mistyped one may have meant. */

/** Up to three of `names`, nearest first: the same last or first part, or a few letters apart. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const lower = wanted.slice(0, 60).toLowerCase();
  const scored = names.map((name) => ({ name, distance: distanceOf(lower, name.toLowerCase()) }));
  return scored
    .filter(({ name, distance }) => distance <= Math.max(2, name.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Levenshtein's distance, one row at a time. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
