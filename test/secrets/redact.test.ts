import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, isRedacted } from '../../daemon/secrets/redact.js';

const value = 'Tr0ub4dor&3 "x"/9?';
const redactorFor = (environment: Record<string, string>, extra: string[] = []) => createRedactor({ environment, extra });
const plain = redactorFor({});

/** Written in two halves, so that no scanner takes this file for a leak. */
const shaped: Record<string, string> = {
  'openai-key': 'sk-' + 'proj-AbCdEfGhIjKlMnOpQrStUvWx_1-2',
  'anthropic-key': 'sk-' + 'ant-api03-AbCdEfGhIjKlMnOpQrStUvWx_1-2',
  'openrouter-key': 'sk-' + 'or-v1-0123456789abcdef0123456789abcdef',
  'github-token': 'ghp' + '_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
  'gitlab-token': 'glpat' + '-AbCdEfGhIjKlMnOpQrSt',
  'aws-key-id': 'AKIA' + 'IOSFODNN7EXAMPLE',
  'slack-token': 'xoxb' + '-123456789012-AbCdEfGhIjKl',
  'google-key': 'AIza' + 'SyA-1234567890abcdefghijklmnopqrstu',
  'stripe-key': 'sk_live' + '_AbCdEfGhIjKlMnOpQrStUvWx',
  'npm-token': 'npm' + '_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
  'huggingface-token': 'hf' + '_AbCdEfGhIjKlMnOpQrStUvWxYz012345',
  jwt: 'eyJ' + 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
};
const privateKey = [
  '-----BEGIN RSA ' + 'PRIVATE KEY-----',
  'MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/',
  'ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB==',
  '-----END RSA ' + 'PRIVATE KEY-----',
].join('\n');

