/** Redacts a text that comes in pieces. What could still become a secret is held back until that is settled. */
import type { KnownSecrets } from './known-secrets.js';
import type { StreamRedactor } from './redactor.js';
import { findOpenTail, startOfWord, type SecretSpan } from './secret-patterns.js';

interface StreamParts {
  readonly redact: (text: string) => string;
  readonly find: (text: string) => SecretSpan[];
  readonly known: KnownSecrets;
}

/** A word or a key that is longer than this is published in parts: what is held back has to have an end. */
const mostHeld = 16_384;
/** How much of such a word stays held: enough to know any token that begins in it. */
const patternWindow = 512;
/** So much is searched again with each piece; more, only when it has grown by an eighth, or time would go by its square. */
const alwaysSearched = 1_024;

/** Text is published word by word, so a watcher sees it almost as it comes. */
export function createStreamRedactor({ redact, find, known }: StreamParts): StreamRedactor {
  const limit = Math.max(mostHeld, 2 * (known.longest + patternWindow));
  let held = '';
  let searchedAt = 0;

  /** Where the part ends that can be published now. */
  function findCut(): number {
    const settled = findSettled();
    const forced = held.length - settled > limit;
    const wanted = forced ? held.length - known.longest - patternWindow : settled;
    if (wanted === 0) return 0;
    let cut = wanted;
    const spans = find(held).sort((a, b) => b.from - a.from);
    for (const span of spans) {
      // The rest of its word stays with it: it may be known by that.
      if (span.from < cut && cut < span.end) cut = forced ? span.end : startOfWord(held, span.from);
    }
    return cut;
  }

  /** Up to where no more text can change what is found. */
  function findSettled(): number {
    const word = startOfWord(held, held.length);
    if (word === 0) return 0;
    return Math.min(word, findOpenTail(held), startOfWord(held, known.findOpenTail(held)));
  }

  return {
    write: (text) => {
      held += text;
      if (held.length > alwaysSearched && held.length < searchedAt * 1.125) return '';
      const cut = findCut();
      const clean = redact(held.slice(0, cut));
      held = held.slice(cut);
      searchedAt = cut === 0 ? held.length : 0;
      return clean;
    },
    end: () => {
      const clean = redact(held);
      held = '';
      searchedAt = 0;
      return clean;
    },
  };
}
