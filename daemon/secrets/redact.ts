/** Redaction: known secrets and well-known shapes of secrets become `[redacted:<kind>]`. */
import { knowSecrets } from './known-secrets.js';
import type { Redactor } from './redactor.js';
import { collectSecrets } from './secret-forms.js';
import { findByPattern, type SecretSpan } from './secret-patterns.js';
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

/**
 * A redactor for these secrets. `redact` takes time in proportion to the text, and changes nothing in a text that it
 * has redacted. `longest` is the length of the longest known form of a secret, in UTF-16 units.
 */
export function createRedactor({ environment, extra }: RedactorOptions): Redactor & { readonly longest: number } {
  const known = knowSecrets(collectSecrets(environment, extra));
  const find = (text: string): SecretSpan[] => [...known.find(text), ...findByPattern(text), ...findBySecretlint(text)];

  function redact(text: string): string {
    // What is left beside a marker can be a secret that its neighbour hid: until there is nothing left to find. Each
    // round leaves less text outside the markers, so there is an end; the second round mostly finds nothing.
    for (let before = text; ;) {
      const after = before
        .split(markers)
        .map((part, index) => (index % 2 === 1 ? part : hide(part, find(part))))
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

/** Replaces each run of overlapping spans by one marker, of the kind of its first span. */
function hide(text: string, spans: SecretSpan[]): string {
  if (spans.length === 0) return text;
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let result = '';
  let done = 0;
  for (const { start, end, kind } of spans) {
    if (start >= done) result += `${text.slice(done, start)}[redacted:${kind}]`;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}
