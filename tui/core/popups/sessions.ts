/** All sessions, newest first, narrowed down by typing. */
import type { SessionId } from '../../../shared/plan.js';
import type { Session } from '../../../shared/session.js';
import type { Key } from '../input/input.js';
import { layoutEditor } from '../text/editor-layout.js';
import { applyKey, emptyEditor } from '../text/line-editor.js';
import { type Answered, call, type Call } from '../message.js';
import type { Row } from '../press.js';
import { apart, blankRow, firstInSight, row, span, textRow } from '../panes/rows.js';
import { type Next, next, shortPath, type State } from '../state.js';
import { cells, sanitise, widthOf, wrap } from '../text/text.js';
import { toneOf } from '../lines/tree-view.js';
import { insideOf, type PopupView } from './box.js';
import type { SessionsPopup } from './popup.js';

const sessionsRead = 1_000;

/** `here`: the session that is shown. */
export const openSessions = (here: SessionId | null): SessionsPopup => ({
  kind: 'sessions',
  filter: emptyEditor,
  sessions: null,
  reading: { cursor: null },
  isCut: false,
  chosen: here,
  error: null,
});

/** A page of them, from the newest (null) or from where the page before ended. */
export const readSessions = (cursor: string | null): Call =>
  call('session.list', { limit: sessionsRead, ...(cursor === null ? {} : { cursor }) }, { for: 'popup' });

/** A page has come: it is shown, and the next one is asked for, so that the search finds all. */
export function takeSessions(state: State, { params, result }: Extract<Answered, { method: 'session.list' }>): Next {
  const { popup } = state;
  if (popup?.kind !== 'sessions' || !isAwaited(popup, params.cursor)) return next(state);
  const { nextCursor } = result;
  const sessions = [...(popup.sessions ?? []), ...result.sessions];
  const shown: SessionsPopup = { ...popup, sessions, reading: nextCursor === null ? null : { cursor: nextCursor } };
  return next({ ...state, popup: shown }, ...(nextCursor === null ? [] : [readSessions(nextCursor)]));
}

export function sessionsRefused(state: State, { params }: Extract<Call, { method: 'session.list' }>, error: string): State {
  const { popup } = state;
  if (popup?.kind !== 'sessions' || !isAwaited(popup, params.cursor)) return state;
  return { ...state, popup: { ...popup, reading: null, isCut: true, error } };
}

/** A page may be for a popup that was left. */
const isAwaited = ({ reading }: SessionsPopup, cursor: string | undefined): boolean =>
  reading !== null && reading.cursor === (cursor ?? null);

/** Kept with the popup, which never changes, and with the session: a frame asks for them again and again. */
const matches = new WeakMap<SessionsPopup, readonly Session[]>();
const texts = new WeakMap<Session, string>();

/** Every word that was typed occurs in the title, goal, folder, status or id. */
export function matching(popup: SessionsPopup): readonly Session[] {
  const before = matches.get(popup);
  if (before !== undefined) return before;
  const words = popup.filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = (popup.sessions ?? []).filter((session) => {
    const text = textOf(session);
    return words.every((word) => text.includes(word));
  });
  matches.set(popup, found);
  return found;
}

function textOf(session: Session): string {
  const before = texts.get(session);
  if (before !== undefined) return before;
  const { title, goal, workspace, status, outcome, id } = session;
  const text = `${title} ${goal} ${workspace} ${status} ${outcome ?? ''} ${id}`.toLowerCase();
  texts.set(session, text);
  return text;
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
  const { lines, cursor } = layoutEditor(popup.filter, Math.max(1, width - 10), 1);
  const footer = [blankRow, ...restRows(popup, width), row(span('Search  ', 'dim'), span(lines[cursor.row] ?? ''))];
  const scroll = firstInSight(shown.length, height - footer.length, chosen);
  // Of thousands only those are made that may be in sight.
  const isNear = (index: number): boolean => index >= scroll - footer.length && index <= scroll + height;
  const rows = shown.map((session, index): Row =>
    isNear(index)
      ? {
          ...sessionRow(session, state, width),
          press: { on: 'line', index },
          ...(index === chosen ? { chosen: 'here' as const } : {}),
        }
      : blankRow,
  );
  const isNone = rows.length === 0 && popup.reading === null && !popup.isCut;
  return {
    title: 'Sessions',
    rows: isNone ? [textRow('None like that.', 'dim')] : rows,
    scroll,
    footer,
    isLarge: true,
    cursor: { part: 'footer', row: footer.length - 1, column: 8 + cursor.column },
  };
}

/** What is said of the sessions that are not there, and of what was refused. */
function restRows({ sessions, reading, isCut, error }: SessionsPopup, width: number): Row[] {
  return [
    ...(error === null ? [] : wrap(sanitise(error), width).map((line) => textRow(line, 'bad'))),
    ...(isCut && sessions !== null ? [textRow('These are not all of them.', 'warn')] : []),
    ...(reading === null ? [] : [textRow(sessions === null ? 'Reading.' : 'Reading more.', 'dim')]),
  ];
}

/** At most `width` columns of a harmless line, from its end: of a path that is what tells it from others. */
function endOf(text: string, width: number, ellipsis: string): string {
  const row = cells(text);
  if (row.length <= width) return text;
  const from = row.length - (width - widthOf(ellipsis));
  return ellipsis + row.slice(row[from] === '' ? from + 1 : from).join('');
}

function sessionRow({ id, title, status, outcome, counts, workspace }: Session, state: State, width: number): Row {
  const isHere = state.session?.session.id === id;
  const done = `${counts.done}/${counts.leaves - counts.skipped}`;
  const left = [
    span(isHere ? `${state.glyphs.prompt} ` : '  ', 'accent'),
    span((outcome ?? status).padEnd(10), outcome === null ? toneOf(status) : outcome === 'landed' ? 'good' : 'bad'),
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
