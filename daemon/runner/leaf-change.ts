/** Words for a run whose leaf was edited while it worked. */
import type { Item } from '../../shared/plan.js';

const fields = ['title', 'detail', 'acceptance', 'command', 'scope', 'relevantFiles'] as const;

const textOf = (value: unknown): string => {
  if (value === undefined) return '(nothing)';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Each changed field as it was and as it is now. */
export function describeChange(before: Item, after: Item): string {
  const changed = fields.filter((field) => textOf(before[field]) !== textOf(after[field]));
  // After a restart the earlier text is only in the plan prompt: then the whole leaf is told as it is now.
  const lines =
    changed.length > 0
      ? changed.flatMap((field) => [`${field} was: ${textOf(before[field])}`, `${field} is now: ${textOf(after[field])}`])
      : fields.map((field) => `${field} is now: ${textOf(after[field])}`);
  return [
    'The item was edited while you worked on it. Compare, do what is still missing, and report the result again.',
    ...lines,
  ].join('\n');
}
