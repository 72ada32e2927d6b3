/** Finds secrets that are known by value, in all of their forms. */
import { formsOf } from './secret-forms.js';
import type { SecretSpan } from './secret-patterns.js';

export interface KnownSecrets {
  /** Length of the longest form; 0 when there are no secrets. */
  readonly longest: number;
  /** All of them, overlapping ones too. */
  find(text: string): SecretSpan[];
  /**
   * Where the longest tail begins that is the beginning of a form with white space in it; the length of the text when
   * there is none. (A form without it is one word.)
   */
  findOpenTail(text: string): number;
}

/** Prepares the search for these values. */
export function knowSecrets(values: readonly string[]): KnownSecrets {
  // The longest first: an alternation takes the first that matches.
  const forms = [...new Set(values.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const regex = forms.length === 0 ? null : new RegExp(forms.map(escapeRegex).join('|'), 'g');
  const spaced = forms.filter((form) => /\s/.test(form));
  const longestSpaced = spaced[0]?.length ?? 0;

  return {
    longest: forms[0]?.length ?? 0,
    find: (text) => {
      const spans: SecretSpan[] = [];
      if (regex === null) return spans;
      regex.lastIndex = 0;
      for (let match = regex.exec(text); match !== null; match = regex.exec(text)) {
        const start = match.index;
        spans.push({ from: start, start, end: start + match[0].length, kind: 'secret' });
        regex.lastIndex = start + 1;
      }
      return spans;
    },
    findOpenTail: (text) => {
      for (let at = Math.max(0, text.length - longestSpaced + 1); at < text.length; at += 1) {
        if (spaced.some((form) => form.length > text.length - at && form.startsWith(text.slice(at)))) return at;
      }
      return text.length;
    },
  };
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
