/** Redaction: known secrets and well-known shapes of secrets become `[redacted:<kind>]`. */
import { knowSecrets } from './known-secrets.js';
import type { Redactor } from './redactor.js';
import { collectSecrets } from './secret-forms.js';
import { endOfWord, findByPattern, startOfWord, type SecretSpan } from './secret-patterns.js';
import { findBySecretlint } from './secretlint-rules.js';
import { createStreamRedactor } from './stream-redactor.js';

export interface RedactorOptions {
  /** Values of its variables with secret names are hidden, see `isSecretName`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Secrets that are known from elsewhere: the provider's key, the daemon's token. */
  readonly extra: readonly string[];
}

const marker = /\[redacted:[a-z0-9-]{1,32}\]/;
const markers = new RegExp(`(${marker.source})`);
/** `://:x@` is the least that a pattern knows. */
const shortestFound = 6;
const exactRounds = 2;
const mostRounds = 6;

/**
 * A redactor for these secrets. `redact` takes time in proportion to the text, and changes nothing in a text that it
 * has redacted. `longest` is the length of the longest known form of a secret, in UTF-16 units.
 */
export function createRedactor({ environment, extra }: RedactorOptions): Redactor & { readonly longest: number } {
  const known = knowSecrets(collectSecrets(environment, extra));
  const find = (text: string): SecretSpan[] => [...known.find(text), ...findByPattern(text), ...findBySecretlint(text)];

  function redact(text: string): string {
    // What is left beside a marker can be a secret that its neighbour hid: until there is nothing left to find. The second
    // round mostly finds nothing.
    for (let before = text, round = 0; ; round += 1) {
      const after = before
        .split(markers)
        .map((part, index) => (index % 2 === 1 || part.length < shortestFound ? part : hide(part, find(part), round)))
        .join('');
      if (after === before) return after;
      before = after;
    }
  }

  return { redact, longest: known.longest, stream: () => createStreamRedactor({ redact, find, known }) };
}

/** True for a text in which something was redacted: a stored call with such arguments must not be performed. */
export function isRedacted(text: string): boolean {
  return marker.test(text);
}

/**
 * Replaces each run of overlapping spans by one marker, of the kind of its first span. A text that shows another secret in
 * each round was made to be slow: then whole words go, and at last all that is left of it.
 */
function hide(text: string, found: readonly SecretSpan[], round: number): string {
  if (found.length === 0) return text;
  const spans = found.map((span) => widen(text, span, round)).sort((a, b) => a.start - b.start || b.end - a.end);
  let result = '';
  let done = 0;
  for (const { start, end, kind } of spans) {
    if (start >= done) result += `${text.slice(done, start)}[redacted:${kind}]`;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}

function widen(text: string, span: SecretSpan, round: number): SecretSpan {
  if (round < exactRounds) return span;
  if (round >= mostRounds) return { ...span, start: 0, end: text.length };
  return { ...span, start: startOfWord(text, span.start), end: endOfWord(text, span.end) };
}
