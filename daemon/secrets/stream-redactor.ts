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

/** Text is published word by word, so a watcher sees it almost as it comes. */
export function createStreamRedactor({ redact, find, known }: StreamParts): StreamRedactor {
  const limit = Math.max(mostHeld, 2 * (known.longest + patternWindow));
  let held = '';
  let isOneWord = true;

  /** Where the part ends that can be published now. */
  function findCut(): number {
    // One unfinished word: nothing to publish, and nothing to search for on each of its pieces.
    const settled = isOneWord
      ? 0
      : Math.min(...[held.length, known.findOpenTail(held)].map((at) => startOfWord(held, at)), findOpenTail(held));
    const forced = held.length - settled > limit;
    const wanted = forced ? held.length - known.longest - patternWindow : settled;
    if (wanted === 0) return 0;
    let cut = wanted;
    const spans = find(held).sort((a, b) => b.from - a.from);
    for (const span of spans) {
      if (span.from < cut && cut < span.end) cut = forced ? span.end : startOfWord(held, span.from);
    }
    return cut;
  }

  return {
    write: (text) => {
      held += text;
      isOneWord = isOneWord && !/\s/.test(text);
      const cut = findCut();
      const clean = redact(held.slice(0, cut));
      held = held.slice(cut);
      if (cut > 0) isOneWord = !/\s/.test(held);
      return clean;
    },
    end: () => {
      const clean = redact(held);
      held = '';
      isOneWord = true;
      return clean;
    },
  };
}
