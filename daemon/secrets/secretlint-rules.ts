/**
 * Secretlint's recommended rules inside our redactor: shapes of secrets that others keep up to date. Its core is
 * asynchronous; the rules themselves are plain functions, and are run directly.
 */
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintRuleReportDescriptor, SecretLintSourceCode } from '@secretlint/types';
import type { SecretSpan } from './secret-patterns.js';

/**
 * Not run: a text must not be able to switch the redactor off by a comment; the rule for Google reads files (and waits for
 * them); and where an address holds a password or a key has its frame, our own patterns find more and leave more readable.
 */
const leftOut: ReadonlySet<string> = new Set(['filter-comments', 'gcp', 'basicauth', 'database-connection-string', 'privatekey']);

/** What a text has in it when a rule can find something; a rule that is not listed is always run. */
const keywords: Readonly<Record<string, string>> = {
  '1password': 'ops_ey',
  anthropic: 'sk-ant-api0',
  aws: '(?:ACCESS|access|Access)_?(?:KEY|key|Key)',
  github: 'gh[opsur]_|github_pat_',
  linear: 'lin_api_',
  npm: 'npm_|x-oauth-basic',
  openai: 'T3BlbkFJ',
  sendgrid: String.raw`SG\.`,
  shopify: 'shp(?:at|ca|pa|ss)_',
  slack: String.raw`xox[abopr]-|xapp-|[Hh][Oo][Oo][Kk][Ss]\.`,
};

interface Rule {
  readonly screen: RegExp | null;
  find(source: SecretLintSourceCode): SecretSpan[];
}

const active: readonly Rule[] = rules.flatMap((rule) => {
  const name = rule.meta.id.replace(/^.*secretlint-rule-/, '').slice(0, 32);
  return leftOut.has(name) ? [] : [toRule(name, rule)];
});
/** Most texts are done after this one search. */
const anyScreen = new RegExp(active.map(({ screen }) => screen?.source ?? '').join('|'));

function toRule(name: string, { create }: (typeof rules)[number]): Rule {
  let found: SecretLintRuleReportDescriptor[] = [];
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    // Nobody reads the message; what it would be made of tells where the secret is.
    createTranslator: () => (messageId, data) => ({ messageId: String(messageId), message: '', data }),
    report: (descriptor) => void found.push(descriptor),
    ignore: () => undefined,
  };
  const { file } = create(context, {});
  const keyword = keywords[name];
  return {
    screen: keyword === undefined ? null : new RegExp(keyword),
    find: (source) => {
      found = [];
      try {
        void file?.(source);
      } catch {
        // A rule that cannot cope with a text finds nothing in it; the others still do.
        return [];
      }
      return found.map((descriptor) => spanOf(source.content, name, descriptor));
    },
  };
}

/** What a secret has none of: where one is matched with what stands before it, it begins behind the last of these. */
const beforeSecret = /:\/\/|[\s"'`<>]/;
/** How far behind the beginning of its match a secret is looked for: the words before it are few. */
const nearby = 512;

/**
 * Some rules report where their match begins with the length of the secret alone; so the secret, which they hand on for the
 * message, is looked for. A range is believed only when that fails.
 */
function spanOf(content: string, kind: string, { message, range: [from, to] }: SecretLintRuleReportDescriptor): SecretSpan {
  const values = Object.values((message.data ?? {}) as Record<string, unknown>).filter((value) => typeof value === 'string');
  const window = content.slice(from, to + nearby);
  const places = values.flatMap((value) => {
    const at = value === '' ? -1 : window.indexOf(value);
    return at === -1 ? [] : [{ at, value }];
  });
  // Descriptions ("OAuth access tokens") are handed on, too: should a text have one in it, it comes later.
  const nearest = places.sort((a, b) => a.at - b.at)[0];
  if (nearest === undefined) return { from, start: from, end: to, kind };
  const end = from + nearest.at + nearest.value.length;
  return { from, start: end - (nearest.value.split(beforeSecret).at(-1)?.length ?? 0), end, kind };
}

/** The secrets in a text that one of the rules knows. */
export function findBySecretlint(text: string): SecretSpan[] {
  if (!anyScreen.test(text)) return [];
  const source = sourceOf(text);
  return (
    active
      .filter(({ screen }) => screen?.test(text) ?? true)
      .flatMap(({ find }) => find(source))
      // Words alone ("xoxb-your-token-here") are no secret.
      .filter(({ start, end }) => /\d/.test(text.slice(start, end)))
  );
}

/** A text that is no file: rules that go by a file's name take it for any. */
function sourceOf(content: string): SecretLintSourceCode {
  const nowhere = { line: 1, column: 0 };
  return {
    content,
    hasBOM: false,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: 'text',
    ext: '',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start: nowhere, end: nowhere }),
    positionToIndex: () => 0,
    indexToPosition: () => nowhere,
  };
}
