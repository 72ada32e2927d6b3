/** The help, made from the keymap. */
import type { Key } from '../input.js';
import { groups, keymap } from '../keymap.js';
import type { Row } from '../press.js';
import { blankRow, row, span, textRow } from '../rows.js';
import type { State } from '../state.js';
import { wrap } from '../text.js';
import { insideOf, lastScroll, type PopupView } from './box.js';
import type { HelpPopup } from './popup.js';

const keyColumn = 14;

const inLine: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while an item runs, it hears it at its next turn'],
  ['Alt-Enter', 'a new line (Ctrl-j as well)'],
  ['Up Down', 'what you said before'],
  ['Ctrl-w Ctrl-u', 'erase a word, the line; Ctrl-y brings it back'],
  ['Ctrl-_', 'undo in the line'],
  ['Ctrl-c', 'clear the line, then leave; the daemon goes on'],
];

export function helpView(popup: HelpPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const { glyphs } = state;
  const line = (keys: string, help: string): Row[] =>
    wrap(help, Math.max(8, width - keyColumn)).map((text, i) =>
      row(span((i === 0 ? keys : '').padEnd(keyColumn), 'accent'), span(text)),
    );
  const marks: readonly (readonly [string, string])[] = [
    [glyphs.pending, 'open'],
    [glyphs.active, 'running'],
    [glyphs.claimed, 'done, claimed: the work says so'],
    [glyphs.accepted, 'done, accepted: the daemon saw every check pass'],
    [glyphs.skipped, 'skipped'],
  ];
  const rows = [
    ...groups.flatMap((group) => [
      textRow(group, 'strong'),
      ...keymap.filter((binding) => binding.group === group).flatMap(({ keys, help }) => line(keys.join(' '), help)),
      blankRow,
    ]),
    textRow('In the line', 'strong'),
    ...inLine.flatMap(([keys, help]) => line(keys, help)),
    blankRow,
    textRow('Marks', 'strong'),
    ...marks.flatMap(([mark, help]) => line(mark, help)),
    blankRow,
    ...line('Mouse', 'a click chooses, a second one opens; the wheel scrolls. Shift selects text, as the terminal does.'),
  ];
  return { title: 'Keys', rows, scroll: popup.scroll, footer: [], isLarge: true };
}

/** Null when it is left. */
export function helpKey(popup: HelpPopup, key: Key, state: State): HelpPopup | null {
  const inside = insideOf(state.size);
  const last = lastScroll(helpView(popup, state), inside);
  const to = (scroll: number): HelpPopup => ({ ...popup, scroll: Math.max(0, Math.min(last, scroll)) });
  switch (key.name) {
    case 'up':
    case 'k':
      return to(popup.scroll - 1);
    case 'down':
    case 'j':
      return to(popup.scroll + 1);
    case 'pageup':
      return to(popup.scroll - inside.height);
    case 'pagedown':
    case 'space':
      return to(popup.scroll + inside.height);
    case 'home':
      return to(0);
    case 'end':
      return to(last);
    case 'escape':
    case 'enter':
    case 'q':
    case '?':
      return null;
    default:
      return popup;
  }
}
