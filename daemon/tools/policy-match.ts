/**
 * Patterns of policy rules. Anchored at both ends; only `*` is special, there is no escape. Matching takes time in
 * proportion to pattern times text, whatever they are: both may come from a stranger.
 */

/** What ends a command or begins another one, expands to one, or redirects: in a command matched only by `*`, a trap. */
const shellSyntax = /[;&|\n\r`$()<>]/;

/** `*` matches any text. */
export function matchesCommand(pattern: string, command: string): boolean {
  return matches(
    split(pattern, () => true),
    command.trim(),
  );
}

/** As `matchesCommand`, but what `*` stands for must be plain words: no shell syntax comes in through it. */
export function matchesPlainCommand(pattern: string, command: string): boolean {
  return matches(
    split(pattern, (character) => !shellSyntax.test(character)),
    command.trim(),
  );
}

/**
 * The command and, when it is compound, also each of its simple commands as far as they can be told apart without
 * parsing: for rules that forbid, where matching too much is the safe side.
 */
export function matchesAnyPart(pattern: string, command: string): boolean {
  const parts = command.split(new RegExp(shellSyntax, 'g'));
  return [command, ...parts].some((part) => matchesCommand(pattern, part));
}

/**
 * `path` is relative to the workspace, with `/`. `*` stays within one name, `**` matches any number of folders; a pattern
 * without `/` matches the last name of the path, in whatever folder.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const inName = (character: string): boolean => character !== '/';
  const anchored = pattern.includes('/') || pattern === '**' ? pattern : `**/${pattern}`;
  const tokens = anchored.split(/(\*\*\/|\*\*)/).flatMap((part): Token[] => {
    if (part === '**/') return ['folders'];
    return part === '**' ? [() => true] : split(part, inName);
  });
  return matches(tokens, path);
}

/** A character itself, any number of those that pass a test, or nothing or any text that ends in `/`. */
type Token = { readonly is: string } | ((character: string) => boolean) | 'folders';

function split(pattern: string, wildcard: (character: string) => boolean): Token[] {
  return Array.from(pattern, (character) => (character === '*' ? wildcard : { is: character }));
}

function matches(tokens: readonly Token[], text: string): boolean {
  const characters = Array.from(text);
  /** Whether the tokens so far can end before the character of that index. */
  let reached = new Uint8Array(characters.length + 1);
  reached[0] = 1;
  for (const token of tokens) {
    const next = new Uint8Array(characters.length + 1);
    let hasBegun = false;
    for (const [index, isReached] of reached.entries()) {
      const before = characters[index - 1];
      if (typeof token === 'function') {
        next[index] = isReached || (before !== undefined && next[index - 1] && token(before)) ? 1 : 0;
      } else if (token === 'folders') {
        next[index] = isReached || (hasBegun && before === '/') ? 1 : 0;
        hasBegun ||= isReached === 1;
      } else {
        next[index] = before === token.is && reached[index - 1] ? 1 : 0;
      }
    }
    reached = next;
  }
  return reached[characters.length] === 1;
}
