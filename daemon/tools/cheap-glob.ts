/** Guards against globs whose matching takes for ever: they are made into regular expressions, which backtrack. */

const longestPattern = 400;
/** Each further `*` in one name multiplies the work by the length of the name. */
const starsInName = 3;
const anyDepths = 4;

/** True when matching the pattern takes a bounded time for any path. */
export function isCheapGlob(pattern: string): boolean {
  if (pattern.length > longestPattern) return false;
  const names = pattern.split('/');
  const stars = (name: string): number => name.match(/\*+/g)?.length ?? 0;
  return names.filter((name) => name === '**').length <= anyDepths && names.every((name) => stars(name) <= starsInName);
}
