/**
 * Secretlint's recommended rules inside our redactor: shapes of secrets that others keep up to date. Its core is
 * asynchronous; the rules themselves are not, and are run directly.
 */
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintSourceCode } from '@secretlint/types';
import type { SecretSpan } from './secret-patterns.js';

/** Ours leave the host and the user of an address readable; a filter finds nothing. */
const leftOut = /(?:basicauth|database-connection-string|filter-comments)$/;
/** No secret is shorter. */
const shortest = 16;

type Rule = (source: SecretLintSourceCode) => SecretSpan[];

const active: readonly Rule[] = rules.filter(({ meta }) => !leftOut.test(meta.id)).map(toRule);

function toRule({ meta, create }: (typeof rules)[number]): Rule {
  const kind = meta.id.replace(/^.*secretlint-rule-/, '').slice(0, 32);
  let found: SecretSpan[] = [];
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId) => ({ messageId: String(messageId), message: '' }) as never,
    report: ({ range: [start, end] }) => void found.push({ from: start, start, end, kind }),
    ignore: () => undefined,
  };
  const { file } = create(context, {});
  return (source) => {
    found = [];
    try {
      void file?.(source);
    } catch {
      // A rule that cannot cope with a text finds nothing in it; the others still do.
      return [];
    }
    return found;
  };
}

export function findBySecretlint(text: string): SecretSpan[] {
  if (text.length < shortest) return [];
  const source: SecretLintSourceCode = {
    content: text,
    filePath: undefined,
    ext: undefined,
    contentType: 'text',
    hasBOM: false,
    // Only for messages with a line, which nobody reads here.
    indexToPosition: () => ({ line: 0, column: 0 }),
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start: { line: 0, column: 0 }, end: { line: 0, column: 0 } }),
  } as unknown as SecretLintSourceCode;
  return active.flatMap((rule) => rule(source));
}
