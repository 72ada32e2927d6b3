/**
 * The wrapper around every text from outside, so that it cannot pass for the engine's own words. What could close the
 * wrapper, look like a message of another role, or hide from a reader is made harmless; the rest stays readable. Pure.
 */
import { overlooked, wordLike, wordLikeBegun } from './look-alikes.js';

/** What shows nothing and changes what is shown, or carries what nobody sees: controls, bidi, tags, selectors, halves. */
const unseen =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu;
/** A terminal's escape sequences as a whole, of seven and of eight bits. Source: ECMA-48, 5.4 and 5.6. */
const escapes =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /(?:\u001b\[[0-?]{0,64}|\u009b[0-?]{1,64})[ -/]{0,8}[@-~]|(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,4}[0-~]/g;
const lineEnds = /\r\n?|[\u2028\u2029]/g;

/** Looks like `<`, and like `/`. */
const angle = '[<\uff1c\u2039\u00ab\u27e8\u27ea\u3008\u300a\ufe64\u276c\u1438\u02c2\u226a\u29fc]';
const slashes = String.raw`/\\\uff0f\u2215\u2044\u29f8`;
const name = 'untrustedcontent';
/** A delimiter of the wrapper, whatever its nonce, its case and its spelling. */
const delimiter = new RegExp(`${angle}([${overlooked}${slashes}]*)${wordLike(name)}`, 'gu');
/** The beginning of a delimiter at the end of a text, which what is put behind it could complete. */
export const delimiterBegun = new RegExp(`${angle}([${overlooked}${slashes}]*${wordLikeBegun(name)}[${overlooked}]*)$`, 'u');
/** Its name alone, where the angle was lost. */
const tagName = /untrusted_content_(?=[0-9a-f]{16})/gi;
const anySlash = new RegExp(`[${slashes}]`);

/**
 * Where a template of a chat model begins or ends a message: ChatML, Llama, Mistral, Gemma, DeepSeek, Phi, Granite, GLM;
 * and the tags in which models call tools, think, or are told what to do.
 */
const template =
  /<(?=\|[^|<>\n]{1,40}\|?>|\uff5c[^<>\n]{1,40}\uff5c>|\/s>|<\/?SYS>>|(?:start|end)_of_turn>|[be]os>|[se]op>|\/?(?:tool_calls?|tool_response|tool_results?|function_calls?|function_results?|think|thinking|system(?:[-_ ](?:reminder|message|prompt|instructions?|note))?)>)|(?<!\w)<(?=s>)|\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|TOOL_CONTENT|THINK)\]|gMASK\])/g;

/** A line that plays the protected message of the steps, also quoted, listed or bold. */
const planLine = new RegExp(
  String.raw`^((?:(?!\n)[${overlooked}>*#])*)[[\uff3b\u3010\u27e6]([${overlooked}]*${wordLike('currentplan')})`,
  'gmu',
);
/** A line that plays a message of another role, as plain-text transcripts write it. */
const roleLine =
  /^([ \t>*_]*)((?:system|assistant|human|user|developer|tool|function)(?:[ \t]+(?:message|prompt|override|instruction|note|notice|alert|reminder|update)s?)?)(?=[ \t*_]*[:\uff1a])/gim;
const roleHeading =
  /^([ \t>]*)(#{1,6}[ \t]*)(?=(?:(?:system|assistant|human|user|developer)(?:[ \t]+(?:message|prompt))?(?:[ \t]*[:\uff1a])?|(?:instructions?|response|input)[ \t]*[:\uff1a])[ \t]*$)/gim;

const longestSource = 40;

/** Makes a text harmless without wrapping it. Doing it twice gives the same as once. */
export function neutralise(text: string): string {
  return text
    .replace(escapes, '')
    .replace(lineEnds, '\n')
    .replace(unseen, '')
    .replace(delimiter, (_, before: string) => `(${anySlash.test(before) ? '/' : ''}untrusted-content`)
    .replace(tagName, 'untrusted-content_')
    .replace(template, '$& ')
    .replace(planLine, '$1($2')
    .replace(roleLine, quoteRole)
    .replace(roleHeading, '$1· $2');
}

/**
 * In small letters it may be the key of a configuration (`user: root`): then it counts only where nothing stands before it,
 * and, but for the system's, where a paragraph begins.
 */
function quoteRole(line: string, before: string, role: string, at: number, text: string): string {
  const isKey = /^[a-z]/.test(role) && (before !== '' || !(role.startsWith('system') || beginsParagraph(text, at)));
  return isKey ? line : `${before}“${role}”`;
}

function beginsParagraph(text: string, at: number): boolean {
  let place = at - 1;
  while (place > 0 && /[ \t]/.test(text.charAt(place - 1))) place -= 1;
  return place <= 0 || text.charAt(place - 1) === '\n';
}

/**
 * `<untrusted_content_{nonce} source="…">`, newline, body, newline, `</untrusted_content_{nonce}>`.
 * `nonce`: 16 hexadecimal digits that the text's author could not know.
 */
export function wrapUntrusted(text: string, source: string, nonce: string): string {
  const tag = `untrusted_content_${nonce}`;
  const from = source.replaceAll(/[^\w.:/-]/g, '_').slice(0, longestSource);
  return `<${tag} source="${from}">\n${neutralise(text)}\n</${tag}>`;
}

const wrapped = /^<untrusted_content_([0-9a-f]{16}) source="([\w.:/-]{0,40})">\n([\s\S]*)\n<\/untrusted_content_\1>$/;

/** What a whole text wraps; null for any text that the wrapper has not made. */
export function unwrapUntrusted(text: string): { readonly nonce: string; readonly source: string; readonly body: string } | null {
  const match = wrapped.exec(text);
  if (match === null) return null;
  const [, nonce = '', source = '', body = ''] = match;
  return neutralise(body) === body ? { nonce, source, body } : null;
}
