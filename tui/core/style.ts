/** Colours as data: the core says what a piece of text is, the edge decides whether the terminal shows it. */

export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'bad' | 'busy' | 'warn' | 'accent';

const codes: Record<Exclude<Tone, 'plain'>, readonly [string, string]> = {
  dim: ['\u001b[2m', '\u001b[22m'],
  strong: ['\u001b[1m', '\u001b[22m'],
  good: ['\u001b[32m', '\u001b[39m'],
  bad: ['\u001b[31m', '\u001b[39m'],
  busy: ['\u001b[36m', '\u001b[39m'],
  warn: ['\u001b[33m', '\u001b[39m'],
  accent: ['\u001b[34m', '\u001b[39m'],
};

export type Paint = (tone: Tone, text: string) => string;

export const plain: Paint = (_tone, text) => text;
export const coloured: Paint = (tone, text) => (tone === 'plain' || text === '' ? text : codes[tone][0] + text + codes[tone][1]);
