/** The head of the plan panel: what the planner does, or how the mission has ended. Nothing where there is neither. */
import type { PlannerState } from '../../../shared/mission.js';
import { type Glyphs, outcomeGlyph, plannerGlyph } from '../glyphs.js';
import type { Row } from '../press.js';
import { knownUntil, type SessionView, type State } from '../state.js';
import type { Tone } from '../style.js';
import { clock } from '../text/numbers.js';
import { fit, sanitise, wrap } from '../text/text.js';
import { row, span } from './rows.js';

/** Rows that it takes at most, and the part of the pane that it may take. */
const most = 3;
const part = 4;
/** Of a reason of any length no more is looked at, in code units. */
const longest = 2_000;

/** `height`: rows of the pane as a whole. */
export function plannerHead(state: State, view: SessionView, width: number, height: number): readonly Row[] {
  const limit = Math.min(most, Math.floor(height / part));
  const told = limit < 1 ? null : headOf(state, view);
  if (told === null) return [];
  const room = Math.max(1, width - 3);
  const shown = beginningOf(sanitise(told.text.slice(0, longest)), room, limit, state.glyphs);
  return shown.map((line, i) => ({
    ...row(span(i === 0 ? ` ${told.glyph} ` : '   ', told.tone), span(line, told.tone)),
    press: { on: 'action', action: 'missions' } as const,
  }));
}

/** The first rows of a harmless text of any length. */
export function beginningOf(text: string, width: number, rows: number, { ellipsis }: Glyphs): readonly string[] {
  const lines = wrap(text.slice(0, (width + 1) * (rows + 1)), width);
  return lines.length <= rows ? lines : [...lines.slice(0, rows - 1), fit(lines.slice(rows - 1).join(' '), width, ellipsis)];
}

interface Head {
  readonly glyph: string;
  readonly text: string;
  readonly tone: Tone;
}

function headOf(state: State, view: SessionView): Head | null {
  const { outcome, outcomeReason, planner } = view.session;
  const { glyphs, heardAt } = state;
  if (outcome !== null) {
    const reason = oneLine(outcomeReason ?? '');
    const tone = outcome === 'landed' ? 'good' : outcome === 'stuck' ? 'warn' : 'bad';
    return { glyph: outcomeGlyph(outcome, glyphs), text: reason === '' ? outcome : `${outcome}: ${reason}`, tone };
  }
  if (planner.state === 'none') return null;
  const words = plannerWords(planner) + (planner.state === 'running' ? runningFor(state, view) : '');
  const glyph = plannerGlyph(planner.state, glyphs);
  return heardAt === null
    ? { glyph, text: `planner: ${words}`, tone: toneOf(planner.state) }
    : { glyph, text: `planner, last known: ${words}`, tone: 'dim' };
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');

/** What a planner does, in words for people. */
export function plannerWords({ state, reason }: PlannerState): string {
  const words: Readonly<Record<PlannerState['state'], string>> = {
    none: 'none',
    idle: 'idle',
    due: 'due',
    running: 'working',
    waiting: 'waits for you',
    held: 'held',
  };
  return reason === null || oneLine(reason) === '' ? words[state] : `${words[state]}: ${oneLine(reason)}`;
}

function toneOf(state: PlannerState['state']): Tone {
  if (state === 'running') return 'busy';
  return state === 'waiting' || state === 'held' ? 'warn' : 'dim';
}

/** How long its turn has been under way, as far as that is known. */
function runningFor(state: State, { runs }: SessionView): string {
  const run = runs.find(({ kind, finishedAt }) => kind === 'planner' && finishedAt === null);
  return run === undefined ? '' : ` ${state.glyphs.dot} ${clock(knownUntil(state) - Date.parse(run.startedAt))}`;
}
