/** Shapes of secrets that secretlint knows, and texts that must not be taken for one. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
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
    ['begins of keys', '-----BEGIN RSA PRIVATE KEY-----'.repeat(9_000)],
    ['random base64', randomBytes(200_000).toString('base64')],
    ['quotes', `"'`.repeat(150_000)],
  ])('of %s is gone through to its end', (_what, text) => {
    expect(typeof redactor.redact(text)).toBe('string');
  });
});
