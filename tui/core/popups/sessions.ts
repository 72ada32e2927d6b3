/** All sessions, newest first, narrowed down by typing. */
import type { Session } from '../../../shared/session.js';
import type { Key } from '../input.js';
import { applyKey, layoutEditor } from '../line-editor.js';
import type { Row } from '../press.js';
import { apart, blankRow, firstInSight, row, span, textRow } from '../rows.js';
import { shortPath, type State } from '../state.js';
import { cells, sanitise, widthOf } from '../text.js';
import { toneOf } from '../tree-view.js';
import { insideOf, type PopupView } from './box.js';
import type { SessionsPopup } from './popup.js';

/** Every word that was typed occurs in the title, goal, folder, status or id. */
export function matching({ sessions, filter }: SessionsPopup): readonly Session[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (sessions ?? []).filter(({ title, goal, workspace, status, id }) => {
    const text = `${title} ${goal} ${workspace} ${status} ${id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

const chosenIndex = (popup: SessionsPopup, shown: readonly Session[]): number =>
  Math.max(
    0,
    shown.findIndex(({ id }) => id === popup.chosen),
  );

export function sessionsView(popup: SessionsPopup, state: State): PopupView {
  const { width, height } = insideOf(state.size);
  const shown = matching(popup);
  const chosen = chosenIndex(popup, shown);
  const rows = shown.map((session, index): Row => ({
    ...sessionRow(session, state, width),
    press: { on: 'line', index },
    ...(index === chosen ? { chosen: 'here' as const } : {}),
  }));
  const { lines, cursor } = layoutEditor(popup.filter, Math.max(1, width - 10));
  const footer = [blankRow, row(span('Search  ', 'dim'), span(lines[cursor.row] ?? ''))];
  return {
    title: 'Sessions',
    rows:
      popup.error !== null
        ? [textRow(sanitise(popup.error), 'bad')]
        : rows.length > 0
          ? rows
          : [textRow(popup.sessions === null ? 'Reading.' : 'None like that.', 'dim')],
    scroll: firstInSight(rows.length, height - footer.length, chosen),
    footer,
    isLarge: true,
    cursor: { part: 'footer', row: 1, column: 8 + cursor.column },
  };
}

/** At most `width` columns of a harmless line, from its end: of a path that is what tells it from others. */
function endOf(text: string, width: number, ellipsis: string): string {
  const row = cells(text);
  if (row.length <= width) return text;
  const from = row.length - (width - widthOf(ellipsis));
  return ellipsis + row.slice(row[from] === '' ? from + 1 : from).join('');
}

function sessionRow({ id, title, status, counts, workspace }: Session, state: State, width: number): Row {
  const isHere = state.session?.session.id === id;
  const done = `${counts.done}/${counts.leaves - counts.skipped}`;
  const left = [
    span(isHere ? `${state.glyphs.prompt} ` : '  ', 'accent'),
    span(status.padEnd(10), toneOf(status)),
    span(done.padEnd(8), 'dim'),
    span(sanitise(title), 'plain'),
  ];
  return {
    spans: apart(
      left,
      width >= 60
        ? [span(endOf(sanitise(shortPath(workspace, state)), Math.floor(width / 3), state.glyphs.ellipsis), 'dim')]
        : [],
      width,
      state.glyphs,
    ),
  };
}

/** The popup after a key, the session that was taken, or null when it is left. */
export function sessionsKey(popup: SessionsPopup, key: Key): SessionsPopup | Session | null {
  const shown = matching(popup);
  const at = chosenIndex(popup, shown);
  const to = (index: number): SessionsPopup => ({
    ...popup,
    chosen: shown[Math.max(0, Math.min(shown.length - 1, index))]?.id ?? null,
  });
  switch (key.name) {
    case 'escape':
      return null;
    case 'enter':
      return shown[at] ?? popup;
    case 'up':
      return to(at - 1);
    case 'down':
      return to(at + 1);
    case 'pageup':
      return to(at - 10);
    case 'pagedown':
      return to(at + 10);
    default: {
      const filter = applyKey(popup.filter, key, { multiline: false });
      return filter === null ? popup : { ...popup, filter, chosen: null };
    }
  }
}
