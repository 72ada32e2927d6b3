/**
 * Secrets that are known by their shape. Each pattern runs in linear time: unbounded parts stand at the end, where
 * they cannot fail, or between characters that they do not contain.
 */

/**
 * Where a token may begin: not in the middle of a word. An escape before it is no word: `\n` in JSON, `%3D` in a
 * URL, a terminal's colour.
 */
const start = String.raw`(?<![A-Za-z0-9](?<!\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\u001b\[[0-9;]{0,16}m))`;
/** As above, for tokens whose alphabet has `_` and `-`: no run of it is looked at twice. */
const startOfRun = String.raw`(?<![A-Za-z0-9_-](?<!\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\u001b\[[0-9;]{0,16}m))`;

/** Words alone are no token. */
const hasDigit = '(?=[A-Za-z-]{0,64}[0-9])';

/** A private key as far as it goes; a text that was cut need not have its end. */
const privateKey = String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-"'${'`'}]{0,16384}(?:-(?!----)[^-"'${'`'}]{0,16384}){0,64}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`;

const assign = String.raw`["'\\]{0,4}[ \t]{0,8}[:=][ \t]{0,8}["'\\]{0,4}`;

/** Kind and pattern; `(?<secret>…)` marks the secret where the match has a context that stays. */
const caseSensitive: readonly (readonly [kind: string, source: string])[] = [
  ['anthropic-key', String.raw`${start}sk-ant-[A-Za-z0-9_-]{16,}`],
  ['openai-key', String.raw`${start}sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{20,})`],
  ['openrouter-key', String.raw`${start}sk-or-[A-Za-z0-9_-]{16,}`],
  ['github-token', String.raw`${start}(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})`],
  [
    'gitlab-token',
    String.raw`${start}gl(?:pat|ptt|dt|rt|cbt|oas|soat|agent|imt|ft)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9]{2,}){0,3}`,
  ],
  ['aws-key-id', String.raw`${start}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])`],
  ['slack-token', String.raw`${start}xox[abeoprs]-${hasDigit}[A-Za-z0-9-]{10,}|${start}xapp-${hasDigit}[A-Za-z0-9-]{20,}`],
  ['slack-webhook', String.raw`hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}`],
  ['google-key', String.raw`${start}AIza[A-Za-z0-9_-]{35}`],
  ['google-token', String.raw`${start}ya29\.[A-Za-z0-9_-]{20,}`],
  ['stripe-key', String.raw`${start}(?:(?:sk|rk)_(?:live|test)|whsec)_[A-Za-z0-9]{16,}`],
  ['npm-token', String.raw`${start}npm_[A-Za-z0-9]{30,}`],
  [
    'npm-auth',
    String.raw`(?::_(?:auth|password)|_authToken)[ \t]{0,8}=[ \t]{0,8}(?<secret>(?=[A-Za-z_=+/.-]{0,64}[0-9])[A-Za-z0-9_=+/.-]{8,})`,
  ],
  ['pypi-token', String.raw`${start}pypi-[A-Za-z0-9_-]{50,}`],
  ['huggingface-token', String.raw`${start}hf_[A-Za-z0-9]{30,}`],
  ['groq-key', String.raw`${start}gsk_[A-Za-z0-9]{30,}`],
  ['xai-key', String.raw`${start}xai-[A-Za-z0-9]{40,}`],
  ['sendgrid-key', String.raw`${start}SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,}`],
  ['digitalocean-token', String.raw`${start}do[opr]_v1_[a-f0-9]{40,}`],
  ['jwt', String.raw`${startOfRun}eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`],
  ['private-key', privateKey],
  ['url-password', String.raw`:\/\/[^\s/:@"'${'`'}<>\\]{0,128}:(?<secret>[^\s/"'${'`'}<>\\$]{1,256})@`],
];

const caseInsensitive: readonly (readonly [kind: string, source: string])[] = [
  ['authorization', String.raw`authorization${assign}(?:bearer|basic|token)[ \t]{1,8}(?<secret>[A-Za-z0-9._~+/=-]{8,})`],
  ['bearer-token', String.raw`\bbearer[ \t]{1,8}(?<secret>(?=[A-Za-z._~+/=-]{0,64}[0-9])[A-Za-z0-9._~+/=-]{20,})`],
  ['aws-secret-key', String.raw`secret_?access_?key${assign}(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])`],
];

/** A part of a text that is to be hidden: from `start` up to `end`. */
export interface SecretSpan {
  /** Where the words begin by which it is known; `start` when it is known by itself. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

interface PatternSet {
  readonly kinds: readonly string[];
  readonly regex: RegExp;
}

/** One expression for all: the alternative that matched is known by the name of its group. */
function combine(patterns: readonly (readonly [string, string])[], flags: string): PatternSet {
  const source = patterns.map(([, text], index) => `(?<k${index}>${text.replace('(?<secret>', `(?<s${index}>`)})`).join('|');
  return { kinds: patterns.map(([kind]) => kind), regex: new RegExp(source, flags) };
}

const sets: readonly PatternSet[] = [combine(caseSensitive, 'dg'), combine(caseInsensitive, 'dgi')];

/** The secrets in a text that are known by their shape; those of one set do not overlap. */
export function findByPattern(text: string): SecretSpan[] {
  return sets.flatMap(({ kinds, regex }) =>
    [...text.matchAll(regex)].map((match) => {
      const groups = match.indices?.groups ?? {};
      const index = kinds.findIndex((_, position) => groups[`k${position}`] !== undefined);
      const [start, end] = groups[`s${index}`] ?? groups[`k${index}`] ?? [match.index, match.index + match[0].length];
      return { from: match.index, start, end, kind: kinds[index] ?? 'secret' };
    }),
  );
}

/**
 * Where the tail of a text begins that later text could make a secret of by what stands before it: words that give the
 * next one its meaning, or a private key that has not ended. The length of the text when there is none.
 */
export function findOpenTail(text: string): number {
  const near = Math.max(0, text.length - longestContext);
  const context = openContext.exec(text.slice(near));
  const key = text.lastIndexOf('-----BEGIN');
  const keyIsOpen = key !== -1 && !/-----END[^-]{0,64}-----/.test(text.slice(key));
  return Math.min(context === null ? text.length : near + context.index, keyIsOpen ? key : text.length);
}

/** Where the word begins in which this place is; the place itself when white space stands before it. */
export function startOfWord(text: string, place: number): number {
  let at = place;
  while (at > 0 && !isSpace.test(text.charAt(at - 1))) at -= 1;
  return at;
}

/** Where the word ends that this place is in or behind. */
export function endOfWord(text: string, place: number): number {
  let at = place;
  while (at < text.length && !isSpace.test(text.charAt(at))) at += 1;
  return at;
}

const isSpace = /\s/;
const longestContext = 8_192;
const openContext = /(?:authorization|bearer|secret_?access_?key)\S{0,16}(?:[ \t]{1,8}\S{0,4096}){0,2}$/i;
