/** The words of a command as they are known before it runs. */
import type { Word, WordPart } from 'unbash';

export interface Argument {
  /** Without quotes; where it depends on a variable or on another command, as it is written. */
  readonly text: string;
  /** What it will be is known only when it runs. */
  readonly isDynamic: boolean;
}

const expansions = new Set<WordPart['type']>([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
]);

const hasExpansion = (parts: readonly WordPart[]): boolean =>
  parts.some((part) => expansions.has(part.type) || ('parts' in part && part.parts !== undefined && hasExpansion(part.parts)));

export const toArgument = (word: Word): Argument => ({ text: word.value, isDynamic: hasExpansion(word.parts ?? []) });

export const plain = (text: string): Argument => ({ text, isDynamic: false });

export const isOption = ({ text }: Argument): boolean => text.startsWith('-') && text !== '-';

/** Whether any of these options is given: `-rf` has `-r` and `-f`, `--force=x` has `--force`. */
export function hasOption(args: readonly Argument[], ...names: readonly string[]): boolean {
  return args.some(({ text }) =>
    names.some((name) =>
      name.startsWith('--')
        ? text === name || text.startsWith(`${name}=`)
        : /^-[a-zA-Z]+$/.test(text) && !text.startsWith('--') && text.includes(name.slice(1)),
    ),
  );
}

export const operands = (args: readonly Argument[]): Argument[] => {
  const end = args.findIndex(({ text }) => text === '--');
  return end < 0
    ? args.filter((arg) => !isOption(arg))
    : [...args.slice(0, end).filter((arg) => !isOption(arg)), ...args.slice(end + 1)];
};
