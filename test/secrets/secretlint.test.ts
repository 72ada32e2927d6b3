/** Shapes of secrets that secretlint knows, and texts that must not be taken for one. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintSourceCode } from '@secretlint/types';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../daemon/secrets/redact.js';

const redactor = createRedactor({ environment: {}, extra: [] });
/** Put together here, so that no scanner takes this file for a leak. */
const join = (...parts: string[]): string => parts.join('');

describe('a secret of a known shape', () => {
  it.each([
    ['Shopify', join('shpat', '_', 'abcdef0123456789abcdef0123456789')],
    ['Linear', join('lin', '_api_', 'abcdefghijklmnopqrstuvwxyz0123456789ABCD')],
    ['Slack', join('xoxb', '-123456789012-1234567890123-', 'abcdefghijklmnopqrstuvwx')],
    ['GitHub', join('ghp', '_', 'abcdefghijklmnopqrstuvwxyz0123456789')],
    ['SendGrid', join('SG', '.', 'abcdefghijklmnopqrstuv', '.', 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG')],
    ['a private key', join('-----BEGIN RSA PRIVATE ', 'KEY-----\nMIIEowIBAAKCAQEA1c7\n-----END RSA PRIVATE ', 'KEY-----')],
  ])('of %s is hidden, in text, in JSON and in the middle of a line', (_what, secret) => {
    for (const text of [secret, JSON.stringify({ key: secret }), `use ${secret} here`]) {
      const shown = redactor.redact(text);
      expect(shown).toContain('[redacted:');
      expect(shown).not.toContain(secret.slice(8));
      expect(redactor.redact(shown)).toBe(shown);
    }
  });
});

describe('of a secret that words stand before', () => {
  it.each<[string, string, string]>([
    [
      'an AWS key with an arrow',
      `:secret_access_key => '${join('aB3dE5gH7jK9mN1pQ3sT5vX7zA9', 'cE1gI3kM5oQ7s')}'`,
      `:secret_access_key => '[redacted:aws]'`,
    ],
    [
      'a token as the user of an address',
      `see https://${join('0123456789abcdef0123', '456789abcdef01234567')}:x-oauth-basic@github.com/a/b`,
      'see https://[redacted:npm]:[redacted:url-password]@github.com/a/b',
    ],
    [
      'such an address in JSON, behind another',
      `{"a":"https://a.example","b":"https://${join('0123456789abcdef0123', '456789abcdef01234567')}:x-oauth-basic@github.com/a"}`,
      '{"a":"https://a.example","b":"https://[redacted:npm]:[redacted:url-password]@github.com/a"}',
    ],
    [
      'a token of a registry',
      `//registry.example/:_authToken=${join('0f9a8b7c-1234', '-4d5e-8f90-abcdef012345')}`,
      '//registry.example/:_authToken=[redacted:npm-auth]',
    ],
    [
      'a password of a registry',
      `//r.example/:_password=${join('c2VjcmV0', 'MTIzNA==')}`,
      '//r.example/:_password=[redacted:npm-auth]',
    ],
  ])('only the secret goes, and all of it: %s', (_, text, shown) => {
    expect(redactor.redact(text)).toBe(shown);
    expect(redactor.redact(shown)).toBe(shown);
  });
});

/** What the rules that are not run would report; ours leave the host readable. */
describe('instead of the rules that are left out, ours hide', () => {
  const password = join('s3cr', '3t-Pa55w0rd');
  it.each([
    ['the password of a page', `https://user:${password}@internal.test/x`],
    ['the password of a database', `postgresql://user:${password}@db.internal.test:5432/x?sslmode=require`],
    ['that of another', `jdbc:mysql://user:${password}@db.internal.test/x`],
    ['that of a third', `mongodb+srv://user:${password}@cluster.internal.test/x?w=majority`],
    ['that in JSON', JSON.stringify({ url: `postgres://user:${password}@db.internal.test/x` })],
  ])('%s', (_, text) => {
    const shown = redactor.redact(text);
    expect(shown).toContain('internal.test');
    expect(shown).not.toContain(password);
  });

  it('a key for Google in its file', () => {
    const key = `${join('-----BEGIN PRIVATE ', 'KEY-----')}\nMIIEvQ${'aB3d'.repeat(30)}\n${join('-----END PRIVATE ', 'KEY-----')}\n`;
    const shown = redactor.redact(JSON.stringify({ type: 'service_account', private_key_id: 'x', private_key: key }, null, 2));
    expect(shown).not.toContain('aB3d');
    expect(JSON.parse(shown)).toMatchObject({ type: 'service_account', private_key: expect.stringContaining('[redacted:') });
  });

  it('what a comment asks to leave', () => {
    const token = join('lin', '_api_', 'abcdefghijklmnopqrstuvwxyz0123456789ABCD');
    const comment = join('secret', 'lint-disable');
    expect(redactor.redact(`// ${comment}\n${token} // ${comment}-line`)).not.toContain(token);
  });
});

it('a rule that waits, or wants a file, is none of those that are run', () => {
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({ messageId: String(messageId), message: '', data }),
    report: () => undefined,
    ignore: () => undefined,
  };
  const asked: string[] = [];
  const source = new Proxy({ content: 'x'.repeat(100), ext: '.p12', filePath: '/nowhere' } as unknown as SecretLintSourceCode, {
    get: (target, name, receiver) => {
      if (name === 'ext') asked.push('ext');
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const waiting = rules.filter(({ create }) => create(context, {}).file?.(source) instanceof Promise);
  expect(waiting.map(({ meta }) => meta.id)).toEqual(['@secretlint/secretlint-rule-gcp']);
  expect(asked.length).toBeGreaterThan(0);
});

describe('ordinary text', () => {
  it.each([
    ['a commit', createHash('sha1').update('x').digest('hex')],
    ['a checksum', createHash('sha256').update('x').digest('hex')],
    ['an integrity sum of a lock file', `sha512-${createHash('sha512').update('x').digest('base64')}`],
    ['a uuid', '123e4567-e89b-42d3-a456-426614174000'],
    ['an image as base64', `data:image/png;base64,${Buffer.from('x'.repeat(300)).toString('base64')}`],
    ['an id of ours', 'r_7k3m9qv2x8c4b1nz'],
    ['a version', 'Node 20.20.2, better-sqlite3 12.11.1'],
    ['a path', '/home/ada/projects/export/src/writer.ts:42:7'],
    ['greetings', 'xoxo-hugs-and-kisses from xapp-lication-developers and xoxb-your-token-goes-here'],
    ['a setting that names its variable', '//registry.npmjs.org/:_authToken=${NPM_TOKEN}'],
    ['a call that returns a token', 'const db_password = getPassword(); this._authToken = readAuthToken();'],
    ['keys by name', 'aws_secret_access_key = os.environ["AWS_SECRET_ACCESS_KEY"]'],
    ['the address of a repository', 'git+https://github.com/owner/repository.git#0123456789abcdef0123456789abcdef01234567'],
    ['a digest of an image', `image@sha256:${createHash('sha256').update('y').digest('hex')}`],
    ['a sum of a module', `h1:${createHash('sha256').update('z').digest('base64')} go.sum`],
    ['a font as base64', `src: url(data:font/woff2;base64,${Buffer.from(randomBytes(600)).toString('base64')})`],
    ['a dump', '00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............'],
    ['a fingerprint', 'SHA256 Fingerprint=AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89'],
    ['a minified line', 'function a(b,c){return b?c.d.e(f=>f.g_h):"i"}'.repeat(20)],
    ['the shape of a key in words', 'Set OPENAI_API_KEY to sk-… before you start.'],
  ])('such as %s stays as it is', (_what, text) => {
    expect(redactor.redact(text)).toBe(text);
  });

  it('such as our own lock file and sources stays as it is', () => {
    for (const file of ['package-lock.json', 'README.md', 'daemon/config.ts', 'shared/contract.ts']) {
      const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      expect(redactor.redact(text)).toBe(text);
    }
  });
});

describe('hostile text', () => {
  it.each([
    ['one letter', 'a'.repeat(300_000)],
    ['nearly keys', 'AKIA'.repeat(75_000)],
    ['nearly tokens', 'xoxb-1234-'.repeat(30_000)],
    ['keys without an end', 'lin_api_'.repeat(40_000)],
    ['keys that end in each other', 'shpat_'.repeat(50_000)],
    ['registries', '_authToken='.repeat(30_000)],
    ['addresses', `${'http://'.repeat(40_000)}:x-oauth-basic`],
    ['markers', '[redacted:a] '.repeat(25_000)],
    ['begins of keys', '-----BEGIN RSA PRIVATE KEY-----'.repeat(9_000)],
    ['random base64', randomBytes(200_000).toString('base64')],
    ['quotes', `"'`.repeat(150_000)],
  ])('of %s is gone through to its end', (_what, text) => {
    expect(typeof redactor.redact(text)).toBe('string');
  });
});
