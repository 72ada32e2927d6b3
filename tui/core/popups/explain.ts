/** Before a start: what is reused, what runs, and what might happen twice. */
import type { Explanation } from '../../../shared/run.js';
import { call } from '../message.js';
import type { Row } from '../press.js';
import { blankRow, textRow } from '../panes/rows.js';
import type { State } from '../state.js';
import type { Tone } from '../style.js';
import { countOf, reveal, sanitise, wrap } from '../text/text.js';
import { buttons, insideOf, type PopupView } from './box.js';
import type { ExplainPopup } from './popup.js';
import { no } from './confirm.js';
import type { SessionId } from '../../../shared/plan.js';

/** Null when there is nothing to say first: it can simply start. */
export function explainPopup(explanation: Explanation, sessionId: SessionId): ExplainPopup | null {
  const { mightRepeat, reused } = explanation;
  if (mightRepeat.length === 0 && reused.turns === 0 && reused.effects.length === 0) return null;
  const start = {
    key: 'y',
    label: 'Run',
    does: { type: 'call', call: call('run.start', { sessionId }, { for: 'run' }) },
  } as const;
  // What may happen twice is a thing to say yes to.
  return { kind: 'explain', explanation, choices: [start, no], chosen: mightRepeat.length > 0 ? 1 : 0, scroll: 0 };
}

export function explainView(popup: ExplainPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const { next, reused, wouldRun, mightRepeat, remainingLeaves } = popup.explanation;
  const rows: Row[] = [];
  const say = (text: string, tone: Tone = 'plain', indent = 0): void => {
    for (const line of wrap(text, Math.max(8, width - indent))) rows.push(textRow(' '.repeat(indent) + line, tone));
  };
  if (next) say(`${next.number} ${sanitise(next.title)}`, 'strong');
  say(`${countOf(remainingLeaves, 'open item')} in all.`, 'dim');
  // What is to be judged comes first: in a small terminal the rest is below.
  if (mightRepeat.length > 0) {
    rows.push(blankRow);
    say('Might happen twice', 'warn');
    for (const { name, summary, why } of mightRepeat) {
      say(`${name} ${reveal(summary).replaceAll('\n', ' ')}`, 'plain', 2);
      say(sanitise(why), 'dim', 4);
    }
  }
  if (reused.turns > 0 || reused.effects.length > 0) {
    rows.push(blankRow);
    say('Kept, and not done again', 'good');
    if (reused.turns > 0) say(`${countOf(reused.turns, 'turn')} of the model`, 'plain', 2);
    for (const effect of reused.effects) say(`${effect.name} ${reveal(effect.summary).replaceAll('\n', ' ')}`, 'plain', 2);
  }
  if (wouldRun.length > 0) {
    rows.push(blankRow);
    say('Runs', 'busy');
    for (const line of wouldRun) say(reveal(line).replaceAll('\n', ' '), 'plain', 2);
  }
  return {
    title: 'Before it runs',
    rows,
    scroll: popup.scroll,
    footer: [blankRow, ...buttons(popup.choices, popup.chosen, width)],
  };
}
