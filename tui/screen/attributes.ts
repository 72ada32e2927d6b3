/** How a tone looks on the terminal, in the form that blessed keeps for each cell. */
import type { Row } from '../core/frame.js';
import type { Tone } from '../core/style.js';

/** The terminal's own colour. */
const own = 0x1ff;
const bold = 1;
const inverse = 8;

/** `flags << 18 | foreground << 9 | background`; colours are 0 to 15 of the terminal's palette. */
const attribute = (flags: number, foreground = own, background = own): number => (flags << 18) | (foreground << 9) | background;

export const plainAttribute = attribute(0);

interface Look {
  readonly flags: number;
  readonly colour: number;
}

/** Bright blue and bright black: the dark ones cannot be read on many a black background. */
const looks: Record<Tone, Look> = {
  plain: { flags: 0, colour: own },
  dim: { flags: 0, colour: 8 },
  strong: { flags: bold, colour: own },
  good: { flags: 0, colour: 2 },
  bad: { flags: 0, colour: 1 },
  busy: { flags: 0, colour: 6 },
  warn: { flags: 0, colour: 3 },
  accent: { flags: 0, colour: 12 },
};

const white = 15;
const blue = 4;

export interface Palette {
  attributeOf(tone: Tone, chosen: Row['chosen']): number;
  /** Of the cells to the right of a row's text. */
  restOf(chosen: Row['chosen']): number;
}

/** Tones are told apart by their words and glyphs; without colours only what is strong or chosen stands out. */
export function paletteOf(colours: boolean): Palette {
  const here = colours ? attribute(bold, white, blue) : attribute(inverse);
  return {
    attributeOf(tone, chosen) {
      const look = looks[tone];
      if (chosen === 'here') return colours ? here : here | attribute(look.flags);
      return attribute(look.flags | (chosen === 'elsewhere' ? bold : 0), colours ? look.colour : own);
    },
    restOf: (chosen) => (chosen === 'here' ? here : plainAttribute),
  };
}
