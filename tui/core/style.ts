/** Colours as data: the core says what a piece of text is, the edge decides whether the terminal shows it. */

export type Tone = 'good' | 'bad' | 'busy' | 'dim' | 'strong' | 'plain';

const codes: Record<Exclude<Tone, 'plain'>, readonly [string, string]> = {
  good: ['\u001b[32m', '\u001b[39m'],
  bad: ['\u001b[31m', '\u001b[39m'],
  busy: ['\u001b[36m', '\u001b[39m'],
  dim: ['\u001b[2m', '\u001b[22m'],
  strong: ['\u001b[1m', '\u001b[22m'],
};

export type Paint = (tone: Tone, text: string) => string;

export const plain: Paint = (_tone, text) => text;
export const coloured: Paint = (tone, text) => (tone === 'plain' || text === '' ? text : codes[tone][0] + text + codes[tone][1]);
