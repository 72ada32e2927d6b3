/** Everything about an item: its texts, what the daemon saw, what was done for it, and how it changed. */
import { unreachable } from '../../../shared/errors.js';
import type { ListedItem } from '../../../shared/plan.js';
import type { Glyphs } from '../glyphs.js';
import type { Key } from '../input/input.js';
import { listedItem } from '../plan/plan-model.js';
import type { Row, Span } from '../press.js';
import { blankRow, row, span } from '../panes/rows.js';
import type { State } from '../state.js';
import { sanitise } from '../text/text.js';
import { insideOf, type PopupView } from './box.js';
import { changeRows, effectRows, itemRows, pageOf, receiptRows, resultRows, runRows } from './detail-rows.js';
import { type DetailPopup, type DetailTab, detailTabs } from './popup.js';
import { scrollKey } from './scroll.js';

const labels: Readonly<Record<DetailTab, string>> = {
  details: 'Details',
  receipts: 'Receipts',
  effects: 'Effects',
  runs: 'Runs',
  changes: 'Changes',
};
/** Where the labels would not fit in one row. */
const shortLabels: Readonly<Record<DetailTab, string>> = {
  details: 'Item',
  receipts: 'Rcpt',
  effects: 'Done',
  runs: 'Runs',
  changes: 'Diff',
};

export const openDetail = (item: ListedItem, tab: DetailTab): DetailPopup => ({
  kind: 'detail',
  itemId: item.id,
  tab,
  scroll: 0,
  receipts: null,
  runs: null,
  effects: null,
  changes: null,
  history: { cursor: null, page: 1 },
  cut: new Set(),
  errors: new Map(),
});

export function detailView(popup: DetailPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const item = state.session && listedItem(state.session.plan, popup.itemId);
  const title = item === null ? 'Item' : `${item.number} ${sanitise(item.title)}`;
  const rows = [tabsRow(popup, width), blankRow, ...(item === null ? goneRows(width) : tabRows(popup, item, state, width))];
  return { title, rows, scroll: popup.scroll, footer: [], isLarge: true };
}

/** Of the newest run that came to something. */
function resultOf({ runs }: DetailPopup, width: number): readonly Row[] {
  const run = runs?.find(({ status }) => status === 'completed');
  return run === undefined ? [] : resultRows(run, width);
}

function goneRows(width: number): readonly Row[] {
  const page = pageOf(width);
  page.say('The item was removed.', 'warn');
  return page.rows;
}

function tabRows(popup: DetailPopup, item: ListedItem, state: State, width: number): readonly Row[] {
  const { glyphs } = state;
  const look = { popup, width, glyphs };
  switch (popup.tab) {
    case 'details':
      return [...itemRows(item, state.session?.planRun ?? null, width, glyphs), ...resultOf(popup, width)];
    case 'receipts':
      return allRows(look, popup.receipts, 'No check of it has run.', receiptRows);
    case 'effects':
      return allRows(look, popup.effects, 'No tool was called for it.', effectRows);
    case 'runs':
      return allRows(look, popup.runs, 'It has not run yet.', runRows);
    case 'changes':
      return allRows(look, popup.changes, 'It is as it was made.', changeRows);
    default:
      return unreachable(popup.tab);
  }
}

/** `none` is said only where all was read, and there is nothing. */
function allRows<T>(
  { popup, width, glyphs }: { popup: DetailPopup; width: number; glyphs: Glyphs },
  all: readonly T[] | null,
  none: string,
  rowsOf: (one: T, width: number, glyphs: Glyphs) => readonly Row[],
): readonly Row[] {
  const { tab, cut, errors, history } = popup;
  const [above, below] = [pageOf(width), pageOf(width)];
  const error = errors.get(tab);
  const goesOn = all === null ? error === undefined : tab === 'changes' && history !== null;
  if (error !== undefined) above.say(sanitise(error), 'bad');
  if (goesOn) below.say('Reading.', 'dim');
  else if (cut.has(tab)) below.say(all?.length === 0 ? cutBeforeAny : 'Older ones are not shown.', 'dim');
  else if (all?.length === 0 && error === undefined) below.say(none, 'dim');
  return [...above.rows, ...(all ?? []).flatMap((one) => rowsOf(one, width, glyphs)), ...below.rows];
}

const cutBeforeAny = 'The newest changes of the plan are none of it. Older ones are not shown.';

function tabsRow(popup: DetailPopup, width: number): Row {
  const texts = width >= 52 ? labels : shortLabels;
  return row(
    ...detailTabs.flatMap((tab, index): Span[] => {
      const press = { on: 'button', index } as const;
      const isHere = tab === popup.tab;
      return [span(isHere ? `[${texts[tab]}]` : ` ${texts[tab]} `, isHere ? 'accent' : 'dim', press), span(' ')];
    }),
  );
}

/** The popup after a key; null when it is left. */
export function detailKey(popup: DetailPopup, key: Key, state: State): DetailPopup | null {
  const at = detailTabs.indexOf(popup.tab);
  const turn = (by: number): DetailPopup => toTab(popup, (at + by + detailTabs.length) % detailTabs.length);
  switch (key.name) {
    case 'escape':
    case 'enter':
    case 'q':
    case 'space':
      return null;
    case 'right':
    case 'l':
      return turn(1);
    case 'left':
    case 'h':
      return turn(-1);
    case 'tab':
      return turn(key.shift ? -1 : 1);
    case 'v':
      return toTab(popup, detailTabs.indexOf('receipts'));
    case 'D':
      return toTab(popup, detailTabs.indexOf('changes'));
    default: {
      const scroll = scrollKey(key, detailView(popup, state), insideOf(state.size));
      return scroll === null ? popup : { ...popup, scroll };
    }
  }
}

export const toTab = (popup: DetailPopup, index: number): DetailPopup => ({
  ...popup,
  tab: detailTabs[index] ?? popup.tab,
  scroll: 0,
});
