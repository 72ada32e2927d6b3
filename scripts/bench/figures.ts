/** Figures, their budgets, and whether they are kept. */

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** `share` from 0 to 1; of few values the higher one. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** What a number of frames cost. */
export interface Cost {
  /** Milliseconds of each frame. */
  readonly ms: readonly number[];
  /** Bytes to the terminal of each frame. */
  readonly bytes: readonly number[];
}

/** Times `count` frames one by one. `bytesSoFar` counts what was written to the terminal. */
export function timeFrames(count: number, frame: (index: number) => void, bytesSoFar: () => number): Cost {
  const ms: number[] = [];
  const bytes: number[] = [];
  for (let i = 0; i < count; i++) {
    const before = bytesSoFar();
    const start = performance.now();
    frame(i);
    ms.push(performance.now() - start);
    bytes.push(bytesSoFar() - before);
  }
  return { ms, bytes };
}

export interface Figure {
  readonly what: string;
  /** One for each round. */
  readonly rounds: readonly number[];
  readonly unit: 'ms' | 'bytes' | 'MB' | '×';
  /** The most that it may be. */
  readonly budget?: number;
  /** The same with blessed's own widgets. */
  readonly widgets?: number;
}

type Verdict = 'kept' | 'kept but for noise' | 'BROKEN' | '';

/**
 * Noise of the machine only ever adds: the median of the rounds is the figure, and its budget is broken when no round keeps
 * it, the best one included.
 */
function judge({ rounds, budget }: Figure): Verdict {
  if (budget === undefined) return '';
  if (median(rounds) <= budget) return 'kept';
  return Math.min(...rounds) <= budget ? 'kept but for noise' : 'BROKEN';
}

export const shown = (value: number, unit: Figure['unit']): string =>
  unit === 'bytes' ? `${value.toFixed(0)} B` : unit === '×' ? `×${value.toFixed(2)}` : `${value.toPrecision(3)} ${unit}`;

/** Prints all as a table. True if no budget is broken. */
export function printFigures(figures: readonly Figure[]): boolean {
  console.table(
    figures.map((figure) => {
      const { what, rounds, unit, budget, widgets } = figure;
      const value = median(rounds);
      return {
        what,
        value: shown(value, unit),
        budget: budget === undefined ? '' : `≤ ${unit === '×' ? '×' : ''}${budget}${unit === '×' ? '' : ` ${unit}`}`,
        verdict: judge(figure),
        widgets: widgets === undefined ? '' : shown(widgets, unit),
        'widgets / ours': widgets === undefined ? '' : (widgets / value).toPrecision(3),
      };
    }),
  );
  return figures.every((figure) => judge(figure) !== 'BROKEN');
}
