/** The secrets that are known by value, and the forms in which they turn up in text. */
import { isSecretName } from '../domain/secret-names.js';
import { readingsOf } from './decoded-views.js';

const shortestSecret = 8;
/** A line of a key file that is shorter says too little to be a secret of its own. */
const shortestLine = 20;

/** Values that stand where a secret should: hiding them would hide ordinary words everywhere. */
const ordinaryWords = new Set([
  'administrator',
  'anonymous',
  'changeme',
  'database',
  'developer',
  'development',
  'disabled',
  'environment',
  'keychain',
  'lm-studio',
  'localhost',
  'no-key-required',
  'not-needed',
  'optional',
  'osxkeychain',
  'password',
  'placeholder',
  'postgres',
  'production',
  'redacted',
  'required',
  'sk-no-key-required',
  'undefined',
  'username',
]);

/** Paths (`SSH_AUTH_SOCK`), addresses (`AUTH_URL`), limits and times (`TOKEN_TTL`), and one character repeated. */
const harmlessShape = new RegExp(
  [
    String.raw`^(?:~|\.{1,2}|[A-Za-z]:|/(?:bin|data|dev|etc|home|lib|mnt|nix|opt|private|proc|root|run|snap|srv|tmp|usr|Users|var|workspaces?))[/\\][\w@./\\ +:-]*$`,
    String.raw`^[a-z][a-z0-9+.-]*://[\w.-]+(?::\d+)?/?$`,
    String.raw`^\d{1,10}$`,
    String.raw`^(.)\1*$`,
  ].join('|'),
);

/**
 * The values to hide: those of environment variables whose names mean a secret, and `extra` ones. Values that are
 * shorter than eight characters, ordinary words, paths and plain addresses are left out.
 */
export function collectSecrets(environment: Readonly<Record<string, string | undefined>>, extra: readonly string[]): string[] {
  const values = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) ? [value] : [],
  );
  const trimmed = [...values, ...extra].map((value) => value.trim());
  const lines = trimmed.flatMap((value) =>
    value.split(/\s*[\r\n]\s*/).filter((line) => line.length >= shortestLine && line !== value),
  );
  return [...new Set([...trimmed, ...lines])].filter(isWorthHiding);
}

function isWorthHiding(value: string): boolean {
  if (value.length < shortestSecret || ordinaryWords.has(value.toLowerCase())) return false;
  // A PEM's frame is the same for everybody.
  return !harmlessShape.test(value) && !/^-----[A-Z ]+-----$/.test(value);
}

/**
 * What to look for in a text and in its readings (`readingsOf`): the value as it is, in JSON (also in JSON inside JSON) and
 * in a URL, in hex and in base64.
 */
export function formsOf(value: string): string[] {
  const json = escapeJson(value);
  // By way of UTF-8, since half a surrogate pair would throw.
  const url = encodeURIComponent(Buffer.from(value).toString());
  const hex = Buffer.from(value).toString('hex');
  const forms = [
    // What looks like an escape in the value itself is resolved in a reading, too.
    ...readingsOf(value).map(({ text }) => text),
    json,
    escapeJson(json),
    url,
    url.replaceAll('%20', '+'),
    value.replaceAll(' ', '+'),
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    hex,
    hex.toUpperCase(),
    ...base64Forms(value),
  ];
  return [...new Set(forms)].filter((form) => form.length >= shortestSecret);
}

/**
 * How long a value can become by being written, in UTF-16 units: three for each of six hexadecimal digits of an escape
 * inside a URL, for each byte.
 */
export const longestWritten = (value: string): number => 18 * Buffer.byteLength(value);

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Inside a longer text that is encoded as a whole (`user:password`), a value takes one of three forms, by the place
 * where it begins. Of each, the part is taken that no neighbour can change, in both alphabets.
 */
function base64Forms(value: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    return [bytes.toString('base64').slice(first, last), bytes.toString('base64url').slice(first, last)];
  });
}
