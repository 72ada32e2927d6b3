/** The revisions of the plan, a line each, newest first; Enter shows what one changed, and the plan can go back to it. */
import type { Revision } from '../../../shared/plan.js';
import type { Key } from '../input/input.js';
import { revisionWords } from '../missions/revision-words.js';
import { blankRow, firstInSight, row, span, textRow } from '../panes/rows.js';
import type { Row } from '../press.js';
import { type Next, next, type State, tell } from '../state.js';
import { fit, sanitise, wrap } from '../text/text.js';
import { askRestore } from '../plan/questions.js';
import { buttons, insideOf, type PopupView } from './box.js';
import { pageOf } from './detail-rows.js';
import type { RevisionsPopup } from './popup.js';
import { diffRows } from './revision-rows.js';
import { countsOf, readOlder, readRevision } from './revision-reading.js';
import { scrollKey } from './scroll.js';

/** What can be done in the list, and in one of them: each with its key. */
const inList = [
  { key: 'Enter', label: 'changes' },
  { key: 'r', label: 'go back to it' },
] as const;
const inOne = [
  { key: 'Esc', label: 'all' },
  { key: 'r', label: 'go back to it' },
] as const;

export function revisionsView(popup: RevisionsPopup, state: State): PopupView {
  return popup.open === null ? listView(popup, state) : oneView(popup, popup.open, state);
}

function listView(popup: RevisionsPopup, state: State): PopupView {
  const { width, height } = insideOf(state.size);
  const all = popup.revisions ?? [];
  const chosen = chosenIndex(popup);
  const footer = [...restRows(popup, width), ...buttons(inList, -1, width)];
  const scroll = firstInSight(all.length, height - footer.length, chosen);
  // Of thousands only those are made that may be in sight.
  const isNear = (index: number): boolean => index >= scroll - footer.length && index <= scroll + height;
  const rows = all.map((revision, index): Row =>
    isNear(index)
      ? {
          ...row(span(fit(lineOf(revision, state), width, state.glyphs.ellipsis), toneOf(revision))),
          press: { on: 'line', index },
          ...(index === chosen ? { chosen: 'here' as const } : {}),
        }
      : blankRow,
  );
  const isNone = rows.length === 0 && popup.reading === null && popup.error === null;
  const none = [textRow('The plan has no revisions yet.', 'dim')];
  return { title: 'Revisions of the plan (times in UTC)', rows: isNone ? none : rows, scroll, footer, isLarge: true };
}

function restRows({ reading, revisions, error }: RevisionsPopup, width: number): Row[] {
  return [
    ...(error === null ? [] : wrap(sanitise(error), width).map((line) => textRow(line, 'bad'))),
    ...(reading === null ? [] : [textRow(revisions === null ? 'Reading.' : 'Reading more.', 'dim')]),
  ];
}

/** `v7 planner 12:04 +2 −1 ~1 — explanation`, with the day where it is another one. */
function lineOf(revision: Revision, { now, glyphs }: State): string {
  const { version, author, at } = revision;
  const isToday = at.slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  const time = isToday ? at.slice(11, 16) : at.slice(5, 16).replace('T', ' ');
  return `v${version} ${author} ${time} ${revisionWords(countsOf(revision), glyphs)}`;
}

const toneOf = ({ author }: Revision): 'busy' | 'plain' => (author === 'planner' ? 'busy' : 'plain');

const chosenIndex = ({ revisions, chosen }: RevisionsPopup): number =>
  Math.max(0, revisions?.findIndex(({ version }) => version === chosen) ?? 0);

function oneView(popup: RevisionsPopup, open: NonNullable<RevisionsPopup['open']>, state: State): PopupView {
  const { width } = insideOf(state.size);
  const { glyphs } = state;
  const revision = popup.revisions?.find(({ version }) => version === open.version);
  const { say, rows } = pageOf(width);
  if (revision !== undefined) {
    say(lineOf(revision, state), 'strong');
    rows.push(blankRow);
  }
  if (open.diff.state === 'reading') say('Reading.', 'dim');
  if (open.diff.state === 'refused') say(sanitise(open.diff.reason), 'bad');
  const changed = open.diff.state === 'read' ? diffRows(open.diff.diff, width, glyphs) : [];
  return {
    title: `Revision ${open.version}`,
    rows: [...rows, ...changed],
    scroll: open.scroll,
    footer: buttons(inOne, -1, width),
    isLarge: true,
  };
}