describe('a known secret', () => {
  const redactor = redactorFor({ SERVICE_TOKEN: value });
  const json = JSON.stringify(value).slice(1, -1);

  test.each<[string, string]>([
    ['as it is', value],
    ['in JSON', json],
    ['in JSON inside JSON', JSON.stringify(json).slice(1, -1)],
    ['in a URL', encodeURIComponent(value)],
    ['in a form', encodeURIComponent(value).replaceAll('%20', '+')],
    ['in a URL in small letters', encodeURIComponent(value).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['in hex', Buffer.from(value).toString('hex')],
    ['in base64', Buffer.from(value).toString('base64').replace(/=+$/, '')],
  ])('is hidden %s', (_, form) => {
    expect(redactor.redact(`before ${form} after`)).toMatch(/^before \S*\[redacted:secret\]\S* after$/);
    expect(redactor.redact(form)).not.toContain(form);
  });

  test.each([0, 1, 2, 3])('is hidden in the base64 of a longer text, %i characters after its beginning', (offset) => {
    const encoded = Buffer.from(`${'u'.repeat(offset)}${value}:tail`);
    for (const form of [encoded.toString('base64'), encoded.toString('base64url')]) {
      const clean = redactor.redact(`Basic ${form}`);
      expect(clean).toContain('[redacted:secret]');
      expect(Buffer.from(clean.replace(/\[.*\]/, ''), 'base64').toString('latin1')).not.toContain('ub4dor');
    }
  });

  test('is hidden where it touches words, and each time', () => {
    expect(redactor.redact(`a${value}b${value}`)).toBe('a[redacted:secret]b[redacted:secret]');
  });

  test('is hidden whole where it overlaps another', () => {
    const two = redactorFor({ A_TOKEN: 'abcdefghij', B_TOKEN: 'ghijklmnop' });
    expect(two.redact('>abcdefghijklmnop<')).toBe('>[redacted:secret]<');
  });

  test('may be given by the caller', () => {
    expect(redactorFor({}, ['given-by-hand']).redact('it is given-by-hand.')).toBe('it is [redacted:secret].');
  });

  test('of many lines is hidden line by line, too', () => {
    const lines = redactorFor({ DEPLOY_KEY: privateKey });
    expect(lines.redact('got ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB== here')).toBe('got [redacted:secret] here');
    expect(lines.redact(JSON.stringify({ key: privateKey }))).toBe('{"key":"[redacted:secret]"}');
  });

  test('says how long its longest form is', () => {
    expect(plain.longest).toBe(0);
    expect(redactor.longest).toBeGreaterThanOrEqual(encodeURIComponent(value).length);
  });
});

describe('left alone is', () => {
  test.each<[string, Record<string, string>]>([
    ['a short value', { API_KEY: 'short' }],
    ['a variable with a harmless name', { EDITOR: 'emacs-nox', HOME: '/home/somebody' }],
    ['an ordinary word', { DB_PASSWORD: 'password' }],
    ['a path', { SSH_AUTH_SOCK: '/run/user/1000/keyring/ssh', KEY_FILE: '~/.ssh/id_ed25519' }],
    ['a plain address', { AUTH_URL: 'https://auth.example.com' }],
    ['a number', { TOKEN_LIMIT: '1000000' }],
    ['one character repeated', { SECRET: '********' }],
  ])('%s', (_, environment) => {
    const text = `${Object.values(environment).join(' ')} stays`;
    expect(redactorFor(environment).redact(text)).toBe(text);
  });

  test.each([
    'a task-list-of-things-that-have-to-be-done and a disk-partition-table-editor',
    'const apiKey = process.env.OPENAI_API_KEY;',
    'Authorization: Bearer ${token}',
    'git@github.com:owner/repository.git and https://github.com/owner/repository@v1.2.3',
    'http://localhost:8080/path?user=a@b.c and postgres://user:$PASSWORD@host/db',
    'the bearer of this letter is authorised; authorization: required',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '3f786850e387550fdab836ed7e6dc881de23001b',
    'sha512-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz==',
  ])('ordinary text: %s', (text) => {
    expect(plain.redact(text)).toBe(text);
    const stream = plain.stream();
    expect(stream.write(text) + stream.end()).toBe(text);
  });
});

describe('a secret that is known by its shape', () => {
  test.each(Object.entries(shaped))('is hidden: %s', (kind, secret) => {
    for (const [before, after] of [
      ['', ''],
      ['key=', '.'],
      ['"', '"'],
      ['\\n', '\\n'],
      ['%3D', '&'],
      ['\u001b[31m', '\u001b[0m'],
    ]) {
      expect(plain.redact(`${before}${secret}${after}`)).toBe(`${before}[redacted:${kind}]${after}`);
    }
  });

  test.each<[string, string, string]>([
    ['a header', 'Authorization: Bearer abc.def-12345', 'Authorization: Bearer [redacted:authorization]'],
    ['a header in JSON', '{"authorization": "Basic dXNlcjpwYXNz"}', '{"authorization": "Basic [redacted:authorization]"}'],
    [
      'a header in JSON inside JSON',
      '\\"Authorization\\":\\"Bearer abc.def-12345\\"',
      '\\"Authorization\\":\\"Bearer [redacted:authorization]\\"',
    ],
    ['a bearer token alone', "-H 'bearer 0123456789abcdefghijkl'", "-H 'bearer [redacted:bearer-token]'"],
    [
      'an AWS secret',
      `aws_secret_access_key = ${'wJalrXUtnFEMI/K7MDENG/' + 'bPxRfiCYEXAMPLEKEY'}`,
      'aws_secret_access_key = [redacted:aws-secret-key]',
    ],
    ['a password in an address', 'postgres://me:hunter2@db:5432/x', 'postgres://me:[redacted:url-password]@db:5432/x'],
    ['a password with an @ in an address', 'https://me:p@ss@host/x', 'https://me:[redacted:url-password]@host/x'],
    ['a private key', `a\n${privateKey}\nb`, 'a\n[redacted:private-key]\nb'],
    ['a private key in JSON', JSON.stringify({ a: privateKey, b: 'x' }), '{"a":"[redacted:private-key]","b":"x"}'],
    ['a private key that was cut', privateKey.slice(0, 60), '[redacted:private-key]'],
  ])('is hidden in %s', (_, text, clean) => {
    expect(plain.redact(text)).toBe(clean);
    expect(plain.redact(clean)).toBe(clean);
  });
});

test('a redacted text is known as one', () => {
  expect(isRedacted(plain.redact(`{"key":"${shaped['npm-token']}"}`))).toBe(true);
  expect(isRedacted('{"key":"[redacted] [redacted:] [redacted:A b]"}')).toBe(false);
});

describe('whatever the text', () => {
  const secrets = ['Zq7-first-secret', 'second secret with spaces', 'line one of it\nand line two of it', '0123456789abcdefXYZ'];
  const redactor = createRedactor({ environment: {}, extra: secrets });
  const everything = [...secrets, ...Object.values(shaped), privateKey];
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...everything, ...everything.map(encodeURIComponent)) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ' ',
        '\n',
        '"',
        '\\n',
        ' word ',
        '[redacted:secret]',
        'sk-',
        'Authorization: Bearer ',
        '://a:',
        '@',
        '-----BEGIN ',
      ),
    },
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  test('a known secret never survives', () => {
    fc.assert(
      fc.property(text, (given) => {
        const clean = redactor.redact(given);
        for (const secret of secrets) expect(clean).not.toContain(secret);
      }),
    );
  });

  test('redacting again changes nothing', () => {
    fc.assert(
      fc.property(text, (given) => {
        const clean = redactor.redact(given);
        expect(redactor.redact(clean)).toBe(clean);
      }),
    );
  });

  test('no secret survives any way of cutting a stream into pieces', () => {
    // Between words, where each is known by itself.
    const sentence = fc
      .array(fc.constantFrom(...everything, 'word', 'another'), { maxLength: 8 })
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(sentence, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (given, sizes) => {
        const stream = redactor.stream();
        let published = '';
        for (let at = 0, turn = 0; at < given.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          published += stream.write(given.slice(at, at + size));
          at += size;
          for (const secret of everything) expect(published).not.toContain(secret);
        }
        published += stream.end();
        expect(published).toBe(redactor.redact(given));
      }),
    );
  });

  test('a known secret survives no stream, wherever it stands', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 30 }), (given, size) => {
        const stream = redactor.stream();
        let published = '';
        for (let at = 0; at < given.length; at += size) published += stream.write(given.slice(at, at + size));
        published += stream.end();
        for (const secret of secrets) expect(published).not.toContain(secret);
      }),
    );
  });
});

