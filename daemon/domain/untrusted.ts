/**
 * The wrapper around every text from outside, so that it cannot pass for the engine's own words. What could close the
 * wrapper, look like a message of another role, or hide from a reader is made harmless; the rest stays readable. Pure.
 */

/** Code points that show nothing and change what is shown: control characters, bidi controls, tags, half surrogates. */
const unseen =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;
/** A terminal's escape sequences, as a whole: CSI, OSC and the short ones. Source: ECMA-48, 5.4. */
const escapes =
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,2048}(?:\u0007|\u001b\\)?|[PX^_][^\u001b]{0,2048}(?:\u001b\\)?|[ -/]{0,4}[0-~])/g;

/** Looks like `<`, also full-width and the other angles. */
export const angle = '[<\uff1c\u2039\u27e8\u3008\ufe64\u276c\u1438\u02c2]';
/** What may stand between the letters of a word without being seen. Bounded, so that no text takes long. */
export const hidden = '[\\s_\\-\u00ad\u200b-\u200d\u2060\u180e\u034f\ufe00-\ufe0f]{0,8}';
const spread = (word: string): string => Array.from(word).join(hidden);
const delimiter = new RegExp(`${angle}${hidden}([/\uff0f]?)${hidden}${spread('untrusted')}${hidden}${spread('content')}`, 'giu');

/** Where a template of a chat model begins a message or ends one: ChatML, Llama, Mistral, Gemma, DeepSeek, Phi, Command-R. */
const template =
  /<(?=\|[^|<>\n]{1,40}\|?>|\uff5c[^<>\n]{1,40}\uff5c>|\/?s>|<\/?SYS>>|(?:start|end)_of_turn>|bos>|eos>)|\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS)\])/gi;
/** A line that plays the protected message of the steps. */
const planLine = /^([ \t>*#-]{0,8})\[(?=[ \t]*current[ \t]+plan\b)/gim;
/** A line that plays a message of another role, as plain-text transcripts write it. */
const roleLine =
  /^([ \t]{0,8})((?:system|assistant|human|user|developer|tool)(?:[ \t]+(?:message|prompt|override|instruction)s?)?)(?=[ \t]{0,4}:)/gim;
const roleHeading =
  /^([ \t]{0,4})(#{1,6}[ \t]{0,4})(?=(?:system|assistant|human|user|developer)(?:[ \t]+(?:message|prompt))?[ \t]*:?[ \t]*$)/gim;

const longestSource = 40;

/** Makes a text harmless without wrapping it. Doing it twice gives the same as once. */
export function neutralise(text: string): string {
  return text
    .replace(escapes, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .replace(unseen, '')
    .replace(delimiter, '($1untrusted-content')
    .replace(template, '$& ')
    .replace(planLine, '$1(')
    .replace(roleLine, '$1“$2”')
    .replace(roleHeading, '$1· $2');
}

/**
 * `<untrusted_content_{nonce} source="…">`, newline, body, newline, `</untrusted_content_{nonce}>`.
 * `nonce`: 16 hexadecimal digits that the text's author could not know.
 */
export function wrapUntrusted(text: string, source: string, nonce: string): string {
  const tag = `untrusted_content_${nonce}`;
  const name = source.replaceAll(/[^\w.:/-]/g, '_').slice(0, longestSource);
  return `<${tag} source="${name}">\n${neutralise(text)}\n</${tag}>`;
}

const wrapped = /^<untrusted_content_([0-9a-f]{16}) source="([\w.:/-]{0,40})">\n([\s\S]*)\n<\/untrusted_content_\1>$/;

/** What a whole text wraps; null for any text that is not exactly one wrapper. */
export function unwrapUntrusted(text: string): { readonly nonce: string; readonly source: string; readonly body: string } | null {
  const match = wrapped.exec(text);
  if (match === null) return null;
  const [, nonce = '', source = '', body = ''] = match;
  return body.includes(`untrusted_content_${nonce}`) ? null : { nonce, source, body };
}
