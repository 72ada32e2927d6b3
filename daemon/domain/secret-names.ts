/** Which names (of environment variables, of settings) stand for a secret. */

/** A word of its own in the name: `GITHUB_TOKEN`, `db.password`, `NPM_AUTH`. */
const secretWord =
  /(^|[_.-])(key|token|secret|password|passwd|passphrase|passcode|credential|auth|authorization|bearer|cookie|jwt|pat|pwd)s?($|[_.-])/;

/** Written together, as in `apikey`, `accessKeyId`, `dbPassword`, `clientSecret`, `PGPASSWORD`. */
const secretPart =
  /(api|access|secret|private|signing|encryption|master|auth)[_.-]?key|token$|secret|passw(or)?d|passphrase|credential/;

/** Shell bookkeeping that has a secret's word in it and holds none. */
const harmless = new Set(['pwd', 'oldpwd']);

/**
 * True when a value under this name is to be treated as a secret. Errs on the side of yes: `PUBLIC_KEY` counts, too.
 */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  if (harmless.has(lower)) return false;
  return secretWord.test(lower) || secretPart.test(lower);
}