describe('a stream', () => {
  test('is published word by word', () => {
    const stream = plain.stream();
    expect([stream.write('Hel'), stream.write('lo the'), stream.write('re. '), stream.end()]).toEqual([
      '',
      'Hello ',
      'there. ',
      '',
    ]);
  });

  test('holds a word back that could become a secret, and the words that give it its meaning', () => {
    const stream = plain.stream();
    expect(stream.write('see Authorization: Bearer ')).toBe('see ');
    expect(stream.write('abc.def-')).toBe('');
    expect(stream.write('12345\n')).toBe('Authorization: Bearer [redacted:authorization]\n');
  });

  test('does not hold back without end, and hides a known secret in an endless word', () => {
    const secret = 'in-the-middle-of-it';
    const stream = redactorFor({ A_TOKEN: secret }).stream();
    let published = '';
    for (let piece = 0; piece < 40; piece += 1) published += stream.write('x'.repeat(997) + secret);
    expect(published.length).toBeGreaterThan(10_000);
    published += stream.end();
    expect(published).toBe(('x'.repeat(997) + '[redacted:secret]').repeat(40));
  });
});

test('time grows with the text, not faster, for texts made to slow a search down', () => {
  const traps = [
    'eyJ',
    'eyJaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----a-',
    'sk-',
    '://a',
    '://a:b',
    'bearer ',
    'authorization: bearer ',
    'SG.aaaaaaaaaaaaaaaa.',
    'AKIA',
    '%3D',
  ];
  // A search in quadratic time would take minutes here, and the test its limit.
  for (const trap of traps) expect(plain.redact(trap.repeat(100_000)).length).toBeGreaterThan(0);
});
