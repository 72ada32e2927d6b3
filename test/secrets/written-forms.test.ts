/** A known secret is hidden however it is written, whole or piece by piece. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../daemon/secrets/redact.js';

const secrets = {
  'with every kind of sign': `Tr0ub4dor&3 "x"/9?'<é>\\%41 it's`,
  'of letters and digits': 'q7Zk29vLmX4tB8wR1sNd',
  'of a few words': 'correct horse battery staple',
  'of many lines': ['first line of the key file', 'second: 0123456789abcdef', 'last'].join('\n'),
  'beyond the first plane': 'päss-wörd-🔑-ключ-9',
};

const utf8 = (text: string): number[] => [...Buffer.from(text)];
const hexByte = (byte: number): string => byte.toString(16).padStart(2, '0');
const units = (text: string): number[] => Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
const unitEscape = (unit: number): string => String.raw`\u${unit.toString(16).padStart(4, '0')}`;
const wrap = (text: string, columns: number, end: string): string =>
  (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(end);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Escape a text so that it can stand inside something else. */
const escapes: Record<string, (text: string) => string> = {
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in JSON with slashes escaped': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', String.raw`\/`),
  'in JSON that is safe in HTML': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[&<>']/g, (sign) => unitEscape(sign.charCodeAt(0))),
  'in a URL': encodeURIComponent,
  'in a URL in small letters': (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  'percent by percent': (text) =>
    utf8(text)
      .map((byte) => `%${hexByte(byte)}`)
      .join(''),
  'percent by percent in capitals': (text) =>
    utf8(text)
      .map((byte) => `%${hexByte(byte).toUpperCase()}`)
      .join(''),
  'with \\u for each character': (text) => units(text).map(unitEscape).join(''),
  'with \\u{} for each character': (text) =>
    Array.from(text, (sign) => String.raw`\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`).join(''),
  'with \\x for each byte': (text) =>
    utf8(text)
      .map((byte) => String.raw`\x${hexByte(byte)}`)
      .join(''),
  'in octal': (text) =>
    utf8(text)
      .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
      .join(''),
  'in HTML': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
  'in HTML by numbers': (text) => Array.from(text, (sign) => `&#${sign.codePointAt(0) ?? 0};`).join(''),
  'in HTML by hex numbers': (text) => Array.from(text, (sign) => `&#x${(sign.codePointAt(0) ?? 0).toString(16)};`).join(''),
  'in quotes of a shell': (text) => text.replaceAll("'", String.raw`'\''`),
  'in quotes of Python for a shell': (text) => text.replaceAll("'", `'"'"'`),
  'with backslashes for a shell': (text) => text.replaceAll(/[^\w\n]/gu, String.raw`\$&`),
  'in quotes of SQL': (text) => text.replaceAll("'", "''"),
  'in quotes of CSV': (text) => text.replaceAll('"', '""'),
};

/** Write a text in other characters. */
const dumps: Record<string, (text: string) => string> = {
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'in hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in hex with colons': (text) => utf8(text).map(hexByte).join(':'),
  'in hex with colons in capitals': (text) => utf8(text).map(hexByte).join(':').toUpperCase(),
  'in hex with dashes': (text) => utf8(text).map(hexByte).join('-'),
  'in hex with spaces': (text) => utf8(text).map(hexByte).join(' '),
  'in hex in pairs': (text) => wrap(Buffer.from(text).toString('hex'), 4, ' '),
  'in hex as a list': (text) =>
    utf8(text)
      .map((byte) => `0x${hexByte(byte)}`)
      .join(', '),
  'in hex over several lines': (text) => wrap(utf8(text).map(hexByte).join(':'), 45, '\n    '),
  'in hex in long lines': (text) => wrap(Buffer.from(text).toString('hex'), 60, '\n'),
  'in base64': base64,
  'in base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'in base64 of 44 columns': (text) => wrap(base64(text), 44, '\n'),
  'in base64 of 76 columns': (text) => wrap(base64(`${'some text before it, '.repeat(3)}${text}`), 76, '\n'),
  'in base64 of 64 columns': (text) => wrap(base64(`${'some text before it, '.repeat(2)}${text}`), 64, '\r\n'),
  'in base64 with its lines indented': (text) => wrap(base64(`${'some text before it, '.repeat(3)}${text}`), 76, '\n        '),
};

const everyForm = { ...escapes, ...dumps };
const forms = Object.entries(everyForm).map(([name, write]) => ({ name, write }));

describe.each(Object.entries(secrets))('a secret %s', (_, secret) => {
  const redactor = createRedactor({ environment: { SERVICE_TOKEN: secret }, extra: [] });

  it.each(forms)('is hidden $name', ({ write }) => {
    const shown = redactor.redact(`before ${write(secret)} after`);
    expect(shown).toMatch(/^before .*\[redacted:secret\].* after$/s);
    expect(redactor.redact(shown)).toBe(shown);
  });

  it.each(forms)('gets out in no two pieces $name', ({ write }) => {
    const given = `before it ${write(secret)} and after it`;
    const clean = redactor.redact(given);
    for (let cut = 0; cut <= given.length; cut += 1) {
      const stream = redactor.stream();
      expect(stream.write(given.slice(0, cut)) + stream.write(given.slice(cut)) + stream.end()).toBe(clean);
    }
  });

  it.each(forms)('gets out in no small pieces $name', ({ write }) => {
    const given = `before it ${write(secret)} and after it`;
    const clean = redactor.redact(given);
    for (const size of [1, 2, 3, 5, 7]) {
      const stream = redactor.stream();
      let shown = '';
      for (let at = 0; at < given.length; at += size) shown += stream.write(given.slice(at, at + size));
      expect(shown + stream.end()).toBe(clean);
    }
  });
});

describe('for any secret', () => {
  const sign = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...Array.from('abcXYZ0189')) },
    { weight: 2, arbitrary: fc.constantFrom(...Array.from(`"'\\%&;<>/+= _-:#{}$é🔑`)) },
  );
  const secret = fc
    .array(sign, { minLength: 10, maxLength: 40 })
    .map((signs) => `K9${signs.join('')}Z`)
    .filter((text) => new Set(text).size > 5);
  const writer = fc.constantFrom(...forms);
  /** All of what it writes is the secret. */
  const bareWriter = fc.constantFrom(...forms.filter(({ write }) => !write('').length));
  const escape = fc.constantFrom(...Object.entries(escapes));
  const around = fc.constantFrom('', ' ', '"', "'", '=', 'x', '\n', 'key: ', 'https://host/?q=');
  const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 });

  it('one escape inside another leaves nothing but what its neighbours share', () => {
    fc.assert(
      fc.property(secret, bareWriter, escape, around, (value, { write }, [, outer], side) => {
        const inner = Array.from(write(value));
        const shown = createRedactor({ environment: {}, extra: [value] }).redact(`${side}${outer(inner.join(''))}${side}`);
        // The outermost bits of base64 are those of what stands beside it, too.
        const left = [0, 1, 2, 3, 4];
        const allowed = left.flatMap((head) =>
          left.map((tail) =>
            [inner.slice(0, head), inner.slice(inner.length - tail)]
              .map((part) => outer(part.join('')))
              .join('[redacted:secret]'),
          ),
        );
        expect(allowed.map((text) => `${side}${text}${side}`)).toContain(shown);
      }),
      { numRuns: 400 },
    );
  });

  it('a stream shows what the whole text would, however it is cut', () => {
    fc.assert(
      fc.property(secret, writer, around, sizes, (value, { write }, side, lengths) => {
        const redactor = createRedactor({ environment: {}, extra: [value] });
        const given = `so ${side}${write(value)}${side} it was`;
        const stream = redactor.stream();
        let shown = '';
        for (let at = 0, turn = 0; at < given.length; turn += 1) {
          const size = lengths[turn % lengths.length] ?? 1;
          shown += stream.write(given.slice(at, at + size));
          at += size;
        }
        expect(shown + stream.end()).toBe(redactor.redact(given));
      }),
      { numRuns: 400 },
    );
  });
});
