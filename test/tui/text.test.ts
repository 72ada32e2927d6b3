import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { countOf, duration, fit, padEnd, sanitise } from '../../tui/core/text.js';

describe('text of others on a terminal', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['a cleared screen', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['another window title', '\u001b]0;owned\u0007text', 'text'],
    ['a link', '\u001b]8;;http://evil.test\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['a sequence that is cut off', 'text\u001b[', 'text'],
    ['the one-byte form', 'a\u009b2Jb', 'a2Jb'],
    ['bells, backspaces and returns', 'a\u0007\b\rb', 'ab'],
    ['text turned around', 'rm \u202Efdp.exe', 'rm fdp.exe'],
    ['invisible letters', 'pay\u200Bpal\uFEFF', 'paypal'],
    ['tabs', 'a\tb', 'a  b'],
  ])('loses %s', (_what, text, shown) => {
    expect(sanitise(text)).toBe(shown);
  });

  it('holds no control or format character, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(sanitise(text)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it('stays as it is when it is harmless', () => {
    expect(sanitise('Größe: 3 × 4 日本語 👍')).toBe('Größe: 3 × 4 日本語 👍');
  });
});

describe('a line that is too long', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['日本語のテキスト', 7, '日本語…'],
    ['日本語', 6, '日本語'],
    ['é'.repeat(8), 5, `${'é'.repeat(4)}…`],
    ['abc', 0, ''],
  ])('%s in %i columns is %s', (text, width, shown) => {
    expect(fit(text, width, '…')).toBe(shown);
  });

  it('never takes more columns than there are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(stringWidth(fit(sanitise(text), width, '…'))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('is cut without being measured whole', () => {
    expect(fit('x'.repeat(50_000_000), 10, '...')).toBe('xxxxxxx...');
  });

  it('is filled up by columns, not by letters', () => {
    expect(padEnd('日本', 6)).toBe('日本  ');
  });
});

describe('quantities', () => {
  it.each([
    [0, '0 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [3_599_000, '59 min'],
    [7_500_000, '2 h 5 min'],
  ])('%i ms are %s', (ms, shown) => {
    expect(duration(ms)).toBe(shown);
  });

  it('say one and many', () => {
    expect([countOf(0, 'item'), countOf(1, 'item'), countOf(2, 'item')]).toEqual(['0 items', '1 item', '2 items']);
  });
});
