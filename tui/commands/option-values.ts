/** How the values of options are read: commander turns what is refused here into wrong usage. */
import { InvalidArgumentError } from 'commander';

/** An option that may be given more than once. */
export const listOf = (value: string, all: string[] | undefined): string[] => [...(all ?? []), value];

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 0.');
}

export function seconds(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of seconds.');
}

/** A version of a plan, also as it is shown: `v3`. */
export function planVersion(text: string): number {
  const [, digits] = /^v?(\d{1,9})$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new InvalidArgumentError('It must be a version of the plan, as cairn log shows them: v3 or 3.');
}
