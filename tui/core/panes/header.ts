/** The first line: what it is all for, and how the plan runs. In sight at every size. */
import type { PlanRunStatus } from '../../../shared/run.js';
import { statusGlyph } from '../glyphs.js';
import { keyOf } from '../keymap.js';
import type { Row, Span } from '../press.js';
import { apart, span } from './rows.js';
import { knownUntil, type SessionView, type State } from '../state.js';
import type { Tone } from '../style.js';
import { clock } from '../text/numbers.js';
import { sanitise } from '../text/text.js';
import { toneOf } from '../lines/tree-view.js';
import { canCancel } from '../plan/run-status.js';

export function headerRow(state: State, width: number): Row {
  const { session, glyphs } = state;
  const left = session === null ? [span(' Cairn', 'strong')] : goalSpans(session);
  const right = session === null ? [] : [...runSpans(session, state), span(' ')];
  return {
    spans: apart(left, right, width, glyphs),
    ...(session === null ? {} : { press: { on: 'action', action: 'goal' } as const }),
  };
}

function goalSpans({ session }: SessionView): Span[] {
  const goal = sanitise(session.goal.split('\n')[0] ?? '');
  if (goal !== '') return [span(' Goal: ', 'dim'), span(goal, 'strong')];
  return [span(` ${sanitise(session.title)}`, 'strong'), span(`  no goal: ${keyOf('goal')} sets one`, 'dim')];
}

function runSpans({ planRun, run }: SessionView, state: State): Span[] {
  const { glyphs, size } = state;
  const { status, stepNo, attempt } = planRun;
  const tone = toneOf(status);
  const goesOn = status === 'running' || status === 'pausing';
  // Of what is over or has not begun, neither step nor try says anything.
  const isTold = canCancel(status) && size.columns >= 60;
  const elapsed = goesOn && run?.finishedAt === null ? clock(knownUntil(state) - Date.parse(run.startedAt)) : '';
  const parts = [isTold && stepNo > 0 ? `step ${stepNo}` : '', isTold && attempt > 1 ? `try ${attempt}` : '', elapsed].filter(
    (part) => part !== '',
  );
  const isOld = state.heardAt !== null && (goesOn || status === 'waiting');
  return [
    isOld
      ? span(`${statusGlyph(status, glyphs)} was ${status}`, 'dim')
      : span(`${statusGlyph(status, glyphs)} ${status}`, statusTone(status, tone)),
    span(parts.map((part) => ` ${glyphs.dot} ${part}`).join(''), 'dim'),
  ];
}

const statusTone = (status: PlanRunStatus, tone: Tone): Tone => (status === 'waiting' || status === 'paused' ? 'warn' : tone);