/** The step after a key. */
export function revisionsKey(popup: RevisionsPopup, key: Key, state: State): Next {
  if (popup.open !== null) return keyInOne(popup, popup.open, key, state);
  const all = popup.revisions ?? [];
  const at = chosenIndex(popup);
  const page = Math.max(1, insideOf(state.size).height - 2);
  const to = (index: number): Next => goTo(popup, Math.max(0, Math.min(all.length - 1, index)), page, state);
  switch (key.name) {
    case 'escape':
    case 'q':
      return next({ ...state, popup: null });
    case 'enter':
    case 'right':
    case 'l':
      return openOne(popup, all[at], state);
    case 'r':
      return askBack(all[at], state);
    case 'up':
    case 'k':
      return to(at - 1);
    case 'down':
    case 'j':
      return to(at + 1);
    case 'pageup':
      return to(at - page);
    case 'pagedown':
    case 'space':
      return to(at + page);
    case 'home':
      return to(0);
    case 'end':
      return to(all.length - 1);
    default:
      return next(state);
  }
}

/** The cursor on a line; near the last one the next page is read. */
function goTo(popup: RevisionsPopup, index: number, page: number, state: State): Next {
  const all = popup.revisions ?? [];
  const moved = { ...popup, chosen: all[index]?.version ?? null };
  return index + page >= all.length - 1 ? readOlder(state, moved) : next({ ...state, popup: moved });
}

function openOne(popup: RevisionsPopup, revision: Revision | undefined, state: State): Next {
  if (revision === undefined) return next(state);
  const { version } = revision;
  const open = { version, diff: { state: 'reading' }, scroll: 0 } as const;
  return next({ ...state, popup: { ...popup, chosen: version, open } }, ...readRevision(state, version));
}

function keyInOne(popup: RevisionsPopup, open: NonNullable<RevisionsPopup['open']>, key: Key, state: State): Next {
  switch (key.name) {
    case 'escape':
    case 'enter':
    case 'left':
    case 'h':
    case 'q':
    case 'backspace':
      return next({ ...state, popup: { ...popup, open: null } });
    case 'r':
      return askBack(
        popup.revisions?.find(({ version }) => version === open.version),
        state,
      );
    default: {
      const scrolling = key.name === 'space' ? { ...key, name: 'pagedown' } : key;
      const scroll = scrollKey(scrolling, revisionsView(popup, state), insideOf(state.size));
      return next(scroll === null ? state : { ...state, popup: { ...popup, open: { ...open, scroll } } });
    }
  }
}

function askBack(revision: Revision | undefined, state: State): Next {
  const { session, link } = state;
  if (revision === undefined || session === null) return next(state);
  if (link.state !== 'open') return next(tell(state, 'No daemon answers: the plan cannot be changed.', 'warn'));
  return next({ ...state, popup: askRestore(session, revision.version) });
}

/** A click on a line: the first one chooses, the second one opens. */
export function revisionPressed(popup: RevisionsPopup, index: number, state: State): Next {
  const revision = popup.revisions?.[index];
  if (revision === undefined) return next(state);
  return chosenIndex(popup) === index
    ? openOne(popup, revision, state)
    : next({ ...state, popup: { ...popup, chosen: revision.version } });
}

/** A click on what can be done. */
export function revisionButton(popup: RevisionsPopup, index: number, state: State): Next {
  const name = (popup.open === null ? inList : inOne)[index]?.key;
  const keys: Readonly<Record<string, string>> = { Enter: 'enter', Esc: 'escape', r: 'r' };
  const pressed = keys[name ?? ''];
  return pressed === undefined ? next(state) : revisionsKey(popup, keyOf(pressed), state);
}

const keyOf = (name: string): Key => ({ type: 'key', name, ctrl: false, alt: false, shift: false, text: null });
