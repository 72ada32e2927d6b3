/** Marks of statuses: glyph and word, never colour alone; an ASCII set where the locale is not UTF-8. */
import { unreachable } from '../../shared/errors.js';
import type { Outcome, PlannerState } from '../../shared/mission.js';
import type { Item } from '../../shared/plan.js';
import type { PlanRunStatus } from '../../shared/run.js';

export interface Glyphs {
  readonly pending: string;
  readonly active: string;
  readonly claimed: string;
  readonly accepted: string;
  readonly skipped: string;
  readonly missing: string;
  readonly section: string;
  readonly folded: string;
  readonly bar: readonly [full: string, empty: string];
  readonly output: string;
  readonly dot: string;
  readonly ellipsis: string;
  /** Before what a person said, and before the place where one types. */
  readonly prompt: string;
  readonly down: string;
  readonly arrow: string;
  /** Before what was removed, and before an explanation. */
  readonly minus: string;
  readonly dash: string;
  readonly line: Lines;
}

export interface Lines {
  readonly across: string;
  readonly upright: string;
  readonly teeDown: string;
  readonly teeUp: string;
  readonly branch: string;
  readonly lastBranch: string;
  readonly corners: readonly [topLeft: string, topRight: string, bottomLeft: string, bottomRight: string];
}

const unicode: Glyphs = {
  pending: '○',
  active: '▶',
  claimed: '✓',
  accepted: '✔',
  skipped: '⊘',
  missing: '✗',
  section: '▾',
  folded: '▸',
  bar: ['█', '░'],
  output: '│',
  dot: '·',
  ellipsis: '…',
  prompt: '›',
  down: '↓',
  arrow: '→',
  minus: '−',
  dash: '—',
  line: { across: '─', upright: '│', teeDown: '┬', teeUp: '┴', branch: '├', lastBranch: '└', corners: ['╭', '╮', '╰', '╯'] },
};

const ascii: Glyphs = {
  pending: '-',
  active: '>',
  claimed: 'v',
  accepted: 'V',
  skipped: '/',
  missing: 'x',
  section: '+',
  folded: '*',
  bar: ['#', '.'],
  output: '|',
  dot: '-',
  ellipsis: '...',
  prompt: '>',
  down: 'v',
  arrow: '->',
  minus: '-',
  dash: '-',
  line: { across: '-', upright: '|', teeDown: '+', teeUp: '+', branch: '|', lastBranch: '|', corners: ['+', '+', '+', '+'] },
};

/** By the locale, as `LC_ALL`, `LC_CTYPE` or `LANG` say it, in this order. */
export function glyphsFor(locale: string): Glyphs {
  return /utf-?8/i.test(locale) ? unicode : ascii;
}

export function glyphOf(item: Pick<Item, 'status' | 'accepted'>, glyphs: Glyphs): string {
  if (item.status === 'done') return item.accepted === true ? glyphs.accepted : glyphs.claimed;
  return glyphs[item.status];
}

/** The word beside the glyph; empty for what needs none. */
export function wordOf(item: Pick<Item, 'status' | 'accepted'>): string {
  if (item.status === 'done') return item.accepted === true ? 'done, accepted' : 'done, claimed';
  return item.status === 'pending' ? '' : item.status;
}

/** The mark of a plan run, and of the item that it is at. */
export function statusGlyph(status: PlanRunStatus, glyphs: Glyphs): string {
  switch (status) {
    case 'running':
    case 'pausing':
      return glyphs.active;
    case 'completed':
      return glyphs.accepted;
    case 'blocked':
    case 'failed':
      return glyphs.missing;
    case 'cancelled':
      return glyphs.skipped;
    case 'waiting':
      return '?';
    case 'paused':
      return '=';
    case 'idle':
      return glyphs.pending;
    default:
      return unreachable(status);
  }
}

/** The mark of how a mission has ended. */
export function outcomeGlyph(outcome: Outcome, glyphs: Glyphs): string {
  switch (outcome) {
    case 'landed':
      return glyphs.accepted;
    case 'derailed':
      return glyphs.missing;
    case 'stuck':
      return glyphs.skipped;
    default:
      return unreachable(outcome);
  }
}

/** The mark of what a planner does. */
export function plannerGlyph(state: PlannerState['state'], glyphs: Glyphs): string {
  switch (state) {
    case 'running':
      return glyphs.active;
    case 'waiting':
      return '?';
    case 'held':
      return '=';
    case 'due':
      return glyphs.pending;
    case 'idle':
    case 'none':
      return glyphs.dot;
    default:
      return unreachable(state);
  }
}
