/** Numbers for people. */

/** `0:07`, `12:30`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number): string => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** `950`, `12.3k`, `1.2M`. */
export function count(n: number): string {
  if (n < 1000) return String(n);
  const [value, unit] = n < 999_500 ? [n / 1000, 'k'] : [n / 1_000_000, 'M'];
  return `${value < 99.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

/** US dollars: `$0.0042`, `$1.20`. */
export const cost = (usd: number): string => `$${usd > 0 && usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2)}`;

/** `950`, `9,000`. */
export const grouped = (n: number): string => n.toLocaleString('en');
