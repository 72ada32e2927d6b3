/** Finds secrets that are known by value, in all of their forms. */
import { readingsOf } from './decoded-views.js';
import { formsOf, longestWritten } from './secret-forms.js';
import type { SecretSpan } from './secret-patterns.js';
import type { TextView } from './text-view.js';

export interface KnownSecrets {
  /** No secret takes more of a text than this, however it is written, in UTF-16 units; 0 when there are none. */
  readonly longest: number;
  /** All of them, overlapping ones too. */
  find(text: string): SecretSpan[];
  /**
   * Where the earliest tail begins that more text could make a secret of; the length of the text when there is none. In
   * an unfinished word there may be others.
   */
  findOpenTail(text: string): number;
}

/** Prepares the search for these values. */
export function knowSecrets(values: readonly string[]): KnownSecrets {
  // The longest first: an alternation takes the first that matches.
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const longestForm = forms[0]?.length ?? 0;
  if (longestForm === 0) return { longest: 0, find: () => [], findOpenTail: (text) => text.length };
  const regex = new RegExp(forms.map(escapeRegex).join('|'), 'g');
  const byFirstUnit = groupByFirstUnit(forms);

  return {
    longest: Math.max(longestForm, ...values.map(longestWritten)),
    find: (text) => readingsOf(text).flatMap((view) => findIn(view, regex)),
    findOpenTail: (text) =>
      Math.min(text.length, ...readingsOf(text, true).map((view) => tailOf(view, byFirstUnit, longestForm))),
  };
}

function findIn({ text, startOf, endOf }: TextView, regex: RegExp): SecretSpan[] {
  const spans: SecretSpan[] = [];
  regex.lastIndex = 0;
  for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
    const start = startOf(match.index);
    spans.push({ from: start, start, end: endOf(regex.lastIndex), kind: 'secret' });
    regex.lastIndex = match.index + 1;
  }
  return spans;
}

/** Where the longest tail begins that is the beginning of a form, and not all of it. */
function tailOf({ text, startOf }: TextView, forms: ReadonlyMap<string, readonly string[]>, longest: number): number {
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    const length = text.length - at;
    const isBegun = (form: string): boolean => form.length > length && form.startsWith(text.slice(at));
    if (forms.get(text.charAt(at))?.some(isBegun) === true) return startOf(at);
  }
  return Number.POSITIVE_INFINITY;
}

function groupByFirstUnit(forms: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const form of forms) {
    const first = form.charAt(0);
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [form]);
    else group.push(form);
  }
  return groups;
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
