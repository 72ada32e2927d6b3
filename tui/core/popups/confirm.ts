/** A question with its answers. What changes something is never what Enter takes by itself. */
import type { Key } from '../input/input.js';
import { blankRow, textRow } from '../panes/rows.js';
import type { State } from '../state.js';
import { sanitise, wrap } from '../text/text.js';
import { buttons, insideOf, lastScroll, type PopupView } from './box.js';
import type { Choice, ConfirmPopup, Does, ExplainPopup } from './popup.js';

type Question = ConfirmPopup | ExplainPopup;

export const no: Choice = { key: 'n', label: 'No', does: { type: 'nothing' } };

/** A question whose answer No is chosen. */
export function ask(title: string, lines: ConfirmPopup['lines'], ...choices: readonly Choice[]): ConfirmPopup {
  const all = [...choices, no];
  return { kind: 'confirm', title, lines, choices: all, chosen: all.length - 1, scroll: 0 };
}

/** Something to know that is too much for one line; the lines of `text` are wrapped. */
export function inform(title: string, text: string): ConfirmPopup {
  const lines = text.split('\n').map((line) => ({ text: line, tone: 'plain' as const }));
  return { kind: 'confirm', title, lines, choices: [{ key: 'o', label: 'OK', does: { type: 'nothing' } }], chosen: 0, scroll: 0 };
}

export function confirmView(popup: ConfirmPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const rows = popup.lines.flatMap(({ text, tone }) => wrap(sanitise(text), width).map((line) => textRow(line, tone)));
  return { title: popup.title, rows, scroll: popup.scroll, footer: [blankRow, ...buttons(popup.choices, popup.chosen, width)] };
}

/** The popup after a key, or what was chosen. */
export function confirmKey<P extends Question>(popup: P, key: Key, view: PopupView, state: State): P | Does {
  const { choices, chosen } = popup;
  const direct = choices.find((choice) => choice.key === key.text);
  if (direct) return direct.does;
  const scrolled = (by: number): P => ({
    ...popup,
    scroll: Math.max(0, Math.min(popup.scroll + by, lastScroll(view, insideOf(state.size)))),
  });
  switch (key.name) {
    case 'escape':
      return { type: 'nothing' };
    case 'enter':
      return choices[chosen]?.does ?? { type: 'nothing' };
    case 'left':
      return { ...popup, chosen: Math.max(0, chosen - 1) };
    case 'right':
      return { ...popup, chosen: Math.min(choices.length - 1, chosen + 1) };
    case 'tab':
      return { ...popup, chosen: (chosen + (key.shift ? choices.length - 1 : 1)) % choices.length };
    case 'up':
      return scrolled(-1);
    case 'down':
      return scrolled(1);
    case 'pageup':
      return scrolled(-10);
    case 'pagedown':
      return scrolled(10);
    default:
      return popup;
  }
}
