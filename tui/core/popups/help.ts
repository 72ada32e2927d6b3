/** The help: what the session runs on, and the keys, from the keymap. */
import type { Key } from '../input/input.js';
import { factsOf } from '../panes/facts.js';
import { toldKeys } from '../keymap.js';
import type { Row } from '../press.js';
import { blankRow, row, span, textRow } from '../panes/rows.js';
import type { State } from '../state.js';
import type { Tone } from '../style.js';
import { wrap } from '../text/text.js';
import { insideOf, type PopupView } from './box.js';
import type { HelpPopup } from './popup.js';
import { scrollKey } from './scroll.js';

const keyColumn = 14;

export function helpView(popup: HelpPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const { glyphs } = state;
  const line = (keys: string, help: string, tone: Tone = 'plain'): Row[] => {
    const [left, right] = [wrap(keys, keyColumn - 1), wrap(help, Math.max(8, width - keyColumn))];
    return Array.from({ length: Math.max(left.length, right.length) }, (_, i) =>
      row(span((left[i] ?? '').padEnd(keyColumn), 'accent'), span(right[i] ?? '', tone)),
    );
  };
  const marks: readonly (readonly [string, string])[] = [
    [glyphs.pending, 'open'],
    [glyphs.active, 'running'],
    [glyphs.claimed, 'done, claimed: the work says so'],
    [glyphs.accepted, 'done, accepted: the daemon saw every check pass'],
    [glyphs.skipped, 'skipped'],
  ];
  const rows = [
    // On a low terminal this is the only place for them.
    ...factsOf(state).flatMap(({ label, text, tone }) => line(label, text, tone === 'dim' ? 'plain' : tone)),
    blankRow,
    ...toldKeys.flatMap(({ title, told }) => [
      textRow(title, 'strong'),
      ...told.flatMap(({ keys, help }) => line(keys.join(' '), help)),
      blankRow,
    ]),
    textRow('Marks', 'strong'),
    ...marks.flatMap(([mark, help]) => line(mark, help)),
    blankRow,
    ...line('Mouse', 'a click chooses, a second one opens; the wheel scrolls. Shift selects text, as the terminal does.'),
  ];
  return { title: 'Keys', rows, scroll: popup.scroll, footer: [], isLarge: true };
}

/** Null when it is left. */
export function helpKey(popup: HelpPopup, key: Key, state: State): HelpPopup | null {
  switch (key.name) {
    case 'escape':
    case 'enter':
    case 'q':
    case '?':
      return null;
    default: {
      const scrolling = key.name === 'space' ? { ...key, name: 'pagedown' } : key;
      const scroll = scrollKey(scrolling, helpView(popup, state), insideOf(state.size));
      return scroll === null ? popup : { ...popup, scroll };
    }
  }
}
